"""Ids: time-ordered unique ones (UUID version 7), and those that are made of names."""

import hashlib
import json
import os
import threading
from collections.abc import Iterable
from datetime import datetime

from bethink.forks import Forkable


class _Maker(Forkable):
    """Makes the ids of one process.

    Time and counter never come twice in a process, and random bits, drawn once, tell processes
    apart: two share them with a chance of one in four quintillions.
    """

    def __init__(self) -> None:
        self._last = 0  # milliseconds << 12 | counter, of the id made last
        self._after_fork_in_child()
        self._follow_forks()

    def _after_fork_in_child(self) -> None:
        self._lock = threading.Lock()
        self._random = int.from_bytes(os.urandom(8)) & (1 << 62) - 1

    def make(self, now: datetime) -> str:
        stamp = int(now.timestamp() * 1000) << 12
        with self._lock:
            self._last = stamp = max(stamp, self._last + 1)
        milliseconds, counter = stamp >> 12, stamp & 0xFFF
        number = milliseconds << 80 | 7 << 76 | counter << 64 | 2 << 62 | self._random
        digits = f"{number:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


_maker = _Maker()


def new_id(now: datetime) -> str:
    """A new id. Within a process each is greater than the one before, even if the clock is not."""
    return _maker.make(now)


def known_id(kind: str, names: Iterable[str | None]) -> str:
    """The id of a record that is found by names instead of by searching."""
    written = json.dumps(list(names), ensure_ascii=False)
    return f"{kind}-{hashlib.blake2b(written.encode(), digest_size=16).hexdigest()}"
