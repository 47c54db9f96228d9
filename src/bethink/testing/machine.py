"""Random operations on a store and on the oracle at once: they must never be told apart.

A plain seeded loop rather than a generator that shrinks: it chooses ids and versions that are
mostly there, so that most operations have an effect, and a failure names its seed and step.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from bethink.errors import Conflict
from bethink.stores.base import Changes, Entry, MemoryStore, Row, Use
from bethink.stores.ram import RAMStore
from bethink.types import ORIGINS, Kind, MemoryItem, head_id

Operation: TypeAlias = Callable[[MemoryStore], object]

_NOW = datetime(2100, 5, 17, tzinfo=UTC)
_USERS = ("ann", "bob")
_IDS = ("a", "b", "c", "a@1", "b@2")
_KINDS: Mapping[str, Kind] = {"a": "fact", "b": "message", "c": "semantic"}
"""An earlier state has its record's kind, which never changes."""
_SPACES = ("model-a/1", "model-b/2")
_BLOBS = (b"", b"\x00\x3c" * 2, b"\x00\x3c\x00\x00" * 2)
"""Vectors that fit both spaces."""


def check_against_oracle(
    open_store: Callable[[], MemoryStore], *, steps: int = 60, runs: int = 20
) -> None:
    """Compare two handles on a store with a `RAMStore` after each of many random operations.

    The store must hold nothing of the users "ann" and "bob"; it is cleared of them between runs.
    """
    handles = (open_store(), open_store())
    for seed in range(runs):
        comparison = _Comparison(handles, random.Random(seed))  # noqa: S311 (to be repeated)
        for step in range(steps):
            name, operation = comparison.choose()
            try:
                comparison.apply(operation)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, step {step}, {name}") from error
    for handle in handles:
        handle.close()


def scramble(store: MemoryStore, *, seed: int = 0, steps: int = 60) -> RAMStore:
    """Make random operations on a store; gives the oracle, which has the same from then on.

    As in `check_against_oracle`, the store must hold nothing of "ann" and "bob".
    """
    comparison = _Comparison((store, store), random.Random(seed))  # noqa: S311 (to be repeated)
    for _ in range(steps):
        _, operation = comparison.choose()
        assert _outcome(operation, store) == _outcome(operation, comparison.oracle)
    return comparison.oracle


@dataclass(slots=True)
class _Follower:
    """An index of one user, as plain as can be."""

    user_id: str
    generation: int = 0
    space: str = ""
    known: dict[str, Row] = field(default_factory=dict)

    def catch_up(self, store: MemoryStore) -> None:
        space = store.space() or ""
        since = self.generation if space == self.space else 0
        changes = store.scan(self.user_id, space=space, since=since)
        if changes.complete:
            self.known = {}
        self.known.update(_by_id(changes))
        for id_ in changes.deleted:
            self.known.pop(id_, None)
        self.generation, self.space = changes.generation, space


