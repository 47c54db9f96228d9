"""Why a memory was returned, and why another was not: in figures, and in sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bethink.index.user import Selection, UserIndex
from bethink.recall.arms import ARMS
from bethink.types import PRUNED, REVISION, SEARCHED, Hit, MemoryItem

_SHORT = 60  # characters of another memory in a sentence


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of one memory in one search.

    `hit` has its score and all that adds up to it, with its rank in each arm and factor; it is
    None if the memory was left out before anything was scored. `rank` is its place among all
    that were `searched`. `hits` is what the search returned, and `reasons` says it in sentences.
    """

    query: str
    item: MemoryItem
    hits: Sequence[Hit]
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
    item: MemoryItem, index: UserIndex, selection: Selection, now: datetime
) -> tuple[str, ...]:
    """Why a memory was not even scored."""
    return tuple(_reasons(item, index, selection, now)) or (
        "It was added or changed while this was looked into. Ask again.",
    )


def _reasons(
    item: MemoryItem, index: UserIndex, selection: Selection, now: datetime
) -> Iterator[str]:
    if item.expired(now):
        yield f"It expired on {item.expires_at:%Y-%m-%d at %H:%M}."
    if REVISION in item.id:
        yield f"It is an earlier state of {item.superseded_by}, for its history only."
    elif item.superseded_by == PRUNED:
        yield "It was pruned. `undo_consolidation` brings it back."
    elif item.superseded_by is not None:
        yield f"It was superseded by {item.superseded_by}."
    if item.kind not in SEARCHED:
        yield f"It is of the kind {item.kind}, which no search looks at."
    elif item.kind not in selection.kinds:
        yield f"It is of the kind {item.kind}; asked for were {', '.join(selection.kinds)}."
    yield from _filters(item, index, selection, now)


def _filters(
    item: MemoryItem, index: UserIndex, selection: Selection, now: datetime
) -> Iterator[str]:
    """What it was filtered out by, if it is there to be filtered."""
    if selection.agent_id not in (None, item.agent_id):
        yield f"It is of the agent {item.agent_id}; asked for was {selection.agent_id}."
    if selection.session_id not in (None, item.session_id):
        yield f"It is of the session {item.session_id}; asked for was {selection.session_id}."
    if item.importance < selection.min_importance:
        yield (
            f"Its importance is {item.importance:g}; asked for was at least "
            f"{selection.min_importance:g}."
        )
    if item.flagged and not selection.flagged:
        yield "It is flagged: text from outside that reads like instructions."
    if selection.where is not None:
        row, any_kind = index.row_of(item.id), Selection((item.kind,), where=selection.where)
        if row is not None and row not in index.select(any_kind, now):
            yield "Its metadata does not fit the filter."


def weighed(query: str, hit: Hit, hits: Sequence[Hit], *, rank: int, searched: int) -> Explanation:
    """What became of a memory that was scored."""
    for place, one in enumerate(hits, 1):
        if one.item.id == hit.item.id:
            hit = replace(one, ranks=hit.ranks)
            reasons = (f"It was returned, {place} of {len(hits)}.", *_best_arms(hit))
            return Explanation(query, hit.item, hits, searched, place, hit, reasons)
    reasons = tuple(_behind(hit, hits, rank, searched))
    return Explanation(query, hit.item, hits, searched, rank, hit, reasons)


def _best_arms(hit: Hit) -> Iterator[str]:
    said = {name: score for name, score in hit.arms.items() if score > 0}
    most = sorted(said, key=lambda name: -said[name])[:3]
    if most:
        yield "Most for it: " + ", ".join(f"{name} ({said[name]:+.1f})" for name in most) + "."


def _behind(hit: Hit, hits: Sequence[Hit], rank: int, searched: int) -> Iterator[str]:
    """How far a memory stayed behind the last that was returned, and in what."""
    last = hits[-1]
    yield (
        f"It is {rank} of {searched}, outranked by {rank - 1}: its score is {hit.score:.1f}, and "
        f"that of the last one returned, {_quoted(last.item)}, is {last.score:.1f}."
    )
    cut = [name for name in ARMS if hit.arms[name] and (hit.ranks or {}).get(name, 0) > len(hits)]
    if cut:
        named = ", ".join(f"{name} ({(hit.ranks or {})[name]})" for name in cut)
        yield f"Below the cut of {len(hits)} in: {named}."
    loss = {name: last.arms[name] - hit.arms[name] for name in ARMS}
    worst = max(loss, key=lambda name: loss[name])
    if loss[worst] > 0:
        yield f"Most is lost in {worst}: {hit.arms[worst]:+.1f} against {last.arms[worst]:+.1f}."


def _quoted(item: MemoryItem) -> str:
    text = " ".join(item.content.split())
    return f"“{text[:_SHORT].rstrip()}…”" if len(text) > _SHORT else f"“{text}”"
