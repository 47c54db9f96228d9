"""Searches: from a query to hits, and from a memory to why it is or is not among them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bethink.errors import NotFound
from bethink.index.user import Selection, UserIndex
from bethink.models.base import Vectors
from bethink.recall.explain import Explanation, left_out, weighed
from bethink.recall.factors import used
from bethink.recall.fuse import Found, Scored, best, scored
from bethink.recall.plan import Plan, plan
from bethink.recall.relevance import relevances
from bethink.recall.weights import WEIGHTS
from bethink.rerank import Reranking
from bethink.types import Hit, Hits, MemoryItem

if TYPE_CHECKING:
    from bethink.records import Records

_SPARE = 10
"""Found beyond the limit: how often each was used may change places near the cut."""

Beside: TypeAlias = Mapping[str, tuple[str | None, str | None]]
"""For messages, the ids of those before and after each, as far as they were searched as well."""

_BY_WORDS = "The embedder is out of reach, so words alone decided."


@dataclass(frozen=True, slots=True)
class Asked:
    """A search that is asked for."""

    query: str
    selection: Selection
    limit: int
    at: datetime | None = None
    """When it is asked; now, if not given."""
    vector: Vectors | None = None
    explain: bool = False


class Finding:
    """Searches the records of one store."""

    def __init__(self, records: "Records", reranking: Reranking | None) -> None:
        self._records = records
        self._reranking = reranking

    def search(self, user_id: str, asked: Asked) -> Hits:
        """The records of a selection that match best, best first."""
        return self.search_beside(user_id, asked)[0]

    def search_beside(self, user_id: str, asked: Asked) -> tuple[Hits, Beside]:
        """What `search` finds, and what was said just before and after each of it."""
        ordered, beside = self._ordered(user_id, asked)
        return Hits(ordered[: asked.limit], ordered.degraded), beside

    def _wanted(self, asked: Asked) -> int:
        """How many must be found for as many as are asked for."""
        pool = asked.limit if self._reranking is None else self._reranking.pool(asked.limit)
        return pool + _SPARE

    def _ordered(self, user_id: str, asked: Asked) -> tuple[Hits, Beside]:
        """The best, and those next to them whose places were looked into as closely."""
        with self._scored(user_id, asked) as (index, read, all_):
            places = best(index, all_.rows, all_.total, self._wanted(asked))
            found = [all_.found(place) for place in places]
            ids = [index.ids[one.row] for one in found]
            beside = _beside(index, ids, all_)
            alike = self._relevances(index, read, found)
            ranks = [all_.ranks(place) if asked.explain else None for place in places]
            bare = list(index.bare)
        self._records.embed_later(user_id, bare)
        items = {item.id: item for item in self._records.get(user_id, ids)}
        hits = [
            _hit(items[id_], one, relevance, rank)
            for id_, one, relevance, rank in zip(ids, found, alike, ranks, strict=True)
            if id_ in items  # it may have been removed a moment ago
        ]
        hits = sorted(hits, key=lambda hit: -round(hit.score, 4))
        ordered = self._reranking.applied(asked.query, hits) if self._reranking else Hits(hits)
        if not read.vector.any():  # which is like nothing: the embedder is down
            ordered.degraded = " ".join(filter(None, [_BY_WORDS, ordered.degraded]))
        return ordered, beside

    def explain(self, user_id: str, item_id: str, asked: Asked) -> Explanation:
        """Why a search returns a memory, or why it does not. Counts as no use."""
        there = self._records.store.get(user_id, [item_id])
        if not there:
            raise NotFound(f"This user has no memory with the id {item_id}.")
        asked = replace(asked, explain=True, vector=self._vector(asked))
        ordered, _ = self._ordered(user_id, asked)
        hits = Hits(ordered[: asked.limit], ordered.degraded)
        with self._scored(user_id, asked) as (index, read, all_):
            searched = len(all_.rows)
            place = all_.place_of(index.row_of(item_id))
            if place is None:
                proposed = self._records.proposed(user_id)
                reasons = left_out(
                    there[0], asked.selection, self._records.now(), proposed=proposed
                )
                return Explanation(asked.query, there[0], hits, searched, reasons=reasons)
            found = all_.found(place)
            [relevance] = self._relevances(index, read, [found])
            ranks = all_.ranks(place)
            order = best(index, all_.rows, all_.total, searched)
            ids = [index.ids[all_.rows[one]] for one in order]
        [item] = self._records.get(user_id, [item_id]) or there
        near = {hit.item.id: hit for hit in ordered}
        ids = [*near, *(id_ for id_ in ids if id_ not in near)]
        hit = near.get(item_id) or _hit(item, found, relevance, ranks)
        return weighed(asked.query, hit, hits, rank=1 + ids.index(item_id), searched=searched)

    @contextmanager
    def _scored(self, user_id: str, asked: Asked) -> Iterator[tuple[UserIndex, Plan, Scored]]:
        """A user's index, what is asked of it, and what it says of every record selected."""
        now = self._records.now()
        read = plan(asked.query, vector=self._vector(asked), at=asked.at or now)
        wanted = self._wanted(asked)
        with self._records.index(user_id, now, read, asked.selection, wanted) as index:
            yield index, read, scored(index, index.select(asked.selection, now), read)

    def _vector(self, asked: Asked) -> Vectors:
        return self._records.embed(asked.query) if asked.vector is None else asked.vector

    def _relevances(self, index: UserIndex, read: Plan, found: Sequence[Found]) -> list[float]:
        rows = np.array([one.row for one in found], np.int64)
        cosines = [one.cosine for one in found]
        return relevances(index, read, rows, cosines, self._records.scale().relevance)


def _beside(index: UserIndex, ids: Sequence[str], searched: Scored) -> Beside:
    """The neighbours of messages, but for those that were not searched themselves."""
    near = {id_: pair for id_ in ids if any(pair := index.beside(id_))} if index.linked else {}
    if not near:
        return {}
    rows = {id_: index.row_of(id_) for pair in near.values() for id_ in pair if id_}
    among = np.isin(np.array(list(rows.values()), np.int64), searched.rows)
    fits = {id_ for id_, fit in zip(rows, among.tolist(), strict=True) if fit}
    return {
        id_: (before if before in fits else None, after if after in fits else None)
        for id_, (before, after) in near.items()
    }


def _hit(item: MemoryItem, found: Found, relevance: float, ranks: dict[str, int] | None) -> Hit:
    """What was found with its record, and what only that knows: how often it was used."""
    often = used(item.access_count, WEIGHTS)
    factors = {**found.factors, "used": often}
    return Hit(item, found.score + often, found.arms, factors, relevance, ranks)
