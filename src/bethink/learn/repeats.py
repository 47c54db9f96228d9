"""Which memories say the same thing in almost the same words. All of this is pure.

Numbers, negations, names, tenses and the order of words all make a difference; articles, strength
("really"), punctuation and whether the user is named do not.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from bethink.types import MemoryItem

Key: TypeAlias = tuple[object, ...]
"""What memories that may be merged have in common."""

_TOKEN = re.compile(r"[+-]?\d+(?:[.,:/-]\d+)*|[^\W\d_][^\W_]*(?:['-][^\W_]+)*|[^\w\s]|_")
_PUNCTUATION = frozenset(".,;:!…\"'“”„‘’()–—。、")
_LIGHT = frozenset(
    "a an the is are am really very quite also truly definitely actually".split()  # noqa: SIM905
)
_SUBJECT = frozenset({"user", "i"})
_NOT = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"}
_VERBS = {"has": "have", "does": "do", "goes": "go"}


def key_of(item: MemoryItem) -> Key:
    """The same for two memories that may be merged."""
    return (
        words_of(item.content),
        item.agent_id,
        item.speaker,
        item.origin,
        item.valid_from,
        item.valid_to,
        item.expires_at,
    )


def words_of(text: str) -> tuple[str, ...]:
    """The words and signs of a text that make a difference, in their order.

    The first word may be the verb of "I like tea" and "likes tea" alike. Others keep their case,
    which tells names from words.
    """
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    found = [word for word in _expanded(plain) if word.casefold() not in _LIGHT]
    if len(found) > 1 and found[0].casefold() in _SUBJECT:
        found = found[1:]
    return (_verb(found[0].casefold()), *found[1:]) if found else (text,)


def _expanded(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        lower = token.casefold()
        if token in _PUNCTUATION:
            continue
        if lower in _NOT:
            yield from _NOT[lower].split()
        elif lower.endswith("n't"):
            yield from (lower[:-3], "not")
        elif lower == "i'm":
            yield "i"
        else:
            yield token


def _verb(word: str) -> str:
    """A verb without the s of "likes"."""
    if word in _VERBS:
        return _VERBS[word]
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
    return word


def groups(items: Sequence[MemoryItem]) -> list[list[MemoryItem]]:
    """Those that may be merged by what they say, several together each time, the best first."""
    found: dict[Key, list[MemoryItem]] = {}
    for item in items:
        if not item.flagged and not item.data:
            found.setdefault(key_of(item), []).append(item)
    return [sorted(some, key=_preference) for some in found.values() if len(some) > 1]


def _preference(item: MemoryItem) -> tuple[object, ...]:
    """First what is pinned, then what says most: more about it, not in the first person, more
    words, the latest.
    """
    said = (item.updated_at or item.created_at).timestamp()
    return (
        not item.pinned,
        -len(item.metadata),
        item.content.casefold().startswith(("i ", "i'", "i’")),
        -len(item.content.split()),
        -said,
        item.id,
    )
