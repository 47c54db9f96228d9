"""The calendar: days, weeks, seasons and feasts as spans of time without a zone."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, TypeAlias

Grain: TypeAlias = Literal[
    "hours", "day", "weekend", "week", "month", "quarter", "season", "year", "decade"
]
"""How fine a period is told: its edges are about this soft."""

DAY = timedelta(days=1)
WEEK = timedelta(days=7)


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


class Span(NamedTuple):
    start: datetime
    end: datetime

    def __str__(self) -> str:
        """Its first day and its last."""
        return f"{iso(self.start)} to {iso(self.end - DAY)}"


def iso(moment: datetime) -> str:
    return moment.date().isoformat()


def month_and_year(moment: datetime) -> str:
    """In English, whatever the locale."""
    return f"{_MONTHS[moment.month - 1]} {moment.year:04}"


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def day(moment: datetime, count: int = 1) -> Span:
    return Span(midnight(moment), midnight(moment) + count * DAY)


def week(moment: datetime) -> Span:
    """Monday to Sunday."""
    return day(moment - moment.weekday() * DAY, 7)


def weekend(moment: datetime) -> Span:
    """The Saturday and Sunday of its week."""
    return day(moment + (5 - moment.weekday()) * DAY, 2)


def month(year: int, number: int, count: int = 1) -> Span:
    """Whole months; those after December are the next year's, those before January the last's."""
    first, last = (year * 12 + number - 1 + more for more in (0, count))
    return Span(
        datetime(first // 12, first % 12 + 1, 1),  # noqa: DTZ001 (a calendar has no zone)
        datetime(last // 12, last % 12 + 1, 1),  # noqa: DTZ001
    )


def year(number: int, count: int = 1) -> Span:
    return month(number, 1, 12 * count)


def shift(moment: datetime, count: int, unit: str) -> datetime:
    """So many units later; a day that its month does not have is the month's last."""
    if unit not in ("month", "year"):
        return moment + timedelta(**{f"{unit}s": count})
    there = month(moment.year, moment.month + count * (12 if unit == "year" else 1))
    last = (there.end - DAY).day
    return moment.replace(
        year=there.start.year, month=there.start.month, day=min(moment.day, last), fold=0
    )


def around(moment: datetime, unit: str) -> Span:
    """What people mean by a moment that they count in such units."""
    if unit == "week":
        return day(moment - 3 * DAY, 7)
    if unit == "month":
        return month(moment.year, moment.month)
    if unit == "year":
        return year(moment.year)
    if unit == "day":
        return day(moment)
    half = timedelta(minutes=30 if unit == "hour" else 5)
    return Span(moment - half, moment + half)


def slice_of(span: Span, first: float, last: float) -> Span:
    """Whole days of a span, from one share of it to another; one day at least."""
    days = max(1, (span.end - span.start) // DAY)
    start = span.start + int(days * first) * DAY
    return Span(start, max(start + DAY, span.start + int(days * last) * DAY))


def easter(number: int) -> datetime:
    """Easter Sunday of the Gregorian calendar, by the rule of Gauss as Lichtenberg mended it."""
    century = number // 100
    moon = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    sun = 2 - (3 * century + 3) // 4
    cycle = number % 19
    seed = (19 * cycle + moon) % 30
    full = 21 + seed - (seed + cycle // 11) // 29  # the full moon, as a day of March
    sunday = 7 - (number + number // 4 + sun) % 7
    return month(number, 3).start + (full + 7 - (full - sunday) % 7 - 1) * DAY


def thanksgiving(number: int) -> datetime:
    """The fourth Thursday of November, as in the United States."""
    first = month(number, 11).start
    return first + ((3 - first.weekday()) % 7 + 21) * DAY


def _fixed(number: int, of_month: int, count: int = 1) -> Callable[[int], Span]:
    return lambda of_year: day(month(of_year, of_month).start + (number - 1) * DAY, count)


def _moving(
    feast: Callable[[int], datetime], shifted: int = 0, count: int = 1
) -> Callable[[int], Span]:
    return lambda of_year: day(feast(of_year) + shifted * DAY, count)


FEASTS: dict[str, Callable[[int], Span]] = {
    "Christmas": _fixed(24, 12, 3),
    "Christmas Day": _fixed(25, 12),
    "Christmas Eve": _fixed(24, 12),
    "Boxing Day": _fixed(26, 12),
    "New Year": lambda number: day(month(number, 1).start - DAY, 2),
    "New Year's Day": _fixed(1, 1),
    "New Year's Eve": _fixed(31, 12),
    "Halloween": _fixed(31, 10),
    "Valentine's Day": _fixed(14, 2),
    "Easter": _moving(easter, -2, 4),
    "Easter Sunday": _moving(easter),
    "Easter Monday": _moving(easter, 1),
    "Good Friday": _moving(easter, -2),
    "Thanksgiving": _moving(thanksgiving),
    "Black Friday": _moving(thanksgiving, 1),
}
"""The span of each feast in a year. Christmas has three days, Easter four, New Year two."""
