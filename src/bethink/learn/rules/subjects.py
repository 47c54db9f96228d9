"""Whom a clause is about, where it does not say so itself."""

import re
from dataclasses import dataclass

from bethink.learn.rules.words import (
    CAR,
    DAY,
    DIET,
    KIN,
    LANGUAGE,
    NAME,
    PET,
    VEHICLE,
    compiled,
    either,
)

_PAST = either(
    "started moved bought sold adopted broke booked quit left joined signed graduated retired"
    " dropped switched turned lost finished married got became grew went took picked ordered"
    " rescued inherited upgraded enrolled qualified stopped gave tore sprained fractured passed"
    " landed accepted ended changed traded replaced crashed relocated had landed applied"
    " welcomed finally_got finally_bought finally_moved finally_quit gave_birth"
)
_BEING = (
    r"(?:(?:a |an )?(?:big|huge|massive|not (?:a |really a )?(?:big |huge )?) ?(?:fan|lover"
    r"|keen|into|fond)\b"
    r"|not (?:keen|into|fond|a fan)\b|obsessed with|allergic to|lactose intolerant"
    rf"|{DIET}\b(?! for)|fluent in|married to|single mum|single dad"
    rf"|based in|born (?:and|in|on)|from {NAME}(?: originally)?$|(?:currently )?between jobs"
    r"|unemployed|retired (?!in)|self[- ]taught|diagnosed with|due (?:in|on)\b"
    rf"|native {LANGUAGE} speaker|type [12] diabetic|diabetic|pregnant|coeliac|celiac"
    r"|colou?r[- ]?blind|left[- ]handed|hard of hearing"
    r"|addicted to|terrified of|scared of|afraid of|brand new to|new to|good at|bad at"
    r"|terrible at|hopeless at|in (?:\d+(?:st|nd|rd|th) grade|year \d+|my (?:\d+(?:st|nd|rd"
    r"|th)|first|second|third|final) year))"
)
_PRESENT = (
    r"(?:(?:absolutely |really |just |secretly |always |usually |mostly |normally |also"
    r" )*(?:love|hate|adore|loathe|detest|prefer|enjoy|dislike|live|work (?!on\b)|speak"
    r"|drive|play|commute|teach|grew up|own|rent|cannot (?:stand|swim|drive|cook|eat|drink"
    r"|do|bear|get enough|with))"
    r"|want to (?:be|become|get|open|own|learn|live)|would love to|hope to|do not (?:like|eat"
    r"|drink|drive|work|smoke|have|know|speak|own|do|live|play)|never"
    r" (?:learned|learnt|liked|been|had|drink|eat)|used to (?:be|live|work|play|have|smoke"
    r"|do|teach|run|own)"
    rf"|have (?:a|an|two|three|four|five|six|got) (?:[\w-]+ ){{0,2}}(?:{KIN}|{PET}))\b(?!"
    r" (?:it|this|that|you|your\w*|is|the (?:ride|moment|journey|process|show)|and"
    r"|you'll)\b)"
)
_ELIDED = (
    (
        compiled(
            r"^(?:just |finally |also |then )?(?!(?:need|based|speed|indeed|said|born|used|tired"
            r"|bored|excited|interested|confused|supposed|red|bed|fed)\b)(?:\w{2,}ed|"
            + _PAST
            + r")\b(?! (?:by|in \w+ by)\b)"
        ),
        "I ",
    ),
    (
        compiled(
            r"^(?:currently |just |still |now )?(?!(?:king|thing|ring|being|nothing|something"
            r"|everything"
            r"|anything|during|morning|evening|spring|string|wedding|building|meeting|according"
            r"|regarding|including)\b)[a-z]{2,}ing\b"
        ),
        "I am ",
    ),
    (
        compiled(
            r"^(?:(?:part|full)[- ]time (?:at|in)|off to|up at|in bed by|back (?:in|at|on|to)"
            r" (?!the\b)|deaf|blind|(?:\w+ )?(?:weeks|months) pregnant|autistic|dyslexic"
            r"|epileptic|not (?:bad|great|good|big|much|with)|on (?:a|my|\w+ine|\w+mg)\b|in my"
            r"|into|mad (?:on|about|for)|partial to|hooked on|proud owner"
            r"|a (?:\w+ )?(?:person|fan|lover)|only child|married|divorced|widowed|engaged)\b"
        ),
        "I am ",
    ),
    (
        compiled(r"^(?:been|(?:already |recently |also )?(?:lived|worked) (?:in|at|for|here))\b"),
        "I have ",
    ),
    (compiled(r"^born\b"), "I was "),
    (compiled(rf"^{_BEING}"), "I am "),
    (compiled(rf"^{_PRESENT}"), "I "),
)
_GERUND = compiled(
    r"^\w+ing\b.* (?:is|are|has|helps?|can|makes?|was|brings?|will|gives?|have|takes|means"
    r"|feels|sounds|keeps)\b"
)
_HERE = compiled(
    r"^(?!same|looky?|right|hello|hi|over|out|up|new|me|down|in|not|none|all|every|been|see"
    r"|live|lived|work|stuck|it|from|the|be|come|here|stay|moved|i'm)(?P<what>(?:[\w-]+ ){1,"
    r"4})here(?:,.*)?$"
)
_OVER = compiled(
    r"^(?!.*\b(?:is|are|am|i|we|have|having|it|come|came|go|went|all|been|get|be|take|over"
    r" it)\b)(?P<what>[\w ]{2,20} over [\w ]{2,20})(?:,? (?:always|any day|every time|all"
    r" day).*)?$"
)
_WEEKLY = compiled(
    r"^(?P<what>(?:gym|yoga|pilates|swimming|football|rugby|tennis|training|choir|practice"
    r"|band practice|church|therapy|physio|spin|dance|ballet|karate|judo|climbing|piano"
    r"|guitar|rehearsal)(?: class| lessons?| practice| training)?),? (?:on |every |is"
    rf" )?(?P<days>{DAY}(?:[ ,/&]+(?:and )?{DAY})*)$"
)
_BARE_KIN = compiled(
    r"^(?P<kin>mother(?= (?:is|has|lives))|father(?= (?:is|has|lives))|mum|mom|mam|dad|grandma"
    r"|grandpa|gran|nan|granny|grandad|hubby|wife|husband"
    r"|kids|daughter|son|partner|the (?:youngest|eldest|oldest|kids|baby|twins|lad|lads|lass"
    r"|bairn|horse|hens|chickens|rabbits?|tortoise|parrot|hamster|kittens?|cats?|dogs?"
    r"|wife|husband|missus|boys|girls|pup|puppy|kitten|little one|old man|other half"
    r"|in-laws))\b(?P<rest>(?:'s)? .+)"
)
_FAVOURITE = compiled(
    r"^(?P<what>(?:least )?favou?rite [\w]+(?: [\w]+)?) (?:is |are |= ?)?(?P<rest>\S.*)"
)
_BARE_THING = compiled(
    r"^(?P<what>birthday|home(?= is)|the name|name|nickname|surname|thesis|dissertation"
    r"|rent|school|lease|driving test|exam|visa|real name|full name|username|email|phone"
    r" number|blood type|flight|wedding|pronouns|address|job|hobby|hobbies|home town"
    r"|hometown|the (?:lease|wedding|flight|rent|thesis|move|operation|surgery|exam"
    r"|deadline|mortgage|car|flat|house|apartment|boiler)|standup|finals|exams"
    r"|graduation)\b(?P<rest>(?:'s| is| are| was|,| starts| ends| expires| breaks| on| will"
    r"| breaks).*)"
)
_POSSESSED = compiled(
    rf"^(?P<subject>(?:my|our) (?:(?:{KIN}|{PET}|[\w-]+)(?: {NAME})?|apartment"
    r"|favou?rite [\w-]+|[\w -]+? name"
    r"|phone number))'s (?P<rest>.+)"
)
_HOME_FOR = compiled(r"^home for (?:me|us)(?: now| these days)? is\b")
_HOUSEHOLD = compiled(r"^we are an? ([\w -]{2,40}) (household|family)\b")
_HOME = compiled(rf"^({NAME})'s(?= home\b)")
_PAIRED = compiled(
    rf"^((?:my|our) {KIN}(?: (?-i:[A-Z])[\w-]+)?|{NAME}) and (?:I|me)\b|^me and (?=my |\w)"
)
_FINITE = compiled(
    r"\b(?:is|are|was|were|has|have|had|will|does|did|\w+ed|lives|works|moved|got|starts"
    r"|loves|plays|went|came|drives|ends|runs|needs)\b"
)
_PRONOUN = compiled(r"^(?P<who>he|she|they|it|his|her|its|their)(?P<is>'s)?\b(?P<rest> .+)")
_SOMEONE = compiled(
    r"\b(?P<own>my|our|got a|got an|adopted a|adopted an|bought a|bought an|have a|have an"
    rf"|brought home a|rescued a|a new|our new|my new) (?P<who>(?:[\w-]+ ){{0,3}}?(?:{KIN}"
    rf"|{PET}|camper ?van|van|car|boat|bike|motorbike|house|flat))\b(?!'s)(?:"
    rf" (?P<name>{NAME}))?"
)
_ONE_OF = compiled(r"^one of my (?:\w+ )?(goal|dream|ambition|hobbie|hobby|aim)s is\b")
_MAY_NAME = compiled(r"\b(?:my|our|an?|new|engaged|married|dating)\b")
_ATTRIBUTE = compiled(
    r"\b(?:my|our|new|a new|changed my) (?P<what>(?:[\w-]+ ){0,2}(?:name|number|surname"
    r"|email address|email|e-mail|address|birthday|age|password|code|pin|username|handle"
    r"|job title|postcode|phone|mobile|car|nickname))\b"
)
_NAMED = compiled(
    r"^(?P<name>(?-i:[A-Z])[\w-]+)(?P<rest>(?:'s)? (?:is|was|has|turning|turned|loves|likes"
    r"|starts|started|just|lives|works|obsessed|a|an|in|at|hates|got|goes|plays|wants|had"
    r"|now|\d).*)"
)
_ITS_NAME = compiled(r"^name(?:'s| is) (.+)")
_MINE = compiled(r"^(?:mine|ours)(?P<verb>'s| is| are| has| have)(?P<rest> .+)")
_ONE_OF_THEM = compiled(
    rf"\b(?:an?|one|two|my|our) (?P<what>(?:[\w-]+ ){{0,3}}?(?:{PET}|{CAR}\b(?: [\w-]+)?"
    rf"|{VEHICLE}))\b"
)
_OURS = compiled(rf"^(?:ours|mine),? (?P<name>{NAME}),? (?P<rest>.+)")
_ENGAGED = compiled(r"\b(?:engaged|married|girlfriend|boyfriend|dating)\b")
_PLURAL = compiled(r"(?:s|children|kids|mice|sheep|fish)$|\band\b")
_KIN_END = compiled(rf"\b({KIN}|{PET})$")


