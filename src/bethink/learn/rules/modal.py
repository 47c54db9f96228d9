"""What someone can, would, will and does not do."""

import re
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.liked import LIKED
from bethink.learn.rules.predicates import Predicate
from bethink.learn.rules.simple import NO_VERBS
from bethink.learn.rules.third import is_past
from bethink.learn.rules.wishes import wish
from bethink.learn.rules.words import KIN, LANGUAGE, PET, listed


def will_be(what: str) -> Category | None:
    return (
        "dates"
        if re.match(r"(?:\d|thirty|forty|fifty|sixty|seventy|eighty)", what)
        else None
        if what.startswith(("able", "sure", "happy", "glad", "back", "using"))
        else "plans"
    )


def do_not(said: Predicate) -> Category | None:  # noqa: PLR0911 (one for each kind of verb)
    verb, rest = said.verb, said.rest
    if verb in ("like", "enjoy", "fancy", "love") or (verb == "care" and rest.startswith("for")):
        object_ = rest.removeprefix("for ")
        return None if not object_ or LIKED.match(object_) else "dislikes"
    if verb in ("have", "own"):
        return (
            "pets"
            if re.search(rf"\b{PET}\b", rest, re.IGNORECASE)
            else "family"
            if re.search(rf"\b{KIN}\b", rest, re.IGNORECASE)
            else "possessions"
            if re.match(
                r"(?:an?|any) (?:\w+ )?(?:car|phone|oven|tv|television|dishwasher|garden"
                r"|licen[cs]e"
                r"|smartphone|microwave|printer|passport|credit card|washing machine|freezer"
                r"|balcony"
                r"|computer|laptop|driving)\b",
                rest,
            )
            else None
        )
    if verb in (
        "eat",
        "drink",
        "smoke",
        "work",
        "drive",
        "speak",
        "play",
        "live",
        "wear",
        "use",
        "watch",
        "celebrate",
        "cook",
        "swim",
        "do",
        "sleep",
        "read",
        "travel",
        "shop",
        "date",
        "vote",
        "gamble",
        "tolerate",
    ):
        if not rest and verb not in ("drink", "smoke", "drive", "swim", "cook"):
            return None
        if re.match(r"(?:well|anything|much|enough|the (?:way|trick)|in this)\b", rest):
            return None
        return {
            "work": "work" if re.match(r"(?:at|for|as|in)\b", rest) else "habits",
            "speak": "skills",
            "play": "skills",
            "live": "home",
        }.get(verb, "habits")
    if verb == "know":
        return (
            "skills"
            if re.match(
                r"(?:any|how to (?:swim|drive|cook|code|ride|sew|ski|play|read|speak))\b", rest
            )
            and not re.search(r"\b(?:one|way|good)\b", rest)
            else None
        )
    return "dislikes" if verb == "stand" else None


def never(said: Predicate) -> Category | None:
    verb, rest = said.verb, said.rest
    if verb in ("learned", "learnt"):
        return "skills" if rest.startswith(("to ", "how ")) else None
    if verb in ("liked", "enjoyed", "cared"):
        return None if LIKED.match(rest) or not rest else "dislikes"
    if (
        is_past(verb)
        or not rest
        or verb
        in (
            "thought",
            "know",
            "understand",
            "see",
            "get",
            "think",
            "mind",
            "say",
            "want",
            "forget",
            "knew",
        )
    ):
        return None
    return "habits" if re.fullmatch(r"[a-z]+", verb) and verb not in NO_VERBS else None


_ABLE: Final = listed(
    """
    speak play swim ride drive juggle cook sew knit crochet touch-type code program bake sing dance
    whistle fly sail weld type solve run deadlift bench sign ski surf skate draw paint dive
    """
)


_UNABLE: Final = _ABLE | listed("cycle read spell")


def can(said: Predicate) -> Category | None:
    if said.verb == "do":
        return (
            "skills"
            if re.match(
                r"(?:an? (?:\w+ )?(?:backflip|handstand|cartwheel|split|pull-up|\w+flip)|the"
                r" splits|\d+"
                r" (?:push|pull|sit)-?ups)",
                said.rest,
            )
            else None
        )
    if said.verb == "read":
        return (
            "skills"
            if re.search(rf"\b(?:music|{LANGUAGE}|braille)\b", said.rest, re.IGNORECASE)
            else None
        )
    if said.verb in (
        "run",
        "code",
        "type",
        "sign",
        "solve",
        "draw",
        "play",
        "drive",
        "fly",
        "program",
    ) and re.match(r"(?:it|this|the|to|up|in|out|my|on|for|through|over)\b", said.rest):
        return (
            "skills"
            if re.match(
                r"the (?:piano|guitar|violin|drums|cello|flute|oboe|ukulele|saxophone|trumpet"
                r"|clarinet"
                r"|banjo|organ|bass|harp)",
                said.rest,
            )
            else None
        )
    return "skills" if said.verb in _ABLE else None


def cannot(said: Predicate) -> Category | None:
    verb, rest = said.verb, said.rest
    if (
        verb in ("stand", "bear", "abide", "tolerate", "with")
        or (verb == "do" and rest)
        or (verb == "deal" and rest.startswith("with"))
    ):
        object_ = rest.removeprefix("with ")
        return (
            None
            if not object_
            or LIKED.match(object_)
            or re.match(r"(?:much|the (?:first|second)|anything|that)\b", object_)
            else "dislikes"
        )
    if verb in ("eat", "drink", "have", "digest"):
        return (
            "health"
            if rest and not re.match(r"(?:it|the|any more|another|this|fun)\b", rest)
            else None
        )
    if (verb == "get" and rest.startswith("enough")) or (
        verb == "live" and rest.startswith("without")
    ):
        return None if LIKED.match(re.sub(r"^(?:enough of|without) ", "", rest)) else "likes"
    return (
        "skills"
        if verb in _UNABLE and not re.match(r"(?:it|this|the|my|up|to|in|out|on)\b", rest)
        else None
    )


def would(said: Predicate) -> Category | None:
    whole = said.whole
    if "not" in said.helpers or "never" in said.helpers:
        return (
            "dislikes"
            if said.verb in ("touch", "eat", "drink", "wear", "use", "live") and said.rest
            else None
        )
    if said.verb in ("like", "love"):
        return wish(f"would {whole}")
    if said.verb == "take" and " over " in said.rest:
        return "likes"
    if "rather" in said.adverbs:
        return "likes" if said.rest and " than " in f" {said.rest} " else None
    return None


def will(said: Predicate) -> Category | None:
    if (
        "not" in said.helpers
        or not said.timed
        or not said.rest
        or said.verb
        in (
            "try",
            "check",
            "see",
            "let",
            "text",
            "call",
            "come",
            "get",
            "look",
            "do",
            "give",
            "definitely",
            "make sure",
            "consider",
            "keep",
            "need",
            "take a look",
            "focus",
            "be sure",
            "use",
            "add",
            "continue",
            "remember",
            "follow",
            "report",
        )
    ):
        return None
    if re.match(r"be (?:\d|thirty|forty|fifty|sixty|seventy|eighty)", said.whole):
        return "dates"
    return "plans"
