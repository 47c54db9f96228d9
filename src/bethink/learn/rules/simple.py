"""What someone does again and again, and what has happened to them."""

import re
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.being import being
from bethink.learn.rules.illness import BODY, DRUG, ILLNESS, TREATED
from bethink.learn.rules.liked import LIKED
from bethink.learn.rules.owned import thing_had
from bethink.learn.rules.predicates import Predicate, predicate
from bethink.learn.rules.third import is_past
from bethink.learn.rules.times import OFTEN
from bethink.learn.rules.wishes import wish
from bethink.learn.rules.words import KIN, LANGUAGE, NAME, PET, compiled, listed

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
    r"|stay in|come from|check (?:my|the|the news|emails?)|know (?:how to|some|a (?:bit|little)|no)"
    r"|struggle with|do (?:the|my|our|yoga|pilates|crossfit|karate|judo|most|all|instacart|uber"
    r"|doordash|deliveries|freelance|shifts|contract|consulting|(?:\w+ ){1,2}(?:for|at|in"
    r"|photography))|need (?:step-free|a wheelchair"
    r"|subtitles|large print|glasses|at least \w+ (?:hours|coffees|cups))|start work|finish work"
    r"|walk|run$|push myself|leave (?:home|work|for work|the house)|head to (?:the gym|work|bed))\b"
)


_SETTING_OUT: Final = listed("fly leave travel move start return depart graduate retire sail")
_WORKING: Final = listed(
    "work teach freelance manage intern run lead supervise commute volunteer coach tutor"
)


_HOMELY: Final = listed("live reside rent dwell")


_TASTE: Final = listed("love like adore enjoy prefer fancy dig worship crave")


_DISTASTE: Final = listed("hate dislike loathe detest despise avoid")


_OWNING: Final = listed("drive own ride wear use collect play")


_EVENTS: Final[dict[str, Category]] = {
    **dict.fromkeys(
        ["moved", "relocated", "emigrated", "immigrated", "grew", "settled", "lived", "resided"],
        "home",
    ),
    **dict.fromkeys(
        "retired joined resigned worked founded co-founded cofounded taught".split(),  # noqa: SIM905
        "work",
    ),
    **dict.fromkeys(
        ["graduated", "qualified", "studied", "majored", "dropped", "enrolled", "trained"], "skills"
    ),
    **dict.fromkeys(
        "sold traded crashed upgraded ordered inherited purchased bought replaced swapped".split(),  # noqa: SIM905
        "possessions",
    ),
    **dict.fromkeys("broke sprained fractured tore injured dislocated twisted".split(), "health"),  # noqa: SIM905
    **dict.fromkeys("married divorced separated proposed eloped".split(), "family"),  # noqa: SIM905
    **dict.fromkeys("booked signed registered reserved".split(), "plans"),  # noqa: SIM905
    **dict.fromkeys("adopted rescued rehomed".split(), "pets"),  # noqa: SIM905
    "turned": "dates",
    "switched": "habits",
}
"""What has happened and matters afterwards."""


_SEEN: Final = listed(
    """
    attended visited went saw met ran completed finished won published hosted celebrated hiked
    travelled traveled flew toured volunteered participated donated planted started read watched
    climbed cycled baked cooked
    """
)
"""What has happened and is worth knowing with its date."""


