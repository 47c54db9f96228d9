"""What is told of what belongs to the user: names, dates, homes, goals."""

import re
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.illness import BODY
from bethink.learn.rules.outside import stands
from bethink.learn.rules.times import TIME
from bethink.learn.rules.wishes import TASK
from bethink.learn.rules.words import DAY, KIN, LANGUAGE, MONTH, PET, compiled

_PEOPLE: Final = compiled(
    r"^(?:my|our) (?:new |old |current )?(?:[\w-]+ )?(?:boss|manager|supervisor|advisor"
    r"|adviser|teacher|tutor"
    r"|therapist|doctor|gp|dentist|landlord|landlady|coach|trainer|lawyer|accountant|best"
    r" friend|vet"
    r"|hairdresser|barber|co-founder|professor|assistant|team lead|neighbou?r|friend"
    r"|colleague)(?:'s name)? (?:is|are) (?:called |named )?"
    r"(?:Dr\.? |Mrs?\.? |Ms\.? |Prof\.? )?(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*$"
)


_THING: Final = compiled(
    r"^(?:my|our) (?P<what>[\w'/-]+(?: [\w'/&-]+){0,4}?),? (?P<verb>is|are|was|were"
    r"|has|will be|leaves|departs|makes|sells"
    r"|got stolen|was stolen|expires?|ends?|starts?|begins?|runs out|needs|belongs|falls on"
    r"|moved|breaks"
    r"|uses|use) (?P<rest>.*)"
)


_NAME_THING: Final = compiled(
    r"^(?:(?:full|first|last|middle|maiden|birth|given|family|legal|real|actual|married|stage|pen"
    r"|preferred|new|old|user|screen|nick) ?)*(?:name|surname|nickname|username|handle"
    r"|pronouns|initials)"
    r"(?: everywhere| online| here| on \w+)?$"
)


DATE_THING: Final = compiled(
    r"\b(?:birthday|anniversary|exams?|exam|test|appointment|visa|passport|lease|thesis"
    r"|dissertation|deadline"
    r"|flight|wedding|recital|interview|surgery|operation|graduation|licen[cs]e|contract"
    r"|rent|due date"
    r"|party|reunion|concert|trip|holiday|vacation|honeymoon|finals|mot|check-?up|scan|school|term"
    r"|semester|move|ceremony|funeral|marathon|race|match|tournament|performance|audition"
    r"|hearing|viva"
    r"|defen[cs]e|first day|last day|start date|tax return|mortgage|subscription|insurance"
    r"|prescription"
    r"|shift|stand-?up|practice|rehearsal|class|lesson|meeting|retirement|mitzvah"
    r"|christening|baptism"
    r"|quincea\w+|shower|therapy|game|show|exhibition|launch|presentation|release|probation"
    r"|notice period|warranty|baby)s?(?: (?:to|in|at|with|for) [\w ]{2,30})?$"
)


_BODY_THING: Final = compiled(
    rf"^(?:(?:left|right|lower|upper|bad|both|resting|whole) )*{BODY}$|^blood (?:type|group)$"
    r"|^(?:allergy|allergies|medication|diagnosis|height|weight|a1c)$"
)


_GOAL_THING: Final = compiled(
    r"^(?:[\w'-]+ ){0,3}(?:goals?|aim|dream|ambition|resolution|dream job)(?: (?:this|for"
    r"|in) [\w ]+)?$"
)


_TASTE_THING: Final = compiled(
    r"^(?:(?:absolute|all-time|least|second|current|personal|(?:daughter|son|wife|husband"
    r"|kids?|partner|mum|mom|dad)'?s?'?|other|new|main|only|biggest) )*"
    r"(?:favou?rites?|go-to|comfort|guilty pleasure|pet (?:peeve|hate)|hobby|hobbies"
    r"|passion|fear|preferred|interests|secret)\b"
)


_HOME_THING: Final = compiled(
    r"^(?:new |old |current |home |childhood |postal |shipping |mailing |studio |first"
    r" )*(?:home|house|flat|apartment"
    r"|address|place|hometown|home town|home city|neighbou?rhood|studio|condo|cottage|dorm"
    r"|postcode"
    r"|zip code|zip|time ?zone|street|village|building|loft|family home|family)$"
)


_WORK_THING: Final = compiled(
    r"^(?:new |old |current |day |side |main |first |last |part-time |dream |tech |[\w-]+'s"
    r" )*(?:job|role|work|team|company|employer"
    r"|office|title|job title|profession|occupation|startup|business|hours|shifts?|commute"
    r"|salary|department"
    r"|degree|major|course|school|college|university|minor|shop|restaurant|side hustle"
    r"|field|trade|industry"
    r"|working hours|phd|firm|stack)$"
)


_NOT_THING: Final = compiled(
    r"\b(?:questions?|problems?|issues?|code|points?|guess|concerns?|ideas?|understanding"
    r"|suggestions?"
    r"|bad|fault|turn|pleasure|app|files?|program|script|query|function|essay|draft|story"
    r"|character"
    r"|paragraph|opinion|thoughts?|feelings?|head|mind|life|day|week|weekend|morning|night"
    r"|experience"
    r"|favou?r|mistake|apologies|answer|input|output|data|server|website|site|page|mood|battery"
    r"|internet|connection|biggest|main|only|next|previous|friends?|neighbou?rs?"
    r"|colleagues?|coworkers?"
    r"|clients?|customers?|patients?|students?|teachers?|boss|manager|landlord|god|gosh"
    r"|goodness|word"
    r"|request|task|assignment|impression|hope|worry|reason|explanation|time|attempt|results?"
    r"|hands"
    r"|focus|advice|tenant|user|users|plan|prompt|audience|product|article|topic|argument"
    r"|approach|strategy"
    r"|current|budget|level of|love for|first thought|take|view|stance|understanding|target"
    r"|proposal)\b|'s\b"
)


