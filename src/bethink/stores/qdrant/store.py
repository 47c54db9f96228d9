"""The store protocol over commits."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from bethink.errors import Conflict, StoreError, StoreUnavailable, UsageError
from bethink.stores.base import Changes, Entry, Probe, Row, Use
from bethink.stores.qdrant.engine import TERMS, Options, Payload, close_engine, open_engine
from bethink.stores.qdrant.ledger import Ledger, Plan, View, with_slot
from bethink.stores.qdrant.points import (
    State,
    among,
    dense_name,
    dimension_of,
    is_,
    of,
    point_id,
    points,
    sparse_query,
    state_of,
    used,
    within,
)
from bethink.times import to_micros
from bethink.types import OF_A_SESSION, REVISION, MemoryItem

_CHANGES = 40
_TURNS = 32
"""Bits of a generation: it is the user's life, the switches of the space, and the changes."""
_MARK = ("turn", "epoch", "changed")
_GRAVES = 1000  # kept for each user; an index that is further behind reads everything
_ATTEMPTS = 100
_MESSAGE = OF_A_SESSION[0]


class QdrantStore:
    """Keeps records in a collection of Qdrant. Threads and processes may share a server freely.

    Args:
        url: ``qdrant://host:6333`` or ``qdrant+https://host:6333`` for a server,
            ``qdrant:///path/to/directory`` or ``qdrant://:memory:`` for the client's local mode.
            A directory belongs to one process.
        collection: Made if it is not there.
        api_key: Read from ``QDRANT_API_KEY`` if not given.
        grpc: Speak gRPC where the client can.
        grpc_port: Where the server listens for it.
        timeout: How many seconds a request may take, rounded up.
        distance: What is near by vector: ``cosine`` or ``dot``.
        shard_key: Keep everything under this key of a collection that is sharded by hand.
        shard_number: Into how many shards a new collection is cut.
        replication_factor: How many copies of each shard there are.
        write_consistency_factor: How many copies must have a write before it counts.
        read_consistency: How many copies a read asks: a number, ``majority``, ``quorum`` or
            ``all``. With copies, ``majority`` if not given.
    """

    def __init__(
        self,
        url: str,
        *,
        collection: str = "bethink",
        api_key: str | None = None,
        grpc: bool = False,
        grpc_port: int = 6334,
        timeout: float = 10.0,
        distance: str = "cosine",
        shard_key: str | None = None,
        shard_number: int | None = None,
        replication_factor: int | None = None,
        write_consistency_factor: int | None = None,
        read_consistency: int | str | None = None,
    ) -> None:
        if distance not in ("cosine", "dot"):
            raise UsageError(f"There is no distance {distance!r}. Pass cosine or dot.")
        if read_consistency is None and (replication_factor or 1) > 1:
            read_consistency = "majority"
        known: dict[str, Any] = {
            "distance": distance,
            "read_consistency": read_consistency,
        }
        options = Options(
            collection=collection,
            api_key=_key(api_key or os.environ.get("QDRANT_API_KEY", "")),
            grpc=grpc,
            grpc_port=grpc_port,
            timeout=timeout,
            shard_key=shard_key,
            shard_number=shard_number,
            replication_factor=replication_factor,
            write_consistency_factor=write_consistency_factor,
            **known,
        )
        self._engine = open_engine(url, options)
        self._closed = False
        try:
            self._ledger = Ledger(self._engine)
        except StoreError:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"QdrantStore({self._engine.where!r})"

    def space(self) -> str | None:
        space: str | None = self._ledger.meta()["space"]
        return space

    def switch(self, old: str | None, new: str) -> None:
        def rule(meta: Payload) -> Payload:
            if meta["space"] not in (old, new):
                raise Conflict(f"The vector space in use is {meta['space']}, not {old}.")
            changed = with_slot(meta, new)
            slots = {new: changed["slots"][new]}
            return changed | {"space": new, "slots": slots, "turn": meta["turn"] + 1}

        self._ledger.switch(rule)

    def put(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        space: str,
        if_version: Mapping[str, int] | None = None,
    ) -> None:
        expected = if_version or {}

        def rule(view: View) -> Plan:
            if view.meta["space"] != space:
                raise Conflict(f"The vector space in use is {view.meta['space']}, not {space}.")
            there = view.states([*(entry.item.id for entry in entries), *expected])
            _check_versions(there, expected)
            slot = view.meta["slots"][space]
            kept: dict[str, State] = {}
            for entry in entries:
                id_ = entry.item.id
                kept[id_] = _kept(entry, slot, kept.get(id_) or there.get(id_))
            return Plan(list(kept.values()))

        self._ledger.change(user_id, rule)

    def attach(self, user_id: str, vectors: Mapping[str, tuple[int, bytes]], *, space: str) -> int:
        count = 0

        def rule(view: View) -> Plan:
            nonlocal count
            fitting = [
                state
                for id_, state in view.states(list(vectors)).items()
                if state.item and state.item.version == vectors[id_][0]
            ]
            count = len(fitting)
            if not fitting:
                return Plan()
            slot = view.meta["slots"].get(space) or self._new_slot(view, space)
            return Plan(
                [
                    replace(state, vectors={**state.vectors, slot: vectors[state.id][1]})
                    for state in fitting
                ],
                moves=space == view.meta["space"],
            )

        self._ledger.change(user_id, rule)
        return count

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        _, head = self._ledger.read(user_id)
        if not head or not ids:
            return []
        log = self._ledger.log(user_id, head)
        wanted = {point_id(user_id, id_): id_ for id_ in ids}
        found = _newest(map(state_of, self._engine.retrieve(list(wanted)).values()), log, head)
        items = {state.id: state.item for state in found}
        return [item for id_ in ids if (item := items.get(id_))]

    def scan(self, user_id: str, *, space: str, since: int = 0) -> Changes:
        with self._engine.lock(user_id):  # a reader need not race with the threads beside it
            for _ in range(_ATTEMPTS):
                meta, head = self._ledger.read(user_id)
                changes = self._changes(user_id, meta, head, space, since)
                if changes.generation == self.generation(user_id):
                    return changes
        raise StoreUnavailable(
            f"{self._engine.where}: others keep changing the memories of this user. Try again."
        )

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        wanted = list(ids)
        return self._delete(user_id, lambda view: list(view.states(wanted)))

    def clear(self, user_id: str) -> int:
        with self._engine.lock(user_id):
            _, head = self._ledger.read(user_id, ["count"])
            self._engine.delete([point_id(user_id)])  # from here on there is nothing to see
            self._engine.delete(points(*of(user_id)))
            count: int = head.get("count", 0)
            return count

    def touch(self, user_id: str, uses: Mapping[str, Use]) -> None:
        def rule(view: View) -> Plan:
            there = view.states(list(uses)).items()
            return Plan(
                [used(state, uses[id_].count, uses[id_].last) for id_, state in there],
                moves=False,
            )

        self._ledger.change(user_id, rule)

    def sweep(self, now: datetime) -> int:
        self._settle_all()
        expired = within("expires", lte=to_micros(now))
        users = {
            payload["user"]
            for payload in self._engine.scroll(points(is_(sort="record"), expired), ["user"])
        }

        def gone(view: View) -> list[str]:
            found = view.found(expired)
            return [s.id for s in found.values() if s.item and s.item.expired(now)]

        count = sum(self._delete(user_id, gone) for user_id in users)
        crowded = points(is_(sort="head"), within("graves", gt=_GRAVES))
        for payload in list(self._engine.scroll(crowded, ["user"])):
            self._drop_old_graves(payload["user"])
        return count

    def generation(self, user_id: str) -> int:
        return _generation(*self._ledger.read(user_id, _MARK))

    def users(self) -> list[str]:
        heads = points(is_(sort="head"), within("count", gt=0))
        return sorted(payload["user"] for payload in self._engine.scroll(heads, ["user"]))

    def candidates(self, user_id: str, probe: Probe, *, space: str) -> Sequence[Row]:
        meta, head = self._ledger.read(user_id)
        if not head:
            return []
        fitting = [
            *of(user_id, "record"),
            is_(epoch=head["epoch"]),
            is_(current=True),
            among("kind", probe.kinds),
        ]
        fitting += [is_(agent=probe.agent_id)] if probe.agent_id is not None else []
        fitting += [is_(session=probe.session_id)] if probe.session_id is not None else []
        where, slot = points(*fitting), meta["slots"].get(space)
        found: list[Payload] = []
        vector = np.frombuffer(probe.vector, "<f4")
        if slot and len(vector) and len(vector) == dimension_of(space):
            using = dense_name(slot)
            found += self._engine.nearest(
                vector.tolist(), using=using, where=where, limit=probe.limit
            )
        if len(probe.terms):
            query = sparse_query(probe.terms)
            found += self._engine.nearest(query, using=TERMS, where=where, limit=probe.limit)
        # What a commit has not brought to its points yet is proposed however near it is.
        log = self._ledger.log(user_id, head)
        newest = _newest(map(state_of, found), log, head)
        states = {state.id: state for state in newest if _fits(state, probe)}
        beside = self._neighbours(user_id, head, states, probe.reach)
        return [state.row(slot) for state in (*states.values(), *beside)]

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            close_engine(self._engine)

    # --- how it is done

    def _changes(
        self, user_id: str, meta: Payload, head: Payload, space: str, since: int
    ) -> Changes:
        generation = _generation(meta, head)
        if not head:
            return Changes(0, [], complete=True)
        after = since - _generation(meta, head | {"changed": 0})
        complete = not head["floor"] <= after <= head["changed"]
        log = self._ledger.log(user_id, head)
        if complete:
            where = of(user_id, "record")
        else:
            where = [*of(user_id, "record", "gone"), within("changed", gt=after)]
            log = [state for state in log if state.changed > after]
        found = _newest(map(state_of, self._engine.scroll(points(*where))), log, head)
        slot = meta["slots"].get(space)
        rows = [state.row(slot) for state in found if state.item]
        deleted = [] if complete else [state.id for state in found if not state.item]
        return Changes(generation, rows, deleted, complete)

    def _delete(self, user_id: str, choose: Any) -> int:
        count = 0

        def rule(view: View) -> Plan:
            nonlocal count
            named: list[str] = choose(view)
            count = len(named)
            roots = [id_ for id_ in named if REVISION not in id_]
            earlier = [
                id_
                for first in range(0, len(roots), 1000)
                for id_ in view.found(among("earlier_of", roots[first : first + 1000]))
            ]
            return Plan([State(id_, None) for id_ in dict.fromkeys([*named, *earlier])])

        self._ledger.change(user_id, rule)
        return count

    def _new_slot(self, view: View, space: str) -> str:
        slot = self._ledger.slot(space)
        view.meta["slots"] = {**view.meta["slots"], space: slot}
        return slot

    def _settle_all(self) -> None:
        """Finish what processes that died had committed: only what is in points is found."""
        for head in list(self._engine.scroll(points(is_(sort="head"), is_(open=True)))):
            self._ledger.change(head["user"], lambda _: Plan())

    def _drop_old_graves(self, user_id: str) -> None:
        """Keep the newest; from before them, deletions are no longer on record."""
        floor = 0

        def rule(view: View) -> Plan:
            nonlocal floor
            gone = self._engine.scroll(points(*of(user_id, "gone")), ["changed"])
            graves = sorted((payload["changed"] for payload in gone), reverse=True)
            if view.head is None or len(graves) <= _GRAVES:
                return Plan()
            floor = graves[_GRAVES]
            left = sum(changed > floor for changed in graves)
            return Plan(moves=False, head={"floor": floor, "graves": left})

        self._ledger.change(user_id, rule)
        self._engine.delete(points(*of(user_id, "gone"), within("changed", lte=floor)))

    def _neighbours(
        self, user_id: str, head: Payload, states: Mapping[str, State], reach: int
    ) -> list[State]:
        """The messages said just before and after those that are proposed."""
        said = {
            state.item.session_id
            for state in states.values()
            if state.item and state.item.kind == _MESSAGE and state.item.session_id is not None
        }
        if not said or reach < 1:
            return []
        where = points(
            *of(user_id, "record"),
            is_(epoch=head["epoch"]),
            is_(current=True),
            is_(kind=_MESSAGE),
            among("session", said),
        )
        places: dict[str, list[tuple[int, str]]] = {}
        for payload in self._engine.scroll(where, ["session", "created", "id"]):
            order = places.setdefault(payload["session"], [])
            order.append((payload["created"], payload["id"]))
        wanted = [
            id_
            for order in places.values()
            for id_ in _beside(sorted(order), states, reach)
            if id_ not in states
        ]
        found = self._engine.retrieve([point_id(user_id, id_) for id_ in wanted])
        return [state_of(payload) for payload in found.values()]