def simple(said: Predicate) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    """The present, or the past."""
    verb, rest = said.verb, said.rest
    whole = said.whole
    if whole.startswith(("go a ", "go every", "make a great", "make a good", "join in")):
        return None
    if is_past(verb) or verb in ("split", "quit", "put"):
        return past(said)
    if verb in _TASTE:
        return None if not rest or LIKED.match(rest) else "likes"
    if verb in _DISTASTE:
        return None if not rest or LIKED.match(rest) else "dislikes"
    if verb in ("want", "hope", "aim", "intend", "aspire", "wish", "need", "plan"):
        return wish(whole) or (_mental(whole, said) if verb == "need" else None)
    if DRUG.search(rest) and verb in ("take", "use", "need"):
        return "health"
    if verb in ("get", "suffer", "struggle", "deal") and ILLNESS.search(rest):
        return "health"
    if verb in _SETTING_OUT and said.timed and rest:
        return "plans"
    if verb == "turn":
        return "dates" if re.match(r"\d{2}\b", rest) else None
    if verb == "go" and rest.startswith("by "):
        return "name"
    if verb in ("use", "prefer") and re.match(r"(?:she|he|they)/", rest):
        return "name"
    if verb in _HOMELY or whole.startswith(("come from", "hail from", "stay in")):
        return "home" if len(rest.split()) >= 2 or rest in ("alone", "here") else None
    if verb in _WORKING and not rest.startswith(("on ", "out", "it", "around", "through", "into")):
        return "work" if rest else None
    if verb in ("speak", "know", "play"):
        return _skill(verb, rest)
    if verb in ("keep", "own", "foster", "breed", "raise") and re.search(
        rf"\b{PET}\b", rest, re.IGNORECASE
    ):
        return "pets"
    if verb in _OWNING and re.match(r"(?:an?|my|our|the|two|three|\d|(?-i:[A-Z]))\b", rest):
        return (
            "work"
            if re.match(
                r"(?:a|the) (?:\w+ )?(?:bus|lorry|taxi|cab|train|tram|forklift|ambulance)\b", rest
            )
            else "possessions"
        )
    if verb == "hold" or whole.startswith("get by in"):
        return "skills" if rest else None
    if verb in ("celebrate", "observe"):
        return "dates"
    if whole.startswith("split my time") or whole.startswith("split our time"):
        return "home"
    if verb == "cannot":
        return None
    return _mental(whole, said)


def _mental(whole: str, said: Predicate) -> Category | None:
    """A habit, if it is not a passing thought."""
    if (said.verb in MENTAL and not _MENTAL_BUT.match(whole)) or not said.rest:
        return None
    if (
        not re.fullmatch(r"[a-z]{2,}", said.verb)
        or said.verb.endswith(("ing", "ly"))
        or said.verb in NO_VERBS
    ):
        return None
    often = OFTEN.search(f"{' '.join(said.adverbs)} {said.rest}") or said.adverbs & {
        "always",
        "usually",
        "often",
        "sometimes",
        "rarely",
        "normally",
    }
    own = re.search(r"\b(?:my|our|a|an|the)\b|\d", said.rest)
    return (
        "habits"
        if often or (own and len(said.rest.split()) <= 12) or len(said.rest.split()) <= 2
        else None
    )


NO_VERBS: Final = listed(
    """
    reccomend visualize visualise
    and or the an my to too in on at who with not both alone as of for from if when here there
    last personally myself hereby nor yes no okay ok hey hi hello even about because so but than that
    which like such via per due hmm aside well good great got
    """
)


def _skill(verb: str, rest: str) -> Category | None:
    if verb == "speak":
        return "skills" if re.search(rf"\b{LANGUAGE}\b", rest, re.IGNORECASE) else None
    if verb == "know":
        return (
            "skills"
            if re.match(
                rf"(?:how to|some|a (?:bit|little)|{LANGUAGE}|python|javascript|java|sql|excel|rust|html"
                r"|css|php|ruby|kotlin|swift|react|typescript|linux|photoshop|latex|matlab|first aid)\b",
                rest,
                re.IGNORECASE,
            )
            else None
        )
    return (
        None
        if not rest or re.match(r"(?:a (?:role|part|big)|along|with|around|devil)\b", rest)
        else "skills"
    )


