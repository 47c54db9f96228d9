"""Why a memory was returned, and why another was not: in figures, and in sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from bethink.index.user import Selection
from bethink.index.where import fits
from bethink.recall.arms import ARMS
from bethink.recall.factors import RERANKED
from bethink.recall.relevance import RELEVANT
from bethink.types import PRUNED, REVISION, SEARCHED, Hit, Hits, MemoryItem

_SHORT = 60  # characters of another memory in a sentence


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of one memory in one search.

    `hit` has its score and all that adds up to it, with its rank in each arm and factor; it is
    None if the memory was left out before anything was scored. `rank` is its place among all
    that were `searched`: that in `hits`, which is what the search returned, or a later one.
    `reasons` says it in sentences.
    """

    query: str
    item: MemoryItem
    hits: Hits
    searched: int
    rank: int | None = None
    hit: Hit | None = None
    reasons: tuple[str, ...] = ()

    @property
    def returned(self) -> bool:
        return any(hit.item.id == self.item.id for hit in self.hits)

    def __str__(self) -> str:
        return " ".join(self.reasons)


def left_out(
    item: MemoryItem, selection: Selection, now: datetime, *, proposed: bool = False
) -> tuple[str, ...]:
    """Why a memory was not even scored; where only some are, that may be because of others."""
    return tuple(_reasons(item, selection, now)) or (
        "The store's engine did not propose it: others are nearer, and have rarer words."
        if proposed
        else "It was added or changed while this was looked into. Ask again.",
    )


def _reasons(item: MemoryItem, selection: Selection, now: datetime) -> Iterator[str]:
    if item.expired(now):
        yield f"It expired on {item.expires_at:%Y-%m-%d at %H:%M}."
    if REVISION in item.id:
        yield f"It is an earlier state of {item.superseded_by}, for its history only."
    elif item.superseded_by == PRUNED:
        yield "It was pruned. `undo_consolidation` brings it back."
    elif item.superseded_by is not None:
        yield f"It was superseded by {item.superseded_by}."
    if item.kind not in selection.kinds:
        known = item.kind in SEARCHED
        asked = f"; asked for was {', '.join(selection.kinds) or 'none'}"
        yield f"It is of the kind {item.kind}{asked if known else ', which searches leave out'}."
    yield from _filters(item, selection)


def _filters(item: MemoryItem, selection: Selection) -> Iterator[str]:
    """What it was filtered out by."""
    if selection.agent_id not in (None, item.agent_id):
        yield f"It is of {_named('agent', item.agent_id)}; asked for was {selection.agent_id}."
    if selection.session_id not in (None, item.session_id):
        yield (
            f"It is of {_named('session', item.session_id)}; asked for was {selection.session_id}."
        )
    if item.importance < selection.min_importance:
        yield (
            f"Its importance is {item.importance:g}; asked for was at least "
            f"{selection.min_importance:g}."
        )
    if item.flagged and not selection.flagged:
        yield "It is flagged: text from outside that reads like instructions."
    if selection.where is not None and not fits(item.metadata, selection.where):
        yield "Its metadata does not fit the filter."


def _named(what: str, name: str | None) -> str:
    return f"no {what}" if name is None else f"the {what} {name}"


def weighed(query: str, hit: Hit, hits: Hits, *, rank: int, searched: int) -> Explanation:
    """What became of a memory that was scored."""
    returned = rank <= len(hits)
    told = _among(hit, hits, rank) if returned else _behind(hit, hits, rank, searched)
    reasons = (*told, *_in_recall(hit))
    return Explanation(query, hit.item, hits, searched, rank, hit, reasons)


def _among(hit: Hit, hits: Sequence[Hit], rank: int) -> Iterator[str]:
    yield f"It was returned, {rank} of {len(hits)}."
    yield from _most(hit)


def _in_recall(hit: Hit) -> Iterator[str]:
    """Why a context has no place for it, wherever it is in a search."""
    if hit.item.flagged:
        yield (
            "It is flagged, as text from outside that reads like instructions: "
            "`recall` leaves it out."
        )
    if hit.relevance < RELEVANT:
        yield f"Its relevance is {hit.relevance:.2f}: below {RELEVANT:g}, `recall` leaves it out."


def _most(hit: Hit) -> Iterator[str]:
    said = {name: share for name, share in shares(hit).items() if share > 0}
    most = sorted(said, key=lambda name: -said[name])[:3]
    if most:
        yield "Most for it: " + ", ".join(f"{name} ({said[name]:+.1f})" for name in most) + "."


def _behind(hit: Hit, hits: Sequence[Hit], rank: int, searched: int) -> Iterator[str]:
    """How far a memory stayed behind the last that was returned, and in what."""
    place = f"It is {rank} of {searched}, outranked by {rank - 1}"
    if not hits:  # what was returned has been removed meanwhile
        yield f"{place}."
        return
    last = hits[-1]
    if RERANKED in last.factors and RERANKED not in hit.factors:
        yield f"{place}: it was not among the best, which the reranker was asked about."
        return
    yield (
        f"{place}: its score is {hit.score:.1f}, and that of the last one returned, "
        f"{_quoted(last.item)}, is {last.score:.1f}."
    )
    cut = [name for name in ARMS if hit.arms[name] and (hit.ranks or {}).get(name, 0) > len(hits)]
    if cut:
        named = ", ".join(f"{name} ({(hit.ranks or {})[name]})" for name in cut)
        yield f"Below the cut of {len(hits)} in: {named}."
    mine, others = shares(hit), shares(last)
    worst = max(mine, key=lambda name: others.get(name, 0) - mine[name])
    if others.get(worst, 0) > mine[worst]:
        yield f"Most is lost in {worst}: {mine[worst]:+.1f} against {others[worst]:+.1f}."


def shares(hit: Hit) -> dict[str, float]:
    """All that adds up to a score, by name."""
    return {**hit.arms, **hit.factors}


def _quoted(item: MemoryItem) -> str:
    text = " ".join(item.content.split())
    return f"“{text[:_SHORT].rstrip()}…”" if len(text) > _SHORT else f"“{text}”"
