"""Time-ordered unique ids (UUID version 7): sorting ids sorts by when they were made."""

import os
import threading
from datetime import datetime

_lock = threading.Lock()
if hasattr(os, "register_at_fork"):  # another thread may hold it at that moment
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )
_last = 0  # milliseconds << 12 | counter, of the id made last


def new_id(now: datetime) -> str:
    """A new id. Within a process each is greater than the one before, even if the clock is not."""
    global _last  # noqa: PLW0603 (one clock for the process, under a lock)
    stamp = int(now.timestamp() * 1000) << 12
    with _lock:
        _last = stamp = max(stamp, _last + 1)
    milliseconds, counter = stamp >> 12, stamp & 0xFFF
    random = int.from_bytes(os.urandom(8)) & (1 << 62) - 1
    digits = f"{milliseconds << 80 | 7 << 76 | counter << 64 | 2 << 62 | random:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
