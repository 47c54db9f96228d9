"""Dates in figures and in words: days of months, months, years and decades."""

import re
from datetime import datetime, timedelta

from bethink.when.days import DAY, Span, day, iso, midnight, month, month_and_year, year
from bethink.when.reading import Reading, Turns, Which, pick, take
from bethink.when.words import DECADES, MONTHS, ORDINALS, PARTS_OF_DAY, SHY_MONTHS, Page, listed

_ISO = re.compile(r"([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})(?:[Tt][0-9:.,-]*[Zz]?)?")
_DAY_FIRST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|(?<=/)[0-9]{2})")
_YEAR_AND_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
_YEARS = re.compile(r"((?:19|20)[0-9]{2})[-–]((?:19|20)[0-9]{2})")
_DECADE = re.compile(r"([0-9]{2}|[0-9]{3}0)s")
_DAY_OF_MONTH = re.compile(r"([0-9]{1,2})(st|nd|rd|th)?")
_DAYS_OF_MONTH = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?[-–]([0-9]{1,2})(?:st|nd|rd|th)?")
_YEAR = re.compile(r"[0-9]{4}")
_LIKELY_YEAR = re.compile(r"(?:19|20)[0-9]{2}")

_YEAR_CUES = listed("in since before after until till by during from of year early late")
_AFTER_A_DAY = listed("i we he she they you and at to with for in but because is was")


def a_day(moment: datetime, stop: int, *, fixed: bool = False) -> Reading:
    return Reading(day(moment), "day", iso(moment), "on", stop, fixed=fixed)


def with_part(page: Page, reading: Reading) -> Reading:
    """A day, or the part of it that is named behind it, such as the evening."""
    hours = PARTS_OF_DAY.get(page.words[reading.stop])
    if reading.grain != "day" or hours is None:
        return reading
    start, end = (midnight(reading.span.start) + timedelta(hours=hour) for hour in hours)
    name = f"the {page.words[reading.stop]} of {reading.name}"
    return Reading(Span(start, end), "hours", name, "on", reading.stop + 1, fixed=reading.fixed)


def _year_behind(page: Page, i: int) -> tuple[int, bool, int] | None:
    """A year that says of which: ``2023``, ``of 2023``, ``, 2023``, ``last year``, ``'23``."""
    i += page.words[i] == "of" or (
        page.words[i] == "," and bool(_YEAR.fullmatch(page.words[i + 1]))
    )
    word, then = page.words[i], page.words[i + 1]
    if _YEAR.fullmatch(word) and not page.counted(i + 1):
        return int(word), True, i + 1
    if word in ("'", "’") and len(then) == 2 and then.isascii() and then.isdigit():
        return _century(page, int(then)), True, i + 2
    if word in ("last", "this", "next") and then == "year":
        return page.now.year + ("last", "this", "next").index(word) - 1, False, i + 2
    return None


def _century(page: Page, number: int) -> int:
    """The last year that ends so and is not far ahead."""
    here = page.now.year
    return here - here % 100 + number - (100 if number > here % 100 + 10 else 0)


def of_year(page: Page, turns: Turns, i: int, which: Which | None, *, bare: bool) -> Reading | None:
    """Something yearly, of the year behind it; where there is none, the one that is meant."""
    if which is None and (of := _year_behind(page, i)):
        return take(turns, of[0], of[2], fixed=of[1])
    return pick(page, turns, i, which) if bare else None


def _date(page: Page, of_month: int, number: int, i: int) -> Reading | None:
    """A day of a month, whose year may stand at the token."""

    def make(of_year: int) -> Span:
        return day(datetime(of_year, of_month, number))  # noqa: DTZ001 (a calendar has no zone)

    turns = Turns(make, lambda of: iso(make(of).start), "day", "on")
    reading = of_year(page, turns, i, None, bare=True)
    return with_part(page, reading) if reading else None


def _number_of_day(page: Page, i: int) -> int:
    """The number at a token if a month may have such a day; otherwise 0."""
    found = _DAY_OF_MONTH.fullmatch(page.words[i])
    number = int(found[1]) if found else ORDINALS.get(page.words[i], 0)
    return number if number <= 31 else 0


def _days(page: Page, of_month: int, token: str, i: int) -> Reading | None:
    """Days of a month such as ``3-7``, whose year may stand at the token."""
    found = _DAYS_OF_MONTH.fullmatch(token)
    first = _date(page, of_month, int(found[1]), i) if found else None
    last = _date(page, of_month, int(found[2]), i) if found else None
    if not (first and last and first.span.start < last.span.start):
        return None
    span = Span(first.span.start, last.span.end)
    return Reading(span, "day", str(span), "from", last.stop, fixed=last.fixed)


def a_month(
    page: Page, i: int, *, cued: bool = False, which: Which | None = None
) -> Reading | None:
    """``May 2023``, ``May``, ``May 3rd, 2023``, ``May 3-7``."""
    word, then = page.words[i], page.words[i + 1]
    if then == "." and word in ("may", "june", "july"):  # no abbreviation: the sentence ends
        then = ""
    verb = word in ("may", "march") and not page.capital(i)
    number, cued = MONTHS[word], cued or page.cued(i) or _leads(page, i)
    i += 2 if then == "." and len(word) < 5 and page.words[i + 2][:1].isdigit() else 1
    if which is None and not (verb and not cued):
        if found := _days(page, number, page.words[i], i + 1):
            return found
        if page.words[i][:1].isdigit() and (of_day := _number_of_day(page, i)):
            return None if page.counted(i + 1) else _date(page, number, of_day, i + 1)
    turns = Turns(
        lambda of: month(of, number),
        lambda of: month_and_year(month(of, number).start),
        "month",
        "in",
    )
    bare = which is not None or cued or word not in SHY_MONTHS
    if bare and which is None and verb and page.words[i] == "be":
        return None
    return of_year(page, turns, i, which, bare=bare)


