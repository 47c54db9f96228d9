"""Opinions that do not begin with the user: "geography is the worst"."""

from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.words import NAME, compiled, listed

_VERDICT: Final = compiled(
    r"^(?!(?:it|this|that|these|those|they|he|she|you|there|which|what|everything|nothing"
    r"|here|your|the"
    r" (?:answer|result|idea|response))\b)(?P<what>[\w' -]{2,40}?) (?P<verdict>(?:slaps|rocks"
    r"|sucks?)(?= and|$)|(?:is|are) (?:my (?:idea of hell|jam|thing"
    r"|go-to|favou?rite|least favou?rite|pet peeve|guilty pleasure|happy place|passion"
    r"|kryptonite|nemesis)"
    r"|(?:(?:so|just|absolutely|utterly) )*(?:disgusting|gross|vile|overrated|revolting|foul)$"
    r"|not (?:for me|my (?:thing|cup of tea|jam|favou?rite))|the (?:worst|best) (?:\w+"
    r" )?(?:ever|in the world)|home (?:now|these days|for me))"
    r"|(?:drives?|makes?) me (?:up the wall|mad|crazy|insane|nuts|gag|sick|nauseous|anxious"
    r"|round the bend)"
    r"|gives? me (?:the creeps|anxiety|migraines|hives|heartburn|the ick)|tastes? like \w+ to"
    r" me)\b"
)


_BAD: Final = compiled(
    r"disgust|gross|vile|overrated|revolt|foul|suck|worst|hell|\bnot\b|least|peeve|wall|mad"
    r"|crazy|insane|nuts|gag|sick|creeps|anxi"
    r"|migraines|hives"
    r"|heartburn|tastes|nemesis|kryptonite|nause|bend|ick"
)


_HAPPIEST: Final = compiled(r"^nothing (?:makes me happier|relaxes me (?:more|like)) than \w")
_PLAIN_HOME: Final = compiled(rf"^{NAME} is home\b")


def of_taste(clause: str) -> Category | None:
    if _PLAIN_HOME.match(clause):
        return "home"
    if _HAPPIEST.match(clause):
        return "likes"
    found = _VERDICT.match(clause)
    if not found:
        return None
    return "dislikes" if _BAD.search(found["verdict"]) else "likes"


_OF_SELF: Final = compiled(r"\b(?:I|me|my|we|our|us|mine|ours)\b")
_JUDGES: Final = compiled(
    r"\b(?:slaps?|rocks?|sucks?|disgusting|gross|vile|overrated|revolting|foul|the (?:worst"
    r"|best))\b"
)


def owned_up(clause: str) -> str:
    """The clause; an opinion that does not say so is said to be the user's."""
    return (
        clause if _OF_SELF.search(clause) or not _JUDGES.search(clause) else f"I find that {clause}"
    )


_ALONE: Final = compiled(
    r"^(?:please |pls )?(?:no more )?(?P<what>[a-z-]{3,}(?: [a-z-]{3,}){0,2})[?.!]+$"
)
_NOTHING: Final = listed(
    "thanks thank okay yes yeah sure great nice cool right really what why how who when where same"
    " anyway seriously exactly nope sorry hello wow good perfect you"
)
_PRONOUN: Final = compiled(r"\b(?:them|it|'?em)\b")
_FELT: Final = compiled(
    r"\b(?:hate|love|can'?t stand|cannot stand|loathe|adore|detest|can'?t bear|not for me|never"
    r" again"
    r"|despise|absolutely not|no thanks)\b"
)


def named_alone(sentence: str) -> str:
    """What a sentence names and says nothing of."""
    found = _ALONE.match(sentence)
    if not found or found["what"].split()[0].lower() in _NOTHING:
        return ""
    return found["what"]


def judging(sentence: str, subject: str) -> str:
    """A sentence that judges what was named before it, with its name."""
    if not subject or not _FELT.search(sentence):
        return sentence
    if _PRONOUN.search(sentence):
        return _PRONOUN.sub(subject, sentence, count=1)
    return f"{subject} are not for me" if _NO.search(sentence) else sentence


_NO: Final = compiled(r"not for me|absolutely not|never again|no thanks")
