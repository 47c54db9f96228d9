"""Two stores as one: what belongs to a session in one, what is known for good in the other.

Messages, summaries and working memory come often and go with their session; facts, episodes and
everything else that is known stay. So the former may live in a store that is quick, and the latter
in one that lasts.

Where a promise of the protocol is about one record, or about several of one layer, it is the
layer's own. Where it is about both layers, this is what can be had of two stores that know nothing
of each other:

- A `put` for both is checked in both before either is written, the long term first. Handles of
  one object keep it whole against each other. If the process dies between the two writes, or
  another process changes a record of the session just then, the long-term part is there and the
  session's is not.
- Another process may see the long-term part of such a `put` before the rest; the generation moves
  again with the rest.
- The generation after a `clear` is none that was there before, but may be smaller.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import isqrt
from threading import Lock
from typing import cast
from zlib import crc32

from bethink.errors import Conflict, UsageError
from bethink.forks import Forkable
from bethink.stores.base import Changes, Entry, MemoryStore, Probe, Proposing, Row, Use
from bethink.types import OF_A_SESSION, MemoryItem, head_id

_LOCKS = 64


class Layered(Forkable):
    """Keeps what belongs to a session in one store and everything else in another.

    A record's kind says in which layer it lives, for good: a record cannot become one of a kind
    that lives in the other.

    Args:
        session: Keeps messages, summaries and working memory.
        long_term: Keeps all other kinds. Its vector space is the one in use; a session store
            that is behind, as a new one is, is brought along.
    """

    def __init__(self, session: MemoryStore, long_term: MemoryStore) -> None:
        if session is long_term:
            raise UsageError("The two layers are the same store. Use it without Layered.")
        self.session = session
        self.long_term = long_term
        self._after_fork_in_child()
        self._follow_forks()
        self._bring_along()
        if hasattr(session, "candidates") and hasattr(long_term, "candidates"):
            self.candidates = self._candidates

    def space(self) -> str | None:
        return self.long_term.space()

    def switch(self, old: str | None, new: str) -> None:
        """As every store. Cut short between the layers, the rest is done when it is next opened."""
        self.long_term.switch(old, new)
        self.session.switch(self.session.space(), new)

    def put(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        space: str,
        if_version: Mapping[str, int] | None = None,
    ) -> None:
        fleeting = [entry for entry in entries if entry.item.kind in OF_A_SESSION]
        lasting = [entry for entry in entries if entry.item.kind not in OF_A_SESSION]
        with self._lock(user_id):
            self._check_layers(user_id, fleeting, lasting)
            of_session, of_long_term = self._shared_out(
                user_id, if_version or {}, fleeting, lasting
            )
            if of_session and lasting:  # else it is checked as it is written
                self._put_session(user_id, [], space, of_session)
            if lasting or of_long_term or not fleeting:
                self.long_term.put(user_id, lasting, space=space, if_version=of_long_term)
            if fleeting or (of_session and not lasting):
                self._put_session(user_id, fleeting, space, of_session)

    def attach(self, user_id: str, vectors: Mapping[str, tuple[int, bytes]], *, space: str) -> int:
        return sum(layer.attach(user_id, vectors, space=space) for layer in self._layers)

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        found = {item.id: item for item in self.session.get(user_id, ids)}
        missing = [id_ for id_ in ids if id_ not in found]
        if missing:
            found.update((item.id, item) for item in self.long_term.get(user_id, missing))
        return [found[id_] for id_ in ids if id_ in found]

    def scan(self, user_id: str, *, space: str, since: int = 0) -> Changes:
        points = _apart(since)
        with self._lock(user_id):
            parts = [
                layer.scan(user_id, space=space, since=point)
                for layer, point in zip(self._layers, points, strict=True)
            ]
            # All that is in a layer of which nothing was known is no more than what was added.
            complete = not since or any(
                part.complete and point for part, point in zip(parts, points, strict=True)
            )
            if complete:
                parts = [
                    part if part.complete else layer.scan(user_id, space=space)
                    for layer, part in zip(self._layers, parts, strict=True)
                ]
        session, long_term = parts
        rows = [*session.rows, *long_term.rows]
        there = {row.id for row in rows}  # an id may have gone from one layer and come in the other
        gone = [] if complete else [*session.deleted, *long_term.deleted]
        return Changes(
            _together(session.generation, long_term.generation),
            rows,
            [id_ for id_ in gone if id_ not in there],
            complete,
        )

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        named = list(ids)
        with self._lock(user_id):
            return sum(layer.delete(user_id, named) for layer in self._layers)

    def clear(self, user_id: str) -> int:
        with self._lock(user_id):
            return sum(layer.clear(user_id) for layer in self._layers)

    def touch(self, user_id: str, uses: Mapping[str, Use]) -> None:
        for layer in self._layers:
            layer.touch(user_id, uses)

    def sweep(self, now: datetime) -> int:
        return sum(layer.sweep(now) for layer in self._layers)

    def generation(self, user_id: str) -> int:
        return _together(self.session.generation(user_id), self.long_term.generation(user_id))

    def users(self) -> list[str]:
        return sorted({*self.session.users(), *self.long_term.users()})

    def close(self) -> None:
        for layer in self._layers:
            layer.close()

    @property
    def _layers(self) -> tuple[MemoryStore, MemoryStore]:
        return self.session, self.long_term

    def _lock(self, user_id: str) -> Lock:
        """Users share locks, so that there need not be one for each."""
        return self._locks[crc32(user_id.encode()) % _LOCKS]

    def _after_fork_in_child(self) -> None:
        self._locks = [Lock() for _ in range(_LOCKS)]

    def _candidates(self, user_id: str, probe: Probe, *, space: str) -> Sequence[Row]:
        """What the engines of both layers propose, each of its kinds."""
        rows: list[Row] = []
        for layer in self._layers:
            of_session = layer is self.session
            kinds = [kind for kind in probe.kinds if (kind in OF_A_SESSION) is of_session]
            if kinds:
                asked = replace(probe, kinds=kinds)
                rows += cast("Proposing", layer).candidates(user_id, asked, space=space)
        return rows

    def _bring_along(self) -> bool:
        """Let the session store use the space that the long term uses; says if it did not yet."""
        space, behind = self.long_term.space(), self.session.space()
        if space is None or space == behind:
            return False
        self.session.switch(behind, space)
        return True

    def _put_session(
        self, user_id: str, entries: Sequence[Entry], space: str, if_version: Mapping[str, int]
    ) -> None:
        try:
            self.session.put(user_id, entries, space=space, if_version=if_version)
        except Conflict:
            if not self._bring_along():
                raise
            self.session.put(user_id, entries, space=space, if_version=if_version)

    def _check_layers(
        self, user_id: str, fleeting: Sequence[Entry], lasting: Sequence[Entry]
    ) -> None:
        """Refuse what would leave a record, or a record and its earlier states, in both layers."""
        for entries, other in ((fleeting, self.long_term), (lasting, self.session)):
            kinds = {e.item.id: e.item.kind for e in entries}
            kinds |= {head_id(id_): kind for id_, kind in kinds.items()}
            for item in other.get(user_id, list(kinds)) if kinds else []:
                raise UsageError(
                    f"Memory {item.id} is kept as {item.kind} and cannot become {kinds[item.id]}: "
                    "delete it first."
                )
        both = {e.item.id for e in fleeting} & {e.item.id for e in lasting}
        if both:
            raise UsageError(f"Memory {min(both)} is put twice, with kinds of both layers.")

    def _shared_out(
        self,
        user_id: str,
        expected: Mapping[str, int],
        fleeting: Sequence[Entry],
        lasting: Sequence[Entry],
    ) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """What is expected of each layer. A record that is not written is sought in both."""
        of_session = {e.item.id for e in fleeting}
        others = [id_ for id_ in expected if id_ not in {e.item.id for e in lasting} | of_session]
        if others:
            of_session |= {item.id for item in self.session.get(user_id, others)}
        return (
            {id_: version for id_, version in expected.items() if id_ in of_session},
            {id_: version for id_, version in expected.items() if id_ not in of_session},
        )


def _together(first: int, second: int) -> int:
    """One number for two, whatever their size: it grows with each and can be taken apart."""
    total = first + second
    return total * (total + 1) // 2 + second


def _apart(number: int) -> tuple[int, int]:
    """The two numbers that `_together` made one of."""
    total = (isqrt(8 * number + 1) - 1) // 2
    second = number - total * (total + 1) // 2
    return total - second, second
