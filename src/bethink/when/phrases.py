"""Whole expressions: parts of periods, ranges, and what lies before or after something."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from bethink.when.amounts import ahead, beside, counted
from bethink.when.dates import same_month
from bethink.when.days import DAY, WEEK, Grain, Span, midnight, slice_of, year
from bethink.when.names import NAMED
from bethink.when.reading import Reading, settle, take
from bethink.when.relative import DAY_WORDS, SIDES, plain, unit_from_now
from bethink.when.words import NUMBERS, UNITS, Page

_SHARES = {
    "early": (0, 1 / 3), "mid": (1 / 3, 2 / 3), "late": (2 / 3, 1),
    "beginning": (0, 1 / 6), "start": (0, 1 / 6), "middle": (1 / 3, 2 / 3), "end": (5 / 6, 1),
}  # fmt: skip
_DIVIDED: tuple[Grain, ...] = ("week", "month", "quarter", "season", "year", "decade")
_TO = ("to", "until", "till", "through", "-", "–", "and")
_SHORTLY = timedelta(days=14)
EVER = Span(datetime.min, datetime.max)  # noqa: DTZ901 (edges of the calendar, which has no zone)
"""What lies before or after something may go on to the ends of time."""


def read(page: Page, i: int) -> Reading | None:
    """The expression that begins at a token, if one does."""
    if page.words[i] not in _STARTS and not page.words[i][0].isdigit():
        return None
    opener = _OPENERS.get(page.words[i])
    reading = (opener(page, i) if opener else None) or term(page, i)
    if reading is None or page.words[reading.stop] not in ("to", "-", "–", "through"):
        return _in_that_year(page, reading) if reading and not opener else reading
    weekly = reading.turns is not None and reading.turns.weekly
    ranged = None if weekly or opener else _range(page, reading, "")
    return ranged or reading


def _in_that_year(page: Page, reading: Reading) -> Reading:
    """``last year in May``; what is no year, or has nothing of it behind it, as it is."""
    then = reading.stop + 1
    if reading.grain != "year" or page.words[then - 1] not in ("in", "on", "at", "over"):
        return reading
    reader = NAMED.get(page.words[then])
    named = reader(page, then, cued=True) if reader else None
    number = reading.span.start.year
    if named is None or named.turns is None or named.turns.weekly or named.fixed:
        return reading
    whole = reading.span == year(number)
    return take(named.turns, number, named.stop, fixed=reading.fixed) if whole else reading


def term(page: Page, i: int, *, cued: bool = False) -> Reading | None:
    """What can be the end of a range, or have a before and an after."""
    if page.words[i] in NAMED:  # which begin nothing else
        return plain(page, i, cued=cued)
    return (
        _part(page, i)
        or _week_or_half(page, i)
        or beside(page, i)
        or counted(page, i)
        or plain(page, i, cued=cued)
    )


def _part(page: Page, i: int) -> Reading | None:
    """``early May``, ``mid-2023``, ``the end of the year``."""
    i += page.words[i] == "the"
    share = _SHARES.get(page.words[i])
    if share is None:
        return None
    word, then = page.words[i], page.words[i + 1]
    if word in ("early", "mid", "late"):
        inner = plain(page, i + 1 + (then in ("-", "in")), cued=True)
        joint, preposition = ("-" if word == "mid" else " "), "in"
    else:
        inner = _whole(page, i + 2) if then == "of" else None
        word, joint, preposition = f"the {word} of", " ", "at"
    if inner is None or inner.grain not in _DIVIDED:
        return None
    return replace(
        inner,
        span=slice_of(inner.span, *share),
        name=f"{word}{joint}{inner.name}",
        preposition=preposition,
        turns=None,
    )


def _week_or_half(page: Page, i: int) -> Reading | None:
    """``the first week of May``, ``the second half of 2023``."""
    i += page.words[i] == "the"
    word, unit, of = page.words[i : i + 3]
    if of != "of" or word not in ("first", "second", "last") or unit not in ("week", "half"):
        return None
    inner = _whole(page, i + 3)
    if inner is None or inner.grain not in _DIVIDED[1:]:
        return None
    start, end = inner.span
    if unit == "half":
        span = slice_of(inner.span, *((0, 1 / 2) if word == "first" else (1 / 2, 1)))
    elif word == "last":
        span = Span(end - WEEK, end)
    else:
        start += WEEK * (word == "second")
        span = Span(start, start + WEEK)
    name = f"the {word} {unit} of {inner.name}"
    return replace(inner, span=span, name=name, preposition="in", turns=None)


def _whole(page: Page, i: int) -> Reading | None:
    """What has a beginning and an end; the month is this month."""
    found, unit = plain(page, i, cued=True), page.words[i + 1]
    if found or page.words[i] != "the" or unit not in _DIVIDED or unit == "season":
        return found
    return unit_from_now(page, unit, 0, i + 2)


def _within(page: Page, i: int) -> Reading | None:
    """``earlier this year``: up to today; ``later this week``: from today on."""
    unit = page.words[i + 2]
    if page.words[i + 1] != "this" or unit not in ("week", "month", "quarter", "year", "decade"):
        return None
    inner = unit_from_now(page, unit, 0, i + 3)
    today = midnight(page.now)
    early = page.words[i] == "earlier"
    span = Span(inner.span.start, today + DAY) if early else Span(today, inner.span.end)
    return replace(inner, span=span, name=f"{page.words[i]} in {inner.name}", preposition="")


def _from_to(page: Page, i: int) -> Reading | None:
    """``from A to B``, ``between A and B``, ``from A on``."""
    word = page.words[i]
    first = term(page, i + 1, cued=True) or _bare_day(page, i + 1)
    if first is None:
        return None
    if word == "from" and page.words[first.stop] in ("on", "onward", "onwards"):
        return _since(page, i, first).until(first.stop + 1)
    if (page.words[first.stop] == "and") != (word == "between"):
        return None
    return _range(page, first, word)


def _bare_day(page: Page, i: int) -> Reading | None:
    """The 3 of ``from 3 to 7 June``, which the 7 of June explains."""
    if page.words[i + 1] not in _TO:
        return None
    last = plain(page, i + 2, cued=True)
    return same_month(page, i, last) if last else None


def _range(page: Page, first: Reading, word: str) -> Reading | None:
    then = page.words[first.stop]
    if then not in _TO:
        return None
    last = term(page, first.stop + 1, cued=True) or same_month(page, first.stop + 1, first)
    if last is None or (not word and last.grain != first.grain):
        return None
    ends = settle(page, first, last)
    if ends is None:
        return None
    joint = then if word and then not in ("-", "–") else "to"
    return Reading(
        Span(ends[0].span.start, ends[1].span.end),
        last.grain,
        f"{word} {ends[0].name} {joint} {ends[1].name}".strip(),
        "" if word else "from",
        last.stop,
        fixed=last.fixed and (first.fixed or first.turns is not None),
    )


def _since(page: Page, i: int, inner: Reading) -> Reading:
    """From the beginning of something until today; of what is yet to come, that itself."""
    end = max(midnight(page.now) + DAY, inner.span.start + DAY)
    return replace(_led(page, i, inner), span=Span(inner.span.start, end))


def _led(page: Page, i: int, inner: Reading) -> Reading:
    name = f"{page.words[i]} {inner.name}"
    return replace(inner, name=name, preposition="", turns=None)


def _side_of(page: Page, i: int) -> Reading | None:
    """``since March``, ``before 2020``, ``after Easter``, ``until Friday``.

    What is awaited with until, till or by is the coming one.
    """
    word = page.words[i]
    forward = word in ("until", "till", "by")
    inner = term(replace(page, prefer="future") if forward else page, i + 1, cued=True)
    if inner is None:
        return None
    if word == "since":
        return _since(page, i, inner)
    today = midnight(page.now)
    start, end = inner.span
    if word == "before":
        span = Span(EVER.start, start)
    elif word == "after":
        span = Span(end, today + DAY if end <= today else EVER.end)
    else:
        span = Span(today if end > today else EVER.start, end)
    return replace(_led(page, i, inner), span=span)


def _shortly(page: Page, i: int) -> Reading | None:
    """``shortly before Christmas``: the two weeks before it."""
    side = page.words[i + 1]
    inner = plain(page, i + 2, cued=True) if side in ("before", "after") else None
    if inner is None:
        return None
    start, end = inner.span
    span = Span(start - _SHORTLY, start) if side == "before" else Span(end, end + _SHORTLY)
    name = f"{page.words[i]} {side} {inner.name}"
    return replace(inner, span=span, grain="week", name=name, preposition="", turns=None)


_OPENERS: dict[str, Callable[[Page, int], Reading | None]] = {
    "in": ahead,
    "from": _from_to,
    "between": _from_to,
    **dict.fromkeys(("earlier", "later"), _within),
    **dict.fromkeys(("since", "before", "after", "until", "till", "by"), _side_of),
    **dict.fromkeys(("shortly", "just", "right", "soon"), _shortly),
}
_STARTS = frozenset(
    [
        *_OPENERS, *_SHARES, *NAMED, *DAY_WORDS, *SIDES, *NUMBERS, *UNITS,
        "the", "a", "an", "half", "couple", "few", "several", "first", "second",
        "recently", "lately", "weekend", "quarter",
    ]
)  # fmt: skip
"""No expression begins with another word, unless with a digit."""
