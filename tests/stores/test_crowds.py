"""Processes full of threads on one server: nothing is lost, nobody waits for ever."""

import json
import subprocess
import sys
import time

import psycopg
import pytest

from bethink import Memory
from bethink.check import check
from bethink.stores.base import Entry
from bethink.stores.url import open_store
from bethink.testing.postgres import PostgresServer
from bethink.testing.redisserver import RedisServer
from bethink.types import MemoryItem
from tests.conftest import START

PROCESSES = 4
CONNECTIONS = 5
CROWDS = [(3, 6), pytest.param(60, 50, marks=pytest.mark.soak)]


class Postgres:
    """A server, and how many connections it has besides our own."""

    def __init__(self):
        self.server = PostgresServer()
        self.url = self.server.url()

    def connections(self):
        with psycopg.connect(self.url) as connection:
            found = connection.execute(
                "SELECT 1 FROM pg_stat_activity "
                "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
            return len(found.fetchall())


class Redis:
    def __init__(self):
        self.server = RedisServer()
        self.url = self.server.url

    def connections(self):
        with self.server.client() as client:
            return len(client.client_list()) - 1


@pytest.fixture(params=[Postgres, Redis])
def place(request):
    place = request.param()
    yield place
    place.server.close()


@pytest.mark.parametrize(("seconds", "threads"), CROWDS)
def test_a_crowd_loses_nothing_and_keeps_to_its_connections(place, quick, seconds, threads):
    memory = Memory(open_store(place.url), embedder=quick)
    space = memory.records.open().space
    counter = MemoryItem(id="counter", user_id="ann", content="0", created_at=START)
    memory.store.put("ann", [Entry(counter)], space=space)
    own = place.connections()
    words = [place.url, str(seconds), str(threads), str(CONNECTIONS)]
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.workers", "crowd", *words],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    most = 0
    while any(worker.poll() is None for worker in workers):
        most = max(most, place.connections() - own)
        time.sleep(0.05)
    told = [json.loads(worker.communicate()[0]) for worker in workers]
    added, steps = (sum(some) for some in zip(*told, strict=True))
    [found] = memory.store.get("ann", ["counter"])
    assert int(found.content) == steps == found.version - 1
    assert len(memory.get_user_memories(user_id="ann")) == added + 1
    assert all(part > 0 for part in told[0])
    assert 0 < most <= PROCESSES * CONNECTIONS
    assert check(memory.store) == []
    memory.close()
    print(f"\n{PROCESSES} processes of {threads} threads: {added:,} added, {steps:,} steps counted")
