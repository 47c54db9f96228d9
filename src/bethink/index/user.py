"""One user's records as arrays.

A record is a row. Rows are only ever added at the end: a change of a record is a new row, and
the old one is dead. Messages of one session are linked to the ones before and after them, so
that a message can be found by the company it keeps.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bethink.errors import StoreError
from bethink.index.arrays import Grown
from bethink.index.columns import Columns
from bethink.index.postings import MAX_ROWS, Postings
from bethink.index.where import parse
from bethink.stores.base import Changes, Entry
from bethink.text import TERM, Hashes
from bethink.times import to_micros
from bethink.types import KINDS, REVISION, SEARCHED, Kind

Rows: TypeAlias = npt.NDArray[np.int64]
Scores: TypeAlias = npt.NDArray[np.float32]

K1, B = 1.2, 0.3
"""BM25: memories are short, so a longer one is mostly a richer one and is hardly marked down."""
BEFORE, AFTER = 0.5, 0.3
"""How much of a neighbour's similarity counts as a message's own."""

_NEVER = np.iinfo(np.int64).max
_BYTES_A_ROW = 250  # of Python objects: the id and its place in a dictionary
_SEARCHED = [KINDS.index(kind) for kind in SEARCHED]
_MESSAGE = KINDS.index("message")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records a search or a listing is about. None means any."""

    kinds: Sequence[Kind] = SEARCHED
    agent_id: str | None = None
    session_id: str | None = None
    min_importance: float = 0.0
    where: Mapping[str, Any] | None = None


