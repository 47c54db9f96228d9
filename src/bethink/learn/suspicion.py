"""Whether a text from outside reads like instructions to a model, and why.

A web page, a document or a tool's answer is data. One that addresses whoever reads it as a model,
and tells it what to do, is up to something. What is looked for are such addresses, in several
languages and through the usual disguises; a text that merely mentions rules, systems or ignoring
is left alone. It is a sieve, not a wall: see docs/trust.md for what is not promised.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import TypeAlias

from bethink.learn.disguise import decoded, readings, spelt, visible

Pattern: TypeAlias = tuple[re.Pattern[str], str]
"""What is looked for, and what it means if it is there."""

_NAME = re.compile(r"\{([A-Z_]+)\}")
_LONGEST = 100_000  # characters that are looked at, which is all that a memory can have

_OVERRIDES = "It tells its reader to ignore earlier instructions."
_CODED = "It hides instructions in a code."
_HIDDEN = "It has invisible characters that can hide words."

_SPELT = (
    r"(?:ignore|disregard|forget|override)(?:all|any|the|your|my|of|these|every|thing|and)*(?:previous|"
    r"prior|above|earlier|preceding|system|instructions?|rules?|prompts?)|systemprompt|"
    r"youarenow|donottelltheuser|developermode|revealyour|jailbreak"
)

_FOR_SPELT = re.compile(_SPELT)
_TAGS = re.compile("(?<!\U0001f3f4)[\U000e0020-\U000e007e]{2}")
_BLACK_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,8}\U000e007f")
_UPSIDE_DOWN = re.compile("[\u202d\u202e]")
_SMUGGLED = re.compile(
    "[\u200b-\u200f\u2060-\u2064\ufeff]{8}|[\ufe00-\ufe0f]{3}|[\U000e0100-\U000e01ef]{3}"
)


def suspicious(text: str) -> str | None:
    """Why a text from outside reads like instructions to a model, in a sentence; None if not."""
    return next(_reasons(text[:_LONGEST]), None)


def _reasons(text: str) -> Iterator[str]:
    if hides_words(text):
        yield _HIDDEN
    seen = visible(text)
    yield from _said(seen)
    if any(next(_said(visible(inside)), None) for inside in decoded(seen)):
        yield _CODED


def hides_words(text: str) -> bool:
    """Whether characters that nobody sees are more than the odd joiner or mark of direction."""
    return bool(
        _TAGS.search(_BLACK_FLAG.sub("", text))
        or _UPSIDE_DOWN.search(text)
        or _SMUGGLED.search(text)
    )


def _said(text: str) -> Iterator[str]:
    turns, phrases = _patterns()
    lower = text.casefold()
    yield from (why for pattern, why in turns if pattern.search(lower))
    for reading in readings(text):
        yield from (why for pattern, why in phrases if pattern.search(reading))
    if any(_FOR_SPELT.search(word) for word in spelt(text)):
        yield _OVERRIDES


@cache
def _patterns() -> tuple[list[Pattern], list[Pattern]]:
    """What turns and phrases look like, each with the reason that it gives."""
    names: dict[str, str] = {}
    turns: list[Pattern] = []
    phrases: list[Pattern] = []
    why = ""
    listed = resources.files(__package__).joinpath("suspicion.txt").read_text("utf-8")
    for line in listed.splitlines():
        name, equals, meaning = line.partition(" = ")
        if line.startswith("== "):
            why = line.removeprefix("== ")
        elif not why and equals:
            names[name] = meaning
        elif line and why:
            pattern = _NAME.sub(lambda match: names[match[1]], line)
            some = turns if pattern.startswith("^ ") else phrases
            some.append((re.compile(pattern.removeprefix("^ "), re.MULTILINE), why))
    return turns, phrases
