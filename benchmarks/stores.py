"""How fast each store is through a memory, beside its engine's own bare query in the same run.

    python benchmarks/stores.py                                prints a table
    python benchmarks/stores.py --users 20 --memories 20000    a tenth of it
    python benchmarks/stores.py --write                        writes benchmarks/results/speed.md

Vectors and texts are synthetic and seeded, and embedding takes no time. Servers are started for
the run. `warm` is a search in an index that is held in memory, `cold` one that is loaded for the
call, `engine` one in what the store's own engine proposes; `bare` is a plain query for the ten
nearest vectors of one user. Times are those of a clock on the wall, and depend on the machine; our
share is the CPU time that this process spends on a search beyond that of the bare query.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TypeAlias

import numpy as np
import psycopg
from measure import Constant, Synthetic, machine, texts
from qdrant_client import models

from bethink import Memory, MemoryStore, SQLiteStore
from bethink.models.base import Vectors
from bethink.stores.postgres import PostgresStore
from bethink.stores.qdrant import QdrantStore
from bethink.stores.redis import RedisStore
from bethink.stores.redis.engines import Search
from bethink.stores.redis.keys import user_keys
from bethink.testing.postgres import PostgresServer
from bethink.testing.redisserver import RedisServer

TIMES = 100  # that each thing is done
COLD = 30  # times that a user is loaded
ASKED = 20  # users who are searched
LOCAL = 5_000  # memories in Qdrant's local mode, which compares everything with everything
AIM = 3.0  # milliseconds of CPU that a search may cost beyond the bare query
QUESTION = "word7 word77 word777 word3 word1234"


Query: TypeAlias = Callable[[str, Vectors], object]


@dataclass(frozen=True)
class Times:
    """Milliseconds on the wall, and of this process's CPU."""

    wall: list[float]
    cpu: float

    def __str__(self) -> str:
        p50, p95 = np.percentile(self.wall, (50, 95))
        return f"{p50:.1f} / {p95:.1f}"


@dataclass(frozen=True)
class Subject:
    """A store that is measured, with its engine's bare query for the ten nearest of a user."""

    name: str
    store: MemoryStore
    bare: Query | None


def timed(work: Callable[[], object], times: int = TIMES) -> Times:
    work()
    wall, cpu = [], []
    for _ in range(times):
        began, spent = time.perf_counter(), time.process_time_ns()
        work()
        cpu.append((time.process_time_ns() - spent) / 1e6)
        wall.append(1000 * (time.perf_counter() - began))
    return Times(wall, statistics.median(cpu))


# --- the stores


@contextmanager
def postgres() -> Iterator[Subject]:
    settings = {"shared_buffers": "1GB", "maintenance_work_mem": "512MB"}
    with PostgresServer(settings=settings) as server:
        store = PostgresStore(server.url(), pool_size=4)
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute("SET search_path = bethink, public")

            def bare(user_id: str, vector: Vectors) -> object:
                return connection.execute(
                    "SELECT r.id, content FROM vectors_1 v JOIN records r USING (owner, id) "
                    "WHERE v.owner = (SELECT number FROM users WHERE user_id = %s) "
                    "ORDER BY first <#> %s::halfvec LIMIT 10",
                    [user_id, str(vector.tolist())],
                ).fetchall()

            yield Subject("PostgreSQL", store, bare)


@contextmanager
def query_engine() -> Iterator[Subject]:
    with RedisServer(search=True) as server:
        store = RedisStore(server.url, engine="search")
        client = server.client()

        def bare(user_id: str, vector: Vectors) -> object:
            index = Search(store._server, "bethink")._index(str(store.space()))  # noqa: SLF001
            tag = user_keys("bethink", user_id).tag
            return client.execute_command(
                "FT.SEARCH", index, f"(@u:{{{tag}}})=>[KNN 10 @v $q AS d]", "NOCONTENT",
                "DIALECT", 2, "LIMIT", 0, 10, "SORTBY", "d", "PARAMS", 2, "q", vector.tobytes(),
            )  # fmt: skip

        yield Subject("Redis, query engine", store, bare)


@contextmanager
def vector_sets() -> Iterator[Subject]:
    with RedisServer() as server:
        store = RedisStore(server.url, engine="sets")
        client = server.client()

        def bare(user_id: str, vector: Vectors) -> object:
            key = user_keys("bethink", user_id).vectors
            return client.execute_command("VSIM", key, "FP32", vector.tobytes(), "COUNT", 10)

        yield Subject("Redis, vector sets", store, bare)


