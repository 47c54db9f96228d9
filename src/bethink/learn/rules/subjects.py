"""Whom a clause is about, where it does not say so itself."""

import re
from dataclasses import dataclass

from bethink.learn.rules.words import DAY, DIET, KIN, LANGUAGE, NAME, PET, compiled, either

_PAST = either(
    "started moved bought sold adopted broke booked quit left joined signed graduated retired"
    " dropped switched turned lost finished married got became grew went took picked ordered"
    " rescued inherited upgraded enrolled qualified stopped gave tore sprained fractured passed"
    " landed accepted ended changed traded replaced crashed relocated had landed applied"
    " welcomed finally_got finally_bought finally_moved finally_quit gave_birth"
)
_DOING = either(
    "moving going starting trying saving aiming working training learning studying living planning"
    " hoping taking flying getting having visiting expecting writing building leaving teaching"
    " running raising recovering thinking_of switching quitting turning heading travelling"
    " traveling hosting joining attending expecting renovating competing volunteering retiring"
    " applying self-employed"
)
_BEING = (
    rf"(?:(?:a |an )?(?:big|huge|massive|not (?:a |really a )?(?:big |huge )?) ?(?:fan|lover|keen|into|fond)\b"
    rf"|not (?:keen|into|fond|a fan)\b|obsessed with|allergic to|lactose intolerant|{DIET}\b(?! for)|fluent in|married to|single mum|single dad"
    rf"|based in|born (?:and|in|on)|from {NAME}(?: originally)?$|(?:currently )?between jobs|unemployed|retired (?!in)|self[- ]taught|diagnosed with|due (?:in|on)\b"
    rf"|native {LANGUAGE} speaker|type [12] diabetic|diabetic|pregnant|coeliac|celiac|colou?r[- ]?blind|left[- ]handed|hard of hearing"
    rf"|addicted to|terrified of|scared of|afraid of|brand new to|new to|good at|bad at|terrible at|hopeless at|in (?:\d+(?:st|nd|rd|th) grade|year \d+|my (?:\d+(?:st|nd|rd|th)|first|second|third|final) year))"
)
_PRESENT = (
    r"(?:(?:absolutely |really |just |secretly |always |usually |mostly |normally |also )*(?:love|hate|adore|loathe|detest|prefer|enjoy|dislike|live|work (?!on\b)|speak|drive|play|commute|teach|grew up|own|rent|cannot (?:stand|swim|drive|cook|eat|drink|do|bear|get enough|with))"
    r"|do not (?:like|eat|drink|drive|work|smoke|have|know|speak|own|do|live|play)|never (?:learned|learnt|liked|been|had|drink|eat)|used to (?:be|live|work|play|have|smoke|do|teach|run|own)"
    rf"|have (?:a|an|two|three|four|five|six|got) (?:[\w-]+ ){{0,2}}(?:{KIN}|{PET}))\b(?! (?:it|this|that|you|your\w*|is|the (?:ride|moment|journey|process|show)|and|you'll)\b)"
)
_ELIDED = (
    (compiled(rf"^(?:just )?(?:{_PAST})\b"), "I "),
    (compiled(rf"^(?:currently |just |still |now )?(?:{_DOING})\b"), "I am "),
    (compiled(r"^(?:been|(?:already |recently |also )?(?:lived|worked) (?:in|at|for|here))\b"), "I have "),
    (compiled(r"^born\b"), "I was "),
    (compiled(rf"^{_BEING}"), "I am "),
    (compiled(rf"^{_PRESENT}"), "I "),
)
_GERUND = compiled(
    r"^\w+ing\b.* (?:is|are|has|helps?|can|makes?|was|brings?|will|gives?|have|takes|means|feels|sounds|keeps)\b"
)
_HERE = compiled(r"^(?!same|looky?|right|hello|hi|over|out|up|new|me|down|in|not|none|all|every|been|see|live|lived|work|stuck|it|from|the|be|come|here|stay|moved|i'm)(?P<what>(?:[\w-]+ ){1,4})here$")
_OVER = compiled(r"^(?!.*\b(?:is|are|am|i|we|have|having|it|come|came|go|went|all|been|get|be|take|over it)\b)(?P<what>[\w ]{2,20} over [\w ]{2,20})(?:,? (?:always|any day|every time|all day).*)?$")
_WEEKLY = compiled(
    rf"^(?P<what>(?:gym|yoga|pilates|swimming|football|rugby|tennis|training|choir|practice|band practice|church|therapy|physio|spin|dance|ballet|karate|judo|climbing|piano|guitar|rehearsal)(?: class| lessons?| practice| training)?),? (?:on |every |is )?(?P<days>{DAY}(?:[ ,/&]+(?:and )?{DAY})*)$"
)
_BARE_KIN = compiled(r"^(?P<kin>mum|mom|mam|dad|grandma|grandpa|gran|nan|granny|grandad|hubby|wife|husband|kids|daughter|son|partner|the (?:youngest|eldest|oldest|kids|baby|twins|cats?|dogs?|wife|husband|missus|boys|girls|pup|puppy|kitten|little one|old man|other half|in-laws))\b(?P<rest>(?:'s)? .+)")
_FAVOURITE = compiled(r"^(?P<what>(?:least )?favou?rite [\w]+(?: [\w]+)?) (?:is |are |= ?)?(?P<rest>\S.*)")
_BARE_THING = compiled(r"^(?P<what>birthday|home(?= is)|the name|name|nickname|surname|thesis|dissertation|rent|school|lease|driving test|exam|visa|real name|full name|username|email|phone number|blood type|flight|wedding|pronouns|address|job|hobby|hobbies|home town|hometown|the (?:lease|wedding|flight|rent|thesis|move|operation|surgery|exam|deadline|mortgage|car|flat|house|apartment|boiler)|standup|finals|exams|graduation)\b(?P<rest>(?:'s| is| are| was|,| starts| ends| expires| breaks| on| will| breaks).*)")
_POSSESSED = compiled(rf"^(?P<subject>(?:my|our) (?:(?:{KIN}|{PET}|[\w-]+)(?: {NAME})?|apartment|[\w -]+? name|phone number))'s (?P<rest>.+)")
_HOUSEHOLD = compiled(r"^we are an? ([\w -]{2,40}) (household|family)\b")
_HOME = compiled(rf"^({NAME})'s(?= home\b)")
_PAIRED = compiled(rf"^((?:my|our) {KIN}(?: (?-i:[A-Z])[\w-]+)?|{NAME}) and (?:I|me)\b|^me and (?=my |\w)")
_FINITE = compiled(r"\b(?:is|are|was|were|has|have|had|will|does|did|\w+ed|lives|works|moved|got|starts|loves|plays|went|came|drives|ends|runs|needs)\b")
_PRONOUN = compiled(r"^(?P<who>he|she|they|it|his|her|its|their)(?P<is>'s)?\b(?P<rest> .+)")
_SOMEONE = compiled(
    rf"\b(?P<own>my|our|got a|got an|adopted a|adopted an|bought a|bought an|have a|have an|brought home a|rescued a|a new|our new|my new) (?P<who>(?:[\w-]+ ){{0,3}}?(?:{KIN}|{PET}|camper ?van|van|car|boat|bike|motorbike|house|flat))\b(?!'s)(?: (?P<name>{NAME}))?"
)
_ATTRIBUTE = compiled(r"\b(?:my|our|new|a new|changed my) (?P<what>(?:[\w-]+ ){0,2}(?:name|number|surname|email address|email|e-mail|address|birthday|age|password|code|pin|username|handle|job title|postcode|phone|mobile|car|nickname))\b")
_NAMED = compiled(rf"^(?P<name>(?-i:[A-Z])[\w-]+)(?P<rest>(?:'s)? (?:is|was|has|turning|turned|loves|likes|starts|started|just|lives|works|obsessed|a|an|in|at|hates|got|goes|plays|wants|had|now|\d).*)")
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

    def note(self, text: str) -> None:
        """Takes in what a clause or a question speaks of."""
        for found in _SOMEONE.finditer(text):
            own = "our" if found["own"].lower().startswith("our") else "my"
            name = f" {found['name']}" if found["name"] else ""
            self.someone, self.named = f"{own} {found['who']}{name}", bool(name)
        if not self.someone and _ENGAGED.search(text):
            self.someone, self.named = "my partner", False
        if found := _ATTRIBUTE.search(text):
            self.attribute = found["what"]


