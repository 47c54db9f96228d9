"""Candidates without an index: by looking at every record of the user, a page at a time."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bethink.stores.base import Probe, Row
from bethink.types import REVISION

Vectors: TypeAlias = npt.NDArray[np.float32]

TERM = np.dtype([("term", "<u4"), ("count", "u1")])
"""How packed terms lie in memory, as in `bethink.text`."""


def current(row: Row) -> bool:
    """Whether a search may find it: neither superseded nor an earlier state of another."""
    return row.superseded_by is None and REVISION not in row.id


def fits(row: Row, probe: Probe) -> bool:
    """Whether it is of the kinds, the agent and the session that a probe is about."""
    return (
        row.kind in probe.kinds
        and probe.agent_id in (None, row.agent_id)
        and probe.session_id in (None, row.session_id)
    )


def parts_of(row: Row, dimension: int) -> Vectors:
    """A record's vectors, as far as they are any: of that dimension, finite and not zero."""
    if not row.vectors or len(row.vectors) % (2 * dimension):
        return np.empty((0, dimension), np.float32)
    parts = np.frombuffer(row.vectors, "<f2").reshape(-1, dimension).astype(np.float32)
    lengths = np.linalg.norm(parts, axis=1)
    sound: Vectors = parts[np.isfinite(lengths) & (lengths > 0)]
    return sound


def terms_of(row: Row) -> list[int]:
    """A record's terms; none if they are no packed terms."""
    if len(row.terms) % TERM.itemsize:
        return []
    found: list[int] = np.frombuffer(row.terms, TERM)["term"].tolist()
    return found


def compared(
    rows: Sequence[Row], query: npt.NDArray[np.float32], dimension: int
) -> list[tuple[float, Row]]:
    """How alike a query and the nearest part of each record are, of those that have sound vectors.

    All vectors at once: one product is far quicker than many.
    """
    size = 2 * dimension
    rows = [row for row in rows if row.vectors and not len(row.vectors) % size]
    if not rows or len(query) != dimension:
        return []
    blobs = b"".join(row.vectors for row in rows)
    parts = np.frombuffer(blobs, "<f2").reshape(-1, dimension).astype(np.float32)
    sound = np.isfinite(parts).all(axis=1) & (parts != 0).any(axis=1)
    scores = np.where(sound, np.where(sound[:, None], parts, 0) @ query, -np.inf)
    sizes = np.array([len(row.vectors) // size for row in rows])
    best = np.maximum.reduceat(scores, np.cumsum(sizes) - sizes).tolist()
    return [(score, row) for score, row in zip(best, rows, strict=True) if score > -np.inf]


class Look:
    """What a look at all records has found so far."""

    def __init__(self, probe: Probe, dimension: int) -> None:
        self._probe = probe
        self._dimension = dimension
        self._query = np.frombuffer(probe.vector, "<f4")
        self._wanted = set(probe.terms)
        self._nearest: list[tuple[float, str]] = []
        self._holding: dict[int, list[str]] = defaultdict(list)
        self._counts: dict[int, int] = defaultdict(int)
        self._said: dict[str, list[tuple[int, str]]] = defaultdict(list)

    def at(self, rows: Iterable[Row]) -> None:
        fitting = []
        for row in rows:
            if not current(row):
                continue
            if row.kind == "message" and row.session_id is not None:
                self._said[row.session_id].append((row.created_at, row.id))
            held = self._wanted.intersection(terms_of(row)) if self._wanted else ()
            for term in held:
                self._counts[term] += 1
            if fits(row, self._probe):
                fitting.append(row)
                for term in held:
                    self._holding[term].append(row.id)
        self._compare(fitting)

    def _compare(self, rows: Sequence[Row]) -> None:
        near = [(score, row.id) for score, row in compared(rows, self._query, self._dimension)]
        self._nearest = heapq.nlargest(self._probe.limit, [*self._nearest, *near])

    def found(self) -> list[str]:
        """The ids of all that is proposed, each once."""
        ids = dict.fromkeys(id_ for _, id_ in self._nearest)
        ids |= dict.fromkeys(self._rarest())
        return list(ids | dict.fromkeys(self._neighbours(set(ids))))

    def _rarest(self) -> list[str]:
        ids: dict[str, None] = {}
        for term in sorted(self._holding, key=self._counts.__getitem__):
            ids |= dict.fromkeys(sorted(self._holding[term], reverse=True))
        return list(ids)[: self._probe.limit]

    def _neighbours(self, ids: set[str]) -> Iterator[str]:
        for said in self._said.values():
            said.sort()
            order = [id_ for _, id_ in said]
            for place in (place for place, id_ in enumerate(order) if id_ in ids):
                yield from order[max(place - self._probe.reach, 0) : place + self._probe.reach + 1]
