"""What is told from now: yesterday, this morning, last week, next Friday, the past two weeks."""

from datetime import timedelta
from typing import get_args

from bethink.when.dates import a_day, a_decade, a_number, a_year, an_ordinal, with_part
from bethink.when.days import (
    DAY,
    Grain,
    Span,
    around,
    iso,
    midnight,
    month,
    month_and_year,
    shift,
    week,
    weekend,
    year,
)
from bethink.when.names import NAMED, a_season
from bethink.when.reading import Reading, Which
from bethink.when.words import OWNERS, PARTS_OF_DAY, SEASONS, UNITS, WEEKDAYS, Amount, Page, amount

DAY_WORDS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
SIDES: dict[str, Which] = {
    "last": "last", "past": "last", "previous": "last",
    "this": "this",
    "next": "next", "coming": "next",
}  # fmt: skip
STEPS = {"last": -1, "this": 0, "next": 1}
_ONE = Amount(1, 1, 1)
_RECENT = timedelta(days=30)
_GRAINS = get_args(Grain)


def plain(page: Page, i: int, *, cued: bool = False) -> Reading | None:
    """The simple expressions, of which the others are made."""
    word = page.words[i]
    if word in DAY_WORDS:
        return _day_word(page, i)
    if word in SIDES:
        return _side(page, i)
    if word == "the":
        return _the(page, i, cued=cued)
    if word in ("recently", "lately"):
        return _recent(page, i, i + 1)
    if word[:1].isdigit():
        return a_number(page, i, cued=cued)
    reader = NAMED.get(word)
    return reader(page, i, cued=cued) if reader else None


def _day_word(page: Page, i: int) -> Reading:
    reading = a_day(page.now + DAY_WORDS[page.words[i]] * DAY, i + 1)
    return _night(reading) if page.words[i] == "tonight" else with_part(page, reading)


def _night(of: Reading) -> Reading:
    start, end = (of.span.start + timedelta(hours=hour) for hour in PARTS_OF_DAY["night"])
    return Reading(Span(start, end), "hours", f"the night of {of.name}", "on", of.stop)


def _recent(page: Page, i: int, stop: int) -> Reading:
    """The last thirty days. What is written so in brackets is the date of an earlier reading."""
    span = Span(midnight(page.now) - _RECENT, midnight(page.now) + DAY)
    words = " ".join(page.spelt[i:stop])
    name = f"{words} ({month_and_year(page.now)})"
    if page.words[stop] == "(":
        reader = NAMED.get(page.words[stop + 1])
        inner = reader(page, stop + 1) if reader else None
        if inner and inner.fixed and page.words[inner.stop] == ")":
            return inner.until(inner.stop + 1)
    return Reading(span, "month", name, "", stop)


