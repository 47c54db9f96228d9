"""The indexes of the users in use: bounded in memory, and fresh at every search."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from bethink.errors import Conflict
from bethink.index.user import UserIndex
from bethink.stores.base import MemoryStore


@dataclass(slots=True)
class _Slot:
    lock: threading.Lock = field(default_factory=threading.Lock)
    index: UserIndex | None = None
    nbytes: int = 0


class IndexCache:
    """Keeps the indexes of the users seen last, as many as fit into `max_bytes`.

    A user whose index is larger than that on its own is loaded for each call and let go again.
    """

    def __init__(self, store: MemoryStore, *, space: str, dimension: int, max_bytes: int) -> None:
        self._store = store
        self._space = space
        self._dimension = dimension
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._large: set[str] = set()
        """Users who, when they were last read, were larger than what may be held."""

    @property
    def nbytes(self) -> int:
        """About how much memory all indexes take."""
        with self._lock:
            return sum(slot.nbytes for slot in self._slots.values())

    def is_large(self, user_id: str) -> bool:
        """Whether a user is known to be too large to be held."""
        return user_id in self._large

    @contextmanager
    def use(self, user_id: str, now: datetime) -> Iterator[UserIndex]:
        """A user's index as of now, for this thread alone while the block lasts."""
        with self._lock:
            slot = self._slots.setdefault(user_id, _Slot())
            self._slots.move_to_end(user_id)
        with slot.lock:
            try:
                yield self._fresh(slot, user_id, now)
            finally:
                self._settle(slot, user_id)

    def _fresh(self, slot: _Slot, user_id: str, now: datetime) -> UserIndex:
        try:
            index = self._refresh(slot, user_id, now)
            index.expire(now)
        except BaseException:
            slot.index = None  # it may have been left half changed
            raise
        return index

    def _refresh(self, slot: _Slot, user_id: str, now: datetime) -> UserIndex:
        index = slot.index
        if index is None or index.wasteful:
            index = slot.index = UserIndex(self._dimension)
        elif index.generation == self._store.generation(user_id):
            return index
        changes = self._store.scan(user_id, space=self._space, since=index.generation)
        if self._store.space() != self._space:  # looked at last: what was read is of our space
            raise Conflict(
                "The memory was embedded anew with another model meanwhile. Open it again."
            )
        index.apply(changes, now)
        return index

    def _settle(self, slot: _Slot, user_id: str) -> None:
        """Let go of the users unused for longest until the rest fits."""
        with self._lock:
            slot.nbytes = slot.index.nbytes if slot.index else 0
            if slot.nbytes > self._max_bytes > 0:
                self._large.add(user_id)
            else:
                self._large.discard(user_id)
            if slot.nbytes > self._max_bytes or not slot.nbytes:
                slot.index, slot.nbytes = None, 0
                self._slots.pop(user_id, None)
            total = sum(other.nbytes for other in self._slots.values())
            while total > self._max_bytes:
                _, dropped = self._slots.popitem(last=False)
                total -= dropped.nbytes
