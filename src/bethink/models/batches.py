"""Texts in as few requests as a provider's limits allow, and in parts that fit a window."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bethink.errors import UsageError
from bethink.models.local import Word, spans

_BYTES = 3
"""How many bytes make a token, to be on the safe side. English has four and more; the provider's
own tokenizer would be a download. If it is wrong, the request is refused and sent in halves."""
_WORD = re.compile(r"\S{1,99}\s{0,99}|\s{1,99}")
_LONGEST_CHARACTER = 4
"""How many bytes a character has, at most."""
_OVERLAP = 32
LEAST_WINDOW = 8
"""A window of fewer tokens has no room for words."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may hold: so many texts, so many tokens, so many of them in one text."""

    texts: int
    tokens: int
    window: int

    def __post_init__(self) -> None:
        if min(self.texts, self.tokens) < 1:
            raise UsageError(f"{self} leaves no room for a text.")
        check_window(self.window)


def check_window(window: int) -> None:
    if window < LEAST_WINDOW:
        raise UsageError(f"window is {window}: give {LEAST_WINDOW} tokens or more.")


def tokens_in(text: str) -> int:
    """About how many tokens a text has; more often too many than too few."""
    return len(text.encode("utf-8", "replace")) // _BYTES + 1


def batches(texts: Sequence[str], limits: Limits, *, beside: int = 0) -> Iterator[range]:
    """Positions of texts that go in one request, in order. Each has so many tokens beside it."""
    first, tokens = 0, 0
    for at, text in enumerate(texts):
        size = tokens_in(text) + beside
        if at > first and (at - first == limits.texts or tokens + size > limits.tokens):
            yield range(first, at)
            first, tokens = at, 0
        tokens += size
    if first < len(texts):
        yield range(first, len(texts))


def split(text: str, window: int) -> list[str]:
    """A text in overlapping parts of at most so many tokens, cut between words."""
    check_window(window)
    if tokens_in(text) <= window:
        return [text]
    words = list(_words(text, window // 4))
    overlap = min(_OVERLAP, window // 8)
    return [text[a:b] for a, b in spans(words, len(text), room=window, overlap=overlap)]


def _words(text: str, most: int) -> Iterator[Word]:
    """Words, and pieces of those that would have more tokens than that."""
    piece = max(1, (most - 1) * _BYTES // _LONGEST_CHARACTER)
    for found in _WORD.finditer(text):
        step = piece if tokens_in(found[0]) > most else len(found[0])
        for start in range(found.start(), found.end(), step):
            yield Word(start, tokens_in(text[start : min(start + step, found.end())]))
