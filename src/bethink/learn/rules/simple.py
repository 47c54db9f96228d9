"""What someone does again and again."""

import re
from collections.abc import Mapping
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.illness import DRUG, ILLNESS
from bethink.learn.rules.liked import LIKED
from bethink.learn.rules.past import past
from bethink.learn.rules.predicates import Predicate, predicate
from bethink.learn.rules.third import is_past
from bethink.learn.rules.times import ADVERBS_OFTEN, OFTEN
from bethink.learn.rules.wishes import wish
from bethink.learn.rules.words import LANGUAGE, PET, Rules, compiled, first, listed, told

MENTAL: Final = listed(
    """
    need want think guess hope mean know see feel wonder agree understand appreciate believe
    suppose swear promise remember forget hear apologize apologise recommend wish doubt figure
    notice realize realise imagine assume expect care mind bet admit look seem sound try ask say
    suggest thank trust deserve regret miss disagree insist confess recall find consider request
    require tell owe let send attach point refer worry dread open click press put set close turn
    bring start stop begin finish end leave die win lose arrive happen change provide stand sit lie
    come beg respect question accept acknowledge plan intend mention show paste type stumble hit
    give add remove choose decide pick vote judge gather quote stress cry laugh smile sigh blame
    envy salute hang freak panic ship will would can could should must may might ought shall used
    do did does head realise walk run heads tend struggle grab check invite offer present introduce
    hereby define create implement select enter receive call argue conclude propose discuss
    describe explain examine analyze analyse investigate explore review focus aim assure
    understood dare rise fall push pull pass return reach move differentiate handle process
    compute assign allow ensure follow face fail fight hold hurt lead light lift wait stay
    """
)
"""What people think, ask or do at a moment; the others are what they do again and again."""


_MENTAL_BUT: Final = compiled(
    r"^(?:(?:run|lead|manage|hold|handle|head) (?:a|an|my own|our own|the)\b|walk (?:my|the"
    r"|to|\d)|hold"
    r"|run (?:\d|every|marathons|a|an|my|with|\w+ times)|call my|tend to|give (?:blood"
    r"|lessons)|lift weights"
    r"|stay in|come from|check (?:my|the|the news|emails?)|know (?:how to|some|a (?:bit|little)"
    r"|no)"
    r"|struggle with|do (?:the|my|our|yoga|pilates|crossfit|karate|judo|most|all|instacart|uber"
    r"|doordash|deliveries|freelance|shifts|contract|consulting|(?:\w+ ){1,2}(?:for|at|in"
    r"|photography))|need (?:step-free|a wheelchair"
    r"|subtitles|large print|glasses|at least \w+ (?:hours|coffees|cups))|start work|finish work"
    r"|walk|run$|push myself|leave (?:home|work|for work|the house)|head to (?:the gym|work"
    r"|bed))\b"
)


_SETTING_OUT: Final = listed("fly leave travel move start return depart graduate retire sail")
_WORKING: Final = listed(
    "work teach freelance manage intern run lead supervise commute volunteer coach tutor"
)


_HOMELY: Final = listed("live reside rent dwell")


_TASTE: Final = listed("love like adore enjoy prefer fancy dig worship crave")


_DISTASTE: Final = listed("hate dislike loathe detest despise avoid")


_OWNING: Final = listed("drive own ride wear use collect play")


NO_VERBS: Final = listed(
    """
    and or the an my to too in on at who with not both alone as of for from if when here there
    last personally myself hereby nor yes no okay ok hey hi hello even about because so but than
    that which like such via per due hmm aside well good great got
    """
)


