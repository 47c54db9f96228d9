import itertools
import random
import threading

import pytest

from bethink import Memory, MemoryStore, RAMStore, SQLiteStore, StoreError, UsageError
from bethink.check import SelfChecking
from bethink.stores.cached import Cached
from bethink.stores.redis import RedisStore
from bethink.testing import StoreSuite, check_against_oracle
from bethink.testing.redisserver import RedisServer
from bethink.testing.suite import OTHER_SPACE, SPACE, entry, scanned
from tests.stores.test_sqlite import in_child

names = (f"n{n}" for n in itertools.count())


@pytest.fixture(scope="module")
def server():
    with RedisServer() as server:
        yield server


class TestCachedRAMStore(StoreSuite):
    machine_runs = 4

    @pytest.fixture
    def open_store(self, server):
        store, name = RAMStore(), next(names)
        return lambda: Cached(store, server.url, name=name)


class TestCachedSQLiteStore(StoreSuite):
    machine_runs = 4

    @pytest.fixture
    def open_store(self, server, tmp_path):
        name = next(names)
        return lambda: Cached(SQLiteStore(tmp_path / "memory.db"), server.url, name=name)


@pytest.fixture
def inner():
    store = RAMStore()
    store.switch(None, SPACE)
    return store


class Counting(RAMStore):
    """Notes which scans it was asked for."""

    def __init__(self):
        super().__init__()
        self.scans = []

    def scan(self, user_id, *, space, since=0):
        self.scans.append(since)
        return super().scan(user_id, space=space, since=since)


@pytest.fixture
def counting():
    store = Counting()
    store.switch(None, SPACE)
    return store


def test_a_user_is_loaded_from_the_cache_while_nothing_changes(server, counting):
    name = next(names)
    counting.put("ann", [entry("1"), entry("2", metadata={"a": [1, None, "é"]})], space=SPACE)
    first, second = (Cached(counting, server.url, name=name) for _ in range(2))
    whole = scanned(counting)
    counting.scans.clear()
    assert scanned(first) == scanned(second) == whole
    assert counting.scans == [0]


def test_what_others_wrote_behind_it_is_read_and_nothing_else(server, counting):
    cached = Cached(counting, server.url, name=next(names))
    counting.put("ann", [entry(str(n)) for n in range(10)], space=SPACE)
    cached.scan("ann", space=SPACE)
    before = counting.generation("ann")
    counting.put("ann", [entry("3", "changed")], space=SPACE)
    counting.delete("ann", ["4"])
    counting.scans.clear()
    found = scanned(cached)
    assert counting.scans == [before]
    assert found == scanned(counting)


def test_a_cache_far_behind_is_written_anew(server, counting):
    cached = Cached(counting, server.url, name=next(names))
    counting.put("ann", [entry("1")], space=SPACE)
    cached.scan("ann", space=SPACE)
    counting.put("ann", [entry(f"{n}") for n in range(100)], space=SPACE)
    cached.scan("ann", space=SPACE)
    counting.scans.clear()
    assert len(cached.scan("ann", space=SPACE).rows) == 100
    assert counting.scans == []


def test_a_space_that_is_being_built_is_not_cached(server, inner):
    cached = Cached(inner, server.url, name=next(names))
    inner.put("ann", [entry("1")], space=SPACE)
    assert scanned(cached, space=OTHER_SPACE)["1"].vectors == b""
    inner.attach("ann", {"1": (1, b"new!")}, space=OTHER_SPACE)
    assert scanned(cached, space=OTHER_SPACE)["1"].vectors == b"new!"
    inner.switch(SPACE, OTHER_SPACE)
    assert scanned(cached, space=OTHER_SPACE)["1"].vectors == b"new!"
    assert scanned(cached)["1"].vectors == b""


def test_nothing_of_a_user_stays_in_the_cache_when_cleared(server, inner):
    cached = Cached(inner, server.url, name=next(names))
    with server.client() as client:
        client.flushall()
        inner.put("ann", [entry("1", metadata={"secret": 1})], space=SPACE)
        cached.scan("ann", space=SPACE)
        assert client.dbsize() == 1
        cached.clear("ann")
        assert client.dbsize() == 0


def test_a_cache_may_throw_users_away_and_forgets_them_by_itself(server, inner):
    cached = Cached(inner, server.url, name=next(names), seconds=100)
    with server.client() as client:
        client.flushall()
        inner.put("ann", [entry("1")], space=SPACE)
        cached.scan("ann", space=SPACE)
        [key] = client.keys()
        assert 0 < client.ttl(key) <= 100


@pytest.mark.parametrize("damage", [b"", b"nonsense", "cut", "turned"])
def test_a_damaged_cache_is_passed_over(server, inner, damage):
    cached = Cached(inner, server.url, name=next(names))
    with server.client() as client:
        client.flushall()
        inner.put("ann", [entry("1")], space=SPACE)
        cached.scan("ann", space=SPACE)
        [key] = client.keys()
        kept = client.get(key)
        harm = {"cut": kept[:-3], "turned": kept[:-1] + bytes([kept[-1] ^ 1])}
        client.set(key, harm.get(damage, damage))
        assert scanned(cached) == scanned(inner)


