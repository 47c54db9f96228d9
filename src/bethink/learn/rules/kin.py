"""What is told of family and pets."""

import re
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.illness import ILLNESS, STATE
from bethink.learn.rules.outside import stands
from bethink.learn.rules.predicates import predicate
from bethink.learn.rules.things import DATE_THING
from bethink.learn.rules.times import TIME
from bethink.learn.rules.wide import wide_kin
from bethink.learn.rules.words import DIET, KIN, LANGUAGE, PET, compiled

_KIN: Final = compiled(
    rf"^(?P<subject>(?:my|our) (?:(?:[\w-]+) ){{0,2}}?(?P<kin>{KIN}|{PET})\b(?P<own>'s?"
    r" (?!name\b)(?P<thing>[\w-]+))?"
    r"(?:,? (?:called |named )?(?P<name>(?!(?:I|It|We|They|He|She|You|The|This|That|My|And"
    r"|But|So|In|On|At)\b)(?-i:[A-Z][\w-]+(?: and [A-Z][\w-]+)?)|(?!(?:is|are|has|have|was"
    r"|were|will|who|and|also|just|still|only|always|never|both|the|a|an|in|at|on|with|to"
    r"|from|for|or|of|that|when|it|he|she|they|we|which|everyone|what"
    r"|this)\b)(?-i:[a-z])+(?= (?:is|has|escaped|loves|was) )))?,?) (?P<rest>\S.*)"
)


_NOT_KIN: Final = compiled(
    r"^(?:my|our) (?:[\w-]+ )?(?:friend|neighbou?r|colleague|coworker|boss|teacher|client"
    r"|landlord|manager|tenant|students?|patients?|teammate)s?\b(?<!best friend)"
)


_KIN_BE: Final = compiled(
    r"^(?:(?:now|also|only|just|still|currently|already|both|all|a lifelong|almost|nearly)"
    r" )*(?:an? (?!(?:great|huge|big|lot|bit|blessing|handful|joy|good|bad|real|total"
    r"|menace|nightmare|saint|star|wonderful|amazing|true|mess|pain|little)\b)[\w' -]+"
    r"|ours$|mine$|the (?:oldest|youngest)|called|named|\d+|(?:one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|\w+ty)\b|from|based|in (?!love|the (?:car|garden|kitchen)|a"
    r" (?:mood|hurry)|charge|town)(?:(?-i:[A-Z])|his|her|year|grade|\d|the (?:army|navy"
    r"|hospital)|hospital|college|school|university|kindergarten|care|a (?:care|nursing)"
    r" home|remission)"
    r"|at (?:(?-i:[A-Z])|university|college|school|uni)|on (?:the (?:\w+ )?spectrum"
    rf"|(?:[\w-]+ )?(?:medication|meds|insulin|[\w]+(?:one|ine|ol|il)))|{DIET}|allergic"
    r"|intolerant|diabetic|autistic|deaf|blind|dyslexic|pregnant|retired|married|divorced"
    r"|engaged|single|separated|dead|disabled|left-handed|bilingual|older than|younger than"
    r"|obsessed with|into|afraid of|scared of|terrified of|due|born|stabled|buried|adopted"
    r"|expecting|turning|coming to (?:stay|visit|live)|moving|getting (?:married"
    r"|divorced)|learning|studying|training"
    r"|living|working|starting|attending|teaching|recovering|retiring|graduating|going"
    r" (?:to (?:[\w-]+ ){0,2}(?:school|university|college|uni|(?-i:[A-Z])\w+)|blind|deaf)"
    r"|undergoing|losing|doing (?:an?|her|his|their)|having (?:an?|another|surgery|her|his)"
    r"|dating|majoring|running|very allergic|severely allergic|lactose|coeliac|celiac"
    rf"|gluten|{LANGUAGE}|(?:swedish|british|american|indian|brazilian|mexican|canadian"
    r"|australian|scottish)\b|(?-i:[A-Z])[\w-]+(?: and (?-i:[A-Z])|$|,))"
)