def past(said: Predicate) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    verb, rest = said.verb, said.rest
    whole = f"{verb} {rest}".strip()
    if found := re.match(r"used to (?P<rest>.+)", whole):
        return simple(predicate(found["rest"])) or (
            "habits" if re.match(r"(?:be|have|smoke|drink|do|go)\b", found["rest"]) else None
        )
    if verb == "got":
        return _got(rest, timed=said.timed)
    if verb == "lost":
        return (
            (
                "family"
                if re.search(rf"\b{KIN}\b", rest, re.IGNORECASE)
                else "work"
                if "job" in rest
                else "health"
                if re.search(BODY, rest)
                else None
            )
            if rest.startswith("my ")
            else None
        )
    if verb in ("quit", "left", "stopped", "gave"):
        return _quit(verb, rest)
    if verb == "became":
        return "name" if re.match(r"M(?:rs|r|s|x)\b", rest) else being(rest, timed=said.timed)
    if verb in ("started", "began"):
        if re.match(
            r"(?:at|as|working (?:at|for|as)|my (?:new )?job|a (?:new )?(?:job|role|position)|a"
            r" (?:business|company)|my own)\b",
            rest,
        ):
            return "work"
        return (
            "habits"
            if re.match(
                r"(?:\w+ing|(?:a|my) (?:new )?(?:\w+ )?(?:course|class|diet|hobby|degree|phd|medication"
                r"|blog|podcast|garden))\b",
                rest,
            )
            and not rest.startswith(
                ("to", "feeling", "thinking", "noticing", "wondering", "getting")
            )
            else None
        )
    if verb in ("took",):
        return "habits" if rest.startswith("up ") else None
    if (verb == "brought" and rest.startswith("home")) or verb in (
        "adopted",
        "rescued",
        "welcomed",
    ):
        return (
            "pets"
            if re.search(rf"\b{PET}\b", rest, re.IGNORECASE)
            else "family"
            if re.search(rf"\b{KIN}\b", rest, re.IGNORECASE)
            else None
        )
    if verb == "gave" or (verb == "rehomed"):
        return "pets" if re.match(r"(?-i:[A-Z])\w+", rest) else None
    if whole.startswith(("broke up", "split up")):
        return "family"
    if verb == "hurt" or (verb in _EVENTS and _EVENTS[verb] == "health"):
        return (
            "health"
            if re.match(rf"(?:my|both|a) (?:\w+ )?(?:\w+ )?{BODY}\b", rest, re.IGNORECASE)
            else None
        )
    if verb == "married" or verb == "met":
        return (
            "family"
            if (re.search(rf"\b{KIN}\b|\d{{4}}|{NAME}", rest) and said.timed)
            or (verb == "married" and re.match(r"(?:my|an?|(?-i:[A-Z]))", rest))
            else None
        )
    if verb == "turned":
        return (
            "dates"
            if re.match(
                r"(?:\d{1,3}|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b", rest
            )
            else None
        )
    if verb == "changed":
        return (
            "name"
            if re.search(r"\bname\b.*\bto\b", rest)
            else "possessions"
            if re.search(r"\b(?:email|number|phone|address)\b.*\bto\b", rest)
            else "work"
            if re.match(r"(?:jobs|careers?)\b", rest)
            else None
        )
    if verb == "grew" and not rest.startswith("up"):
        return None
    if verb == "moved":
        return (
            "home"
            if re.match(
                r"(?:back |over |in |into |to |from |here|house|abroad|away to|across|up to|down to|out"
                r" to)",
                rest + " ",
            )
            and not rest.startswith(("in on", "to the (?:next|left|top)"))
            else None
        )
    if verb == "dropped":
        return "skills" if rest.startswith("out") else None
    if verb in ("signed", "enrolled", "registered"):
        return "plans" if re.match(r"(?:up )?(?:for|in|on)\b", rest) else None
    if verb in ("booked", "reserved"):
        return "plans" if rest else None
    if verb == "switched":
        return "habits" if rest.startswith(("to ", "from ")) else None
    if verb in ("lived", "worked", "taught", "studied"):
        return (
            _EVENTS[verb]
            if rest
            and (said.timed or re.search(r"\b(?:in|at|for|as|with|abroad)\b", rest))
            and not rest.startswith("on")
            else None
        )
    if verb in (
        "sold",
        "traded",
        "crashed",
        "bought",
        "purchased",
        "ordered",
        "upgraded",
        "inherited",
        "replaced",
        "swapped",
    ):
        if re.search(r"\b(?:tickets|flights)\b", rest):
            return "plans"
        if re.search(r"\b(?:house|flat|apartment|home|place|condo|cottage|property|farm)\b", rest):
            return "home"
        return (
            "possessions"
            if re.match(
                r"(?:an?|my|our|the|two|three|some|myself|ourselves|in|to|\d|from|(?-i:[A-Z]))\b",
                rest,
            )
            else None
        )
    if verb in _EVENTS:
        return (
            _EVENTS[verb]
            if rest
            or verb in ("retired", "resigned", "graduated", "separated", "divorced", "eloped")
            else None
        )
    if (
        verb in _SEEN
        and said.timed
        and re.match(
            r"(?:to |up |at |in |with |an?\b|my\b|our\b|the\b|\w+ing\b|(?-i:[A-Z])|\d)", rest
        )
        and len(rest.split()) > 2
    ):
        return "other"
    return None


