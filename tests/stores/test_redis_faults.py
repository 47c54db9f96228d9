import random
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from bethink import Conflict, Memory, StoreError, StoreUnavailable, UsageError
from bethink.stores.redis import RedisStore
from bethink.testing.redisserver import RedisNodes, RedisServer, free_port
from bethink.testing.suite import SPACE, entry, scanned
from tests.stores.test_sqlite import in_child

SECRET = "s3cr3t-word"  # noqa: S105 (of nothing)


@pytest.fixture
def server():
    with RedisServer() as server:
        yield server


@pytest.fixture
def store(server):
    store = RedisStore(server.url, timeout=2)
    store.switch(None, SPACE)
    yield store
    store.close()


def in_threads(work, count):
    failures = []

    def run(number):
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 (handed on to the test)
            failures.append(error)

    threads = [threading.Thread(target=run, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads, failures


def patiently(call, seconds=20.0):
    """Call until it is no longer unavailable."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return call()
        except StoreUnavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


# --- servers that cannot be used


def test_nobody_there_is_worth_retrying():
    with pytest.raises(StoreUnavailable, match=r"127.0.0.1:\d+ cannot be reached: .*Check that it"):
        RedisStore(f"redis://127.0.0.1:{free_port()}", timeout=0.3)


def test_no_cluster_there_is_worth_retrying():
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        RedisStore(f"redis+cluster://127.0.0.1:{free_port()}", timeout=0.3)


@pytest.mark.parametrize("who", ["", f":{SECRET}@", f"nobody:{SECRET}@"])
def test_a_wrong_password_is_said_so_and_never_shown(who):
    with RedisServer(options=["--requirepass", "another"]) as server:
        url = server.url.replace("127", f"{who}127", 1)
        with pytest.raises(StoreError, match="refused the user name or password") as caught:
            RedisStore(url)
        assert not isinstance(caught.value, StoreUnavailable)
        assert SECRET not in f"{caught.value} {caught.value!r}"


@pytest.mark.parametrize("who", ["", f":{SECRET}@"])
def test_a_wrong_password_of_a_cluster_is_said_so_too(who):
    with RedisServer(options=["--requirepass", "another", "--cluster-enabled", "yes"]) as node:
        with pytest.raises(StoreError, match="refused the user name or password") as caught:
            RedisStore(f"redis+cluster://{who}127.0.0.1:{node.port}")
        assert SECRET not in str(caught.value)


def test_a_password_is_in_no_repr():
    with RedisServer(options=["--requirepass", SECRET]) as server:
        store = RedisStore(server.url.replace("127", f":{SECRET}@127", 1))
        store.switch(None, SPACE)
        assert repr(store) == f"RedisStore('redis://127.0.0.1:{server.port}/0', prefix='bethink')"
        assert SECRET not in repr(vars(store))
        server.kill()
        with pytest.raises(StoreUnavailable) as caught:
            store.put("ann", [entry("1")], space=SPACE)
        assert SECRET not in str(caught.value)
        store.close()


@pytest.mark.parametrize(
    "url",
    [f"redis://:{SECRET}#1@host", f"redis://:{SECRET}/1@host:6379", f"redis://:{SECRET}@host:port"],
)
def test_a_url_that_cannot_be_read_is_refused_without_its_password(url):
    with pytest.raises(UsageError) as caught:
        RedisStore(url)
    said = f"{caught.value} {caught.value.__cause__} {caught.value.__context__}"
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__ or SECRET not in said


def test_a_store_of_a_newer_version_says_to_upgrade(server, store):
    with server.client() as client:
        client.hset("bethink:{store}:meta", "schema", 2)
    with pytest.raises(StoreError, match="newer Bethink .* pip install --upgrade bethink"):
        RedisStore(server.url)


def test_keys_of_something_else_are_left_alone(server):
    with server.client() as client:
        client.set("bethink:{store}:meta", "mine")
        with pytest.raises(StoreError, match="Choose another prefix"):
            RedisStore(server.url)
        assert client.get("bethink:{store}:meta") == b"mine"


def test_a_server_that_throws_data_away_is_refused_unless_that_is_allowed():
    with RedisServer(options=["--maxmemory-policy", "allkeys-lru"]) as server:
        with pytest.raises(StoreError, match="maxmemory-policy is allkeys-lru.*Set it to noevict"):
            RedisStore(server.url)
        RedisStore(server.url, allow_eviction=True).close()


def test_a_full_server_is_said_so_and_nothing_of_the_call_is_stored(server, store):
    store.put("ann", [entry("1")], space=SPACE)
    with server.client() as client:
        client.config_set("maxmemory", client.info("memory")["used_memory"] + 200_000)
        many = [entry(f"m{n}", "x" * 1000) for n in range(50)]

        def fill():
            for n in range(100):
                batch = [entry(f"{n}-{e.item.id}", e.item.content) for e in many]
                store.put("ann", batch, space=SPACE)

        with pytest.raises(StoreError, match="no memory left. Nothing of this call was stored"):
            fill()
        rows = scanned(store)
        assert (len(rows) - 1) % 50 == 0
        assert store.delete("ann", list(rows)[:10]) == 10
        client.config_set("maxmemory", 0)
    assert store.check() == []
    store.put("ann", many, space=SPACE)


def test_a_replica_says_to_use_the_primary(server, store):
    with RedisServer(options=["--replicaof", f"127.0.0.1 {server.port}"]) as replica:
        store.put("ann", [entry("1")], space=SPACE)
        with replica.client() as client:
            while client.info("replication")["master_link_status"] != "up":
                time.sleep(0.02)
        with pytest.raises(StoreError, match="is a replica.*Pass the address of the primary"):
            RedisStore(replica.url)


def test_a_node_of_a_cluster_says_to_use_the_cluster_s_url():
    with (
        RedisServer(options=["--cluster-enabled", "yes"]) as node,
        pytest.raises(UsageError, match=r"part of a cluster. Pass its URL as redis\+cluster://"),
    ):
        RedisStore(node.url)


def test_a_closed_store_says_so(store):
    store.close()
    with pytest.raises(UsageError, match="closed"):
        store.get("ann", ["1"])


def test_without_the_driver_the_extra_is_named():
    code = (
        "import sys; sys.modules['redis'] = None\nfrom bethink import Memory; Memory('redis://x')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (
        "MissingExtra: redis is not installed. To use it: pip install 'bethink[redis]'"
        in run.stderr
    )


# --- replicas


def test_a_write_may_wait_for_replicas(server, store):
    store.put("ann", [entry("0")], space=SPACE)
    careful = RedisStore(server.url, timeout=1, replicas=1)
    with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas have confirmed it"):
        careful.put("ann", [entry("1")], space=SPACE)
    with RedisServer(options=["--replicaof", f"127.0.0.1 {server.port}"]) as replica:
        patiently(lambda: careful.put("ann", [entry("2")], space=SPACE))
        server.kill()
        with replica.client() as client:
            client.execute_command("REPLICAOF", "NO", "ONE")
        promoted = RedisStore(replica.url)
        assert sorted(scanned(promoted)) == ["0", "1", "2"]
        promoted.close()
    careful.close()
    with pytest.raises(UsageError, match="min-replicas-to-write"):
        RedisStore("redis+cluster://127.0.0.1:1", replicas=1)


# --- crashes, restarts and stalls


def test_every_write_that_returned_is_there_after_a_crash():
    with RedisServer(fsync="always") as server:
        store = RedisStore(server.url, timeout=2)
        store.switch(None, SPACE)
        done: dict[str, list[int]] = {f"u{n}": [] for n in range(4)}
        ended = threading.Event()

        def write(number):
            user = f"u{number}"
            for n in range(100_000):
                pair = [entry(f"{n}-{half}", user_id=user) for half in "ab"]
                try:
                    store.put(user, pair, space=SPACE)
                except StoreUnavailable:
                    ended.wait(30)
                    return
                done[user].append(n)

        threads, failures = in_threads(write, 4)
        while min(map(len, done.values())) < 30:
            time.sleep(0.01)
        server.kill()
        ended.set()
        for thread in threads:
            thread.join(30)
        assert failures == []
        server.start()
        for user, numbers in done.items():
            there = set(scanned(store, user))
            assert {f"{n}-{half}" for n in numbers for half in "ab"} <= there
            assert all(f"{id_[:-1]}a" in there and f"{id_[:-1]}b" in there for id_ in there)
        assert store.check() == []
        store.close()


def test_a_store_recovers_from_a_restart_under_load():
    with RedisServer(fsync="everysec") as server:
        store = RedisStore(server.url, timeout=2)
        store.switch(None, SPACE)
        stop, restarted = threading.Event(), threading.Event()
        after = [0] * 4

        def work(number):
            n = 0
            while not stop.is_set():
                n += 1
                with suppress(StoreUnavailable):
                    fresh = restarted.is_set()
                    store.put("ann", [entry(f"{number}-{n}")], space=SPACE)
                    assert store.get("ann", [f"{number}-{n}"])
                    after[number] += fresh

        threads, failures = in_threads(work, 4)
        for end in (server.stop, server.kill):
            time.sleep(0.2)
            end()
            server.start()
        restarted.set()
        deadline = time.monotonic() + 60
        while min(after) < 5 and time.monotonic() < deadline and not failures:
            time.sleep(0.01)
        stop.set()
        for thread in threads:
            thread.join(30)
        assert failures == []
        assert min(after) >= 5
        assert store.check() == []
        store.close()


def test_an_index_that_knows_what_a_crash_has_lost_reads_everything_again(server, store):
    """However much was written since: a generation that was lost is never given out again."""
    store.put("ann", [entry("kept"), entry("changed", "before")], space=SPACE)
    with server.client() as client:
        client.save()
    for n in range(5):
        store.put("ann", [entry(f"lost {n}"), entry("changed", "lost")], space=SPACE)
    known = scanned(store)
    lost = store.generation("ann")
    server.kill()
    server.start()
    assert store.scan("ann", space=SPACE, since=lost).complete
    for n in range(20):
        store.put("ann", [entry(f"new {n}")], space=SPACE)
    changes = store.scan("ann", space=SPACE, since=lost)
    known = {} if changes.complete else known
    known.update((row.id, row) for row in changes.rows)
    assert known == scanned(store)
    assert store.generation("ann") > lost
    assert not store.scan("ann", space=SPACE, since=store.generation("ann")).complete


def test_a_read_outlives_a_restart(server, store):
    server.kill()
    again = threading.Timer(0.3, server.start)
    again.start()
    assert store.generation("ann") == 0
    again.join()


class Proxy:
    """Passes on what a server and its clients say, unless it is told to hold it back."""

    def __init__(self, port):
        self._target = port
        self.flowing = threading.Event()
        self.flowing.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._sockets = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._sockets += [client, server]
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source, target):
        with suppress(OSError):
            while data := source.recv(65536):
                self.flowing.wait()
                target.sendall(data)
        for end in (source, target):
            end.close()

    def close(self):
        self.flowing.set()
        self._listener.close()
        for end in self._sockets:
            end.close()


def test_a_server_that_stalls_is_given_up_on_and_used_again_when_it_answers(server):
    proxy = Proxy(server.port)
    store = RedisStore(f"redis://127.0.0.1:{proxy.port}", timeout=0.3)
    store.switch(None, SPACE)
    store.put("ann", [entry("1")], space=SPACE)
    proxy.flowing.clear()
    with pytest.raises(StoreUnavailable, match="did not answer in time"):
        store.get("ann", ["1"])
    with pytest.raises(StoreUnavailable, match="safe to repeat"):
        store.put("ann", [entry("2")], space=SPACE)
    proxy.flowing.set()
    patiently(lambda: store.put("ann", [entry("2")], space=SPACE))
    assert sorted(scanned(store)) == ["1", "2"]
    store.close()
    proxy.close()


# --- many at once


WORKER = """
import sys, threading
from bethink import Conflict
from bethink.stores.redis import RedisStore
from bethink.testing.suite import SPACE, entry

url, rounds, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
store = RedisStore(url, connections=4, timeout=20)

def count():
    for _ in range(rounds):
        while True:
            [item] = store.get("ann", ["counter"])
            changed = entry("counter", str(int(item.content) + 1), version=item.version + 1)
            try:
                store.put("ann", [changed], space=SPACE, if_version={"counter": item.version})
            except Conflict:
                continue
            break

all_ = [threading.Thread(target=count) for _ in range(threads)]
for thread in all_: thread.start()
for thread in all_: thread.join()
store.close()
"""


@pytest.mark.parametrize(
    ("rounds", "threads"), [(4, 6), pytest.param(100, 16, marks=pytest.mark.soak)]
)
def test_processes_and_threads_lose_no_update_and_keep_to_their_connections(
    server, store, rounds, threads
):
    store.put("ann", [entry("counter", "0")], space=SPACE)
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER, server.url, str(rounds), str(threads)])
        for _ in range(4)
    ]
    most = 0
    with server.client() as client:
        own = len(client.client_list())
        while any(worker.poll() is None for worker in workers):
            most = max(most, len(client.client_list()) - own)
            time.sleep(0.01)
    assert [worker.wait() for worker in workers] == [0] * 4
    [item] = store.get("ann", ["counter"])
    assert item.content == str(4 * threads * rounds)
    assert item.version == 1 + 4 * threads * rounds
    assert 4 <= most <= 4 * 4


def test_calls_wait_their_turn_but_not_for_ever(server):
    store = RedisStore(server.url, connections=1, timeout=0.2)
    held, done = threading.Event(), threading.Event()

    def hold(_):
        with store._server._turns.taken(1):
            held.set()
            done.wait(20)

    threads, failures = in_threads(hold, 1)
    held.wait(20)
    with pytest.raises(StoreUnavailable, match="All 1 connections were in use for 0.2 seconds"):
        store.users()
    done.set()
    threads[0].join()
    assert failures == []
    assert store.users() == []
    store.close()


# --- forks


def test_a_store_can_be_used_on_both_sides_of_a_fork(store):
    store.put("ann", [entry("1")], space=SPACE)

    def child():
        store.put("ann", [entry("2")], space=SPACE)
        return len(store.get("ann", ["1", "2"])) == 2

    assert in_child(child)
    assert sorted(scanned(store)) == ["1", "2"]
    store.put("ann", [entry("3")], space=SPACE)


def test_a_fork_may_happen_while_threads_use_the_store(server, quick):
    with Memory(server.url, embedder=quick) as memory:
        memory.add("Likes tea", user_id="ann")
        done = threading.Event()

        def work(_):
            while not done.is_set():
                memory.add("Likes milk", user_id="bob")
                memory.search("tea", user_id="ann")

        threads, failures = in_threads(work, 3)
        children = [
            in_child(
                lambda: (
                    bool(memory.add("x", user_id="cy"))
                    and bool(memory.search("tea", user_id="ann"))
                )
            )
            for _ in range(8)
        ]
        done.set()
        for thread in threads:
            thread.join()
        assert failures == []
        assert children == [True] * 8
        assert len(memory.get_user_memories(user_id="cy")) == 8


# --- the long ones


@pytest.mark.soak
def test_a_cluster_that_loses_a_master_goes_on_with_its_replica():
    nodes = RedisNodes(replicas=1)
    store = RedisStore(nodes.url, timeout=5)
    store.switch(None, SPACE)
    users = [f"u{n}" for n in range(30)]
    for user in users:
        store.put(user, [entry("1", user_id=user)], space=SPACE)
    time.sleep(1)  # replication is not waited for
    nodes.masters[0].kill()
    for user in users:
        patiently(lambda user=user: store.put(user, [entry("2", user_id=user)], space=SPACE), 60)
        assert sorted(patiently(lambda user=user: scanned(store, user), 60)) == ["1", "2"]
    store.close()
    nodes.close()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_crashes_at_random_moments_lose_nothing_that_was_acknowledged(seed):
    rng = random.Random(seed)
    with RedisServer(fsync="always") as server:
        store = RedisStore(server.url, timeout=1)
        store.switch(None, SPACE)
        versions: dict[str, set[int]] = {}
        for _ in range(5):
            crash = threading.Timer(rng.uniform(0.05, 0.5), server.kill)
            crash.start()
            while crash.is_alive() or server._process is not None:
                id_ = str(rng.randrange(20))
                before = versions.get(id_, {0})
                for known in sorted(before):
                    try:
                        changed = entry(id_, version=known + 1)
                        store.put("ann", [changed], space=SPACE, if_version={id_: known})
                    except Conflict:
                        continue
                    except StoreUnavailable:  # it may have been written or not
                        versions[id_] = {*before, known + 1}
                    else:
                        versions[id_] = {known + 1}
                    break
            crash.join()
            server.start()
            there = {item.id: item.version for item in store.get("ann", list(versions))}
            assert all(there.get(id_, 0) in known for id_, known in versions.items())
        store.close()
