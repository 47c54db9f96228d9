"""Random operations on a store and on the oracle at once: they must never be told apart."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from bethink.errors import Conflict
from bethink.stores.base import Changes, Entry, MemoryStore, Use
from bethink.stores.ram import RAMStore
from bethink.types import MemoryItem

_NOW = datetime(2024, 5, 17, tzinfo=UTC)
_USERS = ("ann", "bob")
_SPACES = ("model-a/1", "model-b/2")

_users = st.sampled_from(_USERS)
_ids = st.sampled_from("abcde")
_moments = st.integers(0, 9).map(lambda days: _NOW + timedelta(days=days))
_entries = st.builds(
    lambda id_, content, version, expires_at, vectors: Entry(
        MemoryItem(
            id=id_,
            user_id="",
            content=content,
            created_at=_NOW,
            version=version,
            expires_at=expires_at,
            metadata={"n": version},
        ),
        content.encode(),
        vectors,
    ),
    _ids,
    st.sampled_from(["tea", "Käse", "茶"]),
    st.integers(1, 3),
    st.none() | _moments,
    st.sampled_from([b"", b"ab", b"abcd", None]),
)


def check_against_oracle(
    open_store: Callable[[], MemoryStore], *, steps: int = 30, runs: int = 25
) -> None:
    """Run random operations on `open_store()` and on a `RAMStore` and compare them throughout.

    The store is cleared of the machine's own users between runs, not opened anew.
    """
    store = open_store()
    for user_id in _USERS:
        store.clear(user_id)

    def machine() -> _Comparison:
        return _Comparison(store)

    run_state_machine_as_test(
        machine,
        settings=settings(
            stateful_step_count=steps,
            max_examples=runs,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    store.close()


class _Comparison(RuleBasedStateMachine):
    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        self.store = store
        self.oracle = RAMStore()
        self.followed = {user: _Follower(user) for user in _USERS}

    @initialize()
    def same_space(self) -> None:
        for user_id in _USERS:
            self.store.clear(user_id)
        if self.store.space() is None:
            self.store.switch(None, _SPACES[0])
        self.oracle.switch(None, self.store.space() or "")

    @rule(user_id=_users, entries=st.lists(_entries, max_size=4), guard=st.none() | st.integers(0, 3))
    def put(self, user_id: str, entries: list[Entry], guard: int | None) -> None:
        owned = {
            e.item.id: replace(e, item=replace(e.item, user_id=user_id)) for e in entries
        }
        if_version = None if guard is None else dict.fromkeys(owned, guard)
        space = self.oracle.space() or ""
        self.both(
            lambda s: s.put(user_id, list(owned.values()), space=space, if_version=if_version)
        )

    @rule(user_id=_users, id_=_ids, version=st.integers(1, 3), space=st.sampled_from(_SPACES))
    def attach(self, user_id: str, id_: str, version: int, space: str) -> None:
        self.both(lambda s: s.attach(user_id, {id_: (version, b"xy")}, space=space))

    @rule(user_id=_users, ids=st.lists(_ids, max_size=3))
    def delete(self, user_id: str, ids: list[str]) -> None:
        self.both(lambda s: s.delete(user_id, ids))

    @rule(user_id=_users)
    def clear(self, user_id: str) -> None:
        self.both(lambda s: s.clear(user_id))

    @rule(user_id=_users, id_=_ids, count=st.integers(1, 3), last=_moments)
    def touch(self, user_id: str, id_: str, count: int, last: datetime) -> None:
        self.both(lambda s: s.touch(user_id, {id_: Use(count, last)}))

    @rule(now=_moments)
    def sweep(self, now: datetime) -> None:
        self.both(lambda s: s.sweep(now))

    @rule(new=st.sampled_from(_SPACES))
    def switch(self, new: str) -> None:
        old = self.oracle.space()
        self.both(lambda s: s.switch(old, new))

    @rule(user_id=_users)
    def follow(self, user_id: str) -> None:
        """An index that reads only what changed ends up with the whole."""
        self.followed[user_id].catch_up(self.store)
        whole = self.oracle.scan(user_id, space=self.oracle.space() or "")
        assert self.followed[user_id].known == _by_id(whole)

    @invariant()
    def equal(self) -> None:
        assert self.store.users() == self.oracle.users()
        assert self.store.space() == self.oracle.space()
        for user_id in _USERS:
            assert self.store.get(user_id, "abcde") == self.oracle.get(user_id, "abcde")
            for space in _SPACES:
                ours = self.store.scan(user_id, space=space)
                assert ours.complete
                assert ours.generation == self.store.generation(user_id)
                assert _by_id(ours) == _by_id(self.oracle.scan(user_id, space=space))

    def both(self, operation: Callable[[MemoryStore], Any]) -> None:
        assert _outcome(operation, self.store) == _outcome(operation, self.oracle)


class _Follower:
    """An index of one user, as plain as can be."""

    def __init__(self, user_id: str) -> None:
        self.user_id = user_id
        self.generation = 0
        self.space: str | None = None
        self.known: dict[str, Entry] = {}

    def catch_up(self, store: MemoryStore) -> None:
        space = store.space() or ""
        since = self.generation if space == self.space else 0
        changes = store.scan(self.user_id, space=space, since=since)
        if changes.complete or not since:
            self.known = {}
        self.known.update(_by_id(changes))
        for id_ in changes.deleted:
            self.known.pop(id_, None)
        self.generation, self.space = changes.generation, space


def _by_id(changes: Changes) -> dict[str, Entry]:
    """Entries without their use counts, which `scan` need not give."""
    return {
        e.item.id: replace(e, item=replace(e.item, access_count=0, last_accessed=None))
        for e in changes.entries
    }


def _outcome(operation: Callable[[MemoryStore], Any], store: MemoryStore) -> Any:
    try:
        return operation(store)
    except Conflict:
        return Conflict
