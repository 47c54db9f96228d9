"""A text with its relative expressions written as dates."""

from datetime import datetime
from itertools import chain, takewhile

from bethink.when.periods import page_of, readings
from bethink.when.reading import Reading
from bethink.when.relative import DAY_WORDS, SIDES
from bethink.when.words import Page, Prefer, listed

_GOVERNING = listed(
    """
    of for to from than since until till by before after about around through throughout during
    over between and or like
    """
)
"""Prepositions that stay, and need no other behind them."""
_REPLACED = listed("in on at within exactly roughly approximately almost nearly")
_REPLACED_BY_FROM = _REPLACED | {"over", "during", "for", "throughout", "through"}
_BEGINNINGS = frozenset(["", ".", "!", "?", ",", ";", ":", "(", "that", "and", "but", "because"])
_VERBS = listed("is was were will has had would")
_HABITS = listed("birthday birthdays anniversary every each always usually annual annually yearly")
_NEAR = 20  # tokens
_MOST_PASSES = 4


def absolute(text: str, at: datetime, *, prefer: Prefer = "past", southern: bool = False) -> str:
    """The text with every relative expression as a date, so that it stays true when time passes.

    ``next Friday`` becomes ``on 2026-11-20``, ``last spring`` becomes ``in spring 2026``. What
    says its date to anyone is left as it is, and so is a text that tells no time, and what a
    sentence tells of every year, such as a birthday.
    """
    for _ in range(_MOST_PASSES):  # a date may stand beside words that it turns into another
        written = _once(text, at, prefer, southern=southern)
        if written == text:
            break
        text = written
    return text


def _once(text: str, at: datetime, prefer: Prefer, *, southern: bool) -> str:
    page = page_of(text, at, prefer, southern=southern)
    if page is None:
        return text
    pieces, end = [], 0
    for i, reading, _ in readings(page, text, at):
        if not reading.fixed and not _habitual(page, i, reading):
            first, last, written = _written(page, i, reading)
            pieces += [text[end : max(first, end)], written]
            end = last
    return "".join([*pieces, text[end:]])


def _habitual(page: Page, i: int, reading: Reading) -> bool:
    """Whether it comes again and the sentence is about that: a birthday is on 12 July."""
    if reading.turns is None or page.words[i] in SIDES:
        return False
    before = page.words[max(0, i - _NEAR) : i]
    behind = page.words[reading.stop : reading.stop + _NEAR]
    sentence = chain(takewhile(_goes_on, reversed(before)), takewhile(_goes_on, behind))
    return not _HABITS.isdisjoint(sentence)


def _goes_on(word: str) -> bool:
    return word not in ("", ".", "!", "?", ";")


def _written(page: Page, i: int, reading: Reading) -> tuple[int, int, str]:
    """Where to put which words."""
    before, behind = page.words[i - 1], page.words[reading.stop]
    first, last = page.bounds[i][0], page.bounds[reading.stop - 1][1]
    written = f"{reading.preposition} {reading.name}".strip()
    replaced = _REPLACED_BY_FROM if reading.preposition == "from" else _REPLACED
    if behind in ("'s", "’s") and reading.preposition:
        written = "the " + reading.name.removeprefix("the ")
        last = page.bounds[reading.stop][1]
    elif before in replaced and page.words[i] not in DAY_WORDS and reading.preposition:
        i -= 1
        first = page.bounds[i][0]
    elif before in _GOVERNING or (before in _BEGINNINGS and behind in _VERBS):
        written = reading.name
    if page.capital(i) and page.words[i - 1] in ("", ".", "!", "?", ":"):
        written = written[:1].upper() + written[1:]
    return first, last, written
