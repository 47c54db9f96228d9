"""Searches in what a store's own engine proposes: an index that is made for one question."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from bethink.errors import Conflict
from bethink.index.user import Selection, UserIndex
from bethink.models.base import Vectors
from bethink.recall.plan import Plan
from bethink.stores.base import Changes, Probe, Proposing, Row

FIRST = 200
"""Records that are proposed by meaning, and as many again by words."""
MOST = 64 * FIRST
"""As many, of each, where fewer would leave too little that fits a filter."""
_MORE = 4  # times as many are asked for next
_ENOUGH = 50  # that fit a filter of which the engine knows nothing


@dataclass(frozen=True, slots=True)
class Proposals:
    """Asks the engine of a store, in one vector space."""

    store: Proposing
    space: str
    dimension: int

    def index(
        self, user_id: str, now: datetime, read: Plan, selection: Selection, wanted: int
    ) -> UserIndex:
        """What may answer a query: enough for so many hits, as far as there are as many.

        The engine knows kinds, agents and sessions. Where what it proposes is filtered by
        anything else and too little is left, it is asked for more.
        """
        probe = Probe(
            _bytes(read.vector),
            read.terms.tolist(),
            max(FIRST, wanted),
            selection.kinds,
            selection.agent_id,
            selection.session_id,
        )
        enough = max(wanted, _ENOUGH)
        return self._asked(
            user_id, probe, now, lambda index: len(index.select(selection, now)) >= enough
        )

    def near(
        self, user_id: str, now: datetime, vectors: Iterable[Vectors], selection: Selection
    ) -> UserIndex:
        """What is nearest to any of some vectors."""
        rows: dict[str, Row] = {}
        for vector in vectors:
            probe = Probe(
                _bytes(vector),
                (),
                FIRST,
                selection.kinds,
                selection.agent_id,
                selection.session_id,
                reach=0,
            )
            rows |= {row.id: row for row in self._rows(user_id, probe)}
        return self._made(rows.values(), now)

    def _asked(
        self, user_id: str, probe: Probe, now: datetime, enough: Callable[[UserIndex], bool]
    ) -> UserIndex:
        while True:
            rows = self._rows(user_id, probe)
            index = self._made(rows, now)
            if len(rows) < probe.limit or probe.limit >= MOST or enough(index):
                return index
            probe = replace(probe, limit=min(_MORE * probe.limit, MOST))

    def _rows(self, user_id: str, probe: Probe) -> list[Row]:
        rows = list(self.store.candidates(user_id, probe, space=self.space))
        # Whoever embeds a memory anew drops the vectors of the old space: none of them is left.
        if not any(row.vectors for row in rows) and self.store.space() != self.space:
            raise Conflict(
                "The memory was embedded anew with another model meanwhile. Open it again."
            )
        return rows

    def _made(self, rows: Iterable[Row], now: datetime) -> UserIndex:
        index = UserIndex(self.dimension)
        index.apply(Changes(1, list(rows), complete=True), now)
        return index


def _bytes(vector: Vectors) -> bytes:
    """A vector as engines are asked by it; nothing for one that is like nothing."""
    return vector.astype("<f4").tobytes() if vector.any() else b""