@dataclass(slots=True)
class Topic:
    """What was spoken of last: a person or animal, and a thing that has a value."""

    someone: str = ""
    named: bool = False
    attribute: str = ""
    kind: str = ""
    """What was asked about and may be "mine"."""

    def ask(self, question: str) -> None:
        """Takes in what is asked about: "is a gecko hard to keep? mine's called Rex"."""
        if found := _ONE_OF_THEM.search(question):
            self.kind = found["what"]

    def note(self, text: str) -> None:
        """Takes in what a clause or a question speaks of."""
        if not _MAY_NAME.search(text):
            return
        for found in _SOMEONE.finditer(text):
            own = "our" if found["own"].lower().startswith("our") else "my"
            name = f" {found['name']}" if found["name"] else ""
            self.someone, self.named = f"{own} {found['who']}{name}", bool(name)
        if not self.someone and _ENGAGED.search(text):
            self.someone, self.named = "my partner", False
        if named := _ATTRIBUTE.search(text):
            self.attribute = named["what"]


def placed(clause: str, topic: Topic) -> str:
    """The clause with a subject."""
    clause = _subjected(_introduced(_referred(clause, topic), topic))
    if clause[:6].lower() == "we are":
        clause = _HOUSEHOLD.sub(r"our \2 is a \1 \2", clause)
    elif "'s home" in clause:
        clause = _HOME.sub(r"\1 is", clause)
    elif " and " in clause:
        clause = _PAIRED.sub(lambda found: f"I and {found[1] or ''}", clause)
    return _whole(clause)


