"""What the benchmarks share: ratios taken in one run, synthetic data, and tables of results."""

import os
import platform
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bethink.models.base import Vectors

DIMENSION = 384
PAIRS = 31


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    seen: str
    aim: str
    kept: bool


class Synthetic:
    """An embedder of seeded vectors, so that nothing but the library is measured."""

    name = "synthetic"
    dimension = DIMENSION

    def __init__(self) -> None:
        self._rng = np.random.default_rng(1)

    def split(self, text: str) -> list[str]:
        return [text]

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self.vectors(len(texts))

    def vectors(self, count: int) -> Vectors:
        made = self._rng.standard_normal((count, DIMENSION), np.float32)
        normal: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
        return normal


class Constant(Synthetic):
    """An embedder that takes no time: what is left is all the library's own."""

    sound = True

    def __init__(self, vector: Vectors) -> None:
        self._vector = vector[None]

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._vector if len(texts) == 1 else np.repeat(self._vector, len(texts), axis=0)


def texts(count: int, seed: int = 1) -> list[str]:
    """Sentences of words as common as words are."""
    rng = np.random.default_rng(seed)
    ranks = np.minimum(rng.zipf(1.3, (count, 16)), 20_000)
    return [" ".join(f"word{rank}" for rank in ranks_of_one) for ranks_of_one in ranks.tolist()]


def cpu(work: Callable[[], object], clock: Callable[[], int] = time.process_time_ns) -> float:
    """CPU milliseconds."""
    start = clock()
    work()
    return (clock() - start) / 1e6


@dataclass(frozen=True)
class Ratio:
    ours: float
    bare: float

    @property
    def value(self) -> float:
        return self.ours / self.bare

    def __str__(self) -> str:
        return f"{self.value:.2f}× ({self.ours:.2f} against {self.bare:.2f} ms)"


def compare(
    ours: Callable[[], object],
    bare: Callable[[], object],
    pairs: int = PAIRS,
    clock: Callable[[], int] = time.process_time_ns,
) -> Ratio:
    """The medians of both, taken in turns after one unmeasured round."""
    ours(), bare()
    times = [(cpu(ours, clock), cpu(bare, clock)) for _ in range(pairs)]
    return Ratio(*(statistics.median(side) for side in zip(*times, strict=True)))


def table(rows: list[Row]) -> str:
    lines = ["| what | seen | aim | |", "|---|---|---|---|"]
    lines += [f"| {r.what} | {r.seen} | {r.aim} | {'yes' if r.kept else '**no**'} |" for r in rows]
    return "\n".join(lines)


def machine() -> str:
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return (
        f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, SQLite {sqlite3.sqlite_version}"
    )


def report(
    rows: Iterable[Row], *, title: str, script: str, write: bool, results: str | None = None
) -> bool:
    """Print rows as they come, write them to the results if asked, and say if all aims are met.

    The results have the name of the script, unless another is given.
    """
    seen = []
    for row in rows:
        seen.append(row)
        print(f"{row.what}: {row.seen} (aim {row.aim})", flush=True)
    if write:
        file = Path(__file__).parent / "results" / f"{results or script}.md"
        file.write_text(
            f"# {title}, measured\n\n"
            f"`python benchmarks/{script}.py --write` on {datetime.now(UTC):%Y-%m-%d}, "
            f"{machine()}.\n"
            f"CPU time, medians of {PAIRS} interleaved pairs or more, one BLAS thread.\n\n"
            f"{table(seen)}\n"
        )
    return all(row.kept for row in seen)