def placed(clause: str, topic: Topic, *, first: bool) -> str:
    """The clause with a subject; `first` says that it opens its sentence."""
    clause = _referred(clause, topic)
    if ours := _OURS.match(clause):
        kin = _KIN_END.search(topic.someone)
        clause = f"my {kin[1] if kin else 'child'} {ours['name']} {ours['rest']}"
    elif topic.someone and not topic.named and (named := _NAMED.match(clause)):
        clause = f"{topic.someone} {named['name']}{named['rest']}"
        topic.named = True
    if bare := _BARE_KIN.match(clause):
        kin = bare["kin"].removeprefix("the ").removeprefix("The ")
        clause = f"my {kin.lower()}{bare['rest']}"
    elif bare := _BARE_THING.match(clause):
        what = bare["what"].lower().removeprefix("the ")
        clause = f"my {what}{bare['rest']}"
    elif found := _FAVOURITE.match(clause):
        clause = f"my {found['what']} is {found['rest']}"
    elif found := _WEEKLY.match(clause):
        clause = f"I go to {found['what']} on {found['days']}"
    elif found := _OVER.match(clause):
        clause = f"I prefer {found['what']}"
    elif (found := _HERE.match(clause)) and not clause.lower().startswith(("i ", "we ", "i'm")):
        clause = f"I am {_with_article(found['what'].strip())}"
    else:
        clause = _with_subject(clause)
    clause = _HOUSEHOLD.sub(r"our \2 is a \1 \2", _HOME.sub(r"\1 is", clause))
    return _whole(_PAIRED.sub(lambda found: f"I and {found[1] or ''}", clause))


