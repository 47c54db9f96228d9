"""From the first person to the third, so that a statement stands on its own."""

import re
from typing import Final

from bethink.learn.rules.predicates import is_adverb
from bethink.learn.rules.words import compiled

LONGEST = 200
"""Characters in a statement."""

PAST: Final = frozenset(
    """
    ate beat became began bit bought bred broke brought built came caught chose did drank dreamt
    drew drove fed fell felt flew forgot fought found gave got grew had heard held hid hurt kept
    knew laid lay learnt led left lent lit lost made meant met paid quit ran rang rode rose said
    sang
    sat saw sent shot slept sold spelt spent spoke stood stuck swam swore taught thought threw told
    took tore understood was went were woke won wore wrote sank strove froze stole hung
    """.split()  # noqa: SIM905 (to be read, not parsed)
)
_FIXED = frozenset(
    """
    will would can cannot could should must may might shall used has is does to not never
    """.split()  # noqa: SIM905
)
VERBS: Final = frozenset(
    """
    bake bike brew build buy call carry climb code coach collect commute cook cycle dance do draw
    drink drive earn eat enjoy exercise farm fish fly garden get give go grow hate have help hike
    hunt join jog keep knit know learn like listen live love make manage meditate meet need own
    paint phone plan play practise practice pray prefer program read rent ride run sail sell sew
    sing skate ski sleep speak spend split start stay stretch study surf swim take talk teach train
    travel try use visit volunteer wake walk want watch wear work write handle prepare organise
    organize attend lift share lead host record produce edit teach tend hold switch
    """.split()  # noqa: SIM905
)
_SPOKEN = compiled(r"\b(?P<who>I|we)(?P<words>(?: (?!I\b|we\b)[\w'-]+){1,5})")
_ALSO = compiled(
    r"\band(?P<adverb> (?:then|now|usually|also|always|sometimes|often|never))?"
    r" (?P<verb>\w+)\b"
)
_FILLER = compiled(
    r"(?<=[a-z] )(?:actually|just|really|definitely|literally|basically|totally|honestly"
    r"|absolutely"
    r"|truly|simply) (?=\w)|(?<=the user )(?:both|all) "
)
_BOUND = compiled(
    r"\b(?:to|will|would|can|cannot|could|must|am|are|was|were|been|\w+ed|did|had|having)\b"
)
_PRONOUN = compiled(r"\b(?P<word>I|we|me|us|my|our|mine|ours|myself|ourselves)\b(?!\.)")
_LATER = {
    "i": "they", "we": "they", "me": "them", "us": "them", "my": "their", "our": "their",
    "mine": "theirs", "ours": "theirs", "myself": "themselves", "ourselves": "themselves",
}  # fmt: skip
_FULL = {
    "i": "the user", "we": "the user", "me": "the user", "us": "the user", "my": "the user's",
    "our": "the user's", "mine": "the user's", "ours": "the user's", "myself": "the user",
    "ourselves": "the user",
}  # fmt: skip


def third(clause: str) -> str:
    """The clause as a statement about the user: "I live with my mum" is theirs to tell."""
    first = _PRONOUN.search(clause)
    own = bool(first and first["word"].lower() in ("i", "we"))
    start = first.start() if first else 0
    conjugated = _SPOKEN.sub(
        lambda found: _conjugated(found, own and found.start() > start), clause
    )
    if own and not _BOUND.search(_head(clause)):
        conjugated = _ALSO.sub(_continued, conjugated)
    written = _FILLER.sub("", _replaced(conjugated, own=own))
    written = " ".join(written.split()).strip(" ,;:")
    return written[:1].upper() + written[1:] + "." if written else ""


def singular(verb: str) -> str:
    """What he, she or it does."""
    low = verb.lower()
    irregular = {"have": "has", "do": "does", "am": "is", "are": "is", "go": "goes", "be": "is"}
    if low in irregular:
        return irregular[low]
    if low in PAST or low in _FIXED or low.endswith(("ed", "ing")):
        return "was" if low == "were" else verb
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if low.endswith("y") and low[-2:-1] not in "aeiou" else f"{verb}s"


def is_past(verb: str) -> bool:
    return verb.lower() in PAST or (verb.lower().endswith("ed") and verb.lower() != "need")


def _conjugated(found: re.Match[str], plural: bool) -> str:  # noqa: FBT001 (of a pattern's match)
    words = found["words"].split()
    after = 2 if [word.lower() for word in words[:2]] == ["no", "longer"] else 0
    at = next((at for at, word in enumerate(words) if at >= after and not _precedes(word)), None)
    if at is None or words[0].lower() in (
        "and",
        "or",
    ):  # "I and my sister", where the verb is plural
        return found[0]
    verb = words[at]
    if verb == "read" and not {"recently", "just", "already"}.isdisjoint(words[:at]):
        return found[0]  # of the past
    words[at] = {"am": "are", "was": "were"}.get(verb.lower(), verb) if plural else singular(verb)
    return f"{found['who']} {' '.join(words)}"


def _precedes(word: str) -> bool:
    return word.lower() == "never" or is_adverb(word)


def _continued(found: re.Match[str]) -> str:
    verb = found["verb"]
    return f"and{found['adverb'] or ''} {singular(verb) if verb in VERBS else verb}"


def _head(clause: str) -> str:
    """The words up to the first "and"."""
    return clause.partition(" and ")[0]


def _replaced(clause: str, *, own: bool) -> str:
    seen = False

    def word(found: re.Match[str]) -> str:
        nonlocal seen
        said = found["word"].lower()
        if found["word"] == "US":
            return "US"
        table = _LATER if own and seen else _FULL
        seen = True
        return table[said]

    return _PRONOUN.sub(word, clause)
