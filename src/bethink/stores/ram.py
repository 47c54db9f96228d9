"""The store that lives in this process: for tests, for a quick try, and as the oracle.

It is the shortest correct reading of the protocol; every other store must behave the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import RLock

from bethink.errors import Conflict
from bethink.forks import Forkable
from bethink.stores.base import Changes, Entry, Row, Use, row_of
from bethink.types import MemoryItem, head_id


@dataclass(slots=True)
class _Kept:
    item: MemoryItem
    terms: bytes
    vectors: dict[str, bytes]
    changed: int

    def row(self, space: str) -> Row:
        return row_of(Entry(deepcopy(self.item), self.terms, self.vectors.get(space)))


@dataclass(slots=True)
class _User:
    since: int
    generation: int
    rows: dict[str, _Kept] = field(default_factory=dict)
    deleted: dict[str, int] = field(default_factory=dict)


def _kept(entry: Entry, space: str, before: _Kept | None, changed: int) -> _Kept:
    """An entry as it is kept, with what stays of the one before: use counts, maybe vectors."""
    item = replace(
        deepcopy(entry.item),
        access_count=before.item.access_count if before else 0,
        last_accessed=before.item.last_accessed if before else None,
    )
    if entry.vectors is None:
        vectors = before.vectors if before else {}
    else:
        vectors = {space: entry.vectors} if entry.vectors else {}
    return _Kept(item, entry.terms, vectors, changed)


class RAMStore(Forkable):
    """Keeps everything in this process and nothing on disk."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._follow_forks()
        self._users: dict[str, _User] = {}
        self._space: str | None = None
        self._ticks = 0

    def space(self) -> str | None:
        return self._space

    def switch(self, old: str | None, new: str) -> None:
        with self._lock:
            if self._space not in (old, new):
                raise Conflict(f"The vector space in use is {self._space}, not {old}.")
            self._space = new
            for user in self._users.values():
                user.generation = self._tick()
                for row in user.rows.values():
                    row.changed = user.generation
                    row.vectors = {s: v for s, v in row.vectors.items() if s == new}

    def put(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        space: str,
        if_version: Mapping[str, int] | None = None,
    ) -> None:
        with self._lock:
            if space != self._space:
                raise Conflict(f"The vector space in use is {self._space}, not {space}.")
            self._check_versions(user_id, if_version or {})
            if not entries:
                return
            generation = self._tick()
            user = self._users.setdefault(user_id, _User(generation, generation))
            user.generation = generation
            for entry in entries:
                id_ = entry.item.id
                user.rows[id_] = _kept(entry, space, user.rows.get(id_), generation)
                user.deleted.pop(id_, None)

    def attach(self, user_id: str, vectors: Mapping[str, tuple[int, bytes]], *, space: str) -> int:
        with self._lock:
            rows = self._rows(user_id)
            fitting = {
                id_: blob
                for id_, (version, blob) in vectors.items()
                if id_ in rows and rows[id_].item.version == version
            }
            for id_, blob in fitting.items():
                rows[id_].vectors[space] = blob
            if fitting and space == self._space:
                self._users[user_id].generation = generation = self._tick()
                for id_ in fitting:
                    rows[id_].changed = generation
            return len(fitting)

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        with self._lock:
            rows = self._rows(user_id)
            return [deepcopy(rows[id_].item) for id_ in ids if id_ in rows]

    def scan(self, user_id: str, *, space: str, since: int = 0) -> Changes:
        with self._lock:
            user = self._users.get(user_id)
            if user is None:
                return Changes(0, [], complete=True)
            complete = not user.since <= since <= user.generation
            rows = [r for r in user.rows.values() if complete or r.changed > since]
            deleted = [] if complete else [i for i, tick in user.deleted.items() if tick > since]
            return Changes(user.generation, [r.row(space) for r in rows], deleted, complete)

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        with self._lock:
            rows = self._rows(user_id)
            named = {id_ for id_ in ids if id_ in rows}
            gone = [id_ for id_ in rows if id_ in named or head_id(id_) in named]
            if gone:
                user = self._users[user_id]
                user.generation = self._tick()
                for id_ in gone:
                    del rows[id_]
                    user.deleted[id_] = user.generation
            return len(named)

    def clear(self, user_id: str) -> int:
        with self._lock:
            user = self._users.pop(user_id, None)
            return len(user.rows) if user else 0

    def touch(self, user_id: str, uses: Mapping[str, Use]) -> None:
        with self._lock:
            rows = self._rows(user_id)
            for id_, use in uses.items():
                if id_ in rows:
                    item = rows[id_].item
                    rows[id_].item = replace(
                        item,
                        access_count=item.access_count + use.count,
                        last_accessed=max(item.last_accessed or use.last, use.last),
                    )

    def sweep(self, now: datetime) -> int:
        with self._lock:
            return sum(
                self.delete(user_id, [r.item.id for r in user.rows.values() if r.item.expired(now)])
                for user_id, user in self._users.items()
            )

    def generation(self, user_id: str) -> int:
        with self._lock:
            user = self._users.get(user_id)
            return user.generation if user else 0

    def users(self) -> list[str]:
        with self._lock:
            return sorted(user_id for user_id, user in self._users.items() if user.rows)

    def close(self) -> None:
        """Nothing to let go of."""

    def _before_fork(self) -> None:
        self._lock.acquire()

    def _after_fork_in_parent(self) -> None:
        self._lock.release()

    def _after_fork_in_child(self) -> None:
        self._lock = RLock()

    def _rows(self, user_id: str) -> dict[str, _Kept]:
        user = self._users.get(user_id)
        return user.rows if user else {}

    def _check_versions(self, user_id: str, expected: Mapping[str, int]) -> None:
        rows = self._rows(user_id)
        for id_, version in expected.items():
            there = rows[id_].item.version if id_ in rows else 0
            if there != version:
                raise Conflict(f"Memory {id_} is at version {there}, not {version}.")

    def _tick(self) -> int:
        """A number never used before: what makes a generation unique even across `clear`."""
        self._ticks += 1
        return self._ticks