@contextmanager
def qdrant() -> Iterator[Subject]:
    store = QdrantStore("qdrant://:memory:")
    client = store._engine.client  # noqa: SLF001 (the only one that sees its points)

    def bare(user_id: str, vector: Vectors) -> object:
        match = models.FieldCondition(key="user", match=models.MatchValue(value=user_id))
        [slot] = store._ledger.read(user_id)[0]["slots"].values()  # noqa: SLF001
        return client.query_points(
            "bethink",
            query=vector.tolist(),
            using=f"dense_{slot}",
            query_filter=models.Filter(must=[match]),
            limit=10,
        )

    yield Subject("Qdrant, local mode", store, bare)


@contextmanager
def sqlite() -> Iterator[Subject]:
    with tempfile.TemporaryDirectory() as directory:
        yield Subject("SQLite", SQLiteStore(Path(directory) / "agent.db"), None)


STORES = {
    "sqlite": sqlite,
    "postgres": postgres,
    "query-engine": query_engine,
    "vector-sets": vector_sets,
    "qdrant": qdrant,
}


# --- what is measured


def fill(store: MemoryStore, users: int, memories: int) -> None:
    memory = Memory(store, embedder=Synthetic())
    each = memories // users
    for n in range(users):
        memory.add_many(texts(each, seed=n), user_id=f"user {n}")


def measured(subject: Subject, users: int, memories: int) -> str:
    """A line of the table."""
    fill(subject.store, users, memories)
    vector = Synthetic().vectors(1)[0]
    embedder = Constant(vector)
    names = [f"user {n}" for n in range(min(users, ASKED))]

    def searching(memory: Memory, times: int = TIMES) -> Times:
        for name in names if times == TIMES else ():  # read in, or indexed, before it is timed
            memory.search(QUESTION, user_id=name)
        each = cycle(names)
        return timed(lambda: memory.search(QUESTION, user_id=next(each)), times)

    with Memory(subject.store, embedder=embedder) as held:
        warm = searching(held)
        cold = searching(Memory(subject.store, embedder=embedder, index_bytes=0), COLD)
        engine = bare = None
        if (query := subject.bare) is not None:
            if isinstance(subject.store, RedisStore):  # which would do so while it is timed
                for name in names:
                    subject.store.index(name)
            engine = searching(Memory(subject.store, embedder=embedder, index="engine"))
            each = cycle(names)
            bare = timed(partial(_next, query, each, vector))
        sentences = cycle(texts(1000, seed=users))
        each = cycle(names)
        add = timed(lambda: held.add(next(sentences), user_id=next(each)))
    told = [add, warm, cold, engine or "–", bare or "–"]
    spent = bare.cpu if bare else 0.0
    shares = [f"{warm.cpu - spent:.1f}", f"{engine.cpu - spent:.1f}" if engine else "–"]
    kept = [warm.cpu - spent <= AIM, engine is None or engine.cpu - spent <= AIM]
    shares = [share if ok else f"**{share}**" for share, ok in zip(shares, kept, strict=True)]
    return f"| {subject.name} | {memories:,} | {' | '.join(map(str, [*told, *shares]))} |"


def _next(query: Query, users: Iterator[str], vector: Vectors) -> object:
    return query(next(users), vector)


HEAD = (
    "| store | memories | add | warm | cold | engine | bare | our CPU, warm | our CPU, engine |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--memories", type=int, default=200_000, help="of all users together")
    parser.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES))
    parser.add_argument("--write", action="store_true", help="write the results down")
    given = parser.parse_args()
    lines = [HEAD]
    print(HEAD, flush=True)
    for name in given.stores:
        users, memories = given.users, given.memories
        if name == "qdrant":
            users, memories = min(users, 5), min(memories, LOCAL)
        with STORES[name]() as subject:
            lines.append(measured(subject, users, memories))
            subject.store.close()
        print(lines[-1], flush=True)
    if given.write:
        command = f"--users {given.users} --memories {given.memories}"
        (Path(__file__).parent / "results" / "speed.md").write_text(
            "# Stores, measured\n\n"
            f"`python benchmarks/stores.py {command} --write` on {datetime.now(UTC):%Y-%m-%d}, "
            f"{machine()}.\nMilliseconds, p50 / p95 of {TIMES} (cold: {COLD}). "
            f"Our CPU is that of a search less that of the bare query; the aim is {AIM:g}.\n\n"
            + "\n".join(lines)
            + "\n"
        )


if __name__ == "__main__":
    main()
