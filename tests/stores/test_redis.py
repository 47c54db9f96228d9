import itertools
import time
from datetime import UTC, datetime, timedelta

import pytest

from bethink import Memory
from bethink.stores.redis import RedisStore
from bethink.stores.redis.keys import user_keys
from bethink.testing import StoreSuite
from bethink.testing.redisserver import RedisNodes, RedisServer
from bethink.testing.suite import OTHER_SPACE, SPACE, entry, scanned

prefixes = (f"t{n}" for n in itertools.count())


@pytest.fixture(scope="module")
def server():
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="module")
def search():
    with RedisServer(search=True) as server:
        yield server


@pytest.fixture(scope="module")
def nodes():
    nodes = RedisNodes()
    yield nodes
    nodes.close()


class TestRedisStore(StoreSuite):
    machine_runs = 4

    @pytest.fixture
    def open_store(self, server):
        prefix = next(prefixes)
        return lambda: RedisStore(server.url, prefix=prefix)


class TestRedisStoreWithTheQueryEngine(StoreSuite):
    machine_runs = 4

    @pytest.fixture
    def open_store(self, search):
        prefix = next(prefixes)
        return lambda: RedisStore(search.url, prefix=prefix)


class TestRedisStoreOnACluster(StoreSuite):
    machine_runs = 4

    @pytest.fixture
    def open_store(self, nodes):
        prefix = next(prefixes)
        return lambda: RedisStore(nodes.url, prefix=prefix)


@pytest.mark.soak
class TestRedisStoreForLong(StoreSuite):
    machine_steps = 100
    machine_runs = 100

    @pytest.fixture
    def open_store(self, server):
        prefix = next(prefixes)
        return lambda: RedisStore(server.url, prefix=prefix)


@pytest.mark.soak
class TestRedisStoreOnAClusterForLong(StoreSuite):
    machine_steps = 100
    machine_runs = 100

    @pytest.fixture
    def open_store(self, nodes):
        prefix = next(prefixes)
        return lambda: RedisStore(nodes.url, prefix=prefix)


@pytest.fixture(params=["server", "nodes"])
def open_store(request):
    url = request.getfixturevalue(request.param).url
    prefix = next(prefixes)
    opened = []

    def open_one():
        opened.append(RedisStore(url, prefix=prefix))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store):
    store = open_store()
    store.switch(None, SPACE)
    return store


def keys_of(store, user_id="ann"):
    return user_keys(store._prefix, user_id)


# --- expiry


def test_the_server_drops_what_has_expired_by_itself(store):
    soon = datetime.now(UTC) + timedelta(milliseconds=150)
    store.put("ann", [entry("1", expires_at=soon), entry("2")], space=SPACE)
    assert sorted(scanned(store)) == ["1", "2"]
    before = store.generation("ann")
    while store.get("ann", ["1"]):
        time.sleep(0.01)
    assert datetime.now(UTC) >= soon
    assert sorted(scanned(store)) == ["2"]
    assert store.generation("ann") == before
    store.put("ann", [entry("1", "again")], space=SPACE, if_version={"1": 0})
    assert sorted(scanned(store)) == ["1", "2"]


def test_sweeping_takes_the_rest_of_what_the_server_dropped(store):
    past = datetime.now(UTC) - timedelta(days=1)
    store.put("ann", [entry("1", expires_at=past), entry("1@1"), entry("2")], space=SPACE)
    start = store.generation("ann")
    assert sorted(scanned(store)) == ["1@1", "2"]
    assert store.sweep(datetime.now(UTC)) == 0
    assert sorted(scanned(store)) == ["2"]
    assert sorted(store.scan("ann", space=SPACE, since=start).deleted) == ["1", "1@1"]
    assert store.sweep(datetime.now(UTC)) == 0
    assert store.check() == []


def test_a_record_that_expires_no_more_is_kept(store):
    soon = datetime.now(UTC) + timedelta(milliseconds=100)
    for vectors in (b"abcdef", None):
        store.put("ann", [entry("1", expires_at=soon)], space=SPACE)
        store.put("ann", [entry("1", vectors=vectors)], space=SPACE)
    time.sleep(0.2)
    assert sorted(scanned(store)) == ["1"]
    assert store.sweep(datetime.now(UTC)) == 0


