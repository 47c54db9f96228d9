"""What a clause tells by its grammar alone, where its words are not among the known ones.

What someone has, is or does in the simple present lasts, unless the words are of the moment; what
is past matters if it is told with its year. Lists say only what does not count.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.liked import LIKED
from bethink.learn.rules.outside import stands
from bethink.learn.rules.owned import PASSING
from bethink.learn.rules.predicates import Predicate
from bethink.learn.rules.simple import MENTAL, NO_VERBS
from bethink.learn.rules.third import is_past
from bethink.learn.rules.times import TIME
from bethink.learn.rules.wishes import TASK
from bethink.learn.rules.words import CAR, NAME, VEHICLE, compiled, listed

_MOODS: Final = listed(
    """
    bit little lot tad mess wreck idiot fool genius mood hurry rush meeting fan good great bad huge
    terrible big one same lucky way call position loss situation pickle bind rut while middle
    process right wrong kind sort person point first last next only best worst
    car garden kitchen bed bath shower shop bus train queue line office house room loo toilet
    """
)
_LONG_AGO: Final = compiled(
    r"\b(?:in|since|back in|until|of) (?:the )?(?:(?:19|20)\d\d|\d0s)\b|\byears? ago\b"
    r"|\bdecades? ago\b"
    r"|\blast year\b|\byears? (?:back|now)\b|\bas an? (?:kid|child|teenager|student|boy|girl)\b"
    r"|\bwhen I was \w+\b"
    r"|\bwhen I was an?\b|\bgrowing up\b|\bat (?:school|uni|university|college)\b|\ball my life\b"
)
_SO_FAR: Final = compiled(
    r"\b(?:since|for (?:[\w-]+ ){0,3}(?:years|months|decades|ages)|in (?:[\w-]+ )?(?:years"
    r"|months|ages)"
    r"|(?:all|most of) my life|(?:once|twice|\w+ times)|these days|[\w-]+ (?:years|months"
    r"|yrs)(?: now|$)|\d+ (?:years|months|yrs))\b"
)
_DOING: Final = listed(
    """
    thinking looking trying wondering hoping considering getting going having being feeling seeing
    talking asking telling saying using making doing writing reading planning working dealing
    waiting struggling loving enjoying calling coming putting taking giving keeping kidding
    running low writing leaning facing noticing dying planning debating experiencing
    """
)
_CAN: Final = listed(
    """
    be have do see tell find get think imagine understand believe use help try say hear feel wait
    remember figure make come go relate send share give provide access afford handle add always
    know ask start keep take put create include set let offer expect definitely work move leave
    finish stop complain decide wrap fit figure stay
    """
)


def wide(said: Predicate) -> Category | None:
    """What a predicate of the user tells, whatever its verb."""
    if not said.whole or not stands(said.whole) or TASK.search(said.whole):
        return None
    judge = _HELPED.get(said.helpers)
    return judge(said) if judge else None


_NOW: Final = compiled(r"\b(?:now|these days|currently|at the moment|for good)\b")
_PLACED: Final = compiled(rf"(?:in|at|with|over in|out in|up in|down in) {NAME}")
_PLACE: Final = compiled(rf"\b(?:in|at|near|with) {NAME}")
_A: Final = compiled(r"(?:an?|the|one)\b")
_SET: Final = compiled(r"\w+ing|invited|booked|scheduled|signed|registered|enrolled|supposed")


def _am(said: Predicate) -> Category | None:
    whole = said.whole
    if re.match(rf"in an? (?:\w+ )?(?:{CAR}|{VEHICLE})\b", whole, re.IGNORECASE):
        return "possessions"
    if said.timed and said.rest.count(" ") > 1 and _SET.fullmatch(said.verb):
        return None if said.verb in _DOING else "plans"
    now = _NOW.search(whole) or said.adverbs & {"now", "currently"}
    if (now and _PLACED.match(whole)) or (_SO_FAR.search(whole) and _PLACE.search(whole)):
        return "home" if " in " in f" {whole}" else "work"
    if re.match(r"(?:an?|the|in an?|on an?)\b", whole):
        said_words = whole.lower().split()[1:7]
        return None if not said_words or _MOODS & set(said_words) else "other"
    lasting = said.verb.endswith("ing") and said.verb not in _DOING and _SO_FAR.search(said.rest)
    return "habits" if lasting else None


def _have(said: Predicate) -> Category | None:
    verb, rest = said.verb, said.rest
    participle = is_past(verb) or verb.endswith("en") or verb in ("been", "done", "made", "run")
    if participle:
        return "other" if _SO_FAR.search(rest) and verb not in _THOUGHT else None
    bare = (
        re.match(r"(?:[a-z]+s)\b", verb)
        and verb not in PASSING
        and re.match(r"(?:in|on|at|for|every)\b", rest)
    )
    return "possessions" if bare and verb not in NO_VERBS else None


def _have_not(said: Predicate) -> Category | None:
    kept = _SO_FAR.search(said.rest) and said.verb not in _THOUGHT
    return "habits" if kept else None


def _never(said: Predicate) -> Category | None:
    return "other" if said.rest and said.verb not in _THOUGHT else None


_THOUGHT: Final = listed(
    """
    thought seen heard felt known noticed realised realized wanted tried considered wondered found
    understood expected imagined experienced met read asked told said looked used decided been had
    """
)


def _simple(said: Predicate) -> Category | None:
    verb, rest = said.verb, said.rest
    if is_past(verb) and verb != "treated":
        return "other" if _LONG_AGO.search(rest) and verb not in _THOUGHT else None
    if verb == "treated":
        return (
            "possessions"
            if re.match(r"(?:myself |ourselves )?to (?:an?|the|some|new)\b", rest)
            else None
        )
    if verb == "find":
        return _found(rest)
    if verb in ("refuse", "avoid", "dread"):
        return "dislikes" if rest else None
    if verb in ("tend", "swear", "live") and rest.startswith(("to ", "by ", "for ")):
        return "habits"
    return None


_BORED: Final = listed(
    "boring dull tedious annoying irritating gross disgusting overrated creepy scary stressful vile"
    " exhausting pointless unbearable"
)
_MOVED: Final = listed("relaxing soothing calming fascinating therapeutic fun")


def _found(rest: str) -> Category | None:
    """What is found boring, or fascinating."""
    last = rest.split()[-1:] if not LIKED.match(rest) else []
    if not last or len(rest.split()) > 6:
        return None
    return "dislikes" if last[0] in _BORED else "likes" if last[0] in _MOVED else None


def _do_not(said: Predicate) -> Category | None:
    verb, rest = said.verb, said.rest
    if verb in ("own", "have"):
        noun = rest.split()[-1:]
        owned = re.match(r"(?:an?|any) ", rest) and len(rest.split()) <= 4
        return "possessions" if owned and noun[0] not in PASSING else None
    if not rest or verb in MENTAL or verb in NO_VERBS or len(rest.split()) > 6:
        return None
    return None if re.match(r"(?:the|my|to|in|well|much|enough|anything)\b", rest) else "habits"


def _can(said: Predicate) -> Category | None:
    short = 1 <= len(said.rest.split()) <= 6
    general = not re.match(r"(?:the|my|our|to|up|out|in|on|with|it|some|more)\b", said.rest)
    return "skills" if short and general and said.verb not in _CAN else None


def _could(said: Predicate) -> Category | None:
    often = re.search(r"\b(?:every|all day|forever|for hours|all night|rest of my)\b", said.rest)
    return "likes" if often and said.verb in _CONSUMED else None


_CONSUMED: Final = listed("eat drink listen watch live talk read spend play")


_HELPED: Final[Mapping[str, Callable[[Predicate], Category | None]]] = {
    "": _simple,
    "am": _am,
    "was": lambda said: "other" if is_past(said.verb) and _LONG_AGO.search(said.rest) else None,
    "have": _have,
    "have been": lambda said: None if _A.match(said.whole) else _am(replace(said, timed=False)),
    "have not": _have_not,
    "have never": _never,
    "do not": _do_not,
    "can": _can,
    "could": _could,
}
"""What to make of a predicate, by its auxiliary verbs."""


_PRAISE: Final = listed(
    """
    so very really such always here there fine ok okay asleep mad upset worried excited happy proud
    sad sick tired supportive amazing great wonderful lovely awesome cute adorable sweet funny nice
    good best cool beautiful crazy busy sure right wrong ready glad thrilled angry annoyed the my
    gorgeous precious incredible helpful kind just too pretty quite not all being getting doing
    going trying coming looking telling asking making acting feeling having taking driving
    """
)
_SAYING: Final = listed(
    """
    says thinks wants asks tells knows seems looks feels keeps makes gets comes means hopes wishes
    believes agrees gives takes brings puts lets helps needs sends shows sounds goes does tries
    supports inspires reminds cheers enjoys
    """
)


def wide_kin(said: Predicate, rest: str) -> bool:
    """Whether a predicate of one of the family, or of an animal, tells something that lasts."""
    whole = said.whole
    if not whole or not stands(rest):
        return False
    if said.helpers == "am" and said.verb.endswith("ing") and TIME.search(rest):
        return said.verb not in _PRAISE
    if said.helpers == "am":
        words = set(re.findall(r"[a-z]+", whole.lower())[:3])
        named = re.match(rf"(?:an? |in |at |from |on |with |{NAME}|\w+ed\b|\d)", whole)
        return bool(named) and not words & _PRAISE and not words & _MOODS
    if said.helpers in ("have", "") and is_past(said.verb):
        return bool(_LONG_AGO.search(rest) or _SO_FAR.search(rest)) and said.verb not in _THOUGHT
    if said.helpers == "have":
        noun = re.split(r" (?:in|on|for|with|of|and|at|that|who)\b|,", whole)[0].split()[-1:]
        own = re.match(r"(?:an?|two|three|no|\d+) ", whole) and whole.split()[1] not in _PRAISE
        return bool(own) and noun[0] not in PASSING
    present = not said.helpers and said.verb.endswith("s") and said.verb not in _SAYING
    return present and 1 <= len(said.rest.split()) <= 9
