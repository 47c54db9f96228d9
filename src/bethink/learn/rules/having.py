"""What someone has, has done, and has been."""

import re
from collections.abc import Mapping
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.being import being
from bethink.learn.rules.illness import BODY, ILLNESS, TREATED
from bethink.learn.rules.liked import LIKED
from bethink.learn.rules.owned import thing_had
from bethink.learn.rules.past import past
from bethink.learn.rules.predicates import Predicate
from bethink.learn.rules.third import is_past
from bethink.learn.rules.wishes import TASK

_SO_FAR: Final[Mapping[str, Category]] = {
    **dict.fromkeys(["lived", "resided", "settled", "moved", "relocated"], "home"),
    **dict.fromkeys(["worked", "taught"], "work"),
    **dict.fromkeys(["studied", "played"], "skills"),
    **dict.fromkeys(["used", "owned"], "possessions"),
}


def having(said: Predicate) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    """The perfect, or what someone has."""
    verb, rest = said.verb, said.rest
    whole = f"{verb} {rest}".strip()
    if "never" in said.helpers:
        return (
            "dislikes"
            if verb in ("liked", "enjoyed", "loved", "cared")
            else "skills"
            if verb in ("learned", "learnt", "driven", "flown", "swum", "skied", "ridden")
            else None
        )
    if "not" in said.helpers:
        return "health" if re.match(r"(?:had a drink|smoked|drunk)\b", whole) else None
    if said.adverbs & {"always", "usually", "normally", "often"} and not is_past(verb) and rest:
        return "habits"
    if verb == "got" and not re.match(
        r"(?:married|engaged|divorced|to\b|into|my name|promoted|used to)", rest
    ):
        return thing_had(rest, timed=said.timed)
    if verb == "had":
        return (
            "health"
            if TREATED.search(rest) or ILLNESS.search(rest)
            else thing_had(rest)
            if re.search(r"\bfor\b|\bsince\b", rest)
            else None
        )
    if verb in _SO_FAR:
        return _SO_FAR[verb] if rest and not rest.startswith("on") else None
    if verb == "loved" or (
        verb in ("liked", "enjoyed", "wanted", "hated") and "always" in said.adverbs
    ):
        return (
            None
            if LIKED.match(rest) or not rest
            else "dislikes"
            if verb == "hated"
            else "goals"
            if verb == "wanted" and rest.startswith("to")
            else "likes"
        )
    if verb in ("taken", "given", "quit", "stopped", "started", "become", "begun"):
        return (
            "habits"
            if re.match(
                r"(?:taken up|given up (?!on)|(?:quit|stopped|started|begun) \w+ing|quit)\b", whole
            )
            and "thinking" not in rest
            else being(rest, timed=said.timed)
            if verb == "become"
            else None
        )
    if verb == "gone":
        return "habits" if re.match(r"(?:back to )?(?:\w+ing|vegan|vegetarian)\b", rest) else None
    if verb == "decided":
        return "plans" if rest.startswith("to ") and not TASK.search(rest) else None
    if verb == "broken":
        return "health" if re.search(BODY, rest) else "family" if rest.startswith("up") else None
    if verb in (
        "brought",
        "adopted",
        "bought",
        "sold",
        "inherited",
        "joined",
        "retired",
        "booked",
        "signed",
        "enrolled",
        "registered",
        "graduated",
        "qualified",
        "married",
        "separated",
        "divorced",
        "split",
        "switched",
        "resigned",
        "left",
        "changed",
        "turned",
        "upgraded",
        "reserved",
        "purchased",
        "ordered",
        "rescued",
    ):
        return past(said)
    if verb == "been":
        return None
    if is_past(verb) or (
        verb.endswith("en") and verb not in ("seven", "eleven", "ten", "children", "chicken")
    ):
        return None
    return thing_had(whole, timed=said.timed)


def been(said: Predicate) -> Category | None:
    """What someone has been, or has been doing."""
    rest = said.whole
    lasting = re.search(
        r"\b(?:since|for (?:[\w-]+ ){0,3}(?:years?|months?|weeks?|decades?|ages|while|\w+teen"
        r"|long)|all my life|these days|lately|recently)\b",
        rest,
    )
    if found := being(rest, timed=False):
        return found
    if not lasting or not said.verb.endswith("ing"):
        return None
    if said.verb in (
        "thinking",
        "looking",
        "meaning",
        "wondering",
        "considering",
        "trying",
        "hoping",
        "struggling",
        "having",
        "feeling",
        "getting",
        "seeing",
        "hearing",
        "noticing",
        "wanting",
        "dealing",
        "waiting",
        "keeping",
        "talking",
        "reading",
        "planning",
        "searching",
        "being",
        "going",
        "working",
    ):
        return (
            "work"
            if re.match(r"working (?:as|at|for|in)\b", rest)
            else "habits"
            if re.match(r"going to (?:the|my|a)\b", rest)
            else None
        )
    if re.match(r"\w+ (?:for|since|a lot|together|lately|recently|so|more|well|really|it)\b", rest):
        return None
    if said.verb in ("using", "driving", "wearing"):
        return "possessions"
    return (
        "work"
        if said.verb == "teaching"
        else "skills"
        if said.verb in ("writing", "coding", "programming", "playing", "speaking")
        else "habits"
    )
