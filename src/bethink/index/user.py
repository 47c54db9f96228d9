"""One user's records as arrays.

A record is a row. Rows are only ever added at the end: a change of a record is a new row, and
the old one is dead. Messages of one session are linked to the ones before and after them, so
that a message can be found by the company it keeps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bethink.errors import StoreError
from bethink.index.arrays import Grown
from bethink.index.columns import Columns
from bethink.index.postings import MAX_ROWS, Postings
from bethink.index.where import parse
from bethink.stores.base import Changes, Row
from bethink.text import TERM, Hashes
from bethink.times import to_micros
from bethink.types import KINDS, OF_A_SESSION, ORIGINS, OUTSIDE, REVISION, SEARCHED, Kind

Rows: TypeAlias = npt.NDArray[np.int64]
Scores: TypeAlias = npt.NDArray[np.float32]
Held: TypeAlias = tuple[Rows, Scores]
"""The living rows that hold a term, in order, and how often each does."""

K1, B = 1.2, 0.3
"""BM25: memories are short, so a longer one is mostly a richer one and is hardly marked down."""
BEFORE, AFTER = 0.5, 0.3
"""How much of a neighbour's similarity counts as a message's own."""

_NUMBERS = np.dtype(
    [
        ("created", np.int64),
        ("expires", np.int64),
        ("importance", np.float32),
        ("session", np.int32),
        ("agent", np.int32),
        ("kind", np.uint8),
        ("origin", np.uint8),
        ("role", np.uint8),
        ("flagged", np.bool_),
        ("current", np.bool_),
        ("alive", np.bool_),
    ]
)
_NEVER = np.iinfo(np.int64).max
_KIND = {kind: code for code, kind in enumerate(KINDS)}
_MESSAGE = _KIND["message"]
_ORIGIN = {origin: code for code, origin in enumerate(ORIGINS)}
_OUTSIDE = [_ORIGIN[origin] for origin in OUTSIDE]
PEER, USER, ASSISTANT = range(3)
"""Whose message it is: someone's among others, or one of the two sides of a chat with a machine."""
_ROLES = {
    "user": USER,
    "human": USER,
    "assistant": ASSISTANT,
    "ai": ASSISTANT,
    "bot": ASSISTANT,
    "model": ASSISTANT,
    "tool": ASSISTANT,
}
SESSION_B = 0.75
"""BM25 over whole sessions: unlike memories, they differ in length for no reason of theirs."""
_OF_A_SESSION = [_KIND[kind] for kind in OF_A_SESSION]
_MOST_TERMS = 500  # of a query: a text of more is not a question, and its rarest words will do
_PLACES = 64  # of a session that are told apart: what comes later came late
_BYTES_A_ROW = 250  # of Python objects: the id and its place in a dictionary


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records a search or a listing is about. None means any."""

    kinds: Sequence[Kind] = SEARCHED
    agent_id: str | None = None
    session_id: str | None = None
    min_importance: float = 0.0
    where: Mapping[str, Any] | None = None
    flagged: bool = True
    """Whether text from outside that reads like instructions is among them."""


class Span(NamedTuple):
    """How long a session was: from when, to when, in microseconds, and how many messages."""

    first: int
    last: int
    messages: int


class _Sessions(NamedTuple):
    """Whole sessions: the one of each row, the norms of their vectors, BM25's discounts."""

    of_row: Rows
    norms: Scores
    discounts: npt.NDArray[np.float64]
    spoken: int
    """In how many of them anything was said."""