class UserIndex:
    """Arrays over one user's records, brought up to date by `apply`. Not safe between threads."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self.generation = 0
        self._start()

    def _start(self) -> None:
        self.ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._columns = Columns()
        self._postings = Postings()
        self._vectors = Grown(np.float32, self._dimension)
        self._first_part = Grown(np.int64)
        self._created = Grown(np.int64)
        self._expires = Grown(np.int64)
        self._importance = Grown(np.float32)
        self._kind = Grown(np.uint8)
        self._session = Grown(np.int32)
        self._agent = Grown(np.int32)
        self._length = Grown(np.float32)
        self._before = Grown(np.int64)
        self._after = Grown(np.int64)
        self._current = Grown(np.bool_)
        self._alive = Grown(np.bool_)
        self._linked = False
        self._known_lengths: dict[int, tuple[Scores, float, int]] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        arrays = sum(v.nbytes for v in vars(self).values() if isinstance(v, Grown))
        return (
            arrays
            + self._postings.nbytes
            + self._columns.nbytes
            + _BYTES_A_ROW * len(self.ids)
        )

    @property
    def wasteful(self) -> bool:
        """Whether so many rows are dead that it should be made anew."""
        dead = len(self.ids) - len(self._row_of)
        return dead > 1000 + len(self.ids) // 3

    # --- staying up to date

    def apply(self, changes: Changes) -> None:
        """Take over what a store says has changed."""
        if changes.complete:
            self._start()
        self._known_lengths = {}
        # Earlier states of a record are for its history only.
        entries = [e for e in changes.entries if REVISION not in e.item.id]
        entries.sort(key=lambda e: (e.item.created_at, e.item.id))
        sessions = self._kill([*changes.deleted, *(e.item.id for e in entries)])
        if entries:
            sessions |= self._append(entries)
        if sessions:
            self._link(sessions)
        self.generation = changes.generation

    def _kill(self, ids: Iterable[str]) -> set[int]:
        """Take rows out; says whose sessions' links that breaks."""
        rows = [self._row_of.pop(id_) for id_ in ids if id_ in self._row_of]
        self._alive.view[rows] = False
        return set(self._session.view[rows].tolist()) - {-1}

    def _append(self, entries: Sequence[Entry]) -> set[int]:
        first, size = len(self.ids), len(entries)
        if first + size > MAX_ROWS:
            raise StoreError(f"One user cannot have more than {MAX_ROWS:,} memories in an index.")
        items = [entry.item for entry in entries]
        self.ids += [item.id for item in items]
        self._row_of.update((item.id, first + n) for n, item in enumerate(items))
        self._columns.add(first, [item.metadata for item in items])

        def column(array: Grown, values: Iterable[Any]) -> npt.NDArray[Any]:
            array.extend(np.array(list(values), array.view.dtype))
            return array.view[first:]

        column(self._created, (to_micros(item.created_at) for item in items))
        column(
            self._expires,
            (_NEVER if i.expires_at is None else to_micros(i.expires_at) for i in items),
        )
        column(self._importance, (item.importance for item in items))
        column(self._agent, (self._code(item.agent_id) for item in items))
        column(self._session, (self._code(item.session_id) for item in items))
        column(self._kind, (KINDS.index(item.kind) for item in items))
        column(self._current, (item.superseded_by is None for item in items))
        self._alive.extend(np.ones(size, bool))
        for links in (self._before, self._after):
            links.extend(np.full(size, -1))
        self._append_vectors(entries)
        self._append_terms(entries, first)
        messages = self._session.view[first:][self._kind.view[first:] == _MESSAGE]
        return set(messages.tolist()) - {-1}

    def _code(self, name: str | None) -> int:
        """A session's or agent's number."""
        return -1 if name is None else self._codes.setdefault(name, len(self._codes))

    def _append_vectors(self, entries: Sequence[Entry]) -> None:
        size = 2 * self._dimension
        none = bytes(size)  # a record that is not embedded yet is like nothing
        blobs = [entry.vectors or none for entry in entries]
        sizes = np.array([len(blob) for blob in blobs])
        if (sizes % size).any():
            raise StoreError(
                f"There are vectors that do not have {self._dimension} numbers. "
                "Make them anew with `bethink reembed`."
            )
        parts = sizes // size
        self._first_part.extend(len(self._vectors) + np.cumsum(parts) - parts)
        halves = np.frombuffer(b"".join(blobs), "<f2")
        self._vectors.extend(halves.reshape(-1, self._dimension))

    def _append_terms(self, entries: Sequence[Entry], first: int) -> None:
        found = np.frombuffer(b"".join(entry.terms for entry in entries), TERM)
        sizes = np.array([len(entry.terms) for entry in entries]) // TERM.itemsize
        places = np.repeat(np.arange(len(entries)), sizes)
        searched = np.isin(self._kind.view[first:], _SEARCHED) & self._current.view[first:]
        kept = searched[places]
        if not kept.all():
            found, places = found[kept], places[kept]
        self._length.extend(np.bincount(places, found["count"], minlength=len(entries)))
        self._postings.add(found["term"], first + places, found["count"])

    def _link(self, sessions: set[int]) -> None:
        """Put the messages of these sessions in order."""
        wanted = self._alive.view & (self._kind.view == _MESSAGE)
        wanted &= np.isin(self._session.view, list(sessions))
        rows = np.flatnonzero(wanted)
        session = self._session.view[rows]
        rows = rows[self._in_order(rows, session)]
        session = self._session.view[rows]
        joined = session[1:] == session[:-1]
        before, after = self._before.view, self._after.view
        before[rows], after[rows] = -1, -1
        before[rows[1:][joined]] = rows[:-1][joined]
        after[rows[:-1][joined]] = rows[1:][joined]
        self._linked = self._linked or bool(joined.any())

    def _in_order(self, rows: Rows, session: npt.NDArray[np.int32]) -> Rows:
        """Places of rows by session, then time, then id."""
        ids = [self.ids[row] for row in rows]
        by_id = np.empty(len(ids), np.int64)
        by_id[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        return np.lexsort([by_id, self._created.view[rows], session])

    # --- selecting

    def select(self, selection: Selection, now: datetime) -> Rows:
        """The rows that a selection is about, in no particular order."""
        fits = self._alive.view & self._current.view & (self._expires.view > to_micros(now))
        kinds = [KINDS.index(kind) for kind in selection.kinds]
        if len(kinds) < len(KINDS):
            fits &= np.isin(self._kind.view, kinds)
        if selection.agent_id is not None:
            fits &= self._agent.view == self._codes.get(selection.agent_id, -2)
        if selection.session_id is not None:
            fits &= self._session.view == self._codes.get(selection.session_id, -2)
        if selection.min_importance > 0:
            fits &= self._importance.view >= np.float32(selection.min_importance)
        if selection.where:
            fits &= self._columns.matches(parse(selection.where))
        return np.flatnonzero(fits)

    def keys(self, rows: Rows) -> list[tuple[int, str]]:
        """When each row's record was created, and its id: the order of records everywhere."""
        ids = [self.ids[row] for row in rows]
        return list(zip(self._created.view[rows].tolist(), ids, strict=True))

    # --- scoring: each array has a score for every row, and a last one of 0 for "no such row"

    def dense(self, query: npt.NDArray[np.float32], rows: Rows) -> Scores:
        """Each row's best cosine with the query; only `rows` and their neighbours are computed."""
        size = len(self.ids)
        scores = np.zeros(size + 1, np.float32)
        whole = len(self._vectors) == size
        if 2 * len(rows) > size or not whole:
            products = self._vectors.view @ query
            if not whole:
                products = np.maximum.reduceat(products, self._first_part.view)
            scores[:size] = products
        else:
            if self._linked:
                rows = np.unique(np.concatenate([rows, self._neighbours(rows)]))
            scores[rows] = self._vectors.view[rows] @ query
        return scores

    def lexical(self, terms: Hashes, reach: int) -> Scores:
        """BM25 of each row's text joined with its neighbours'.

        `reach` 0 is the text alone, 1 with the message before it, 2 with the one after as well.
        """
        scores = np.zeros(len(self.ids) + 1, np.float32)
        lengths, mean, rows_in_all = self._lengths(reach)
        counts = np.zeros(len(self.ids) + 1, np.float32)
        for term in terms:
            rows, count = self._postings.of(term)
            alive = self._alive.view[rows]
            rows, count = rows[alive], count[alive]
            if not len(rows):
                continue
            counts[rows] = count
            holding = self._around(rows, reach)
            found = self._joined(counts, holding, reach)
            counts[rows] = 0
            idf = np.log1p((rows_in_all - len(holding) + 0.5) / (len(holding) + 0.5))
            norm = K1 * (1 - B + B * lengths[holding] / mean)
            scores[holding] += idf * found * (K1 + 1) / (found + norm)
        return scores

    def near(self, scores: Scores) -> Scores:
        """Each row's score blended with those of its neighbours."""
        size = len(self.ids)
        blended = scores.copy()
        blended[:size] += BEFORE * scores[self._before.view] + AFTER * scores[self._after.view]
        return blended

    @property
    def linked(self) -> bool:
        """Whether any record has neighbours."""
        return self._linked

    def _neighbours(self, rows: Rows) -> Rows:
        both = np.concatenate([self._before.view[rows], self._after.view[rows]])
        return both[both >= 0]

    def _around(self, rows: Rows, reach: int) -> Rows:
        """The rows whose joined text holds what these rows hold."""
        if not (reach and self._linked):
            return rows
        later = self._after.view[rows]
        found = [rows, later[later >= 0]]
        if reach == 2:
            earlier = self._before.view[rows]
            found.append(earlier[earlier >= 0])
        return np.unique(np.concatenate(found))

    def _joined(self, values: Scores, rows: Rows, reach: int) -> Scores:
        """Sums over each row and the neighbours that its text is joined with."""
        total = values[rows]
        if reach and self._linked:
            total = total + values[self._before.view[rows]]
            if reach == 2:
                total += values[self._after.view[rows]]
        return total

    def _lengths(self, reach: int) -> tuple[Scores, float, int]:
        """The length of each joined text, their mean, and how many there are."""
        if reach not in self._known_lengths:
            size = len(self.ids)
            own = np.append(self._length.view * self._alive.view, np.float32(0))
            joined = self._joined(own, np.arange(size), reach)
            counted = own[:size] > 0
            total = int(counted.sum())
            mean = float(joined[counted].mean()) if total else 1.0
            self._known_lengths[reach] = (np.append(joined, np.float32(0)), mean, total)
        return self._known_lengths[reach]