def _with_subject(clause: str) -> str:
    for pattern, subject in _ELIDED:
        if pattern.search(clause) and not (subject == "I am " and _GERUND.search(clause)):
            return f"{subject}{clause[:1].lower()}{clause[1:]}"
    return clause


def _with_article(what: str) -> str:
    countable = re.search(r"(?:er|or|ist|nurse|dad|mum|mom|parent|student|person|man|woman|dev|engineer)$", what)
    if not countable or what.startswith(("a ", "an ")):
        return what
    return f"{'an' if what[0].lower() in 'aeiou' else 'a'} {what}"


def _referred(clause: str, topic: Topic) -> str:
    """With the person or the thing that was spoken of instead of a pronoun."""
    found = _PRONOUN.match(clause)
    if not found:
        return clause
    who, rest = found["who"].lower(), found["rest"]
    if found["is"]:
        rest = f" is{rest}"
    if who in ("it", "its") and topic.attribute and re.match(r" (?:is|was)(?: now| actually)? \S+(?: \S+){0,4}$", rest if who == "it" else f" is{rest}"):
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


def _whole(clause: str) -> str:
    """With "is" written out: "my dad's in Perth"; not in "my dad's job moved"."""
    found = _POSSESSED.match(clause)
    if not found or _FINITE.search(found["rest"]):
        return clause
    rest = found["rest"]
    verb = "has" if re.match(r"(?:got|been|had)\b", rest) else "is"
    return f"{found['subject']} {verb} {rest}"
