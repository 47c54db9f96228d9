"""How often memories are returned, counted without a write for each search."""

import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from bethink.errors import StoreError
from bethink.stores.base import MemoryStore, Use
from bethink.types import MemoryItem

_MANY = 200
_LONG = timedelta(seconds=10)


class UseCounts:
    """Collects uses and hands them to the store now and then, and on `flush`.

    A process that is killed loses the uses it still held: at most those of a few searches.
    """

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._waiting: dict[str, dict[str, Use]] = {}
        self._count = 0
        self._since: datetime | None = None

    def add(self, user_id: str, ids: Iterable[str], now: datetime) -> None:
        with self._lock:
            uses = self._waiting.setdefault(user_id, {})
            for id_ in ids:
                uses[id_] = Use(uses[id_].count + 1 if id_ in uses else 1, now)
                self._count += 1
            self._since = self._since or now
            due = self._count >= _MANY or now - self._since >= _LONG
        if due:
            with suppress(StoreError):  # a search must not fail for it; they are tried again later
                self.flush()

    def applied(self, item: MemoryItem) -> MemoryItem:
        """The record with the uses that the store does not know of yet."""
        use = self._waiting.get(item.user_id, {}).get(item.id)
        if use is None:
            return item
        return replace(item, access_count=item.access_count + use.count, last_accessed=use.last)

    def forget(self, user_id: str) -> None:
        with self._lock:
            self._waiting.pop(user_id, None)

    def flush(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
            self._count, self._since = 0, None
        while waiting:
            user_id, uses = waiting.popitem()
            try:
                self._store.touch(user_id, uses)
            except StoreError:
                self._put_back({user_id: uses, **waiting})
                raise

    def _put_back(self, waiting: dict[str, dict[str, Use]]) -> None:
        """Keep what could not be written beside what has come in meanwhile."""
        with self._lock:
            for user_id, uses in waiting.items():
                newer = self._waiting.setdefault(user_id, {})
                for id_, use in uses.items():
                    count = newer[id_].count if id_ in newer else 0
                    last = newer[id_].last if id_ in newer else use.last
                    newer[id_] = Use(use.count + count, last)