def a_decade(page: Page, i: int) -> Reading | None:
    """``the 90s``, ``1990s``, ``the nineties``; in their nineties are people."""
    found = _DECADE.fullmatch(page.words[i])
    number = int(found[1]) if found else DECADES.get(page.words[i], -1)
    if number < 100:
        told = page.words[i - 1] in ("the", "'", "’", "early", "mid", "late", "-")
        if number < 0 or number % 10 or not told:
            return None
        number = _century(page, number)
    return Reading(year(number, 10), "decade", f"the {number:04}s", "in", i + 1, fixed=True)


def a_year(page: Page, i: int, *, cued: bool = False) -> Reading | None:
    """``in 2023``; a number says no year without such a word, unless it stands all by itself."""
    before, behind = page.words[i - 1], page.words[i + 1]
    alone = before in ("", "(") and behind in ("", "?", ".", ")")
    if not (cued or alone or before in _YEAR_CUES) or page.counted(i + 1):
        return None
    if found := _YEARS.fullmatch(page.words[i]):
        span = Span(year(int(found[1])).start, year(int(found[2])).end)
        return Reading(span, "year", page.spelt[i], "in", i + 1, fixed=True)
    if not _LIKELY_YEAR.fullmatch(page.words[i]):
        return None
    number = int(page.words[i])
    return Reading(year(number), "year", f"{number:04}", "in", i + 1, fixed=True)


def a_number(page: Page, i: int, *, cued: bool = False) -> Reading | None:
    """Whatever begins with a digit: a date, a day of a month, a year, a decade."""
    word = page.words[i]
    if dated := _written_date(word, i + 1):
        return with_part(page, dated)
    then = i + 2 if page.words[i + 1] == "of" else i + 1
    if (of_month := MONTHS.get(page.words[then])) and _is_month(page, then):
        if found := _days(page, of_month, word, then + 1):
            return found
        if number := _number_of_day(page, i):
            return _date(page, of_month, number, then + 1)
    return a_decade(page, i) or a_year(page, i, cued=cued)


def _is_month(page: Page, i: int) -> bool:
    """Whether a word behind a number is a month: three may be enough."""
    verb = page.words[i] in ("may", "march") and not page.capital(i)
    return not verb or page.words[i - 1] == "of" or bool(_YEAR.fullmatch(page.words[i + 1]))


def _leads(page: Page, i: int) -> bool:
    """Whether a range of months begins here: ``May to July``."""
    return page.words[i + 1] in ("to", "-", "–", "through") and page.words[i + 2] in MONTHS


def _written_date(word: str, stop: int) -> Reading | None:
    """A date in figures. 03/05/2023 is the third of May: a month comes first only if it must."""
    if found := _ISO.fullmatch(word):
        return a_day(_day_of(found[1], found[3], found[4]), stop, fixed=True)
    if found := _DAY_FIRST.fullmatch(word):
        of_year = found[4] if len(found[4]) == 4 else f"20{found[4]}"
        of_month, number = (1, 3) if int(found[3]) > 12 else (3, 1)
        return a_day(_day_of(of_year, found[of_month], found[number]), stop, fixed=True)
    if found := _YEAR_AND_MONTH.fullmatch(word):
        span = month(int(found[1]), int(found[2])) if 1 <= int(found[2]) <= 12 else None
        return Reading(span, "month", word, "in", stop, fixed=True) if span else None
    return None


def _day_of(of_year: str, of_month: str, number: str) -> datetime:
    return datetime(int(of_year), int(of_month), int(number))  # noqa: DTZ001


def an_ordinal(page: Page, i: int, *, cued: bool = False) -> Reading | None:
    """``the 3rd of May``, ``the second of May``, and, after on or by, ``the 3rd``."""
    number = _number_of_day(page, i)
    if not number:
        return None
    if page.words[i + 1] == "of" and page.words[i + 2] in MONTHS:
        return _date(page, MONTHS[page.words[i + 2]], number, i + 3)
    told = cued or page.words[i - 2] in ("on", "by", "until", "since", "before", "after")
    behind = page.words[i + 1]
    plain = not behind[:1].isalpha() or behind in _AFTER_A_DAY
    if not (told and plain and page.words[i].endswith(("st", "nd", "rd", "th"))):
        return None
    if page.words[i] in ORDINALS:
        return None
    return _day_of_some_month(page, number, i + 1)


def _day_of_some_month(page: Page, number: int, stop: int) -> Reading | None:
    back = page.prefer == "past"
    for step in range(13):
        there = month(page.now.year, page.now.month + (-step if back else step))
        moment = there.start + (number - 1) * DAY
        fits = moment < midnight(page.now) if back else moment > midnight(page.now)
        if moment < there.end and fits:
            return a_day(moment, stop)
    return None


def same_month(page: Page, i: int, of: Reading) -> Reading | None:
    """A mere number beside a date, as a day of the same month."""
    number = _number_of_day(page, i) if page.words[i][:1].isdigit() else 0
    if not number or of.grain != "day" or page.counted(i + 1):
        return None
    return a_day(of.span.start.replace(day=number), i + 1, fixed=of.fixed)
