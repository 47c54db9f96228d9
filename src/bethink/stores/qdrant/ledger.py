"""How a change becomes whole: commits, without transactions to build on.

Qdrant writes one point at a time, and can make that depend on what the point says. So each user
has one point, the head, through which every change goes:

1. Whoever changes something reads the head and the records, and writes a new head that holds the
   new records as well, on condition that the head is still the one that was read. That is the
   commit: from now on the change is there, for every reader. A change too large for one point
   is first laid down in points of its own, which the head then names.
2. The records are written to their own points, and struck from the head.

A process that dies between the two leaves nothing half done: readers put the head's records in
place of those in the points, and whoever writes next finishes first. One that wakes up late and
writes its records again overwrites nothing newer, because each point says which commit wrote it.

One more point, the meta, is for all users: the space in use, the slot of each space, how often
the space was switched, and how many lives users have had.
"""

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from qdrant_client import models

from bethink.errors import StoreError, StoreUnavailable
from bethink.stores.qdrant.engine import Engine, Payload
from bethink.stores.qdrant.points import (
    State,
    among,
    dense_name,
    dimension_of,
    is_,
    of,
    older,
    point_id,
    point_of,
    points,
    state_of,
)

META = point_id()
_NEW: Mapping[str, Any] = {
    "sort": "meta", "format": 1, "space": None, "slots": {}, "next": 1, "turn": 0, "epochs": 0,
}  # fmt: skip
_UNBORN = dict.fromkeys(("stamp", "changed", "floor", "count", "graves"), 0)
_OPEN = ("open", "log", "laid_down")
"""What a head says of a commit whose records are not in their points yet."""
_INLINE = 200_000
"""Characters of records that a head may hold."""
_LAID = 1_000_000
"""Characters in each of the points in which a large change is laid down, and more by a record."""
_REMEMBERED = 32
"""Commits of which a head knows, so that one can be told from another's that came right after."""
_ATTEMPTS = 200


@dataclass(frozen=True, slots=True)
class Plan:
    """What a change is to make: records, and what else the head says from then on."""

    states: Sequence[State] = ()
    moves: bool = True
    """Whether the generation moves: then these records are among what changed."""
    head: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class View:
    """What a change sees: the present, in which all commits are in their points."""

    engine: Engine
    user_id: str
    meta: Payload
    head: Payload | None
    known: dict[str, State] = field(default_factory=dict)

    def states(self, ids: Sequence[str]) -> dict[str, State]:
        """The records with these ids that are there, by id."""
        if self.head is None:
            return {}
        wanted = [point_id(self.user_id, id_) for id_ in dict.fromkeys(ids)]
        return self._seen(self.engine.retrieve(wanted).values())

    def found(self, *must: models.Condition) -> dict[str, State]:
        """The records that fit, by id."""
        if self.head is None:
            return {}
        return self._seen(
            self.engine.scroll(points(*of(self.user_id, "record"), *must)),
        )

    def _seen(self, payloads: Any) -> dict[str, State]:
        states = {s.id: s for s in map(state_of, payloads) if s.epoch == (self.head or {})["epoch"]}
        self.known |= states
        return {id_: state for id_, state in states.items() if state.item is not None}


Rule = Callable[[View], Plan]


