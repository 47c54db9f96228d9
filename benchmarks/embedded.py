"""How fast the embedded default is, as ratios to NumPy and SQLite taken in the same run.

    python benchmarks/embedded.py            prints a table
    python benchmarks/embedded.py --write    and writes it to benchmarks/results/embedded.md

Times are CPU time, medians of interleaved pairs, on one BLAS thread: these ratios hold on a busy
machine, where seconds do not. Vectors and texts are synthetic and seeded, but for the rows
that are about the embedder.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import itertools
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import numpy as np
from measure import DIMENSION, PAIRS, Constant, Row, Synthetic, compare, cpu, report, texts

from bethink import LocalEmbedder, Memory
from bethink.index.cache import IndexCache
from bethink.index.user import Rows, Selection, UserIndex
from bethink.models.base import Vectors, space_of
from bethink.text import pack

NOW = datetime(2024, 5, 17, tzinfo=UTC)


def filled(path: Path, counts: dict[str, int]) -> Memory:
    """A memory with so many synthetic memories of each user."""
    memory = Memory(path, embedder=Synthetic(), index_bytes=4 * 1024**3)
    for n, (user_id, count) in enumerate(counts.items()):
        for first in range(0, count, 10_000):
            memory.add_many(
                texts(min(10_000, count - first), seed=n * 100 + first), user_id=user_id
            )
    return memory


def index_of(memory: Memory, user_id: str) -> UserIndex:
    embedder = memory.embedder
    cache = IndexCache(
        memory.store, space=space_of(embedder), dimension=DIMENSION, max_bytes=4 * 1024**3
    )
    with cache.use(user_id, NOW) as index:
        return index


def bare_search(matrix: Vectors, query: Vectors) -> Rows:
    """What cannot be left out: one product and the best ten."""
    scores = matrix @ query
    best = np.argpartition(-scores, 10)[:10]
    return best[np.argsort(-scores[best])]


def searching(directory: Path) -> Iterator[Row]:
    for count, aim in ((10_000, 1.5), (100_000, 1.2)):
        with filled(directory / f"{count}.db", {"ann": count}) as memory:
            yield from searching_among(memory, count, aim)


def searching_among(memory: Memory, count: int, aim: float) -> Iterator[Row]:
    index = index_of(memory, "ann")
    matrix = index._vectors.view.copy()  # noqa: SLF001 (the very same rows)
    query = Synthetic().vectors(1)[0]
    rows = index.select(Selection(), NOW)

    def dense() -> Rows:
        scores = index.dense(query, rows)[rows]
        best = np.argpartition(-scores, 10)[:10]
        return best[np.argsort(-scores[best])]

    ratio = compare(dense, lambda: bare_search(matrix, query))
    yield Row(f"dense arm, {count:,} memories", str(ratio), f"≤ {aim}×", ratio.value <= aim)

    question = "word7 word77 word777 word3 word1234"
    whole = compare(
        lambda: memory.search(question, user_id="ann", embedding=query.tolist()),
        lambda: bare_search(matrix, query),
    )
    limit = 3 if count == 100_000 else float("inf")
    aim_text = f"≤ {limit:g}×" if limit < float("inf") else "–"
    yield Row(
        f"whole warm search but its embedding, {count:,}",
        str(whole),
        aim_text,
        whole.value <= limit,
    )


def adding(directory: Path) -> Iterator[Row]:
    embedder = LocalEmbedder()
    sentences = [text.replace("word", "w") for text in texts(512)]
    embedder.embed(sentences[:8])
    with Memory(directory / "add_many.db", embedder=embedder) as memory:
        ratio = compare(
            lambda: memory.add_many(sentences, user_id="ann"),
            lambda: embedder.embed(sentences),
            pairs=7,
        )
    share = 1 / ratio.value
    yield Row("add_many, of the embedder's own throughput", f"{share:.0%}", "≥ 85%", share >= 0.85)
    yield from adding_one(directory)


def adding_one(directory: Path) -> Iterator[Row]:
    sentence, given = texts(1)[0], Synthetic().vectors(1)[0]
    with Memory(directory / "one.db", embedder=Constant(given)) as memory:

        def add() -> object:
            return memory.add(sentence, user_id="ann")

        for what, insert, aim in (
            ("the same row into the same table", same_insert(directory, sentence, given), 2.5),
            ("a row into the plainest table", plain_insert(directory, sentence, given), None),
        ):
            # One of each in turn: in a loop of its own, an insert finds all it needs in the
            # processor's caches and takes half the time that it takes in a program.
            ratio = compare(add, insert, pairs=2001)
            yield Row(
                f"one add but its embedding, against a bare INSERT of {what}",
                str(ratio),
                f"≤ {aim}×" if aim else "–",
                aim is None or ratio.value <= aim,
            )


def same_insert(directory: Path, sentence: str, vector: Vectors) -> Callable[[], object]:
    """SQLite alone, with the library's table and indexes."""
    with Memory(directory / "same.db", embedder=Constant(vector)) as memory:
        item = memory.add(sentence, user_id="ann")
    connection = sqlite3.connect(directory / "same.db", isolation_level=None)
    connection.execute("PRAGMA synchronous = NORMAL")
    columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(records)")]
    row = dict(zip(columns, connection.execute("SELECT * FROM records").fetchone(), strict=True))
    query = f"INSERT INTO records VALUES ({','.join('?' * len(columns))})"  # noqa: S608
    number = itertools.count(2)

    def insert() -> None:
        row["changed"] = next(number)
        row["id"] = f"{item.id[:24]}{row['changed']:012}"
        connection.execute(query, list(row.values()))

    return insert


