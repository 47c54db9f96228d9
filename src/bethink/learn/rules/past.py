"""What has happened to someone and matters afterwards."""

from collections.abc import Mapping
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.being import being
from bethink.learn.rules.illness import BODY, ILLNESS, TREATED
from bethink.learn.rules.owned import thing_had
from bethink.learn.rules.predicates import Predicate
from bethink.learn.rules.words import KIN, NAME, PET, Rules, compiled, first, listed, told

_BOUGHT: Final = told(
    ("plans", r".*\b(?:tickets|flights)\b"),
    ("home", r".*\b(?:house|flat|apartment|home|place|condo|cottage|property|farm)\b"),
    (
        "possessions",
        (
            r"(?:last \w+ )?(?:an?|my|our|the|two|three|some|myself|ourselves|in|to|\d|from"
            r"|(?-i:[A-Z]))\b"
        ),
    ),
)
_TAKEN_IN: Final = told(("pets", rf".*\b{PET}\b"), ("family", rf".*\b{KIN}\b"))
_HURT: Final = told(("family", r"up\b"), ("health", rf"(?:my|both|a) (?:\w+ )?(?:\w+ )?{BODY}\b"))
_SIGNED: Final = told(("plans", r"(?:up )?(?:for|in|on)\b"))
_BEFORE: Final = r".*\b(?:in|at|for|as|with|abroad|since|\d{4}|ago)\b"
_STOPPED: Final = told(
    (
        "habits",
        (
            r"(?:smoking|drinking|vaping|sugar|caffeine|coffee|alcohol|social|meat|dairy|gluten"
            r"|\w+ing)\b"
        ),
    )
)
_STARTED: Final = told(
    (
        "work",
        (
            r"(?:at|as|working (?:at|for|as)|my (?:new )?job|a (?:new )?(?:job|role|position)"
            r"|a (?:business|company)|my own)\b"
        ),
    ),
    (
        "habits",
        (
            r"(?!(?:feeling|thinking|noticing|wondering|getting)\b)(?:\w+ing|(?:a|my) (?:new"
            r" )?(?:\w+ )?"
            r"(?:course|class|diet|hobby|degree|phd|medication|blog|podcast|garden))\b"
        ),
    ),
)
_EVENTS: Final[Mapping[str, Rules]] = {
    **dict.fromkeys(listed("sold traded crashed bought purchased ordered upgraded"), _BOUGHT),
    **dict.fromkeys(
        listed("inherited replaced swapped copped snagged nabbed scored flogged"), _BOUGHT
    ),
    **dict.fromkeys(listed("adopted rescued welcomed"), _TAKEN_IN),
    **dict.fromkeys(listed("broke sprained fractured tore injured dislocated hurt"), _HURT),
    **dict.fromkeys(listed("signed enrolled registered"), _SIGNED),
    **dict.fromkeys(listed("retired resigned"), told(("work", ""))),
    **dict.fromkeys(listed("joined founded co-founded cofounded"), told(("work", "."))),
    **dict.fromkeys(listed("graduated qualified"), told(("skills", ""))),
    **dict.fromkeys(listed("majored trained"), told(("skills", "."))),
    **dict.fromkeys(listed("relocated emigrated immigrated settled"), told(("home", "."))),
    **dict.fromkeys(listed("divorced separated eloped proposed"), told(("family", ""))),
    **dict.fromkeys(listed("booked reserved"), told(("plans", "."))),
    **dict.fromkeys(listed("lived resided"), told(("home", _BEFORE))),
    **dict.fromkeys(listed("worked taught"), told(("work", rf"(?!(?:on|up|out)\b){_BEFORE}"))),
    **dict.fromkeys(listed("started began"), _STARTED),
    "passed": told(("skills", r"my (?:\w+ )*(?:test|exams?|finals|viva|bar|theory)\b")),
    "studied": told(("skills", _BEFORE)),
    "split": told(("family", r"up\b")),
    "brought": told(("pets", rf"home .*\b{PET}\b"), ("family", rf"home .*\b{KIN}\b")),
    "lost": told(
        ("family", rf"(?:my|our) .*\b{KIN}\b"),
        ("pets", rf"(?:my|our) .*\b{PET}\b"),
        ("work", r"my .*\bjob\b"),
        ("health", rf"my .*\b{BODY}\b"),
    ),
    "quit": _STOPPED
    + told(
        ("work", r"$|(?:my job|my|the|on|in|last|yesterday|today)\b|(?-i:[A-Z])"), ("habits", ".")
    ),
    "stopped": _STOPPED,
    "left": told(
        (
            "work",
            r"(?-i:[A-Z])|my job\b|the (?:company|army|navy|firm|police)\b|teaching\b|nursing\b",
        ),
        ("family", r"my (?:husband|wife|partner|boyfriend|girlfriend)\b"),
    ),
    "gave": told(
        ("family", r"birth\b"),
        ("habits", r"up (?!(?:in|on|it|my best|a|the)\b)\w"),
        ("pets", r"(?-i:[A-Z])\w+ (?:to|away)\b"),
    ),
    "rehomed": told(("pets", r"(?-i:[A-Z])|my\b|our\b")),
    "became": told(("name", r"M(?:rs|r|s|x)\b")),
    "took": told(("habits", r"up ")),
    "married": told(("family", rf"(?:my|an?)\b|(?-i:[A-Z])|.*\b(?:{KIN}|\d{{4}})\b")),
    "met": told(("family", rf"my .*{KIN}\b.*\b(?:in|at|on|ago)\b|{NAME} .*\bin \d{{4}}")),
    "turned": told(
        ("dates", r"(?:\d{1,3}|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b")
    ),
    "changed": told(
        ("name", r".*\bname\b.*\bto\b"),
        ("possessions", r".*\b(?:email|number|phone|address)\b.*\bto\b"),
        ("work", r"(?:jobs|careers?)\b"),
    ),
    "grew": told(("home", r"up\b")),
    "moved": told(
        (
            "home",
            (
                r"(?:out of (?-i:[A-Z])|back|over|in(?! on\b)|into|to|from|here|house|abroad|away"
                r" to|across|up to"
                r"|down to|out to)\b"
            ),
        )
    ),
    "did": told(
        ("skills", r"(?:an?|my) (?:[\w'-]+ )?(?:degree|phd|master'?s|mba|apprenticeship)\b")
    ),
    "called": told(("plans", r"off (?:the|our|my) ")),
    "dropped": told(("skills", r"out\b")),
    "switched": told(("habits", r"(?:to|from) ")),
    "got": told(
        ("family", r"(?:married|engaged|divorced|back together|pregnant)\b"),
        (
            "work",
            (
                r"(?:promoted|laid off|fired|hired|made redundant|(?:a|the|my|this)"
                r" (?:new |first )?(?:\w+ )?(?:job|promotion|raise|offer)|a place at)\b"
            ),
        ),
        (
            "skills",
            (
                r"into (?-i:[A-Z])|accepted\b|my (?:\w+ )?(?:degree|licen[cs]e|diploma|certificate"
                r"|results)\b"
            ),
        ),
        ("name", r"my name\b"),
        ("health", rf"diagnosed\b|surgery\b|.*{ILLNESS.pattern}"),
        ("home", r"(?:the )?keys to\b"),
        ("plans", r".*\btickets\b"),
    ),
}
"""What a verb in the past tells, by what follows it."""
_SEEN: Final = listed(
    """
    attended visited went saw met ran completed finished won published hosted celebrated hiked
    travelled traveled flew toured volunteered participated donated planted started read watched
    climbed cycled baked cooked
    """
)
"""What is worth knowing with its date."""
_SOMETHING: Final = compiled(
    r"(?:(?:to|up|at|in|with|an?|my|our|the|\w+ing)\b|(?-i:[A-Z])|\d).* .* "
)


def past(said: Predicate) -> Category | None:
    """What a predicate in the past tells."""
    verb, rest = said.verb, said.rest
    if found := first(_EVENTS.get(verb, ()), rest):
        return found
    if verb == "became":
        return being(rest, timed=said.timed)
    if verb == "got":
        return thing_had(rest, new=True)
    seen = verb in _SEEN and said.timed and _SOMETHING.match(rest)
    return "other" if seen else None


def had(what: str) -> Category | None:
    """What someone had: an operation, a child."""
    if TREATED.search(what) or ILLNESS.search(what):
        return "health"
    return "family" if _BORN.match(what) else None


_BORN: Final = compiled(r"(?:a|twins|our|my)\b.*\b(?:baby|twins|son|daughter|child)\b|twins\b")