_COPULA: Final = compiled(
    r"^(?:(?:now|actually|still|only|currently|also|just) )*(?:an? |the |called |named |\d"
    rf"|#|on |in |at |due|not |next|(?-i:[A-Z])|{DAY}\b|{MONTH}\b|[\w.+-]+@|near)"
)


_LATELY: Final = compiled(
    r"^(?:(?:is|are|was|were) )?(?:\w+ly )?(?:not working|broken|slow|down|full|empty|dirty"
    r"|late|messy|an? (?:mess|bit|little|lot|pain"
    r"|total|complete|disaster|nightmare|problem|good|great|big|work in progress"
    r"|combination)|in progress|on fire|to (?:be|say|do|make|ask)|killing|hurting"
    r"|the (?:same|best|worst|only)|too|so|very|really|getting|going|starting to|making"
    r"|being|almost|what|that|how|why|when|where"
    r"|at \d+ ?%|not (?:showing|loading|the|a good|sure|very|that|so|too|really|working))\b"
)


_ANY: Final = compiled(
    r"^(?:my|our) (?P<what>(?:[\w-]+ )?[a-z]+[^s\W]) (?!(?:says|helps|means|makes|inspires"
    r"|keeps|gives"
    r"|gets|shows|seems|feels|looks|always)\b)[a-z]+s (?P<rest>.*(?:\d|(?-i:[A-Z])\w).*)"
)


def _of_any(clause: str) -> Category | None:
    """What a thing of the user's does, if it is told with a name or a number."""
    found = _ANY.match(clause)
    if not found or _NOT_THING.search(found["what"]) or not stands(found["rest"]):
        return None
    return "possessions"


def of_thing(clause: str) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    if _PEOPLE.match(clause):
        return "work" if "friend" not in clause else "family"
    thing = _THING.match(clause)
    if not thing:
        return _of_any(clause)
    what, verb, rest = thing["what"].lower(), thing["verb"].lower(), thing["rest"]
    if not rest or not stands(rest) or "%" in rest:
        return "possessions" if verb == "got stolen" else None
    if _NAME_THING.match(what):
        return (
            None
            if re.match(r"(?:not|on|in|at|hard|difficult|often|mis\w+|too|very|so)\b", rest)
            else "name"
        )
    if _GOAL_THING.match(what):
        return (
            "goals"
            if verb == "is" and not TASK.search(rest) and re.match(r"(?:to |an? |[a-z]+ing )", rest)
            else None
        )
    if _TASTE_THING.match(what):
        if verb not in ("is", "are") or re.match(
            r"(?:the (?:first|second|last|one)|that|this|it|when|how|probably|yours|definitely)\b",
            rest,
        ):
            return None
        return "dislikes" if re.search(r"least|peeve|hate|fear", what) else "likes"
    if verb in ("got stolen", "was stolen"):
        return "possessions"
    if re.search(
        r"\b(?:number|phone|mobile|password|e-?mail|e-?mail address|code|pin|id|key)$", what
    ):
        return (
            "possessions"
            if re.search(r"\d|@|-", rest) or re.match(r"an? [A-Z]|(?-i:[A-Z])", rest)
            else None
        )
    if re.fullmatch(rf"(?:\w+ )?(?:{KIN}|{PET})'s name", what):
        return "pets" if re.search(rf"\b{PET}'s", what) else "family"
    lasts = _WORK_THING.match(what) or _HOME_THING.match(what)
    if (_NOT_THING.search(what) and not lasts) or _LATELY.match(f"{verb} {rest}"):
        return None
    if DATE_THING.search(what) and (
        TIME.search(f"{verb} {rest}")
        or re.search(rf"\d|\b{MONTH}\b", rest)
        or re.match(r"(?:in|at) (?-i:[A-Z])", rest)
    ):
        return "dates"
    if _BODY_THING.match(what):
        return "health" if verb in ("is", "are", "has") else None
    if re.fullmatch(
        rf"(?:(?:spoken|written|first|native|second|mother|home) )*(?:{LANGUAGE}|language|tongue"
        r"|languages)",
        what,
    ):
        return "skills" if verb in ("is", "are") else None
    if _HOME_THING.match(what):
        return (
            "home"
            if verb in ("is", "has") and (_COPULA.match(rest) or what.endswith("address"))
            else None
        )
    if _WORK_THING.match(what):
        return (
            "work"
            if verb in ("is", "are", "starts", "uses", "use", "makes", "sells")
            and re.match(
                r"(?:now |called |at |in |an? |the |to |(?-i:[A-Z])|\d|remote|\w+ing\b|from )", rest
            )
            else None
        )
    if verb in ("is", "are") and re.match(
        r"(?:called |named |an? (?:(?-i:[A-Z])|\w+ \w)|\d{4} |(?-i:[A-Z])[\w-]+)", rest
    ):
        return "possessions"
    return (
        "dates" if verb in ("expires", "ends", "starts", "begins") and TIME.search(rest) else None
    )
