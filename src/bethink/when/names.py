"""What comes again by name: weekdays, seasons, feasts and quarters."""

import re
from collections.abc import Callable

from bethink.when.dates import a_month, a_number, an_ordinal, of_year, with_part
from bethink.when.days import DAY, FEASTS, day, iso, month, week
from bethink.when.reading import Reading, Turns, Which, pick, take
from bethink.when.words import (
    MONTHS,
    SEASONS,
    SHY_WEEKDAYS,
    WEEKDAYS,
    WORDS_THAT_ARE_DAYS,
    Page,
    listed,
)

_FEASTS: dict[tuple[str, ...], str] = {
    tuple(name.lower().replace("'s", " 's").split()): name for name in FEASTS
} | {
    ("xmas",): "Christmas",
    ("christmastime",): "Christmas",
    ("new", "years", "eve"): "New Year's Eve",
    ("new", "years", "day"): "New Year's Day",
    ("new", "year", "'s"): "New Year's Day",
    ("valentines", "day"): "Valentine's Day",
    ("valentine", "'s"): "Valentine's Day",
    ("thanksgiving", "day"): "Thanksgiving",
}
_OF_A_FEAST = listed(
    """
    tree trees dinner lunch present presents gift gifts card cards party parties movie movies film
    films egg eggs bunny market markets cake cakes song songs music carol carols cookies
    decorations lights costume costumes turkey resolution resolutions pudding sweater jumper
    """
)


def a_weekday(
    page: Page, i: int, *, cued: bool = False, which: Which | None = None
) -> Reading | None:
    """``Friday``, ``Friday evening``, ``Friday of last week``, ``Friday, 3 May``."""
    word, number = page.words[i], WEEKDAYS[page.words[i]]
    if (word in WORDS_THAT_ARE_DAYS and not page.capital(i)) or (
        not cued and which is None and _habitual(page, i)
    ):
        return None
    shy = word in SHY_WEEKDAYS
    monday = week(page.now).start
    turns = Turns(
        lambda turn: day(monday + (7 * turn + number) * DAY),
        lambda turn: iso(monday + (7 * turn + number) * DAY),
        "day",
        "on",
        weekly=True,
    )
    if which is None and (dated := _dated(page, i + 1)):
        return dated
    then = i + 1 + (page.words[i + 1] == "of")
    side = page.words[then]
    if side in ("last", "this", "next") and page.words[then + 1] == "week":
        return with_part(page, take(turns, ("last", "this", "next").index(side) - 1, then + 2))
    if shy and which is None and not (cued or page.cued(i)):
        return None
    picked = pick(page, turns, i + 1, which)
    return with_part(page, picked) if picked else None


def _dated(page: Page, i: int) -> Reading | None:
    """The date behind a weekday, which says all that it says: ``Friday, 3 May``."""
    i += page.words[i] == ","
    if page.words[i] in MONTHS:
        dated = a_month(page, i)
    elif page.words[i] == "the":
        dated = an_ordinal(page, i + 1, cued=True)
    else:
        dated = a_number(page, i) if page.words[i][:1].isdigit() else None
    return dated if dated and dated.grain in ("day", "hours") else None


def _habitual(page: Page, i: int) -> bool:
    """Whether it is every such day, or one of which only the story knows: Monday to Friday."""
    to = ("to", "-", "–", "through")
    before, behind = page.words[i - 1], page.words[i + 1]
    return (
        before in ("every", "each", "other", "the", "a", "one", "that", "some", "any")
        or (behind in to and page.words[i + 2] in WEEKDAYS)
        or (before in to and page.words[i - 2] in WEEKDAYS)
    )


def a_season(
    page: Page, i: int, *, cued: bool = False, which: Which | None = None
) -> Reading | None:
    """``spring 2023``, ``in the fall``, ``winter 2025/26``; a winter is named by its beginning."""
    word = page.words[i]
    first = (SEASONS[word] + 5) % 12 + 1 if page.southern else SEASONS[word]

    def name(of: int) -> str:
        return f"{word} {of:04}/{(of + 1) % 100:02}" if first == 12 else f"{word} {of:04}"

    turns = Turns(lambda of: month(of, first, 3), name, "season", "in")
    then = i + 1 + (page.words[i + 1] == "of")
    found = re.fullmatch(r"([0-9]{4})[-–/]([0-9]{2}|[0-9]{4})", page.words[then])
    if found and int(found[2]) % 100 == (int(found[1]) + 1) % 100:
        return take(turns, int(found[1]), then + 1, fixed=True)
    return of_year(page, turns, i + 1, which, bare=which is not None or _in_season(page, i, cued))


def _in_season(page: Page, i: int, cued: bool) -> bool:  # noqa: FBT001 (asked of one place)
    """Whether a season is meant, and not the fall of Rome or a spring that is wound."""
    return (cued or page.cued(i)) and page.words[i + 1] != "of"


def a_feast(
    page: Page, i: int, *, cued: bool = False, which: Which | None = None
) -> Reading | None:
    """``Christmas``, ``Easter 2023``, ``New Year's Eve``."""
    words = tuple(word.replace("’", "'") for word in page.words[i : i + 4])
    size = next((size for size in (4, 3, 2, 1) if words[:size] in _FEASTS), 0)
    if not size or page.words[i + size] in _OF_A_FEAST:
        return None
    if words[:size] == ("new", "year") and not page.capital(i):
        return None
    name = _FEASTS[words[:size]]
    preposition = "on" if name.endswith(("Day", "Eve", "day")) else "at"
    turns = Turns(FEASTS[name], lambda of: f"{name} {of:04}", "day", preposition)
    bare = which is not None or cued or page.cued(i) or (size > 1 and name != "New Year")
    return of_year(page, turns, i + size, which, bare=bare)


def a_quarter(
    page: Page, i: int, *, cued: bool = False, which: Which | None = None
) -> Reading | None:
    """``Q3 2026``; in the quarter of the year that is meant where none is said."""
    number = int(page.words[i][1])
    turns = Turns(
        lambda of: month(of, 3 * number - 2, 3), lambda of: f"Q{number} {of:04}", "quarter", "in"
    )
    bare = which is not None or cued or page.cued(i)
    return of_year(page, turns, i + 1, which, bare=bare)


NAMED: dict[str, Callable[..., Reading | None]] = (
    dict.fromkeys(MONTHS, a_month)
    | dict.fromkeys(WEEKDAYS, a_weekday)
    | dict.fromkeys(SEASONS, a_season)
    | {name[0]: a_feast for name in _FEASTS}
    | dict.fromkeys(("q1", "q2", "q3", "q4"), a_quarter)
)
"""By their first word, the things that come again and can be the last or the next."""
