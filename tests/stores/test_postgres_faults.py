"""Servers that crash, restart, stall and lag: what was acknowledged is there, and calls go on."""

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress

import psycopg
import pytest

from bethink import Conflict, StoreUnavailable
from bethink.stores.base import Use
from bethink.stores.postgres import PostgresStore
from bethink.testing.postgres import PostgresServer
from bethink.testing.suite import NOW, SPACE, entry, scanned
from tests.stores.proxy import Proxy

CI, SOAK = 2, 30
SECONDS = [2, pytest.param(60, marks=pytest.mark.soak)]


@pytest.fixture(scope="module")
def server():
    """One that may be killed: what it has committed is on the disk."""
    with PostgresServer(durable=True) as server:
        yield server


@pytest.fixture
def store(server, schema):
    with opened(server.url(), schema) as store:
        store.switch(None, SPACE)
        yield store


@contextmanager
def opened(url, schema, **options):
    store = PostgresStore(url, schema=schema, **options)
    try:
        yield store
    finally:
        store.close()


class Load:
    """Threads that write three records at a time and read, until told to stop."""

    def __init__(self, store, writers=6, readers=3):
        self.store = store
        self.acknowledged = []
        self.unavailable = []
        self.failed = []
        self._done = threading.Event()
        self._threads = [
            *(threading.Thread(target=self._repeat, args=[self._write, n]) for n in range(writers)),
            *(threading.Thread(target=self._repeat, args=[self._read, n]) for n in range(readers)),
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        for thread in self._threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in self._threads)

    def _repeat(self, work, number):
        times = 0
        while not self._done.is_set():
            try:
                work(number, times)
            except StoreUnavailable as error:
                self.unavailable.append(str(error))
            except Exception as error:  # noqa: BLE001 (looked at by the test)
                self.failed.append(error)
            times += 1

    def _write(self, number, times):
        user_id = f"user {number % 2}"
        ids = [f"{number}-{times}-{part}" for part in range(3)]
        self.store.put(user_id, [entry(id_, user_id=user_id) for id_ in ids], space=SPACE)
        self.acknowledged.append((user_id, ids))

    def _read(self, number, _):
        changes = self.store.scan(f"user {number % 2}", space=SPACE)
        assert len(changes.rows) % 3 == 0, "part of a call was seen"

    def go_on_for(self, calls):
        """Wait until so many more writes were acknowledged."""
        enough = len(self.acknowledged) + calls
        while len(self.acknowledged) < enough:
            time.sleep(0.005)

    def check(self):
        """All that was acknowledged is there, all else whole or not at all, and nothing odd."""
        assert self.failed == []
        for user_id in ("user 0", "user 1"):
            there = set(scanned(self.store, user_id))
            assert {i for user, ids in self.acknowledged if user == user_id for i in ids} <= there
            assert len(there) % 3 == 0
        assert self.store.check() == []


@pytest.mark.parametrize("kills", [CI, pytest.param(SOAK, marks=pytest.mark.soak)])
def test_what_was_acknowledged_survives_a_killed_server_whole(server, store, kills):
    rng = random.Random(kills)
    with Load(store) as load:
        for _ in range(kills):
            load.go_on_for(rng.randrange(20, 60))
            server.kill()
            server.start()
        load.go_on_for(20)
    load.check()
    print(f"\n{kills} kills: {len(load.acknowledged):,} calls acknowledged, "
          f"{len(load.unavailable)} not, all as said")  # fmt: skip


def test_calls_outlive_a_restart_of_the_server(server, store):
    with Load(store) as load:
        for _ in range(2):
            load.go_on_for(30)
            server.restart()
        load.go_on_for(30)
    load.check()
    assert [said for said in load.unavailable if "Repeating it is safe" not in said] == []


def test_a_call_that_finds_its_connections_closed_opens_others(server, store):
    store.put("ann", [entry("1")], space=SPACE)
    server.restart()
    assert len(scanned(store)) == 1
    server.restart()
    store.put("ann", [entry("2")], space=SPACE)
    assert store.generation("ann")


def test_while_the_server_is_away_calls_say_so_and_later_they_work(server, schema, store):
    store.put("ann", [entry("1")], space=SPACE)
    with opened(server.url(), schema, timeout=0.3) as hasty:
        server.stop()
        try:
            with pytest.raises(StoreUnavailable, match="cannot be reached"):
                hasty.get("ann", ["1"])
            with pytest.raises(StoreUnavailable, match="cannot be reached"):
                hasty.put("ann", [entry("2")], space=SPACE)
        finally:
            server.start()
        assert len(hasty.get("ann", ["1", "2"])) == 1


