"""Whether two statements say the same, or opposite things. By their words; pure."""

import re
from collections import Counter

from bethink.text import query_terms

_ALIKE = 0.8
"""The least share of words in common."""
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|without|cannot|neither|nor|any ?more)\b|n['’]t\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_LIKES = re.compile(
    r"\b(?:lik|lov|enjoy|ador|prefer)(?:e|es|ed|s|red)?\b|\b(?:fond|fan)\b", re.IGNORECASE
)
_DISLIKES = re.compile(r"\b(?:dislik|hat|loath|detest|despis)(?:e|es|ed|s)?\b", re.IGNORECASE)
_ABOUT = frozenset(query_terms("user really absolutely quite very just also still now longer any"))


def alike(one: str, other: str) -> bool:
    """Whether two statements say the same in nearly the same words.

    Numbers, names and negations must be the same: two cats are not three, and tea that someone
    does not like is not tea that someone likes.
    """
    if _numbers(one) != _numbers(other) or _negations(one) != _negations(other):
        return False
    if _feeling(one) != _feeling(other) or _names(one) != _names(other):
        return False
    first, second = set(query_terms(one)), set(query_terms(other))
    return len(first & second) >= _ALIKE * len(first | second)


def opposed(one: str, other: str) -> bool:
    """Whether of the same thing one says that the user likes it, and the other that not."""
    first, second = _feeling(one), _feeling(other)
    if not first or not second or first == second:
        return False
    about, also = _object(one), _object(other)
    return bool(about) and about == also


def _feeling(text: str) -> int:
    """1 for liking, -1 for disliking, 0 for neither."""
    liked = bool(_LIKES.search(text)) - bool(_DISLIKES.search(text))
    return -liked if _negations(text) % 2 else liked


def _object(text: str) -> frozenset[str]:
    """What it is about, without who and how."""
    for pattern in (_NEGATION, _LIKES, _DISLIKES):
        text = pattern.sub(" ", text)
    return frozenset(query_terms(text)) - _ABOUT


def _numbers(text: str) -> Counter[str]:
    return Counter(_NUMBER.findall(text))


def _negations(text: str) -> int:
    return len(_NEGATION.findall(text))


def _names(text: str) -> frozenset[str]:
    """Words with a capital inside a sentence."""
    return frozenset(word for word in text.split()[1:] if word[:1].isupper())
