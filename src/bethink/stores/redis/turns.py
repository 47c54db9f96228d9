"""Taking turns: so many at once, and whoever waits longest is next."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from bethink.errors import StoreUnavailable


class Turns:
    """Lets a number of threads through at once.

    A pool that anyone may take from lets a thread starve while others come back for more.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._free = count
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    @contextmanager
    def taken(self, seconds: float) -> Iterator[None]:
        """One's turn, for as long as the block lasts."""
        if not self._take(seconds):
            raise StoreUnavailable(
                f"All {self._count} connections were in use for {seconds:g} seconds. Try again, "
                "or give the store more connections or a longer timeout."
            )
        try:
            yield
        finally:
            self._pass_on()

    def _take(self, seconds: float) -> bool:
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(seconds):
            return True
        with self._lock:
            if turn.is_set():  # at the last moment
                return True
            self._waiting.remove(turn)
            return False

    def _pass_on(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