def unit_from_now(page: Page, unit: str, step: int, stop: int) -> Reading:
    """A whole week, month or the like, so many after the present one."""
    now = page.now
    if unit in ("week", "weekend"):
        return _week(unit, (week if unit == "week" else weekend)(now + 7 * step * DAY), stop)
    if unit == "month":
        span = month(now.year, now.month + step)
        return Reading(span, "month", month_and_year(span.start), "in", stop)
    if unit == "quarter":
        span = month(now.year, (now.month - 1) // 3 * 3 + 1 + 3 * step, 3)
        name = f"Q{span.start.month // 3 + 1} {span.start.year:04}"
        return Reading(span, "quarter", name, "in", stop)
    if unit == "year":
        return Reading(year(now.year + step), "year", f"{now.year + step:04}", "in", stop)
    first = now.year // 10 * 10 + 10 * step
    return Reading(year(first, 10), "decade", f"the {first:04}s", "in", stop)


def _week(unit: str, span: Span, stop: int, *, fixed: bool = False) -> Reading:
    grain: Grain = "week" if unit == "week" else "weekend"
    preposition = "in" if unit == "week" else "on"
    name = f"the {unit} of {iso(span.start)}"
    return Reading(span, grain, name, preposition, stop, fixed=fixed)


def _side(page: Page, i: int) -> Reading | None:
    """``last week``, ``next Friday``, ``this morning``, ``this past weekend``, ``last 3 days``."""
    word, then = page.words[i], page.words[i + 1]
    if page.words[i - 1] in OWNERS:
        return None
    if word == "this" and then in ("past", "last", "coming", "next"):
        return _one_side(page, i + 1, SIDES[then])
    if word in ("past", "coming", "previous") and page.words[i - 1] != "the":
        return None
    if word == "last" and then == "night":
        return _night(a_day(page.now - DAY, i + 2))
    if word == "this" and then in PARTS_OF_DAY and then != "night":
        return with_part(page, a_day(page.now, i + 1))
    return _one_side(page, i, SIDES[word])


def _one_side(page: Page, i: int, which: Which) -> Reading | None:
    """A unit, some units or something named, before or after now."""
    word = page.words[i + 1]
    if which == "this":
        return _this_time(page, i + 2) if word == "time" else _named(page, i + 1, which)
    if word not in ("a", "an") and (many := amount(page, i + 1)):
        return _units(page, which, many[0], many[1])
    if page.words[i + 2] == "of":  # the last year of school, the last Friday of the month
        return None
    if page.words[i - 1] == "the" and word in UNITS:
        return _units(page, which, _ONE, i + 1)
    return _named(page, i + 1, which)


def _named(page: Page, i: int, which: Which) -> Reading | None:
    word = page.words[i]
    if word == "week" and page.words[i + 1 + (page.words[i + 1] == "on")] in WEEKDAYS:
        return _day_of_week(page, STEPS[which], i + 1)
    if word in _GRAINS and word not in ("hours", "day", "season"):
        return unit_from_now(page, word, STEPS[which], i + 1)
    reader = NAMED.get(word)
    verb = which == "this" and word in ("may", "march") and not page.capital(i)
    return reader(page, i, which=which) if reader and not verb else None


def _day_of_week(page: Page, step: int, i: int) -> Reading:
    """``next week Tuesday``, ``next week on Tuesday``."""
    i += page.words[i] == "on"
    moment = week(page.now).start + (7 * step + WEEKDAYS[page.words[i]]) * DAY
    return with_part(page, a_day(moment, i + 1))


def _units(page: Page, which: Which, many: Amount, i: int) -> Reading | None:
    """``the past two weeks``, ``the next 3 days``: up to today, or from tomorrow on."""
    unit, each = UNITS.get(page.words[i], ("", 0))
    if unit in ("", "minute", "hour"):
        return None
    today, count = midnight(page.now), many.high * each
    if which == "last":
        span = Span(shift(today, -count, unit), today + DAY)
    else:
        span = Span(today + DAY, shift(today, count, unit) + DAY)
    name = str(span)
    grain: Grain = next(grain for grain in _GRAINS if grain == unit)
    return Reading(span, grain, name, "from", i + 1)


def _this_time(page: Page, i: int) -> Reading | None:
    """``this time last year``: the month around it, or the day where weeks are counted."""
    side, unit = page.words[i], page.words[i + 1]
    if side not in ("last", "next") or unit not in ("week", "month", "year"):
        return None
    there = shift(page.now, STEPS[side], unit)
    if unit == "year":
        name = month_and_year(there)
        return Reading(around(there, "month"), "month", name, "around", i + 2)
    return Reading(around(there, "day"), "day", iso(there), "around", i + 2)


def _the(page: Page, i: int, *, cued: bool) -> Reading | None:
    """What begins with an article."""
    word = page.words[i + 1]
    if word in SIDES and word != "this":
        return _side(page, i + 1)
    if word in SEASONS:
        return a_season(page, i + 1, cued=cued)
    if word in ("week", "weekend"):
        return _the_week(page, i + 1, cued=cued)
    if word == "other" and page.words[i + 2] == "day":
        return _recent(page, i, i + 3)
    if word == "year":
        return a_year(page, i + 2, cued=True)
    return a_decade(page, i + (2 if word in ("'", "’") else 1)) or an_ordinal(page, i + 1)


def _the_week(page: Page, i: int, *, cued: bool) -> Reading | None:
    """``the week of 3 May``, and, after a word such as over, ``the weekend``."""
    if page.words[i + 1] == "of":
        return _week_of(page, page.words[i], i + 2)
    if page.words[i] == "week" or not (cued or page.cued(i)):
        return None
    began = page.now.weekday() >= 5
    return unit_from_now(page, "weekend", -1 if page.prefer == "past" and not began else 0, i + 1)


def _week_of(page: Page, unit: str, i: int) -> Reading | None:
    inner = None if page.words[i] in ("the", "recently", "lately") else plain(page, i, cued=True)
    if inner is None or inner.grain != "day":
        return None
    span = (week if unit == "week" else weekend)(inner.span.start)
    return _week(unit, span, inner.stop, fixed=inner.fixed)
