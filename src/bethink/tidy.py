"""Consolidating a user's knowledge in the store, and undoing it.

What is absorbed or pruned is not deleted: it is hidden from every search and listing, and swept
when the time for bringing it back is over. Each step is one atomic write that happens only if
nobody has changed any of its records meanwhile, so a crash leaves whole steps, repeating is safe,
and two who consolidate at once do the work of one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias, cast

from bethink.errors import Conflict
from bethink.index.user import Selection
from bethink.learn.alike import opposed
from bethink.learn.consolidate import Consolidation, Merge, Pruning, Rules, plan
from bethink.learn.repeats import groups
from bethink.records import Records
from bethink.stores.base import Use
from bethink.times import read_time
from bethink.types import JSON, PRUNED, MemoryItem

_MARK = "consolidated"
"""Where a hidden record keeps what is needed to bring it back."""
_TRIES = 100

Known: TypeAlias = Mapping[str, MemoryItem]
"""All that is known of a user, by id."""


def consolidate(records: Records, user_id: str, rules: Rules, *, dry_run: bool) -> Consolidation:
    """Merge and prune a user's knowledge; says what was done, or would be."""
    now = records.now()
    items = records.select(user_id, Selection(("semantic",)))
    repeated = [item.id for group in groups(items) for item in group]
    found = plan(items, records.vectors(user_id, repeated), now, rules)
    if dry_run:
        return replace(found, dry_run=True)
    known = {item.id: item for item in items}
    return replace(
        found,
        merged=tuple(one for one in found.merged if _merge(records, one, known, found.until)),
        pruned=tuple(one for one in found.pruned if _prune(records, one, known, found.until)),
    )


def _merge(records: Records, merge: Merge, known: Known, until: datetime) -> bool:
    survivor = merge.survivor
    told: dict[str, JSON] = {
        "why": merge.why,
        "before": _changeable(known[survivor.id]),
        "after": _changeable(survivor),
    }
    hidden = [_hidden(item, survivor.id, told, known, until) for item in merge.absorbed]
    if not records.swap(survivor.user_id, [survivor, *hidden]):
        return False
    uses = sum(item.access_count for item in merge.absorbed)
    if uses and survivor.last_accessed:  # should this be lost in a crash, so are a few counts
        use = Use(uses, survivor.last_accessed)
        records.store.touch(survivor.user_id, {survivor.id: use})
    return True


def _prune(records: Records, pruning: Pruning, known: Known, until: datetime) -> bool:
    hidden = _hidden(pruning.item, PRUNED, {"why": pruning.why}, known, until)
    return records.swap(hidden.user_id, [hidden])


def _hidden(
    item: MemoryItem, by: str, told: Mapping[str, JSON], known: Known, until: datetime
) -> MemoryItem:
    """A record that no search and no listing shows, with the way back."""
    beside: list[JSON] = [one.id for one in known.values() if opposed(item.content, one.content)]
    expiry = None if item.expires_at is None else item.expires_at.isoformat()
    return replace(
        item,
        superseded_by=by,
        expires_at=until if item.expires_at is None else min(item.expires_at, until),
        data={_MARK: {**told, "expires_at": expiry, "beside": beside}},
    )


def _changeable(item: MemoryItem) -> dict[str, JSON]:
    """What a merge may change in the memory that survives."""
    return {
        "created_at": item.created_at.isoformat(),
        "updated_at": None if item.updated_at is None else item.updated_at.isoformat(),
        "importance": item.importance,
        "sources": list(item.sources),
    }


# --- undoing


class Restored(list[MemoryItem]):
    """What was brought back. `left_out` says the opposite of what holds now, and stays hidden."""

    __slots__ = ("left_out",)

    def __init__(self, items: Iterable[MemoryItem], left_out: Sequence[MemoryItem]) -> None:
        super().__init__(items)
        self.left_out = left_out


def undo(records: Records, user_id: str) -> Restored:
    """Bring back what was absorbed or pruned and is still there; says what it was."""
    hidden = [item for item in records.hidden(user_id) if _MARK in item.data]
    known = records.select(user_id, Selection(("semantic",), flagged=False))
    left_out = [item for item in hidden if _contradicted(item, known)]
    ids = {item.id for item in left_out}
    back = (_restored(records, user_id, one.id) for one in hidden if one.id not in ids)
    return Restored(filter(None, back), left_out)


def _contradicted(item: MemoryItem, known: Sequence[MemoryItem]) -> bool:
    """Whether the opposite is known that was not there beside it, and neither is over."""
    beside = cast("dict[str, Any]", item.data[_MARK]).get("beside", ())
    return item.valid_to is None and any(
        one.valid_to is None and one.id not in beside and opposed(item.content, one.content)
        for one in known
    )


def _restored(records: Records, user_id: str, item_id: str) -> MemoryItem | None:
    for _ in range(_TRIES):
        item = records.one(user_id, item_id)
        if item is None or _MARK not in item.data:  # gone, or somebody was quicker
            return None
        told = cast("dict[str, Any]", item.data[_MARK])
        shown = replace(
            item,
            superseded_by=None,
            expires_at=read_time(told["expires_at"], name="expires_at"),
            data={},
        )
        survivor = records.one(user_id, str(item.superseded_by))
        if records.swap(user_id, [shown, *_set_back(survivor, told)]):
            return records.one(user_id, item_id)
    raise Conflict(f"Others keep changing memory {item_id}. Try again later.")


def _set_back(survivor: MemoryItem | None, told: Mapping[str, Any]) -> list[MemoryItem]:
    """The survivor as it was before, in what nobody has changed since."""
    if survivor is None or "after" not in told:
        return []
    now, before, after = _changeable(survivor), told["before"], told["after"]
    values = {name: before[name] for name in now if now[name] == after[name] != before[name]}
    if not values:
        return []
    for name in ("created_at", "updated_at"):
        if name in values:
            values[name] = read_time(values[name], name=name)
    if "sources" in values:
        values["sources"] = tuple(values["sources"])
    return [replace(survivor, **values)]


def going_along(records: Records, user_id: str, ids: Sequence[str]) -> list[str]:
    """What was absorbed by these memories, or by what was: to forget one is to forget all."""
    hidden = [item for item in records.hidden(user_id) if _MARK in item.data]
    gone = set(ids)
    while more := {one.id for one in hidden if one.superseded_by in gone} - gone:
        gone |= more
    return sorted(gone - set(ids))