def test_stores_of_different_names_share_nothing(server):
    stores = [RAMStore(), RAMStore()]
    for number, store in enumerate(stores):
        store.switch(None, SPACE)
        store.put("ann", [entry(str(number))], space=SPACE)
    handles = [Cached(store, server.url, name=next(names)) for store in stores]
    for _ in range(2):
        assert [list(scanned(handle)) for handle in handles] == [["0"], ["1"]]
    with pytest.raises(UsageError, match="what the store holds"):
        Cached(stores[0], server.url, name="")


def test_a_dead_cache_costs_no_answer(inner):
    with RedisServer() as server:
        cached = Cached(inner, server.url, name="x", timeout=0.1)
        inner.put("ann", [entry("1")], space=SPACE)
        assert list(scanned(cached)) == ["1"]
        server.kill()
        for n in range(5):
            cached.put("ann", [entry(f"new {n}")], space=SPACE)
            assert scanned(cached) == scanned(inner)
        assert cached.delete("ann", ["1"]) == 1
        assert cached.clear("ann") == 5
        server.start()
        cached._resting_until = 0.0
        cached.put("ann", [entry("1")], space=SPACE)
        for _ in range(2):
            assert list(scanned(cached)) == ["1"]
        cached.close()


def test_a_failing_store_is_not_hidden(server, tmp_path):
    cached = Cached(SQLiteStore(tmp_path / "a.db"), server.url, name=next(names))
    cached.switch(None, SPACE)
    cached.put("ann", [entry("1")], space=SPACE)
    cached.scan("ann", space=SPACE)
    cached._store.close()
    with pytest.raises(UsageError, match="closed"):
        cached.scan("ann", space=SPACE)


def test_a_client_of_one_s_own_is_used_and_left_open(server, inner):
    with server.client() as client:
        cached = Cached(inner, client, name=next(names))
        inner.put("ann", [entry("1")], space=SPACE)
        for _ in range(2):
            assert list(scanned(cached)) == ["1"]
        cached.close()
        assert client.ping()


@pytest.mark.parametrize("url", ["memcached://host", "redis://:s3cr3t@host:port"])
def test_a_url_that_is_none_is_refused_without_its_password(inner, url):
    with pytest.raises(UsageError, match="not the URL of a cache") as caught:
        Cached(inner, url, name="x")
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize("runs", [6, pytest.param(300, marks=pytest.mark.soak)])
def test_random_operations_on_both_sides_of_a_cache_that_is_lost_again_and_again(
    runs, tmp_path, monkeypatch
):
    """One handle goes through the cache, the other writes behind it."""
    monkeypatch.setattr("bethink.stores.cached._REST", 0.0)
    monkeypatch.setattr("bethink.stores.cached._BEHIND", 1)
    with RedisServer() as server:
        done = threading.Event()

        def lose():
            rng = random.Random(1)
            while not done.wait(rng.uniform(0.005, 0.05)):
                with server.client() as client:
                    harm = rng.choice(["flush", "cut", "restart", "shrink"])
                    if harm == "flush":
                        client.flushall()
                    elif harm == "cut":
                        client.client_kill_filter(_type="normal", skipme=True)
                    elif harm == "restart":
                        server.kill()
                        server.start()
                    else:
                        for key in client.scan_iter():
                            client.setrange(key, 0, b"x")

        thread = threading.Thread(target=lose)
        thread.start()
        path = tmp_path / "memory.db"
        cached: MemoryStore = Cached(SQLiteStore(path), server.url, name="x")
        handles = iter([cached, SQLiteStore(path)])
        try:
            check_against_oracle(lambda: next(handles), runs=runs)
        finally:
            done.set()
            thread.join()


def test_a_cached_store_can_be_used_on_both_sides_of_a_fork(server, tmp_path):
    store = Cached(SQLiteStore(tmp_path / "a.db"), server.url, name=next(names))
    store.switch(None, SPACE)
    store.put("ann", [entry("1")], space=SPACE)
    assert list(scanned(store)) == ["1"]

    def child():
        store.put("ann", [entry("2")], space=SPACE)
        return sorted(scanned(store)) == ["1", "2"]

    assert in_child(child)
    assert sorted(scanned(store)) == ["1", "2"]


def test_what_a_store_can_do_beyond_the_protocol_it_can_through_a_cache(server, tmp_path):
    sqlite = Cached(SQLiteStore(tmp_path / "a.db"), server.url, name=next(names))
    assert isinstance(sqlite, SelfChecking)
    assert not hasattr(sqlite, "candidates")
    assert hasattr(Cached(RedisStore(server.url), server.url, name=next(names)), "candidates")


def test_a_memory_works_through_a_cache(server, tmp_path, quick):
    store = Cached(SQLiteStore(tmp_path / "a.db"), server.url, name=next(names))
    with Memory(store, embedder=quick) as memory:
        memory.add("Likes tea", user_id="ann")
        assert [hit.item.content for hit in memory.search("tea", user_id="ann")] == ["Likes tea"]


def test_errors_of_the_store_are_its_own(server, tmp_path):
    (tmp_path / "a.db").write_text("Dear diary " * 100)
    with pytest.raises(StoreError):
        Cached(SQLiteStore(tmp_path / "a.db"), server.url, name="x")
