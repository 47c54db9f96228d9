"""What a clause tells about the user, by the words that such things are told with.

In English, what someone does in the simple present is what they do again and again, so a verb
there is taken for a habit unless it is one of thinking or asking; the other tenses need a word
that says that something lasts, has changed, or is going to happen.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.being import am, was
from bethink.learn.rules.having import been, having
from bethink.learn.rules.kin import of_kin
from bethink.learn.rules.modal import can, cannot, do_not, never, will, will_be, would
from bethink.learn.rules.outside import BROKEN_OFF, stands
from bethink.learn.rules.past import had
from bethink.learn.rules.predicates import Predicate, predicate
from bethink.learn.rules.simple import MENTAL, NO_VERBS, simple
from bethink.learn.rules.things import of_thing
from bethink.learn.rules.third import is_past
from bethink.learn.rules.times import ADVERBS_OFTEN, OFTEN, TIME
from bethink.learn.rules.verdicts import of_taste
from bethink.learn.rules.wide import wide
from bethink.learn.rules.words import DAY, MONTH, compiled

IMPORTANCE: Final[dict[Category, float]] = {
    "name": 0.9,
    "health": 0.85,
    "requests": 0.85,
    "home": 0.7,
    "work": 0.7,
    "family": 0.7,
    "dates": 0.6,
    "pets": 0.6,
    "goals": 0.5,
    "likes": 0.5,
    "dislikes": 0.5,
    "plans": 0.5,
    "skills": 0.5,
    "possessions": 0.4,
    "habits": 0.4,
    "other": 0.3,
}
"""How much each kind of knowledge matters where nothing else is said."""


_LEAD: Final = (
    r"(?:in|on|at|every|each|most|once|twice|(?:next|last|this) (?:year|month|week|weekend"
    r"|summer|winter|spring|autumn|fall|christmas|easter|semester|term|night|afternoon"
    rf"|evening|morning|{MONTH}|{DAY})|since \d+|for|from \d+|after|before|as an?|as the"
    r"|tomorrow"
    rf"|yesterday|today|these days|nowadays|by|during|over|until|two|three|a few|the plan is"
    r"|(?:first|then|and|now|also|sometimes|usually|normally|currently|recently|lately"
    rf"|finally)|\w+ times|{DAY}|(?:ever )?since|\w+ly)"
)


_OWN: Final = compiled(
    rf"^(?P<lead>(?:{_LEAD}\b[^;:]{{0,80}}?,? )??)(?P<who>I|we)(?: and (?:(?:my|our)"
    r" )?[\w-]+(?: (?-i:[A-Z])[\w-]+)?)?(?= |$) ?(?P<rest>.*)"
)


_OURS: Final = compiled(r"^it is (?:my|our) (?P<what>[\w -]{2,30}?) (?P<rest>(?:on|to|in) .+)")
_SINCE: Final = compiled(
    r"^it (?:is|has been|will be) (?:\w+ ){0,2}?(?:\S+ )?(?:years?|months?|weeks?|days?"
    r"|decades?)(?: now)?"
    r" since (?P<what>(?:I|we|my|our)\b(?!.*\b(?:talked|spoke|chatted|learned)\b).+)"
)
"""How long ago something was: "it's nine years since we left Manila"."""


def judged(clause: str) -> Category | None:
    """What kind of knowledge a clause holds, if it is worth keeping."""
    if clause.startswith("it is ") and (ours := _OURS.match(clause)):
        return judged(f"my {ours['what']} is {ours['rest']}")
    if since := _SINCE.match(clause):
        return judged(since["what"]) or "other"
    if own := _OWN.match(clause):
        return _of_user(own["lead"], own["rest"], clause, both=own["who"].lower() == "we")
    if clause[:3].lower() in ("my ", "our"):
        return of_kin(clause) or of_thing(clause)
    return of_taste(clause)


def _of_user(  # noqa: PLR0911 (one for each thing that may be said)
    lead: str, rest: str, clause: str, *, both: bool
) -> Category | None:
    rest = re.sub(r" if you (?:paid|begged) me$", "", rest)
    timed = bool(TIME.search(f"{lead}{rest}"))
    said = predicate(rest, timed=timed)
    if not (said.verb or said.helpers) or not stands(said.whole) or BROKEN_OFF.search(rest):
        return None
    if both and "all" in said.adverbs:
        return None  # "we all" is everyone
    if lead.lower().startswith("the plan is"):
        return "plans"
    found = _HELPED[said.helpers](said) if said.helpers in _HELPED else None
    found = found or wide(said)
    if found is None and "no longer" in said.adverbs:
        return "habits"
    often = OFTEN.search(f"{lead}{rest}") or said.adverbs & ADVERBS_OFTEN
    if found is None and not said.helpers and lead and often and said.verb not in MENTAL:
        return None if is_past(said.verb) or said.verb in NO_VERBS else "habits"
    if found == "habits" and both and not said.helpers and not often and not is_past(said.verb):
        return (
            "habits"
            if re.match(r"(?:do|celebrate|grow|speak|own|eat|drink|host|homeschool)\b", said.whole)
            else None
        )
    if found in ("habits", "possessions") and _ROUTINE.search(clause):
        return "habits"
    return found


_ROUTINE: Final = compiled(r"^(?:every|each|most|once|twice) ")


_HELPED: Final[Mapping[str, Callable[[Predicate], Category | None]]] = {
    "": simple,
    "am": am,
    "am not": am,
    "was": was,
    "have": having,
    "have not": having,
    "have never": having,
    "never have": having,
    "have been": been,
    "have never been": lambda said: am(replace(said, helpers="am not")),
    "had": lambda said: had(said.whole),
    "do not": do_not,
    "do": simple,
    "never": never,
    "can": can,
    "cannot": cannot,
    "would": would,
    "would not": would,
    "would never": would,
    "will": will,
    "will be": lambda said: will_be(said.whole) if said.timed else None,
}
"""What to make of a predicate, by its auxiliary verbs."""


_PAIRED: Final = compiled(r"^I and \S+")


def pair(clause: str) -> Category | None:
    """What a clause tells whose subject is the user and someone else."""
    if not _PAIRED.match(clause):
        return None
    return (
        "family"
        if re.search(
            r"\b(?:broke up|broken up|separated|split up|divorced|married|engaged)\b", clause
        )
        else None
    )
