"""From a text to its periods, and to the same text with dates that stay true."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from bethink.errors import UsageError
from bethink.times import as_utc
from bethink.when.days import Grain
from bethink.when.phrases import EVER, read
from bethink.when.reading import Reading
from bethink.when.words import Page, Prefer, open_page


@dataclass(frozen=True, slots=True)
class Period:
    """Some words of a text and the time of which they tell."""

    start: datetime
    """In UTC."""
    end: datetime
    """In UTC; the first moment that no longer belongs to it."""
    text: str
    """The words as they stand: ``text[first:last]`` of the whole."""
    first: int
    last: int
    grain: Grain


def periods(
    text: str, at: datetime, *, prefer: Prefer = "past", southern: bool = False
) -> list[Period]:
    """The periods that a text tells of when it is said at a moment, in order and without overlap.

    Days are those of the time zone that `at` is in. What falls outside the years 1 to 9999 is
    left out. See `bethink.when` for how expressions are read.
    """
    page = page_of(text, at, prefer, southern=southern)
    return [] if page is None else [period for _, _, period in readings(page, text, at)]


def page_of(text: str, at: datetime, prefer: Prefer, *, southern: bool) -> Page | None:
    as_utc(at, name="at")
    if prefer not in ("past", "future"):
        raise UsageError(f"prefer must be 'past' or 'future', not {prefer!r}.")
    return open_page(text, at.replace(tzinfo=None, fold=0), prefer, southern=southern)


def readings(page: Page, text: str, at: datetime) -> Iterator[tuple[int, Reading, Period]]:
    """Each expression: its first token, what it was read as, and its period."""
    i = 0
    while i < len(page.bounds):
        try:
            reading = read(page, i)
            period = _period(page, i, reading, text, at) if reading else None
        except (ValueError, OverflowError):  # 30 February, or a year that no calendar has
            reading = period = None
        if reading is None or period is None:
            i += 1
        else:
            yield i, reading, period
            i = reading.stop


def _period(page: Page, i: int, reading: Reading, text: str, at: datetime) -> Period | None:
    first, last = page.bounds[i][0], page.bounds[reading.stop - 1][1]
    start, end = (_to_utc(moment, at) for moment in reading.span)
    if start >= end:  # a day that a zone left out when it changed sides
        return None
    return Period(start, end, text[first:last], first, last, reading.grain)


def _to_utc(moment: datetime, at: datetime) -> datetime:
    zone = UTC if moment in EVER else at.tzinfo
    return moment.replace(tzinfo=zone).astimezone(UTC)