def test_a_memory_may_expire_in_the_year_9999(store):
    end = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
    store.put("ann", [entry("1", expires_at=end)], space=SPACE)
    assert store.sweep(end - timedelta(microseconds=1)) == 0
    assert [item.expires_at for item in store.get("ann", ["1"])] == [end]
    assert store.sweep(end) == 1


# --- users and spaces, whose keys may lie on different nodes


def test_clearing_leaves_nothing_but_a_mark_that_goes_by_itself(store):
    store.put("ann", [entry("1"), entry("1@1")], space=SPACE)
    store.touch("ann", {})
    assert store.clear("ann") == 2
    keys = keys_of(store)

    def left(client):
        return [key for key in [*keys.own, keys.records + b"1"] if client.exists(key)]

    assert store._server.read(left) == [keys.meta]
    assert 0 < store._server.read(lambda client: client.pttl(keys.meta)) <= 3_600_000
    assert store._registered() == {}


def test_a_writer_that_was_held_up_since_before_a_clear_begins_anew(store):
    late = store._enter("ann", SPACE, register=True)
    store.clear("ann")
    enter = store._enter
    answers = iter([late])
    store._enter = lambda *told, **more: next(answers, None) or enter(*told, **more)
    store.put("ann", [entry("1")], space=SPACE)
    assert store.users() == ["ann"]
    assert store.generation("ann") >> 53 == 2


def test_a_switch_that_ended_half_way_is_finished_by_whoever_comes_next(store, open_store):
    for user_id in ("ann", "bob"):
        store.put(user_id, [entry("1", user_id=user_id)], space=SPACE)
        store.attach(user_id, {"1": (1, b"new!")}, space=OTHER_SPACE)
    before = store.generation("ann")
    store._move = lambda *_: None  # it ends before any user is reached
    store.switch(SPACE, OTHER_SPACE)
    other = open_store()
    assert other.space() == OTHER_SPACE
    assert scanned(other, space=OTHER_SPACE)["1"].vectors == b"new!"
    assert other.attach("ann", {"1": (1, b"newer!!!")}, space=OTHER_SPACE) == 1
    assert other.generation("ann") > before
    assert scanned(other)["1"].vectors == b""
    other.put("bob", [entry("2", user_id="bob", vectors=b"")], space=OTHER_SPACE)
    assert scanned(other, "bob")["1"].vectors == b""
    other.switch(None, OTHER_SPACE)
    assert other.scan("ann", space=OTHER_SPACE, since=before).complete


def test_a_switch_that_was_overtaken_undoes_nothing(store, open_store):
    store.put("ann", [entry("1")], space=SPACE)
    slow, moves = open_store(), []
    slow._move = lambda *told: moves.append(told)
    slow.switch(SPACE, OTHER_SPACE)
    store.switch(OTHER_SPACE, SPACE)
    store.attach("ann", {"1": (1, b"abcdef")}, space=SPACE)
    for told in moves:
        type(slow)._move(slow, *told)
    assert scanned(store)["1"].vectors == b"abcdef"
    store.put("ann", [entry("2")], space=SPACE)


def test_a_scan_in_many_pages_is_of_one_moment(store, monkeypatch):
    monkeypatch.setattr("bethink.stores.redis.store._PAGE", 2)
    store.put("ann", [entry(str(n)) for n in range(5)], space=SPACE)
    run = store._run
    between = iter(
        [
            lambda: store.delete("ann", ["0", "4"]),
            lambda: store.put("ann", [entry("1", "changed"), entry("9")], space=SPACE),
            lambda: store.switch(SPACE, SPACE),
        ]
    )

    def interrupted(script, *told):
        answer = run(script, *told)
        if script.reads and len(answer) > 5 and (change := next(between, None)):
            change()
        return answer

    store._run = interrupted
    found = store.scan("ann", space=SPACE)
    store._run = run
    assert found == store.scan("ann", space=SPACE)
    assert sorted(row.id for row in found.rows) == ["1", "2", "3", "9"]


# --- the whole of it


def test_a_memory_in_redis_finds_what_it_was_told(server, quick):
    with Memory(server.url, embedder=quick) as memory:
        memory.add("Likes tea", user_id="ann")
        assert [hit.item.content for hit in memory.search("tea", user_id="ann")] == ["Likes tea"]
