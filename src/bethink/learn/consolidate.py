"""What becomes of knowledge with time: the same said twice is merged, what nobody needs is pruned.

All of this is pure: from a user's memories to what is to be done. How important a memory is by
now is never kept, always worked out, so that it cannot fade twice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log2

import numpy as np
import numpy.typing as npt

from bethink.learn.repeats import groups
from bethink.types import MemoryItem

HALF_LIFE = 90.0
"""Days after which a memory that was never used has lost half of what it can lose."""
LEFT = 0.2
"""The share of its importance that a memory never loses."""
IMPORTANT = 0.75
"""A memory of this importance is never pruned."""

_ALIKE = 0.7  # the least cosine of two that say the same: the words have agreed already
_DAY = timedelta(days=1)
_FADED = 0.05  # the least loss worth a line in a report


@dataclass(frozen=True, slots=True)
class Merge:
    """Memories that say the same: one of them survives, as it is from then on."""

    survivor: MemoryItem
    absorbed: tuple[MemoryItem, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Decay:
    """A memory, and how important it is by now."""

    item: MemoryItem
    importance: float


@dataclass(frozen=True, slots=True)
class Pruning:
    """A memory that nobody needs."""

    item: MemoryItem
    why: str


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What consolidating a user's knowledge did, or, in a dry run, would do.

    What was absorbed or pruned can be brought back until `until`.
    """

    merged: tuple[Merge, ...]
    decayed: tuple[Decay, ...]
    """What has faded and stays, the least important first."""
    pruned: tuple[Pruning, ...]
    looked_at: int
    """So many memories."""
    until: datetime
    dry_run: bool = False

    @property
    def counts(self) -> dict[str, int]:
        return {
            "looked_at": self.looked_at,
            "merged": len(self.merged),
            "absorbed": sum(len(one.absorbed) for one in self.merged),
            "decayed": len(self.decayed),
            "pruned": len(self.pruned),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What may be pruned: what was left alone for so long, and is less important by now."""

    older_than: timedelta = timedelta(days=30)
    below: float = 0.15
    grace: timedelta = timedelta(days=30)
    """How long what is pruned or absorbed can be brought back."""


# --- fading


def importance_now(item: MemoryItem, now: datetime) -> float:
    """How important a memory is by now.

    It fades from the day it was last learnt, changed or used, along a curve with a half-life that
    every doubling of its uses lengthens by another 90 days. It keeps a fifth of its importance,
    and all of it if it is pinned.
    """
    if item.pinned:
        return item.importance
    half_life = HALF_LIFE * (1 + log2(1 + item.access_count))
    faded: float = 0.5 ** (idle(item, now) / _DAY / half_life)
    return item.importance * (LEFT + (1 - LEFT) * faded)


def idle(item: MemoryItem, now: datetime) -> timedelta:
    """For how many whole days a memory was neither learnt nor changed nor used."""
    last = max(item.created_at, item.updated_at or item.created_at)
    last = max(last, item.last_accessed or last)
    return timedelta(days=max(0, (now - last).days))


def prunable(item: MemoryItem, now: datetime, rules: Rules) -> bool:
    """Whether a memory is old, unimportant and out of use; never if it is pinned or flagged."""
    return (
        not item.pinned
        and not item.flagged
        and not item.data
        and item.importance < IMPORTANT
        and idle(item, now) >= max(rules.older_than, _DAY)
        and (item.valid_from is None or item.valid_from <= now)
        and importance_now(item, now) < rules.below
    )


# --- planning


def plan(
    items: Sequence[MemoryItem],
    vectors: Mapping[str, npt.NDArray[np.float32]],
    now: datetime,
    rules: Rules,
) -> Consolidation:
    """What is to be done with a user's knowledge; each memory is part of one thing at most."""
    merged = [one for one in _merges(items, vectors) if not prunable(one.survivor, now, rules)]
    gone = {item.id for one in merged for item in one.absorbed}
    kept = {one.survivor.id: one.survivor for one in merged}
    left = [kept.get(item.id, item) for item in items if item.id not in gone]
    pruned = [item for item in left if prunable(item, now, rules)]
    ids = {item.id for item in pruned}
    return Consolidation(
        merged=tuple(merged),
        decayed=tuple(_decayed((item for item in left if item.id not in ids), now)),
        pruned=tuple(Pruning(item, _why(item, now)) for item in pruned),
        looked_at=len(items),
        until=now + rules.grace,
    )


def _decayed(items: Iterable[MemoryItem], now: datetime) -> list[Decay]:
    found = [Decay(item, importance_now(item, now)) for item in items]
    faded = [one for one in found if one.item.importance - one.importance >= _FADED]
    return sorted(faded, key=lambda one: (one.importance, one.item.id))


def _why(item: MemoryItem, now: datetime) -> str:
    used = "last used" if item.last_accessed else "never used, last learnt"
    days = idle(item, now).days
    return f"Its importance is {importance_now(item, now):.2f} by now; {used} {days} days ago."


def _merges(
    items: Sequence[MemoryItem], vectors: Mapping[str, npt.NDArray[np.float32]]
) -> Iterator[Merge]:
    for group in groups(items):
        clusters: list[list[MemoryItem]] = []
        for item in group:
            fitting = (some for some in clusters if _absorbs(some[0], item, vectors))
            cluster = next(fitting, None)
            if cluster is None:
                clusters.append([item])
            else:
                cluster.append(item)
        yield from (_merge(some, vectors) for some in clusters if len(some) > 1)


def _absorbs(
    survivor: MemoryItem, item: MemoryItem, vectors: Mapping[str, npt.NDArray[np.float32]]
) -> bool:
    """Whether nothing is lost if one of two stands for both. What is pinned is never absorbed."""
    said = survivor.metadata.items()
    return (
        not item.pinned
        and all(pair in said for pair in item.metadata.items())
        and cosine(vectors.get(survivor.id), vectors.get(item.id)) >= _ALIKE
    )


def cosine(one: npt.NDArray[np.float32] | None, other: npt.NDArray[np.float32] | None) -> float:
    """How alike two memories are in their least alike parts; -1 without vectors for both."""
    if one is None or other is None or one.shape != other.shape or not (one.any() and other.any()):
        return -1.0
    return float(np.einsum("ij,ij->i", one, other).min())


def _merge(some: Sequence[MemoryItem], vectors: Mapping[str, npt.NDArray[np.float32]]) -> Merge:
    survivor, *absorbed = some
    least = min(cosine(vectors[survivor.id], vectors[item.id]) for item in absorbed)
    return Merge(
        together(survivor, absorbed),
        tuple(absorbed),
        f"The same words, but for those that say nothing, and vectors alike by {least:.2f}.",
    )


def together(survivor: MemoryItem, absorbed: Sequence[MemoryItem]) -> MemoryItem:
    """What survives: with the best of what all of them know about themselves."""
    all_ = [survivor, *absorbed]
    created = min(item.created_at for item in all_)
    latest = max(item.updated_at or item.created_at for item in all_)
    return replace(
        survivor,
        created_at=created,
        updated_at=latest if latest > created else survivor.updated_at,
        importance=max(item.importance for item in all_),
        sources=tuple(dict.fromkeys(id_ for item in all_ for id_ in item.sources)),
        access_count=sum(item.access_count for item in all_),
        last_accessed=max(
            (item.last_accessed for item in all_ if item.last_accessed), default=None
        ),
    )