def test_a_write_whose_fate_is_unknown_says_so_and_can_be_repeated(server, schema, store):
    with Proxy(server.port) as proxy, opened(server.url(port=proxy.port), schema) as far:
        far.put("ann", [entry("1")], space=SPACE)
        proxy.cut_after(b"COMMIT")
        with pytest.raises(StoreUnavailable, match="is not known. Repeating it is safe"):
            far.put("ann", [entry("2")], space=SPACE)
        while len(store.get("ann", ["2"])) == 0:  # this time it had arrived
            time.sleep(0.01)
        far.put("ann", [entry("2")], space=SPACE)
        assert sorted(scanned(far)) == ["1", "2"]


def test_a_connection_cut_before_the_end_of_a_write_is_no_harm(server, schema, store):
    with Proxy(server.port) as proxy, opened(server.url(port=proxy.port), schema) as far:
        proxy.cut_after(b"INSERT INTO users")
        far.put("ann", [entry("1")], space=SPACE)
        assert sorted(scanned(far)) == ["1"]
        proxy.cut_after(b"FROM records")
        assert len(far.get("ann", ["1"])) == 1


def test_a_network_that_stalls_holds_nobody_up_for_ever(server, schema, store):
    with (
        Proxy(server.port) as proxy,
        opened(server.url(port=proxy.port), schema, statement_timeout=0.2, timeout=2) as far,
    ):
        far.put("ann", [entry("1")], space=SPACE)
        proxy.stall()
        with pytest.raises(StoreUnavailable, match="took too long to answer"):
            far.get("ann", ["1"])
        with pytest.raises(StoreUnavailable, match="cannot be reached"):  # it needs a new one now
            far.put("ann", [entry("2")], space=SPACE)
        proxy.resume()
        assert len(far.get("ann", ["1"])) == 1


def test_a_server_that_is_slow_holds_nobody_up_for_ever(server, schema, store):
    store.put("ann", [entry("1")], space=SPACE)
    with (
        psycopg.connect(server.url()) as blocker,
        opened(server.url(), schema, statement_timeout=0.2) as hasty,
    ):
        blocker.execute("SELECT set_config('search_path', quote_ident(%s), false)", [schema])
        blocker.execute("SELECT * FROM users FOR UPDATE")
        with pytest.raises(StoreUnavailable, match="took too long .* a longer statement_timeout"):
            hasty.put("ann", [entry("2")], space=SPACE)
        assert sorted(scanned(hasty)) == ["1"]
        hasty.put("bob", [entry("1", user_id="bob")], space=SPACE)  # others are not concerned
        blocker.rollback()
        hasty.put("ann", [entry("2")], space=SPACE)


# --- many at once


def test_there_are_never_more_connections_than_allowed(server, schema, store):
    counting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'"
    url = f"{server.url()}?application_name=counted"
    seen = set()
    with (
        opened(url, schema, pool_size=3) as narrow,
        Load(narrow, writers=16, readers=8) as load,
    ):
        for _ in range(20):
            load.go_on_for(2)
            seen |= set(run(server, counting))
    assert seen <= {1, 2, 3}
    assert load.failed == load.unavailable == []


def test_a_pool_that_is_used_up_says_so(server, schema, store):
    with opened(server.url(), schema, pool_size=1, timeout=0.1) as narrow:

        def hold(_):
            with pytest.raises(StoreUnavailable, match="All 1 connections .* larger pool_size"):
                narrow.users()

        narrow._connections.read(hold)
        assert narrow.users() == []


def test_those_who_wait_for_a_connection_get_one_in_their_turn(server, schema, store):
    """One that takes the next as soon as it has given one back does not starve the others."""
    with opened(server.url(), schema, pool_size=2, timeout=2) as narrow:
        with Load(narrow, writers=4, readers=12) as load:
            load.go_on_for(100)
        load.check()
    assert load.unavailable == []
    most = Counter(ids[0].partition("-")[0] for _, ids in load.acknowledged)
    assert set(most) == {"0", "1", "2", "3"}
    assert max(most.values()) < 3 * min(most.values())


COUNTING = """
import os, sys, threading, time
from bethink import Conflict
from bethink.stores.postgres import PostgresStore
from bethink.testing.suite import SPACE, entry
url, schema, seconds = sys.argv[1:]
store = PostgresStore(url, schema=schema, pool_size=5)
added = []
threading.excepthook = lambda args: (print(args.exc_value, file=sys.stderr), os._exit(1))
sys.stdin.readline()
end = time.monotonic() + float(seconds)

def count():
    while time.monotonic() < end:
        [item] = store.get("ann", ["counter"])
        changed = entry("counter", str(int(item.content) + 1), version=item.version + 1)
        try:
            store.put("ann", [changed], space=SPACE, if_version={"counter": item.version})
        except Conflict:
            continue
        added.append(1)

threads = [threading.Thread(target=count) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(added))
store.close()
"""


