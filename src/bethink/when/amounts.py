"""What is counted: two weeks ago, in three months, a week after Easter, the week before last."""

from dataclasses import replace
from datetime import datetime

from bethink.when.days import Grain, Span, around, iso, midnight, month_and_year, shift
from bethink.when.names import NAMED
from bethink.when.reading import Reading, take
from bethink.when.relative import STEPS, plain, unit_from_now
from bethink.when.words import UNITS, Amount, Page, amount

_GRAINS: dict[str, Grain] = {
    "minute": "hours", "hour": "hours", "day": "day", "week": "week", "month": "month",
    "year": "year",
}  # fmt: skip


def _many(page: Page, i: int) -> tuple[Amount, str, int] | None:
    """How many of which unit, and the token of the unit."""
    if page.words[i : i + 3] == ["half", "a", "year"]:
        return Amount(6, 6, 6), "month", i + 2
    found = amount(page, i)
    if found is None or page.words[found[1]] not in UNITS:
        return None
    unit, each = UNITS[page.words[found[1]]]
    return Amount(*(each * n for n in found[0])), unit, found[1]


def counted(page: Page, i: int) -> Reading | None:
    """``two weeks ago``, ``3 days from now``, ``a week before Christmas``."""
    found = _many(page, i)
    if found is None or (page.words[i - 1] == "and" and page.words[i - 2] in UNITS):
        return None
    many, unit, then = found
    word, behind = page.words[then + 1], page.words[then + 2]
    if word == "ago" and behind == "today":
        return _offset(page.now, many, unit, -1, then + 3, exact=True)
    if word == "ago":
        return _offset(page.now, many, unit, -1, then + 2)
    if word == "hence" or (word == "from" and behind in ("now", "today")):
        return _offset(page.now, many, unit, 1, then + 2 + (word == "from"))
    return _from_date(page, many, unit, then + 1)


def ahead(page: Page, i: int) -> Reading | None:
    """``in three weeks``; in three hours a day is not over, so that says how long, not when."""
    found = _many(page, i + 1)
    if found is None or found[1] in ("minute", "hour") or page.words[found[2] + 1] == "of":
        return None
    many, unit, then = found
    whose = page.words[then + 1] in ("'", "’", "'s", "’s")
    if whose and page.words[then + 2] != "time":  # in three weeks' time, but not in a year's work
        return None
    return _offset(page.now, many, unit, 1, then + (3 if whose else 1))


def _from_date(page: Page, many: Amount, unit: str, i: int) -> Reading | None:
    """Counted from a date, where there is one behind before, after or from."""
    side = page.words[i]
    if side not in ("before", "after", "from") or unit in ("minute", "hour"):
        return None
    inner = plain(page, i + 1, cued=True)
    if inner is None or inner.grain == "hours":
        return None
    sign = -1 if side == "before" else 1
    start, end = inner.span
    if inner.grain == "day":  # of a feast of several days, the one in the middle
        origin = midnight(start + (end - start) / 2)
    else:
        origin = start if side == "before" else shift(end, -1, "day")
    exact = side == "from" and inner.grain == "day"  # a week from Friday is a Friday
    reading = _offset(origin, many, unit, sign, inner.stop, exact=exact)
    return replace(reading, fixed=inner.fixed)


def _offset(
    origin: datetime, many: Amount, unit: str, sign: int, stop: int, *, exact: bool = False
) -> Reading:
    """So many units from a moment: as wide as the unit is, and wider for a few of them."""
    middle = shift(origin, sign * many.middle, unit)
    size = "day" if exact else unit
    ends = [around(shift(origin, sign * n, unit), size) for n in (many.low, many.high)]
    span = Span(min(end.start for end in ends), max(end.end for end in ends))
    if size in ("minute", "hour") or (size == "day" and many.low == many.high):
        return Reading(span, _GRAINS[size], iso(middle), "on", stop)
    if size == "month":
        name = month_and_year(middle)
    else:
        name = f"{middle.year:04}" if size == "year" else iso(middle)
    return Reading(span, _GRAINS[size], name, "around", stop)


def beside(page: Page, i: int) -> Reading | None:
    """``the day before yesterday``, ``the week before last``, ``the week after Easter``."""
    i += page.words[i] == "the"
    word, side, then = page.words[i : i + 3]
    if side not in ("before", "after"):
        return None
    sign = -1 if side == "before" else 1
    if then in ("last", "next") and STEPS[then] == sign:
        return _beyond(page, i, sign)
    unit, each = UNITS.get(word, ("", 0))
    inner = plain(page, i + 2, cued=True) if each == 1 and unit not in ("minute", "hour") else None
    if inner is None:
        return None
    edges = (shift(inner.span.start, -1, unit), inner.span.start)
    if sign > 0:
        edges = (inner.span.end, shift(inner.span.end, 1, unit))
    if unit == "day":
        name, preposition = iso(edges[0]), "on"
    else:
        name, preposition = str(Span(*edges)), "from"
    return Reading(Span(*edges), _GRAINS[unit], name, preposition, inner.stop, fixed=inner.fixed)


def _beyond(page: Page, i: int, sign: int) -> Reading | None:
    """``the week before last``, ``the summer before last``, ``the Friday after next``."""
    word = page.words[i]
    if word in ("week", "weekend", "month", "quarter", "year"):
        return unit_from_now(page, word, 2 * sign, i + 3)
    reader = NAMED.get(word)
    one = reader(page, i, which="last" if sign < 0 else "next") if reader else None
    if one is None or one.turns is None or one.stop != i + 1:
        return None
    return take(one.turns, one.turn + sign, i + 3)
