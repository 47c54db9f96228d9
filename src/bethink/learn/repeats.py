"""Which texts say the same thing in almost the same words. All of this is pure.

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
_LIGHT = frozenset({"a", "an", "the", "is", "are", "am", "also"})
_STRONG = frozenset(
    "really very quite truly definitely actually absolutely".split()  # noqa: SIM905
)
_SUBJECT = frozenset({"user", "i"})
_NEGATIONS = frozenset({"not", "never", "hardly"})
_NOT = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"}
_VERBS = {"has": "have", "does": "do", "goes": "go"}
_OPENINGS = frozenset(
    """
    have do go be was were been had did can could would should must might never always often
    usually sometimes currently not no still now once used
    like love enjoy adore prefer hate dislike detest loathe despise want need hope wish plan intend
    live stay move work study learn teach speak know think believe feel say mean ask tell
    eat drink cook bake smoke take wear own keep get give make use buy sell pay save spend owe rate
    play watch read write sing dance paint draw travel visit drive ride run walk swim hike cycle
    sleep wake start begin finish stop quit leave try meet see hear call talk look find collect
    build lead manage help support follow belong come grow suffer struggle recover practise
    practice train attend celebrate remember forget avoid require expect worry care
    allergic vegan vegetarian married single divorced retired born fond afraid
    went came left met saw got gave made took bought sold ate drank drove rode read wrote
    spoke knew thought felt told kept grew began became lost broke built taught
    """.split()  # noqa: SIM905
)
"""Words that statements about a user begin with, which are nobody's name."""


def key_of(item: MemoryItem) -> Key:
    """The same for two memories that may be merged."""
    return (
        words_of(item.content),
        item.agent_id,
        item.session_id,
        item.speaker,
        item.origin,
        item.valid_from,
        item.valid_to,
        item.expires_at,
    )


def words_of(text: str) -> tuple[str, ...]:
    """The words and signs of a text that make a difference, in their order.

    The first word may be the verb of "I like tea" and "likes tea" alike. All others keep their
    case, which tells names from words.
    """
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    found = list(_weighty(_expanded(plain)))
    named = len(found) > 1 and found[0].casefold() in _SUBJECT
    if named:
        found = found[1:]
    return (_opening(found[0], verb=named), *found[1:]) if found else (text,)


def same_words(text: str) -> tuple[str, ...]:
    """The same for texts that differ in no word, however those are written: "TEA" is "tea"."""
    return words_of(text.casefold())


def _weighty(found: Iterator[str]) -> Iterator[str]:
    """All but the light words. "The" of The Who is not light, nor is "really" after "not"."""
    last = ""
    for place, word in enumerate(found):
        lower = word.casefold()
        inside_a_name = place > 0 and word != lower
        weakens = lower in _STRONG and last in _NEGATIONS
        if lower not in _LIGHT | _STRONG or inside_a_name or weakens:
            yield word
            last = lower


def _opening(word: str, *, verb: bool) -> str:
    """The first word of a statement, in its plain form if it is a verb; else it may be a name."""
    plain = _verb(word.casefold())
    past = {plain[:-1], plain[:-2]} if plain.endswith("ed") else set()
    known = not _OPENINGS.isdisjoint({plain} | past)
    return plain if known or (verb and word.islower()) else word


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