def _key(given: str) -> str | None:
    """A key, if there is one. One that no header can hold would be shown by whoever tries."""
    key = given.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(
            "The key holds what no key does, such as a space, a line break or an accent: "
            "copy it once more."
        )
    return key or None


def _generation(meta: Payload, head: Payload) -> int:
    """A user's life, the turn of the space, and the change: it grows with each."""
    if not head:
        return 0
    number: int = ((head["epoch"] << _TURNS) + meta["turn"] << _CHANGES) + head["changed"]
    return number


def _kept(entry: Entry, slot: str, before: State | None) -> State:
    """An entry as it is kept, with what stays of the one before: use counts, maybe vectors."""
    was = before.item if before else None
    item = replace(
        entry.item,
        access_count=was.access_count if was else 0,
        last_accessed=was.last_accessed if was else None,
    )
    if entry.vectors is None:
        vectors = before.vectors if before else {}
    else:
        vectors = {slot: entry.vectors} if entry.vectors else {}
    return State(item.id, item, entry.terms, vectors)


def _newest(found: Iterable[State], log: Iterable[State], head: Payload) -> list[State]:
    """Of each record the newest state, from its point or from the head."""
    newest: dict[str, State] = {}
    for state in (*found, *log):
        if state.epoch != head["epoch"]:
            continue  # left over from before the user was cleared
        if state.id not in newest or newest[state.id].stamp < state.stamp:
            newest[state.id] = state
    return list(newest.values())


def _beside(
    order: Sequence[tuple[int, str]], states: Mapping[str, State], reach: int
) -> Iterable[str]:
    """The ids of a session, in order, that are at most so far from one that is proposed."""
    at = [place for place, (_, id_) in enumerate(order) if id_ in states]
    near = {p for place in at for p in range(place - reach, place + reach + 1)}
    return [order[place][1] for place in sorted(near) if 0 <= place < len(order)]


def _fits(state: State, probe: Probe) -> bool:
    item = state.item
    return (
        item is not None
        and item.superseded_by is None
        and item.kind in probe.kinds
        and probe.agent_id in (None, item.agent_id)
        and probe.session_id in (None, item.session_id)
    )


def _check_versions(there: Mapping[str, State], expected: Mapping[str, int]) -> None:
    for id_, version in expected.items():
        state = there.get(id_)
        found = state.item.version if state and state.item else 0
        if found != version:
            raise Conflict(f"Memory {id_} is at version {found}, not {version}.")
