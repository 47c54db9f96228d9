"""The words that tell time, and a text as the tokens in which they are found."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

Prefer: TypeAlias = Literal["past", "future"]


def listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FULL_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_FULL_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

MONTHS = {name: n for n, name in enumerate(_FULL_MONTHS, 1)} | {
    name[:3]: n for n, name in enumerate(_FULL_MONTHS, 1)
}
MONTHS["sept"] = 9
SHY_MONTHS = set(MONTHS) - set(_FULL_MONTHS) | {"march", "april", "may", "june", "august"}
"""These are verbs, names of people or abbreviations: on their own they do not tell the time."""

WEEKDAYS = {name: n for n, name in enumerate(_FULL_DAYS)} | {
    name[:3]: n for n, name in enumerate(_FULL_DAYS)
}
WEEKDAYS |= {"tues": 1, "thur": 3, "thurs": 3}
SHY_WEEKDAYS = set(WEEKDAYS) - set(_FULL_DAYS)
WORDS_THAT_ARE_DAYS = {"mon", "sat", "sun", "wed"}  # and words: only with a capital

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
UNITS = {
    "minute": ("minute", 1), "hour": ("hour", 1), "day": ("day", 1), "night": ("day", 1),
    "week": ("week", 1), "fortnight": ("week", 2), "month": ("month", 1), "year": ("year", 1),
    "decade": ("year", 10),
}  # fmt: skip
UNITS |= {f"{name}s": unit for name, unit in UNITS.items()}
PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}

_ONES = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}
NUMBERS = {word: n for n, word in enumerate(_ONES, 1)} | TENS
_RANKS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
ORDINALS = {word: n for n, word in enumerate(_RANKS, 1)}
DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50,
    "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90,
}  # fmt: skip

CUES = listed(
    """
    in on at since before after until till by during over around from of for through
    throughout between early mid late
    """
)
"""A word that may be no time at all, such as May, is one after these."""
OWNERS = listed("my your his her its our their 's ’s every each")
"""My last week at school and every Friday are no days that a calendar knows."""

_COUNTED = re.compile(r"(?:people|men|women|children|percent|k[gm]|times)|[^\W\d]{3,}s")
_NOT_COUNTED = listed("""
    this was has his its does goes always perhaps besides onwards afterwards sometimes
    """)

_TOKEN = re.compile(r"[0-9]\w*(?:[-–/.,:][0-9]\w*)*|[^\W\d]\w*|['’]s\b|[^\w\s]")
_DIGIT = re.compile("[0-9]")
_AHEAD = [""] * 8


class Amount(NamedTuple):
    """How many: a few are three, and may be two or five."""

    low: int
    middle: int
    high: int


_VAGUE = {"couple": Amount(1, 2, 3), "few": Amount(2, 3, 5), "several": Amount(3, 5, 8)}


@dataclass(frozen=True, slots=True)
class Page:
    """A text as tokens, and the moment and the habits with which it is read.

    Behind the last token stand empty ones, so that a reader may look ahead (and, from the first,
    back) without asking whether there is anything.
    """

    words: list[str]
    """Lower-cased."""
    spelt: list[str]
    bounds: list[tuple[int, int]]
    now: datetime
    """As clocks and calendars show it there: without a zone."""
    prefer: Prefer
    southern: bool

    def capital(self, i: int) -> bool:
        return self.spelt[i][:1].isupper()

    def cued(self, i: int) -> bool:
        """Whether the words before say that a time follows."""
        before = self.words[i - 1]
        return (self.words[i - 2] if before == "the" else before) in CUES

    def counted(self, i: int) -> bool:
        """Whether these are things of which the number before is the count."""
        word = self.spelt[i]
        if word in ("€", "£", "$", "%", "°"):
            return True
        return bool(_COUNTED.fullmatch(word)) and word not in _NOT_COUNTED


def open_page(text: str, now: datetime, prefer: Prefer, *, southern: bool) -> Page | None:
    """The text as tokens; None, quickly, for one that tells no time."""
    found = _TOKEN.findall(text.lower())
    if TELLING.isdisjoint(found) and not any(map(_DIGIT.match, found)):
        return None
    return tokens(text, now, prefer, southern=southern)


def tokens(text: str, now: datetime, prefer: Prefer, *, southern: bool) -> Page:
    bounds = [token.span() for token in _TOKEN.finditer(text)]
    spelt = [text[first:last] for first, last in bounds]
    return Page(
        [token.lower() for token in spelt] + _AHEAD,
        spelt + _AHEAD,
        bounds,
        now,
        prefer,
        southern,
    )


def amount(page: Page, i: int) -> tuple[Amount, int] | None:
    """A count of units at a token, and the token behind it."""
    words = page.words
    if words[i - 1] == "half":
        return None
    if words[i] in ("a", "an") and words[i + 1] not in ("couple", "few"):
        return Amount(1, 1, 1), i + 1
    i += words[i] == "a"
    if words[i] in _VAGUE:
        return _VAGUE[words[i]], i + (2 if words[i + 1] == "of" else 1)
    if words[i] in TENS and words[i + 1] == "-" and NUMBERS.get(words[i + 2], 99) < 10:
        number, i = TENS[words[i]] + NUMBERS[words[i + 2]], i + 2
    elif words[i].isascii() and words[i].isdigit() and len(words[i]) < 5:
        number = int(words[i])
    else:
        number = NUMBERS.get(words[i], 0)
    return (Amount(number, number, number), i + 1) if number else None


TELLING = frozenset(
    [
        *MONTHS, *WEEKDAYS, *SEASONS, *UNITS, *PARTS_OF_DAY, *DECADES,
        "today", "yesterday", "tomorrow", "tonight", "weekend", "quarter", "recently", "lately",
        "christmas", "xmas", "easter", "thanksgiving", "halloween", "valentine", "valentines",
        "boxing", "q1", "q2", "q3", "q4",
    ]
)  # fmt: skip
"""Without one of these, or a digit, a text tells no time."""