_KIN_DOES: Final = compiled(
    r"^(?:go(?:es)? back to school|lives?|works?|speaks?|loves?|hates?|loathes?"
    r"|likes?|dislikes?|enjoys?|prefers?"
    r"|plays?|teach(?:es)?|stud(?:y|ies)|goes to (?:[\w-]+ ){0,2}(?:school|university"
    r"|college|uni|nursery|kindergarten|(?-i:[A-Z]))|owns?|runs? (?:an?|the|her|his|their"
    r"|marathons)|drives?|died|passed away|moved|retired|graduated|starts? (?:school|at"
    r"|kindergarten|university|college|uni|nursery|year|a|her|his|work)|started (?:school"
    r"|at|kindergarten|university|college|uni|nursery|a|her|his|walking|work)|got"
    r" (?:married|engaged|divorced|into|a|an|accepted|promoted|stolen)|divorced|separated"
    r"|split up|married|suffers?|takes? (?:\w+ )?(?:\w+ )?(?:meds|medication|insulin"
    r"|sugars?|pills?)|eats?|drinks?|collects?|keeps? (?:bees|chickens|goats)|carries"
    r"|needs? (?:glasses|insulin|a wheelchair|her|his|their|step-free)|wants to (?:be"
    r"|become)|handles?|manages?|used to|grew up|comes from|escaped|was born|were born"
    r"|broke (?:her|his|their)|commutes?|volunteers?|served|became|joined|quit|attends?"
    r"|coaches|swims?|rides?|writes?|paints?|sings?|dances?|bakes?|cooks?|gardens?|weighs?"
    r"|only (?:eats?|speaks?|drinks?|has|likes?)|turns? \d|turned \w+|has|have|had (?:an?"
    r"|her|his|their|twins|surgery)|lost (?:her|his|their)|does not|do not|will not|cannot"
    r"|adopted|was diagnosed|starts in|snores|sheds|follows)\b"
)


_KIN_NOT_DOES: Final = compiled(
    r"^(?:(?:has|have) (?:to\b|been (?:so|very|really|a (?:great|huge|big)|super|supportive"
    r"|amazing|the|my|such|there|asking|telling|helping|bugging|nagging|wanting|acting"
    r"|feeling)|always|never|no idea|helped|made|an? (?:great|good|lovely|wonderful|point"
    r"|question|way|lot|huge|bit)|such|so |really|given|told|taught|asked|mentioned"
    r"|recommended|said|shown|brought|inspired|supported)|does not (?:know|understand|think"
    r"|care|want|get|believe|seem|listen|say|mind|really)|do not (?:know|understand|think"
    r"|care|want|get|believe|seem|agree)|will not (?:stop|let|shut|listen|leave|be|mind)"
    r"|loves? (?:it|this|that|me|us|you|him|to (?:say|tell))|likes? (?:it|this|that|me|us"
    r"|you)|plays? (?:a|an) (?:big|role|huge|important)|works? (?:hard|well|great|so)|got"
    r" (?:a|an|the) (?:\w+ )?(?:call|email|message|lot|bit|kick|chance|text)|eats? (?:it"
    r"|this|that)|keeps|takes care)\b"
)


def of_kin(clause: str) -> Category | None:  # noqa: PLR0911
    kin = _KIN.match(clause)
    if not kin or _NOT_KIN.match(clause):
        return None
    rest = kin["rest"]
    if not stands(
        re.sub(r"\b(?:him|them|it)\b(?= |$)", "", rest) if " " in rest else rest
    ) or re.search(r"\b(?:it|this|that)$", rest):
        return None
    if kin["own"]:
        return _of_their(kin, rest)
    is_pet = bool(re.fullmatch(PET, kin["kin"], re.IGNORECASE))
    said = predicate(rest)
    whole = said.whole
    if said.helpers in ("am", "was") and not said.verb:
        return None
    if said.helpers in ("am", "was"):
        fits = bool(_KIN_BE.match(whole)) and not (
            said.helpers == "was" and re.match(r"[a-z]+ing\b", whole)
        )
    elif (
        said.helpers in ("have", "have been", "do not", "will not", "cannot", "never", "can")
        or not said.helpers
    ):
        fits = bool(_KIN_DOES.match(rest) or _KIN_DOES.match(whole)) and not (
            _KIN_NOT_DOES.match(rest) or _KIN_NOT_DOES.match(whole)
        )
    else:
        fits = said.helpers in ("will", "will be") and bool(TIME.search(rest))
    if not (fits or wide_kin(said, rest)):
        return None
    if (
        not is_pet
        and re.match(r"(?:has|have|suffers|is|are|carries|takes)\b", rest)
        and (ILLNESS.search(rest) or (said.helpers == "am" and STATE.match(whole)))
    ):
        return "health"
    if re.match(
        r"(?:hates?|loathes?|dislikes?|detests?|will not (?:eat|touch)|cannot stand|does not"
        r" (?:like|eat))\b",
        rest,
    ):
        return "dislikes"
    return "pets" if is_pet else "family"


def _of_their(kin: re.Match[str], rest: str) -> Category | None:
    """What is said of something that belongs to one of the family."""
    thing = kin["thing"].lower()
    if DATE_THING.search(thing):
        return "dates" if TIME.search(rest) or re.search(r"\d", rest) else None
    if re.match(r"(?:is|are) (?:called|named|an?|in (?-i:[A-Z])|(?-i:[A-Z]))", rest) or re.match(
        r"(?:moved|died|is due)\b", rest
    ):
        return "family"
    return None
