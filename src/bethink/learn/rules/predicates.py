"""What is said of a subject, taken apart: its auxiliary verbs, its verb, and the rest."""

import re
from dataclasses import dataclass
from typing import Final

ADVERBS: Final = frozenset(
    """
    also always still really just now currently actually only usually often finally recently both
    all mostly generally normally sometimes even already so rarely seldom occasionally regularly
    originally officially too either soon then once later first ever much quite rather pretty very
    kind sort kinda sorta myself ourselves long almost nearly newly lately super absolutely gladly
    """.split()  # noqa: SIM905 (to be read, not parsed)
)
_NOT_ADVERBS = frozenset(
    ["apply", "reply", "supply", "rely", "fly", "multiply", "comply", "family"]
)
_AUXILIARIES = frozenset(
    """
    am are is was were have has had been be will would can cannot could do does did not never
    """.split()  # noqa: SIM905
)
_SAME = {"are": "am", "were": "was", "is": "am", "has": "have", "does": "do"}


def is_adverb(word: str) -> bool:
    low = word.lower()
    return low in ADVERBS or (low.endswith("ly") and len(low) > 4 and low not in _NOT_ADVERBS)


@dataclass(frozen=True, slots=True)
class Predicate:
    helpers: str
    """The auxiliaries in the first person: "am", "have been", "do not", or none."""
    verb: str
    rest: str
    whole: str
    """The verb and the rest, as they were said."""
    adverbs: frozenset[str]
    timed: bool = False
    """Whether the clause says when."""

    @property
    def negative(self) -> bool:
        return "not" in self.helpers or "never" in self.helpers or self.helpers == "cannot"


def predicate(text: str, *, timed: bool = False) -> Predicate:
    """Takes apart what follows a subject; adverbs around the verb are set aside."""
    words = text.split()
    helpers: list[str] = []
    adverbs: set[str] = set()
    at = 0
    while at < len(words):
        word = words[at].lower().strip(",")
        if word in _AUXILIARIES and not _is_verb(word, helpers, words[at + 1 : at + 2]):
            helpers.append(_SAME.get(word, word))
        elif word == "no" and words[at + 1 : at + 2] == ["longer"]:
            adverbs.add("no longer")
            at += 1
        elif is_adverb(word):
            adverbs.add(word)
        else:
            break
        at += 1
    whole = " ".join(words[at:])
    verb, _, rest = whole.partition(" ")
    verb = re.sub(r"[^\w'-]", "", verb.lower())
    return Predicate(" ".join(helpers), verb, rest, whole, frozenset(adverbs), timed)


def _is_verb(word: str, helpers: list[str], after: list[str]) -> bool:
    """Whether "do" is what someone does: "I do yoga", not "I do not"."""
    if word in ("have", "has", "had"):
        return bool(helpers) and helpers != ["never"]
    return word in ("do", "does", "did") and (bool(helpers) or after not in (["not"], ["never"]))
