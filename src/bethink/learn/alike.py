"""Whether two statements say the same, or opposite things. By their words; pure."""

import re

from bethink.learn.repeats import words_of
from bethink.text import query_terms

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|without|cannot|neither|nor|any ?more)\b|n['’]t\b",
    re.IGNORECASE,
)
_LIKES = re.compile(
    r"\b(?:lik|lov|enjoy|ador|prefer)(?:e|es|ed|s|red)?\b|\b(?:fond|fan)\b", re.IGNORECASE
)
_DISLIKES = re.compile(r"\b(?:dislik|hat|loath|detest|despis)(?:e|es|ed|s)?\b", re.IGNORECASE)
_ABOUT = frozenset(query_terms("user really absolutely quite very just also still now longer any"))


def alike(one: str, other: str) -> bool:
    """Whether two statements say the same in nearly the same words.

    Numbers, names, negations and who does what must be the same: two cats are not three, and a
    sister who works for a brother is not a brother who works for a sister.
    """
    return words_of(one) == words_of(other)


def opposed(one: str, other: str) -> bool:
    """Whether of the same thing one says that the user likes it, and the other that not."""
    if not (first := _feeling(one)) or _feeling(other) != -first:
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


def _negations(text: str) -> int:
    return len(_NEGATION.findall(text))
