"""Times, sizes and texts, as people read them."""

import re
from datetime import datetime, timedelta

_UNITS = ((86400, 36 * 3600, "days"), (3600, 3600, "h"), (60, 60, "min"))
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def memories(number: int) -> str:
    return count(number, "memory", "memories")


def span(time: timedelta) -> str:
    """A length of time in its largest fitting unit: 40 s, 5 min, 3 h, 2 days."""
    seconds = time.total_seconds()
    for size, least, name in _UNITS:
        if seconds >= least:
            return f"{round(seconds / size):,} {name}"
    return f"{max(0, round(seconds))} s"


def ago(moment: datetime, now: datetime) -> str:
    """How long ago, or, from a week on, the day."""
    passed = now - moment
    if passed < timedelta(seconds=45):
        return "just now"
    if passed < timedelta(days=7):
        return f"{span(passed)} ago"
    return local_day(moment)


def local_day(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d}"


def local_time(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def day_or_time(moment: datetime) -> str:
    """The local time, without the hour if that is midnight."""
    return local_time(moment).removesuffix(" 00:00")


def moment_in_full(moment: datetime, now: datetime) -> str:
    """The local time, and how far away it is."""
    away = f"in {span(moment - now)}" if moment > now else ago(moment, now)
    return f"{local_time(moment)} ({away})"


def size(number: int) -> str:
    """A number of bytes: 512 bytes, 48 kB, 1.3 MB."""
    amount = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{amount:.1f} {unit}" if unit != "bytes" and amount < 10 else f"{amount:,.0f} {unit}"


def shown(text: str) -> str:
    """A text with its control characters spelt out: a memory must not steer the terminal."""
    return _CONTROL.sub(lambda match: " " if match[0] in "\t\r" else _spelt(match[0]), text)


def shortened(text: str, length: int = 240) -> str:
    """A text on one line, cut where it is too long for a table."""
    line = " ".join(shown(text).split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def _spelt(character: str) -> str:
    return f"\\x{ord(character):02x}"