_PRESENT: Final[Mapping[str, Rules]] = {
    **dict.fromkeys(["take", "use", "need"], told(("health", rf".*{DRUG.pattern}"))),
    "suffer": told(("health", r"from \w")),
    **dict.fromkeys(["get", "struggle", "deal"], told(("health", rf".*{ILLNESS.pattern}"))),
    **dict.fromkeys(["keep", "foster", "breed", "raise"], told(("pets", rf".*\b{PET}\b"))),
    "own": told(("pets", rf".*\b{PET}\b")),
    "go": told(("name", r"by ")),
    "turn": told(("dates", r"\d{2}\b")),
    "come": told(("home", r"from ")),
    "hail": told(("home", r"from ")),
    "stay": told(("home", r"in \w+")),
    "hold": told(("skills", r".")),
    "celebrate": told(("dates", r".")),
    "observe": told(("dates", r".")),
    "split": told(("home", r"(?:my|our) time")),
    "speak": told(("skills", rf".*\b{LANGUAGE}\b")),
    "know": told(
        (
            "skills",
            (
                rf"(?:how to|my way around|some|a (?:bit|little)|{LANGUAGE}|python|javascript"
                rf"|java|sql|excel"
                rf"|rust"
                r"|html|css|php|ruby|kotlin|swift|react|typescript|linux|photoshop|latex|matlab"
                r"|first aid)\b"
            ),
        )
    ),
    "play": told(("skills", r"(?!(?:a (?:role|part|big)|along|with|around|devil)\b)\w")),
    "drive": told(
        ("work", r"(?:a|the) (?:\w+ )?(?:bus|lorry|taxi|cab|train|tram|forklift|ambulance)\b")
    ),
    **dict.fromkeys(_HOMELY, told(("home", r"\S+ \S|alone$|here$"))),
    **dict.fromkeys(
        _WORKING,
        told(("work", r"(?!(?:on |out|it\b|around|through|into|well|hard|great|together))\w")),
    ),
}
"""What a verb in the present tells, by what follows it."""
_NAMED: Final = told(("name", r"(?:use|prefer|get) (?:she|he|they)/"), ("skills", r"get by in "))
_THINGS: Final = compiled(r"(?:an?|my|our|the|two|three|\d|(?-i:[A-Z]))\b")
_TOGETHER: Final = ("go a ", "go every", "make a great", "make a good", "join in")


def simple(said: Predicate) -> Category | None:  # noqa: PLR0911 (one for each kind of verb)
    """What a predicate without auxiliaries tells, in the present or the past."""
    verb, rest = said.verb, said.rest
    if is_past(verb) or (verb == "split" and not rest.startswith(("my", "our"))):
        return past(said) or _used_to(said.whole)
    if said.whole.startswith(_TOGETHER):
        return None
    if verb in _TASTE or verb in _DISTASTE:
        liked: Category = "likes" if verb in _TASTE else "dislikes"
        return first(_NAMED, said.whole) or (None if not rest or LIKED.match(rest) else liked)
    if verb in _SETTING_OUT and said.timed and rest:
        return "plans"
    found = first(_NAMED, said.whole) or first(_PRESENT.get(verb, ()), rest) or wish(said.whole)
    if found or verb in ("speak", "know", "play"):
        return found
    if verb in _OWNING and _THINGS.match(rest):
        return "possessions"
    return _habit(said)


def _used_to(whole: str) -> Category | None:
    found = re.match(r"used to (?P<rest>.+)", whole)
    if not found:
        return None
    kept = re.match(r"(?:be|have|smoke|drink|do|go)\b", found["rest"])
    return simple(predicate(found["rest"])) or ("habits" if kept else None)


def _habit(said: Predicate) -> Category | None:
    """A habit, if it is not a passing thought."""
    often = OFTEN.search(said.rest) or not said.adverbs.isdisjoint(ADVERBS_OFTEN)
    passing = said.verb in MENTAL and not _MENTAL_BUT.match(said.whole)
    if said.verb == "do" and often:
        passing = False
    if passing or not said.rest or said.verb in NO_VERBS or not _VERB.fullmatch(said.verb):
        return None
    length = len(said.rest.split())
    own = _OWN_THING.search(said.rest) and length <= _LONG
    return "habits" if often or own or length <= _SHORT else None


_VERB: Final = compiled(r"[a-z]{2,}(?<!ing)(?<!ly)")
_OWN_THING: Final = compiled(r"\b(?:my|our|a|an|the)\b|\d")
_LONG = 12
_SHORT = 2