def plain_insert(directory: Path, sentence: str, vector: Vectors) -> Callable[[], object]:
    """SQLite alone, with a key and nothing else."""
    connection = sqlite3.connect(directory / "plain.db", isolation_level=None)
    for pragma in ("page_size = 16384", "journal_mode = WAL", "synchronous = NORMAL"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE t (id TEXT PRIMARY KEY, user, content, terms, vector)")
    rest = ["ann", sentence, pack(sentence), vector.astype("<f2").tobytes()]
    number = itertools.count()
    return lambda: connection.execute(
        "INSERT INTO t VALUES (?, ?, ?, ?, ?)", [f"0190{next(number):032}", *rest]
    )


def loading(directory: Path) -> Iterator[Row]:
    with filled(directory / "cold.db", {"ann": 10_000}) as memory:
        index_of(memory, "ann")
        times = [cpu(lambda: index_of(memory, "ann")) for _ in range(PAIRS)]
    seen = statistics.median(times)
    yield Row("a cold user of 10,000 is ready", f"{seen:.0f} ms", "≤ 150 ms", seen <= 150)


def crowd(directory: Path, users: int, each: int) -> Iterator[Row]:
    alone = filled(directory / "alone.db", {"user0": each})
    among = filled(directory / "crowd.db", {f"user{n}": each for n in range(users)})
    query = Synthetic().vectors(1)[0].tolist()
    ratio = compare(
        lambda: among.search("word7 word77", user_id="user0", embedding=query),
        lambda: alone.search("word7 word77", user_id="user0", embedding=query),
    )
    what = f"a warm user's search among {users * each:,} of {users:,} users, against alone"
    yield Row(what, str(ratio), "≤ 1.5×", ratio.value <= 1.5)
    among.flush()
    size = sum(file.stat().st_size for file in directory.glob("crowd.db*")) / (users * each)
    yield Row("disk for each memory", f"{size / 1000:.2f} KB", "≤ 2.5 KB", size <= 2500)
    alone.close()
    among.close()
    yield bounded(directory / "crowd.db", users)


def bounded(path: Path, users: int) -> Row:
    limit = 64 * 1024**2
    with Memory(path, embedder=Synthetic(), index_bytes=limit) as memory:
        held = []
        for n in range(min(users, 200)):
            memory.search("word7", user_id=f"user{n}")
            held.append(memory.records.open().cache.nbytes)
    most = max(held) / 1024**2
    return Row("indexes held, with 64 MiB allowed", f"{most:.0f} MiB", "≤ 64 MiB", most <= 64)


def importing() -> Iterator[Row]:
    def run(module: str) -> float:
        code = (
            f"import time; s = time.process_time(); import {module}; print(time.process_time() - s)"
        )
        seen = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        return float(seen.stdout) * 1000

    times = [(run("bethink"), run("numpy")) for _ in range(PAIRS)]
    more = statistics.median(ours for ours, _ in times) - statistics.median(b for _, b in times)
    yield Row("import bethink, beyond import numpy", f"{more:.0f} ms", "≤ 150 ms", more <= 150)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="write the results as well")
    options.add_argument("--users", type=int, default=1000, help="in the crowd (default 1000)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        rows = chain(
            importing(),
            adding(directory),
            loading(directory),
            searching(directory),
            crowd(directory, given.users, 1000),
        )
        kept = report(rows, title="The embedded default", script="embedded", write=given.write)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