def _introduced(clause: str, topic: Topic) -> str:
    """With the kin beside a name that comes after it: "my niece? Zuri's turning 6"."""
    if topic.kind and (mine := _MINE.match(clause)):
        verb = mine["verb"].replace("'s", " has" if mine["rest"].startswith(" got") else " is")
        return f"my {topic.kind}{verb}{mine['rest']}"
    if topic.someone and (called := _ITS_NAME.match(clause)):
        return f"{topic.someone} is called {called[1]}"
    if ours := _OURS.match(clause):
        kin = _KIN_END.search(topic.someone)
        clause = f"my {kin[1] if kin else 'child'} {ours['name']} {ours['rest']}"
    elif topic.someone and not topic.named and (named := _NAMED.match(clause)):
        clause = f"{topic.someone} {named['name']}{named['rest']}"
        topic.named = True
    return clause


def _subjected(clause: str) -> str:  # noqa: PLR0911 (one for each thing left out)
    """With the subject that is left out: "mum's in Perth", "tea over coffee"."""
    clause = _ONE_OF.sub(r"my \1 is", clause) if clause[:6].lower() == "one of" else clause
    clause = _HOME_FOR.sub("home is", clause)
    if bare := _BARE_KIN.match(clause):
        return f"my {bare['kin'].lower().removeprefix('the ')}{bare['rest']}"
    if bare := _BARE_THING.match(clause):
        return f"my {bare['what'].lower().removeprefix('the ')}{bare['rest']}"
    if found := _FAVOURITE.match(clause):
        return f"my {found['what']} is {found['rest']}"
    if found := _WEEKLY.match(clause):
        return f"I go to {found['what']} on {found['days']}"
    if " over " in clause and (found := _OVER.match(clause)):
        return f"I prefer {found['what']}"
    own = clause.lower().startswith(("i ", "we "))
    if " here" in clause and not own and (found := _HERE.match(clause)):
        return f"I am {_with_article(found['what'].strip())}"
    return _with_subject(clause)


