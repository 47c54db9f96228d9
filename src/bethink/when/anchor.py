"""Times that are told from an event: two weeks before the wedding, the day after my exam."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bethink.when.phrases import term
from bethink.when.words import UNITS, Amount, Page, amount, listed, tokens

_LENGTHS = {
    "minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1),
    "week": timedelta(days=7), "month": timedelta(days=30), "year": timedelta(days=365),
}  # fmt: skip
_WIDTHS = {"week": timedelta(days=3), "month": timedelta(days=15), "year": timedelta(days=182)}
_SHORTLY = timedelta(days=14)
_ANY_DAY = datetime(2000, 7, 1, tzinfo=UTC).replace(tzinfo=None)
_MOST_WORDS = 12
_PRONOUNS = listed("i we he she they it you there")
_ENDS = _PRONOUNS | listed("did was were is are what who where which how and but so")
_NO_EVENTS = listed("that this it then now those these which")


@dataclass(frozen=True, slots=True)
class Anchored:
    """A time told from an event whose date is to be found elsewhere."""

    earliest: timedelta
    """From the event; what lies before it is negative."""
    latest: timedelta
    event: str
    """The words for the event as they stand."""

    @property
    def offset(self) -> timedelta:
        """The middle of the two, which is what the words say."""
        return (self.earliest + self.latest) / 2


def anchored(text: str) -> Anchored | None:
    """The first time in a text that is told from an event and says how far from it.

    A date is no event: two weeks before Christmas is a period, and None here. Two weeks before is
    as wide as a week, and the week before is all of it; shortly, or just, is within two weeks.
    """
    page = tokens(text, _ANY_DAY, "past", southern=False)
    for i, word in enumerate(page.words):
        if word in ("before", "after") and (bounds := _offset(page, i)):
            event = _event(page, i + 1, text)
            if event:
                sign = -1 if word == "before" else 1
                earliest, latest = sorted(sign * bound for bound in bounds)
                return Anchored(earliest, latest, event)
    return None


def _offset(page: Page, i: int) -> tuple[timedelta, timedelta] | None:
    """How near and how far, as the words before a token say."""
    word = page.words[i - 1]
    if word in ("shortly", "just", "right", "soon", "immediately"):
        return timedelta(0), _SHORTLY
    unit, each = UNITS.get(word, ("", 0))
    many = _amount_before(page, i - 1) if unit else None
    if many is None:
        return None
    length, wide = each * _LENGTHS[unit], _WIDTHS.get(unit, timedelta(0))
    if page.words[i - 2] == "the" and wide:  # the week before is all of it
        return timedelta(0), length
    return length * many.low - wide, length * many.high + wide


def _amount_before(page: Page, i: int) -> Amount | None:
    """The count whose unit is at a token; the week is one."""
    if page.words[i - 1] in ("the", "that"):
        return Amount(1, 1, 1)
    for start in range(max(0, i - 3), i):
        found = amount(page, start)
        if found and found[1] == i:
            return found[0]
    return None


def _event(page: Page, i: int, text: str) -> str:
    """The words of the event: to the end of the clause. Nothing if they are a date."""
    first = page.words[i]
    if first in _NO_EVENTS or _is_date(page, i):
        return ""
    clause = first in _PRONOUNS
    end = i
    for word in page.words[i : i + _MOST_WORDS]:
        letters = word[:1].isalnum() or word in ("'s", "’s", "-", "'", "’", "&")
        if not letters or (not clause and end > i and word in _ENDS):
            break
        end += 1
    return text[page.bounds[i][0] : page.bounds[end - 1][1]] if end > i else ""


def _is_date(page: Page, i: int) -> bool:
    try:
        return term(page, i, cued=True) is not None
    except (ValueError, OverflowError):
        return False