class UserIndex:
    """Arrays over one user's records, brought up to date by `apply`. Not safe between threads."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self.generation = 0
        self._start()

    def _start(self) -> None:
        self.ids: list[str] = []
        self.linked = False
        """Whether any record has neighbours."""
        self.chats = False
        """Whether any message is from a chat with an assistant."""
        self.bare: set[str] = set()
        """The ids of records that are still to be embedded."""
        self._last: dict[int, int] = {}
        """The newest message of each session."""
        self._next_expiry = _NEVER
        self._row_of: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._rows = Grown(_NUMBERS)
        self._columns = Columns()
        self._vectors = Grown(np.float32, self._dimension)
        self._first_part = Grown(np.int64)
        self._postings = Postings()
        self._length = Grown(np.float32)
        self._sums = Grown(np.float32, self._dimension)
        """For each session, the sum of its messages' vectors."""
        self._before = Grown(np.int64)
        self._after = Grown(np.int64)
        self._forget_known()

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        arrays = sum(part.nbytes for part in vars(self).values() if isinstance(part, Grown))
        others = self._postings.nbytes + self._columns.nbytes
        others += sum(rows.nbytes + often.nbytes for rows, often in self._known_terms[1])
        return arrays + others + _BYTES_A_ROW * len(self.ids)

    @property
    def wasteful(self) -> bool:
        """Whether so many rows are dead that it should be made anew."""
        dead = len(self.ids) - len(self)
        return dead > 500 + len(self) // 3

    # --- staying up to date

    def apply(self, changes: Changes, now: datetime) -> None:
        """Take over what a store says has changed, but for what has expired."""
        if changes.complete:
            self._start()
        # Earlier states of a record are for its history only.
        rows = [row for row in changes.rows if REVISION not in row.id]
        self._kill([*changes.deleted, *(row.id for row in rows)])
        moment = to_micros(now)
        rows = [row for row in rows if row.expires_at is None or row.expires_at > moment]
        if rows:
            self._append(rows)
        self.generation = changes.generation

    def expire(self, now: datetime) -> None:
        """Take out what has expired, so that it has no say in what is found either."""
        moment = to_micros(now)
        if moment >= self._next_expiry:
            table = self._rows.view
            past = table["alive"] & (table["expires"] <= moment)
            self._kill([self.ids[row] for row in np.flatnonzero(past)])
            self._next_expiry = int(table["expires"][table["alive"]].min(initial=_NEVER))

    def _kill(self, ids: Sequence[str]) -> None:
        self.bare.difference_update(ids)
        rows = [self._row_of.pop(id_) for id_ in ids if id_ in self._row_of]
        self._rows.view["alive"][rows] = False
        self._add_to_sessions(np.array(rows, np.int64), -1)
        for row in rows:
            self._unlink(row)
        self._forget_known()

    def _append(self, rows: Sequence[Row]) -> None:
        first, size = len(self.ids), len(rows)
        if first + size > MAX_ROWS:
            raise StoreError(f"One user cannot have more than {MAX_ROWS:,} memories in an index.")
        table = np.array([self._numbers(row) for row in rows], _NUMBERS)
        self.ids += [row.id for row in rows]
        self._row_of.update(zip(self.ids[first:], range(first, first + size), strict=True))
        self._rows.extend(table)
        self._columns.add(first, [row.metadata for row in rows])
        self._append_vectors(rows)
        self.bare.update(row.id for row in rows if row.terms and not row.vectors)
        self._add_to_sessions(np.arange(first, first + size), 1)
        self.chats = self.chats or bool((table["role"] != PEER).any())
        self._append_terms(rows, first, table["current"])
        for links in (self._before, self._after):
            links.extend(np.full(size, -1))
        self._link(first + np.flatnonzero((table["kind"] == _MESSAGE) & (table["session"] >= 0)))
        self._next_expiry = min(self._next_expiry, int(table["expires"].min()))
        self._forget_known()

    def _forget_known(self) -> None:
        """What was worked out from the rows is to be worked out anew."""
        self._known_lengths: dict[int, tuple[Scores, int]] = {}
        self._known_places: Scores | None = None
        self._known_sessions: _Sessions | None = None
        self._known_terms: tuple[bytes, list[Held]] = (b"", [])

    def _numbers(self, row: Row) -> tuple[object, ...]:
        return (
            row.created_at,
            _NEVER if row.expires_at is None else row.expires_at,
            row.importance,
            self._code(row.session_id),
            self._code(row.agent_id),
            _KIND[row.kind],
            _ORIGIN[row.origin],
            _ROLES.get((row.speaker or "").lower(), PEER) if row.kind == "message" else PEER,
            row.flagged,
            row.superseded_by is None,
            True,
        )

    def _code(self, name: str | None) -> int:
        """A session's or agent's number."""
        return -1 if name is None else self._codes.setdefault(name, len(self._codes))

    def _append_vectors(self, rows: Sequence[Row]) -> None:
        size = 2 * self._dimension
        none = bytes(size)  # a record that is not embedded yet is like nothing
        blobs = [row.vectors or none for row in rows]
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

    def _add_to_sessions(self, rows: Rows, sign: int) -> None:
        """Add the vectors of new messages to their sessions', or take those of dead ones away."""
        if not len(rows):
            return
        table = self._rows.view[rows]
        said = (table["kind"] == _MESSAGE) & (table["session"] >= 0)
        if not said.any():
            return
        if len(self._sums) < len(self._codes):
            missing = len(self._codes) - len(self._sums)
            self._sums.extend(np.zeros((missing, self._dimension), np.float32))
        ends = np.append(self._first_part.view, len(self._vectors))
        for row, session in zip(rows[said].tolist(), table["session"][said].tolist(), strict=True):
            parts = self._vectors.view[ends[row] : ends[row + 1]]
            self._sums.view[session] += sign * parts.mean(axis=0)

    def _append_terms(
        self, rows: Sequence[Row], first: int, current: npt.NDArray[np.bool_]
    ) -> None:
        found = np.frombuffer(b"".join(row.terms for row in rows), TERM)
        sizes = np.array([len(row.terms) for row in rows]) // TERM.itemsize
        places = np.repeat(np.arange(len(rows)), sizes)
        if not current.all():  # what was superseded has no say in how rare a word is
            kept = current[places]
            found, places = found[kept], places[kept]
        self._length.extend(np.bincount(places, found["count"], minlength=len(rows)))
        self._postings.add(found["term"], first + places, found["count"])

    def _link(self, rows: Rows) -> None:
        """Give new messages their places in their sessions."""
        late = set()
        table = self._rows.view
        for row in rows[self._in_order(rows)] if len(rows) < 1000 else ():
            session = int(table["session"][row])
            last = self._last.get(session, -1)
            if last >= 0 and self._key(last) > self._key(row):
                late.add(session)
            elif session not in late:
                self._join(last, int(row))
                self._last[session] = int(row)
        if len(rows) >= 1000:
            late = set(table["session"][rows].tolist())
        if late:
            self._link_anew(late)

    def _link_anew(self, sessions: set[int]) -> None:
        """Put all messages of these sessions in order."""
        table = self._rows.view
        wanted = table["alive"] & (table["kind"] == _MESSAGE)
        rows = np.flatnonzero(wanted & np.isin(table["session"], list(sessions)))
        rows = rows[self._in_order(rows)]
        session = table["session"][rows]
        joined = session[1:] == session[:-1]
        before, after = self._before.view, self._after.view
        before[rows], after[rows] = -1, -1
        before[rows[1:][joined]] = rows[:-1][joined]
        after[rows[:-1][joined]] = rows[1:][joined]
        self._last.update(zip(session.tolist(), rows.tolist(), strict=True))
        self.linked = self.linked or bool(joined.any())

    def _join(self, before: int, after: int) -> None:
        """Make two rows neighbours; -1 is no row."""
        if before >= 0:
            self._after.view[before] = after
        if after >= 0:
            self._before.view[after] = before
        self.linked = self.linked or (before >= 0 and after >= 0)

    def _unlink(self, row: int) -> None:
        """Take a row out from between its neighbours."""
        before, after = int(self._before.view[row]), int(self._after.view[row])
        self._join(before, after)
        self._before.view[row] = self._after.view[row] = -1
        session = int(self._rows.view["session"][row])
        if self._last.get(session) == row:
            del self._last[session]
            if before >= 0:
                self._last[session] = before

    def _key(self, row: int) -> tuple[int, str]:
        return int(self._rows.view["created"][row]), self.ids[row]

    def _in_order(self, rows: Rows) -> Rows:
        """Places of rows by session, then time, then id."""
        ids = [self.ids[row] for row in rows]
        by_id = np.empty(len(ids), np.int64)
        by_id[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        table = self._rows.view[rows]
        return np.lexsort([by_id, table["created"], table["session"]])

    # --- selecting

    def select(self, selection: Selection, now: datetime) -> Rows:
        """The rows that a selection is about, in no particular order."""
        table = self._rows.view
        fits = table["alive"] & table["current"] & (table["expires"] > to_micros(now))
        fits &= _among([_KIND[kind] for kind in selection.kinds])[table["kind"]]
        if selection.agent_id is not None:
            fits &= table["agent"] == self._codes.get(selection.agent_id, -2)
        if selection.session_id is not None:
            fits &= table["session"] == self._codes.get(selection.session_id, -2)
        if selection.min_importance > 0:
            fits &= table["importance"] >= np.float32(selection.min_importance)
        if not selection.flagged:
            fits &= ~table["flagged"]
        if selection.where is not None:
            fits &= self._columns.matches(parse(selection.where))
        return np.flatnonzero(fits)

    def keys(self, rows: Rows) -> list[tuple[int, str]]:
        """When each row's record was created, and its id: the order of records everywhere."""
        ids = [self.ids[row] for row in rows]
        return list(zip(self._rows.view["created"][rows].tolist(), ids, strict=True))

    def sessions(self) -> dict[str, Span]:
        """The sessions in which something was said or is being worked on."""
        table = self._rows.view
        within = table["alive"] & (table["session"] >= 0) & np.isin(table["kind"], _OF_A_SESSION)
        rows = table[within]
        codes, places = np.unique(rows["session"], return_inverse=True)
        first = np.full(len(codes), _NEVER)
        last = np.full(len(codes), -_NEVER)
        np.minimum.at(first, places, rows["created"])
        np.maximum.at(last, places, rows["created"])
        messages = np.bincount(places, rows["kind"] == _MESSAGE, minlength=len(codes))
        names = list(self._codes)  # numbered in the order in which they came
        spans = map(Span, first.tolist(), last.tolist(), messages.astype(int).tolist())
        return dict(zip((names[code] for code in codes.tolist()), spans, strict=True))

    def roles(self, rows: Rows) -> npt.NDArray[np.uint8]:
        """Whose messages these are."""
        found: npt.NDArray[np.uint8] = self._rows.view["role"][rows]
        return found

    def sessions_of(self, rows: Rows) -> Rows:
        """The numbers of the sessions in which these were said; -1 for what was not said in one."""
        table = self._rows.view
        said = table["kind"][rows] == _MESSAGE
        return np.where(said, table["session"][rows].astype(np.int64), -1)

    def row_of(self, item_id: str) -> int | None:
        """The row of a record, if it is in the index."""
        return self._row_of.get(item_id)

    def hidden(self, now: datetime) -> list[str]:
        """The ids of records that something else has replaced."""
        table = self._rows.view
        fits = table["alive"] & ~table["current"] & (table["expires"] > to_micros(now))
        return [self.ids[row] for row in np.flatnonzero(fits)]

    def vectors(self, item_id: str) -> npt.NDArray[np.float32] | None:
        """A record's vectors, one for each part of its text."""
        row = self._row_of.get(item_id)
        if row is None:
            return None
        ends = np.append(self._first_part.view[row : row + 2], len(self._vectors))
        return self._vectors.view[ends[0] : ends[1]].copy()

    def beside(self, item_id: str) -> tuple[str | None, str | None]:
        """The ids of the messages before and after this one in its session."""
        row = self._row_of.get(item_id)
        if row is None:
            return None, None
        before, after = int(self._before.view[row]), int(self._after.view[row])
        return (
            self.ids[before] if before >= 0 else None,
            self.ids[after] if after >= 0 else None,
        )

    def created(self, rows: Rows) -> Rows:
        """When the records of rows were created, in microseconds."""
        found: Rows = self._rows.view["created"][rows]
        return found

    def importance(self, rows: Rows) -> Scores:
        found: Scores = self._rows.view["importance"][rows]
        return found

    def outside(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which of these rows are neither the user's nor the assistant's word."""
        found: npt.NDArray[np.bool_] = _among(_OUTSIDE)[self._rows.view["origin"][rows]]
        return found

    def places(self, rows: Rows) -> Scores:
        """How many messages of its session come before each; the later ones count alike."""
        if self._known_places is None:
            places = np.full(len(self.ids), _PLACES, np.float32)
            frontier = np.flatnonzero(self._before.view == -1)
            for place in range(_PLACES):
                places[frontier] = place
                frontier = self._after.view[frontier]
                frontier = frontier[frontier >= 0]
            self._known_places = places
        return self._known_places[rows]

    def holding(self, terms: Hashes) -> Rows:
        """The rows that hold every one of these terms."""
        found = [self._postings.of(term)[0] for term in terms]
        together = found[0]
        for rows in found[1:]:
            together = np.intersect1d(together, rows, assume_unique=True)
        return together

    # --- scoring: each array has a score for every row, and a last one of 0 for "no such row"

    def dense(self, query: npt.NDArray[np.float32], rows: Rows) -> Scores:
        """Each row's best cosine with the query; only `rows` and their neighbours are certain."""
        size = len(self.ids)
        scores = np.zeros(size + 1, np.float32)
        one_part_each = len(self._vectors) == size
        if one_part_each and 2 * len(rows) < size:
            wanted = self._around(rows, reach=2)
            scores[wanted] = self._vectors.view[wanted] @ query
        elif one_part_each:
            np.matmul(self._vectors.view, query, out=scores[:size])
        else:
            parts = self._vectors.view @ query
            np.maximum.reduceat(parts, self._first_part.view, out=scores[:size])
        return scores

    def near(self, scores: Scores) -> Scores:
        """Each row's score with a share of its neighbours' added."""
        blended = scores.copy()
        blended[:-1] += BEFORE * scores[self._before.view] + AFTER * scores[self._after.view]
        return blended

    def lexical(self, terms: Hashes, reach: int) -> Scores:
        """BM25 of each row's text joined with its neighbours'.

        `reach` 0 is the text alone, 1 with the message before it, 2 with the one after as well.
        """
        scores = np.zeros(len(self.ids) + 1, np.float32)
        counts = np.zeros_like(scores)
        discounts, total = self._lengths(reach)
        for rows, count in self._held(terms):
            holding, found = rows, count
            if reach and self.linked:
                counts[rows] = count
                holding = self._around(rows, reach)
                found = self._joined(counts, holding, reach)
                counts[rows] = 0
            rarity = np.log1p((total - len(holding) + 0.5) / (len(holding) + 0.5))
            scores[holding] += rarity * found * (K1 + 1) / (found + discounts[holding])
        return scores

    def _held(self, terms: Hashes) -> list[Held]:
        """For each of the terms that any row holds, those that do; the rarest, if there are many.

        One search asks for this several times.
        """
        asked = terms.tobytes()
        if self._known_terms[0] != asked:
            alive = self._rows.view["alive"]
            found = []
            for term in self._postings.rarest(terms, _MOST_TERMS):
                rows, often = self._postings.of(term)
                living = alive[rows]
                found.append((rows, often) if living.all() else (rows[living], often[living]))
            self._known_terms = (asked, found)
        return self._known_terms[1]

    def shares(self, terms: Hashes, rows: Rows) -> tuple[Scores, float]:
        """How much of the terms each row holds, and how much of them nothing does.

        A term counts by how rare it is.
        """
        held, unsaid, whole = np.zeros(len(rows), np.float32), 0.0, 0.0
        alive = self._rows.view["alive"]
        total = self._lengths(0)[1]
        for term in terms[:_MOST_TERMS]:
            holding = self._postings.of(term)[0]
            holding = holding[alive[holding]]
            rarity = float(np.log1p((total - len(holding) + 0.5) / (len(holding) + 0.5)))
            whole += rarity
            if len(holding):
                places = np.minimum(np.searchsorted(holding, rows), len(holding) - 1)
                held += rarity * (holding[places] == rows)
            else:
                unsaid += rarity
        return (held / whole, unsaid / whole) if whole else (held, 0.0)

    def session_meaning(self, query: npt.NDArray[np.float32]) -> Scores:
        """Each session's cosine with the query: of the mean of its messages."""
        cosines: Scores = (self._sums.view @ query) / self._whole_sessions().norms
        return cosines

    def session_words(self, terms: Hashes) -> Scores:
        """BM25 of each session as one text."""
        session, _, discounts, total = self._whole_sessions()
        scores = np.zeros(len(self._sums), np.float32)
        if not total:
            return scores
        for rows, found in self._held(terms):
            said_in = session[rows]
            inside = said_in >= 0
            often = np.bincount(said_in[inside], found[inside], minlength=len(scores))
            holding = int((often > 0).sum())
            rarity = np.log1p((total - holding + 0.5) / (holding + 0.5))
            scores += (rarity * often * (K1 + 1) / (often + discounts)).astype(np.float32)
        return scores

    def _whole_sessions(self) -> _Sessions:
        if self._known_sessions is None:
            table = self._rows.view
            said = table["alive"] & (table["kind"] == _MESSAGE) & (table["session"] >= 0)
            session = np.where(said, table["session"], -1).astype(np.int64)
            norms = np.maximum(np.linalg.norm(self._sums.view, axis=1), 1e-6)
            lengths = np.bincount(session[said], self._length.view[said], minlength=len(self._sums))
            spoken = lengths > 0
            mean = lengths[spoken].mean() if spoken.any() else 1.0
            discounts = K1 * (1 - SESSION_B + SESSION_B * lengths / mean)
            self._known_sessions = _Sessions(session, norms, discounts, int(spoken.sum()))
        return self._known_sessions

    def _around(self, rows: Rows, reach: int) -> Rows:
        """The rows whose joined text holds what these rows hold."""
        if not (reach and self.linked):
            return rows
        found = np.zeros(len(self.ids) + 1, bool)  # the last is no row
        found[rows] = True
        found[self._after.view[rows]] = True
        if reach == 2:
            found[self._before.view[rows]] = True
        return np.flatnonzero(found[:-1])

    def _joined(self, values: Scores, rows: Rows, reach: int) -> Scores:
        """Sums over each row and the neighbours that its text is joined with."""
        total = values[rows]
        if reach and self.linked:
            total += values[self._before.view[rows]]
            if reach == 2:
                total += values[self._after.view[rows]]
        return total

    def _lengths(self, reach: int) -> tuple[Scores, int]:
        """What BM25 marks each joined text down by for its length, and how many there are."""
        if reach not in self._known_lengths:
            own = np.append(self._length.view * self._rows.view["alive"], np.float32(0))
            joined = self._joined(own, np.arange(len(self.ids)), reach)
            counted = own[:-1] > 0
            mean = float(joined[counted].mean()) if counted.any() else 1.0
            discounts = K1 * (1 - B + B * joined / mean)
            self._known_lengths[reach] = (discounts, int(counted.sum()))
        return self._known_lengths[reach]


def _among(codes: Sequence[int]) -> npt.NDArray[np.bool_]:
    """For every code there may be, whether it is one of these: looked up, not compared with all."""
    wanted = np.zeros(256, bool)
    wanted[codes] = True
    return wanted