def _with_subject(clause: str) -> str:
    for pattern, subject in _ELIDED:
        if pattern.search(clause) and not (subject == "I am " and _GERUND.search(clause)):
            return f"{subject}{clause[:1].lower()}{clause[1:]}"
    return clause


def _with_article(what: str) -> str:
    countable = re.search(
        r"(?:er|or|ist|nurse|dad|mum|mom|parent|student|person|man|woman|dev|engineer)$", what
    )
    if not countable or what.startswith(("a ", "an ")):
        return what
    return f"{'an' if what[0].lower() in 'aeiou' else 'a'} {what}"


def _referred(clause: str, topic: Topic) -> str:  # noqa: PLR0911 (one for each pronoun)
    """With the person or the thing that was spoken of instead of a pronoun."""
    found = _PRONOUN.match(clause)
    if not found:
        return clause
    who, rest = found["who"].lower(), found["rest"]
    if found["is"]:
        rest = f" is{rest}"
    if (
        who in ("it", "its")
        and topic.attribute
        and re.match(
            r" (?:is|was)(?: now| actually)? \S+(?: \S+){0,4}$",
            rest if who == "it" else f" is{rest}",
        )
    ):
        what, topic_rest = topic.attribute, rest if who == "it" else f" is{rest}"
        return f"my {what}{topic_rest}"
    if not topic.someone:
        return clause
    plural = bool(_PLURAL.search(topic.someone))
    if who == "they" and not plural:
        return clause
    if who in ("his", "her", "its", "their"):
        if named := re.match(r" name(?:'s| is) (.+)", rest):
            return f"{topic.someone} is called {named[1]}"
        return f"{topic.someone}'s{rest}"
    return clause if who == "it" else f"{topic.someone}{rest}"


_AND = compiled(r",| and ")
_PLACED = compiled(r"(?:in|at|on|from|an?|not|called|named|been) ")


def _whole(clause: str) -> str:
    """With "is" written out: "my dad's in Perth"; not in "my dad's job moved"."""
    found = _POSSESSED.match(clause) if "'s" in clause else None
    if not found or (
        _FINITE.search(_AND.split(found["rest"])[0]) and not _PLACED.match(found["rest"])
    ):
        return clause
    rest = found["rest"]
    verb = "has" if re.match(r"(?:got|been|had)\b", rest) else "is"
    return f"{found['subject']} {verb} {rest}"