def had(what: str) -> Category | None:
    if TREATED.search(what) or ILLNESS.search(what):
        return "health"
    born = re.match(r"(?:a baby|twins|our|my)\b", what) and re.search(
        r"\b(?:baby|twins|son|daughter|child)\b", what
    )
    return "family" if born else None


def _got(rest: str, *, timed: bool) -> Category | None:
    if re.match(r"(?:married|engaged|divorced|back together|pregnant)\b", rest):
        return "family"
    if re.match(
        r"(?:promoted|laid off|fired|hired|made redundant|(?:a|the|my|this) (?:new |first"
        r" )?(?:\w+ )?(?:job|promotion|raise|offer)\b|a place at)",
        rest,
    ):
        return "work"
    if re.match(
        r"(?:into (?-i:[A-Z])|accepted|my (?:\w+ )?(?:degree|licen[cs]e|diploma|certificate"
        r"|results))",
        rest,
    ):
        return "skills"
    if re.match(r"my name\b", rest):
        return "name"
    if re.match(r"(?:diagnosed|surgery)", rest) or (
        ILLNESS.search(rest) and re.match(r"(?:a|an|my|the)?\b", rest)
    ):
        return "health"
    if re.match(r"(?:the )?keys to", rest):
        return "home"
    if re.search(r"\btickets\b", rest):
        return "plans"
    return thing_had(rest, new=True)


def _quit(verb: str, rest: str) -> Category | None:
    rest = rest.removeprefix("up ") if verb == "gave" else rest
    if verb == "gave" and re.match(r"(?-i:[A-Z])\w+ (?:to|away)\b", rest):
        return "pets"
    if verb == "gave" and (not rest or re.match(r"(?:in|on|my best|it|birth|a|the)\b", rest)):
        return "family" if rest.startswith("birth") else None
    if re.match(
        r"(?:smoking|drinking|vaping|sugar|caffeine|coffee|alcohol|social|meat|dairy|gluten"
        r"|\w+ing\b)",
        rest,
    ):
        return "habits"
    if verb == "quit":
        return (
            "work"
            if not rest
            or re.match(r"(?:my job|my|the|on|in|last|yesterday|today|(?-i:[A-Z]))", rest)
            else "habits"
        )
    if verb == "left":
        return (
            "work"
            if re.match(
                r"(?-i:[A-Z])|my job|the (?:company|army|navy|firm|police)|teaching|nursing", rest
            )
            else "family"
            if re.match(r"my (?:husband|wife|partner|boyfriend|girlfriend)", rest)
            else None
        )
    return "habits" if verb == "gave" else None