class _Comparison:
    def __init__(self, handles: tuple[MemoryStore, MemoryStore], rng: random.Random) -> None:
        self.handles, self.rng = handles, rng
        self.oracle = RAMStore()
        self.eager = {user_id: _Follower(user_id) for user_id in _USERS}
        self.lazy = {user_id: _Follower(user_id) for user_id in _USERS}
        store = handles[0]
        for user_id in _USERS:
            store.clear(user_id)
        store.switch(store.space(), _SPACES[0])
        self.oracle.switch(None, _SPACES[0])

    # --- choosing what to do

    def choose(self) -> tuple[str, Operation]:
        makers: list[Callable[[str], Operation]] = [
            self.put, self.attach, self.delete, self.touch, self.clear, self.sweep, self.switch
        ]  # fmt: skip
        [make] = self.rng.choices(makers, [30, 20, 12, 12, 2, 3, 3])
        return make.__name__, make(self.rng.choice(_USERS))

    def put(self, user_id: str) -> Operation:
        rng = self.rng
        entries = [self.entry(user_id, id_) for id_ in rng.choices(_IDS, k=rng.randint(0, 4))]
        expected = [e.item.id for e in entries] + [self.id_of(user_id)]
        versions = {id_: self.version(user_id, id_) for id_ in expected}
        if_version = versions if rng.random() < 0.5 else None
        space = self.space() if rng.random() < 0.95 else "nowhere/1"
        return lambda store: store.put(user_id, entries, space=space, if_version=if_version)

    def attach(self, user_id: str) -> Operation:
        ids = [self.id_of(user_id) for _ in range(self.rng.randint(1, 3))]
        vectors = {i: (self.version(user_id, i), self.rng.choice(_BLOBS)) for i in ids}
        space = self.rng.choice(_SPACES)
        return lambda store: store.attach(user_id, vectors, space=space)

    def delete(self, user_id: str) -> Operation:
        ids = [self.id_of(user_id) for _ in range(self.rng.randint(0, 2))]
        return lambda store: store.delete(user_id, ids)

    def touch(self, user_id: str) -> Operation:
        uses = {self.id_of(user_id): Use(self.rng.randint(1, 3), self.moment())}
        return lambda store: store.touch(user_id, uses)

    def clear(self, user_id: str) -> Operation:
        return lambda store: store.clear(user_id)

    def sweep(self, _: str) -> Operation:
        now = self.moment() - timedelta(days=5)
        return lambda store: store.sweep(now)

    def switch(self, _: str) -> Operation:
        old = self.space() if self.rng.random() < 0.9 else None
        new = self.rng.choice(_SPACES)
        return lambda store: store.switch(old, new)

    def entry(self, user_id: str, id_: str) -> Entry:
        rng = self.rng
        content = rng.choice(["tea", "Käse", "茶"])
        item = MemoryItem(
            id=id_,
            user_id=user_id,
            content=content,
            created_at=_NOW,
            kind=_KINDS[head_id(id_)],
            version=rng.randint(1, 3),
            expires_at=rng.choice([None, None, self.moment()]),
            metadata={"n": rng.random()},
            data={"m": rng.random()},
            origin=rng.choice(ORIGINS),
            sources=("m",) * rng.randrange(3),
            flagged=rng.random() < 0.2,
        )
        return Entry(item, content.encode(), rng.choice([*_BLOBS, None]))

    def id_of(self, user_id: str) -> str:
        there = [item.id for item in self.oracle.get(user_id, _IDS)]
        return self.rng.choice(there if there and self.rng.random() < 0.8 else _IDS)

    def version(self, user_id: str, id_: str) -> int:
        there = self.oracle.get(user_id, [id_])
        if self.rng.random() < 0.2:
            return self.rng.randint(0, 3)
        return there[0].version if there else 0

    def moment(self) -> datetime:
        return _NOW + timedelta(days=self.rng.randint(0, 9))

    def space(self) -> str:
        return self.oracle.space() or ""

    # --- doing it and comparing

    def apply(self, operation: Operation) -> None:
        store = self.rng.choice(self.handles)
        before = self.generations()
        assert _outcome(operation, store) == _outcome(operation, self.oracle)
        self.compare_generations(before, self.generations())
        assert store.users() == self.oracle.users()
        assert store.space() == self.oracle.space()
        for user_id in _USERS:
            self.compare(store, user_id)
            self.follow(user_id)

    def generations(self) -> Mapping[str, tuple[int, int]]:
        """Each user's generation in the store and in the oracle."""
        stores = (self.handles[0], self.oracle)
        return {u: (stores[0].generation(u), stores[1].generation(u)) for u in _USERS}

    def compare_generations(
        self, before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]
    ) -> None:
        """A generation moves where the oracle's does, and only forward."""
        for user_id in _USERS:
            (ours, oracle), (ours_now, oracle_now) = before[user_id], after[user_id]
            assert (oracle == oracle_now) or (ours != ours_now), "the generation did not move"
            assert ours_now == 0 or ours_now >= ours, "the generation moved back"

    def compare(self, store: MemoryStore, user_id: str) -> None:
        assert store.get(user_id, _IDS) == self.oracle.get(user_id, _IDS)
        for space in _SPACES:
            whole = store.scan(user_id, space=space)
            assert whole.complete
            assert whole.generation == store.generation(user_id)
            assert _by_id(whole) == _by_id(self.oracle.scan(user_id, space=space))
        again = store.scan(user_id, space=self.space(), since=store.generation(user_id))
        assert again.complete or not (again.rows or again.deleted)

    def follow(self, user_id: str) -> None:
        """An index that reads only what changed ends up with the whole, however late it looks."""
        whole = _by_id(self.oracle.scan(user_id, space=self.space()))
        for follower, chance in ((self.eager[user_id], 0.5), (self.lazy[user_id], 0.1)):
            if self.rng.random() < chance:
                follower.catch_up(self.rng.choice(self.handles))
                assert follower.known == whole


def _by_id(changes: Changes) -> dict[str, Row]:
    return {row.id: row for row in changes.rows}


def _outcome(operation: Operation, store: MemoryStore) -> Any:
    try:
        return operation(store)
    except Conflict:
        return Conflict