class Ledger:
    """The heads of all users, and the meta."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        written = self.meta()["format"]
        if written > _NEW["format"]:
            raise StoreError(
                f"{engine.where} was written by a newer Bethink (format {written}; this one knows "
                f"{_NEW['format']}). Upgrade: pip install --upgrade bethink"
            )

    # --- reading

    def read(self, user_id: str, fields: Sequence[str] | None = None) -> tuple[Payload, Payload]:
        """The meta, and the user's head; one that is not there is empty."""
        head = point_id(user_id)
        found = self.engine.retrieve([META, head], fields)
        return found.get(META, dict(_NEW)), found.get(head, {})

    def meta(self) -> Payload:
        return self.engine.retrieve([META]).get(META, dict(_NEW))

    def log(self, user_id: str, head: Payload) -> list[State]:
        """The records of a commit that may not be in their points yet."""
        written = head.get("log")
        if "laid_down" in head:
            ids = [_laid(user_id, head["txn"], n) for n in range(head["laid_down"])]
            # One that is missing was struck out a moment ago: all of it is in the points.
            found = self.engine.retrieve(ids).values()
            return [state_of(payload) for point in found for payload in json.loads(point["log"])]
        return [state_of(payload) for payload in json.loads(written)] if written else []

    # --- changing a user

    def change(self, user_id: str, rule: Rule) -> None:
        """Commit what a rule makes of the present; it is asked anew if someone was quicker."""
        with self.engine.lock(user_id):
            for attempt in range(_ATTEMPTS):
                meta, head = self.read(user_id)
                if head.get("open"):
                    self.settle(user_id, head, meta, self.log(user_id, head))
                    head = {key: value for key, value in head.items() if key not in _OPEN}
                view = View(self.engine, user_id, meta, head or None)
                plan = rule(view)
                if not plan.states and not plan.head:
                    return
                if self._commit(view, plan):
                    return
                time.sleep(random.random() * 0.002 * attempt)  # noqa: S311 (no secret)
        raise StoreUnavailable(
            f"{self.engine.where}: others keep changing the memories of this user. Try again."
        )

    def settle(self, user_id: str, head: Payload, meta: Payload, states: Sequence[State]) -> None:
        """Write the records of a commit to their points, then strike them from the head."""
        only_if = older(head["epoch"], head["stamp"])
        try:
            self.engine.write_all(_points(user_id, states, meta), only_if=only_if)
        except StoreUnavailable:
            raise
        except StoreError:  # vectors may have come or gone, or a crash kept them from coming
            meta = self.meta()
            self._add_vectors(meta["slots"])
            self.engine.write_all(_points(user_id, states, meta), only_if=only_if)
        this = [models.HasIdCondition(has_id=[point_id(user_id)]), is_(txn=head["txn"])]
        self.engine.forget(_OPEN, points(*this))
        if "laid_down" in head:
            self.engine.delete(points(*of(user_id, "log"), is_(txn=head["txn"])))

    def _commit(self, view: View, plan: Plan) -> bool:
        """Write the head; says whether it was still the one that was read."""
        before, user_id = view.head, view.user_id
        known = before or {**_UNBORN, "epoch": self._begin_life()}
        stamp = known["stamp"] + 1
        changed = known["changed"] + plan.moves
        states = [
            replace(
                state,
                epoch=known["epoch"],
                stamp=stamp,
                changed=changed if plan.moves else state.changed,
            )
            for state in plan.states
        ]
        txn = uuid4().hex[:16]
        head: Payload = {
            **known,
            "sort": "head",
            "user": user_id,
            "stamp": stamp,
            "changed": changed,
            "count": known["count"] + _more(states, view.known, gone=False),
            "graves": known["graves"] + _more(states, view.known, gone=True),
            **plan.head,
        }
        if states:
            head |= {"open": True, **self._logged(user_id, txn, states)}
        if not self._swap(point_id(user_id), before, head, txn):
            if "laid_down" in head:
                self.engine.delete(points(*of(user_id, "log"), is_(txn=txn)))
            return False
        if states:
            with suppress(StoreUnavailable):  # it is committed: whoever writes next settles it
                self.settle(user_id, head | {"txn": txn}, view.meta, states)
        return True

    def _logged(self, user_id: str, txn: str, states: Sequence[State]) -> Payload:
        """What a head says of new records: they themselves, or how many points hold them."""
        written = [json.dumps(state.payload(user_id)) for state in states]
        if sum(map(len, written)) <= _INLINE:
            return {"log": f"[{','.join(written)}]"}
        parts: list[list[str]] = [[]]
        for one in written:
            if sum(map(len, parts[-1])) > _LAID:
                parts.append([])
            parts[-1].append(one)
        laid = {"sort": "log", "user": user_id, "txn": txn}
        self.engine.write_all(
            [
                models.PointStruct(
                    id=_laid(user_id, txn, n),
                    payload={**laid, "log": f"[{','.join(part)}]"},
                    vector={},
                )
                for n, part in enumerate(parts)
            ],
            only_if=points(is_(txn=txn)),
        )
        return {"laid_down": len(parts)}

    def _swap(self, id_: str, before: Payload | None, after: Payload, txn: str) -> bool:
        """Put one payload in another's place; says whether that was still there."""
        recent = " ".join([*(before or {}).get("recent", "").split(), txn][-_REMEMBERED:])
        point = models.PointStruct(
            id=id_, payload={**after, "txn": txn, "recent": recent}, vector={}
        )
        try:
            if before is None:
                self.engine.write([point], only_if=None, mode="insert_only")
            else:
                there = points(is_(txn=before["txn"]))
                self.engine.write([point], only_if=there, mode="update_only")
        except StoreUnavailable:
            if self._knows(id_, txn):  # only the answer was lost
                return True
            raise
        return self._knows(id_, txn)

    def _knows(self, id_: str, txn: str) -> bool:
        """Whether a commit is among the last of a head, or of the meta."""
        return txn in self.engine.retrieve([id_], ["recent"]).get(id_, {}).get("recent", "")

    # --- changing what is common to all users

    def change_meta(self, rule: Callable[[Payload], Payload | None]) -> tuple[Payload, Payload]:
        """Put in the meta's place what a rule makes of it, if anything; both, as they are now."""
        with self.engine.lock(META):
            for attempt in range(_ATTEMPTS):
                found = self.engine.retrieve([META]).get(META)
                before = found or dict(_NEW)
                after = rule(before)
                if after is None or self._swap(META, found, after, uuid4().hex[:16]):
                    return before, after or before
                time.sleep(random.random() * 0.002 * attempt)  # noqa: S311 (no secret)
        raise StoreUnavailable(f"{self.engine.where}: others keep changing it. Try again.")

    def slot(self, space: str) -> str:
        """The slot of a space, which is given one if it has none."""

        def rule(meta: Payload) -> Payload | None:
            return None if space in meta["slots"] else with_slot(meta, space)

        _, meta = self.change_meta(rule)
        self._add_vectors({space: meta["slots"][space]})
        slot: str = meta["slots"][space]
        return slot

    def switch(self, rule: Callable[[Payload], Payload]) -> None:
        """Change the spaces. Slots that are no longer there are dropped from all points."""
        before, after = self.change_meta(rule)
        self._add_vectors(after["slots"])
        for slot in set(before["slots"].values()) - set(after["slots"].values()):
            self.engine.forget([f"vectors_{slot}"], points(among("sort", ["record"])))
            self.engine.drop_vector(dense_name(slot))

    def _begin_life(self) -> int:
        """A number that no user has had, nor this one before it was cleared."""
        _, meta = self.change_meta(lambda meta: meta | {"epochs": meta["epochs"] + 1})
        epochs: int = meta["epochs"]
        return epochs

    def _add_vectors(self, slots: Mapping[str, str]) -> None:
        for space, slot in slots.items():
            dimension = dimension_of(space)
            if dimension is not None:
                self.engine.add_vector(dense_name(slot), dimension)


def with_slot(meta: Payload, space: str) -> Payload:
    """A meta in which a space has a slot, one that was never another's."""
    if space in meta["slots"]:
        return meta
    slots = {**meta["slots"], space: str(meta["next"])}
    return meta | {"slots": slots, "next": meta["next"] + 1}


def _laid(user_id: str, txn: str, number: int) -> str:
    return point_id(user_id, txn, str(number))


def _points(user_id: str, states: Sequence[State], meta: Payload) -> list[models.PointStruct]:
    return [point_of(state, user_id, meta["slots"]) for state in states]


def _more(states: Sequence[State], known: Mapping[str, State], *, gone: bool) -> int:
    """How many more records there are, or are gone, than before."""
    before = [known[state.id] for state in states if state.id in known]
    return sum((s.item is None) == gone for s in states) - sum(
        (s.item is None) == gone for s in before
    )