@pytest.mark.parametrize("seconds", SECONDS)
def test_processes_and_threads_that_count_together_lose_no_step(server, schema, store, seconds):
    store.put("ann", [entry("counter", "0")], space=SPACE)
    command = [sys.executable, "-c", COUNTING, server.url(), schema, str(seconds)]
    children = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    counts = [int(child.communicate("\n", timeout=seconds + 60)[0]) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    [counter] = store.get("ann", ["counter"])
    assert sum(counts) == int(counter.content) == counter.version - 1
    assert all(counts)
    print(f"\n{sum(counts):,} steps by {len(counts)} processes of 8 threads, none lost")


def change_something(store, rng):
    user_id = rng.choice(["ann", "bob"])
    ids = rng.sample("abcdefgh", 4)
    some = [entry(id_, user_id=user_id) for id_ in ids]
    used = store.space() or SPACE
    makers = [
        lambda: store.put(user_id, some, space=used),
        lambda: store.delete(user_id, ids[:2]),
        lambda: store.attach(user_id, dict.fromkeys(ids, (1, b"ghijkl")), space=used),
        lambda: store.attach(user_id, {ids[0]: (1, b"xy")}, space="model-c/1"),
        lambda: store.touch(user_id, dict.fromkeys(ids, Use(1, NOW))),
        lambda: store.scan(user_id, space=used),
        lambda: store.sweep(NOW),
        lambda: store.clear(user_id),
        lambda: store.switch(used, rng.choice([SPACE, "model-c/1"])),
    ]
    [make] = rng.choices(makers, [30, 20, 20, 10, 10, 20, 5, 2, 5])
    with suppress(Conflict):  # another has switched meanwhile
        make()


@pytest.mark.parametrize("seconds", SECONDS)
def test_every_kind_of_change_at_once_ends_in_no_deadlock(server, schema, store, seconds):
    end = time.monotonic() + seconds
    failed = []

    def change(number):
        rng = random.Random(number)
        try:
            while time.monotonic() < end:
                change_something(store, rng)
        except Exception as error:  # noqa: BLE001 (looked at below)
            failed.append(error)

    threads = [threading.Thread(target=change, args=[n]) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert store.check() == []
    [deadlocks] = run(server, "SELECT sum(deadlocks) FROM pg_stat_database")
    assert deadlocks == 0


# --- a replica


@pytest.fixture(scope="module")
def replica(server):
    with PostgresServer(copy_of=server, settings={"hot_standby_feedback": "on"}) as replica:
        yield replica


def run(server, statement):
    with psycopg.connect(server.url(), autocommit=True) as connection:
        return connection.execute(statement).fetchone()


def of_replica(store):
    """What the replica itself says, where it is believed."""
    generation = store.generation("ann")
    return store._replica.ask("ann", SPACE, generation, lambda _: True)


def test_a_replica_that_lags_is_never_believed(server, replica, schema, store):
    with opened(server.url(), schema, replica=replica.url()) as split:
        split.put("ann", [entry("1")], space=SPACE)
        while not of_replica(split):
            time.sleep(0.01)
        assert sorted(scanned(split)) == ["1"]
        run(replica, "SELECT pg_wal_replay_pause()")
        seen = split.generation("ann")
        for n in range(2, 10):
            store.put("ann", [entry(str(n))], space=SPACE)  # by another handle
            assert not of_replica(split)
            changes = split.scan("ann", space=SPACE, since=seen)
            assert changes.generation == split.generation("ann") > seen
            assert str(n) in {row.id for row in changes.rows}
            seen = changes.generation
        run(replica, "SELECT pg_wal_replay_resume()")
        while not of_replica(split):
            time.sleep(0.01)
        assert len(scanned(split)) == 9
        store.clear("ann")
        assert scanned(split) == {}


def test_without_its_replica_a_store_does_as_well(server, replica, schema, store):
    with opened(server.url(), schema, replica=replica.url()) as split:
        split.put("ann", [entry("1")], space=SPACE)
        while not of_replica(split):
            time.sleep(0.01)
        replica.stop()
        try:
            assert sorted(scanned(split)) == ["1"]
            split.put("ann", [entry("2")], space=SPACE)
            assert sorted(scanned(split)) == ["1", "2"]
        finally:
            replica.start()


def test_a_replica_cannot_take_the_place_of_the_primary(replica, schema, store, server):
    store.put("ann", [entry("1")], space=SPACE)
    with opened(server.url(), schema, replica=replica.url()) as split:
        while not of_replica(split):
            time.sleep(0.01)
    with opened(replica.url(), schema) as alone:
        assert len(alone.get("ann", ["1"])) == 1
        with pytest.raises(Exception, match="can only be read, as a replica can"):
            alone.put("ann", [entry("2")], space=SPACE)
