"""What a whole sentence tells, where no clause of it has a shape that is known.

People say what lasts in more ways than can be listed, but with few words: a sentence in the first
person that names an illness, a pet or a place to live tells of it, however it is built. Two signs
are asked for, one of what it is about and one that it is the user's own and lasting.
"""

from collections.abc import Callable
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.clauses import is_question, trimmed
from bethink.learn.rules.doubts import is_unreal
from bethink.learn.rules.illness import BODY, DRUG, ILLNESS
from bethink.learn.rules.outside import BROKEN_OFF
from bethink.learn.rules.predicates import predicate
from bethink.learn.rules.simple import MENTAL
from bethink.learn.rules.things import DATE_THING
from bethink.learn.rules.words import (
    CAR,
    DAY,
    KIN,
    LANGUAGE,
    MONTH,
    NAME,
    NUMBER,
    PET,
    compiled,
    listed,
)

_LONGEST: Final = 190
_OWN: Final = compiled(r"\b(?:I|we|my|our|me|us|mine|ours|myself)\b")
_SUBJECT: Final = compiled(
    r"^(?:[^,;]{0,60}, )?(?:(?:\w+ ){0,5}?(?:I|we|mine|ours)\b|(?:[\w'-]+ ){0,3}?(?:my|our)\b)"
)
_OUTSIDE: Final = compiled(
    r"^(?:it(?! is (?:(?:my|our)(?! favou?rite)|me|\w+ (?:years|months|days|weeks))\b)|this(?!"
    r" (?:year|month|week"
    r"|weekend|summer|winter|spring|autumn|christmas))|that|these|those|he|she|they|his|her"
    r"|their|you|your|there you|what|who|why|how"
    r"|(?:some|an?|one) (?:[\w-]+ )?(?:girl|guy|man|woman|boy|bloke|lady|person|dude|friend)"
    r"|(?-i:[A-Z])\w+ (?-i:[A-Z])\w+ (?:he|she|is|has|was|lives|said)|where|when did|which"
    r"|thanks?|thank|sorry|please|if|let|imagine)\b"
)
_ASKS: Final = listed(
    """
    find give write tell show help make explain suggest recommend can could would draft check fix
    translate summarise summarize list create generate compare convert calculate plan describe add
    remove change update edit rewrite look search read send set turn put get let say think try use
    consider
    """
)
_MOMENT: Final = compiled(
    r"\b(?:right now|just now|today was|so (?:happy|excited|proud|tired|glad|grateful|stressed"
    r"|bored|hungry)|can ?not wait|glad|thanks|excited|congrat\w*|proud|appreciate|great (?:job"
    r"|idea)|sounds (?!like a)|reminds? (?:me|us)|makes? (?:me|us) (?:feel (?!ill|sick)|smile"
    r"|happy|so)|feels"
    r"|feeling|felt|here (?:is|are)|happened|seems?|who knows|keep (?:pushing|going|on|an)|make"
    r" sure"
    r"|next door|inspir\w+|incredible|amazing|awesome|the idea|this (?!year|month|week|weekend"
    r"|summer|winter|spring|autumn|morning|christmas|one|time)|these (?!days)|those|them|ignore"
    r"|hang on|each other|there for (?:me|us)|so much|sounds|supportive)\b"
)
_PASSING: Final = MENTAL | listed(
    """
        thinking considering wondering noticing looking trying getting going having feeling hoping
        asking talking meaning experimenting exploring using planning debating struggling weighing
        noticed realised realized thought wondered considered looked shared saw found heard
        interested curious sure unsure torn unclear ready able happy sorry thinking down lucky
        """
) - listed("want hope dread find miss stay lead run walk hold give call plan tend check struggle")
_FIRST: Final = compiled(r"^(?:[^,]{0,60}, )?(?:[\w'-]+ ){0,4}?(?:I|we) (?P<rest>\w.*)")
_TAIL: Final = compiled(
    r",? (?:and|so|but)? ?(?:which is why|any (?:tips|ideas|advice|chance)|I need (?!to)|so"
    r" (?:no|short"
    r"|hidden|please|just|do not|give|find|explain|make|plan|keep|bin|write|suggest|it is)\b"
    r"|(?:what|how|where|why|which|can|could|should|stick|give|find|tell|help|show|explain|write"
    r"|please|thank you|thanks)\b).*$|,? (?:if|or) you .*$|,? don't tell .*$"
)
"""What comes after a statement and asks for something."""
_NARRATED: Final = compiled(
    r"\b(?:was|were|saw|went|took|ran|shared|found|came|did|had|gave|told|made|got|met|played"
    r"|\w{3,}ed)\b"
)
_PLACE: Final = compiled(rf"\b(?:in|at|near|to|for|outside|above|from|around|into) (?:the )?{NAME}")
_HOMELY: Final = listed(
    """
    live lives lived living based move moved moving rent renting rented home house flat apartment
    bungalow terrace cottage studio condo landlord lease settled mortgage keys postcode address
    crashing relocated emigrated neighbourhood neighborhood dorm houseboat caravan lodging lodger
    bedsit maisonette semi farmhouse farm born raised native hometown village
    """
)
_WORKING: Final = listed(
    """
    work works worked working job shift shifts firm company employed employer career trade freelance
    freelancing contractor contracting promoted promotion redundancy redundant hired business office
    retired retirement apprentice apprenticeship intern internship bakery shop clinic hospital ward
    factory depot teach teaching salary startup agency studio practice warehouse self-employed
    bills living nurse teacher engineer electrician plumber driver manager developer
    """
)
_AT_WORK: Final = compiled(
    rf"\b(?:at|for|with|of) (?:the |a |an )?{NAME}|\b(?:as|am) an? [\w -]{{2,40}}"
    r"|\byears?\b|\bown\b|\brun\b|\bfor a living\b|\bnow\b|\bpart[- ]time|\bfull[- ]time"
)
_LOVED: Final = compiled(
    r"\b(?:nothing (?:beats|like)|favou?rites?|obsessed|mad (?:on|about|for)|crazy (?:about|for)"
    r"|(?:is|are) my (?:thing|jam|happy place|church|go-to|comfort|weakness|guilty pleasure"
    r"|religion"
    r"|passion)|what (?:I|we) (?:really |most |truly )?(?:love|enjoy|like)|sucker for|hooked on"
    r"|soft spot|gets? me (?:going|out of bed)|live for|swear by|the only \w+ I|addicted to"
    r"|devoted"
    r" to|die for|any day|a big \w+ (?:guy|girl|person|fan)"
    r"|(?:tea|coffee|cat|dog|morning|night|beach|mountain|city|country|book|wine|beer|people"
    r"|indoor"
    r"|outdoor|winter|summer)[- ]?(?:person|people|lover|girl|guy)|could (?:eat|drink|listen|watch"
    r"|live on|talk about|spend|happily)\b.*\b(?:every|all|forever|hours|rest|day)|partial to"
    r"|(?:can ?not|nothing can) beat|I am (?:sold|happy|in heaven|in)$|whole personality|my"
    r" lifelong"
    r"|love of my life|can ?not get enough|my cup of tea)\b"
)
_LOATHED: Final = compiled(
    r"\b(?:(?:can ?not|never could) (?:stand|bear|abide|tolerate|stomach|be doing|be bothered with"
    r"|deal)|hate (?!it)|loathe|detest|despise|not (?:really )?for me|never again|not (?:a|an"
    r"|much of a)"
    r" [\w -]{2,30} (?:person|fan|lover)|never (?:got on|been (?:keen|into|one|fond|a fan))|no"
    r" more"
    r"|(?:drives?|drive|bores?|terrif\w+|scares?|creeps?|grosses?|freaks?|stress(?:es)?|annoys?"
    r"|irritates?|repulses?|disgusts?|frightens?|puts?|turns?) me\b|my skin crawl|turns? my"
    r" stomach"
    r"|gives? me the|makes? me (?:gag|sick|heave|cringe|anxious|want to)|tastes? (?:of|like)|not"
    r" (?:keen|big|fussed|into|fond|mad)|nothing for me|disgusting|overrated|gross|revolting|vile"
    r"|pet (?:peeve|hate)|refuse to|would rather (?:not|die|eat|starve)|the ick|least favou?rite"
    r"|leaves? me (?:cold|flat)|torture|would sooner|makes? me feel (?:ill|sick|queasy)|= no"
    r"|allergic to (?:people|mornings)|bane of|rubs? me|not my (?:thing|cup|bag|style|scene))\b"
)
_HOPED: Final = compiled(
    r"\b(?:(?:my|our|the|main|big) (?:dream|goal|aim|ambition|resolution|target)s?(?:"
    r" \w+){0,4}? is"
    r"|dream(?:ing)? of|bucket list|one day I|one day we|some ?day|by 20\d\d|promised myself"
    r"|working my"
    r" way|lifelong dream|hop(?:e|ing) to|determined to"
    r"|working towards?|training for|saving(?: up)? for|before I (?:hit|turn|am|die|retire)|by the"
    r" time I|sub-\d|in my head to|set myself|aspire|my heart set on|what I am working on)\b"
)
_TASK: Final = compiled(
    r"\b(?:would like (?:you|some|a|an|to know)|(?:want|like|love|hoping|hope|trying) to"
    r" (?:know|see"
    r"|hear|ask|understand|find|make sure|use|create|add|get (?:some|a|an|your|the|more)|try|check"
    r"|explore|discuss|share|make|do|have|include|incorporate|learn (?:more|about)|buy|give"
    r"|start (?:by|with)|focus|keep|organi[sz]e|visit)|looking for|need|wondering|thinking"
    r"|considering|interested|curious|tips|advice|recommendations?|suggestions?|ideas?)\b"
)
_COMING: Final = compiled(
    r"\b(?:(?:am|are|is) (?:\w+ing|off|booked|due)|will|going to|booked|off to|start|starts|set a"
    r" date|tickets?|flying|handing|picking|moving|leaving|heading|signed up|planning|scheduled"
    r"|arrives?|lands?|wedding|trip|holiday|appointment|dentist|surgery|interview|exam)\b"
)
_HAD: Final = compiled(
    rf"\b(?:bought|own|owns|got|picked up|mine|inherited|have (?!been)|drive|drives|ride)\b"
    rf".*(?:\b{CAR}\b|\b\d+ ?(?:kw|k|inch|gb|tb|cc|litre|mm)\b|\b(?:van|bike|printer|camera|laptop"
    r"|phone|console|boat|guitar|piano|telescope|fryer|cooker|oven|allotment|kiln|caravan|e-bike"
    r"|motorbike|scooter|tablet|synth|keyboard|drone|sewing machine|solar|greenhouse|shed|hot tub)"
    r"s?\b)"
)
_ABLE: Final = compiled(
    rf"\b(?:(?:speak|fluent|read|write|learning|studying|studied|native)\b.*\b{LANGUAGE}\b|degree"
    r"|diploma|phd|msc|bsc|mba|master'?s|grade \d|licen[cs]e|black belt|self[- ]taught|newbie"
    r"|beginner|(?:fine|good|bad|comfortable|rubbish|handy|decent|hopeless|useless|terrible|great"
    r"|confident|rusty) (?:with|at|in|on)|play(?:ed)? (?:the )?\w+|qualified|certified|apprenticed"
    r"|trained (?:as|in)|know my way|years of \w+|taught myself)\b"
)
_UNWELL: Final = compiled(
    r"\b(?:surgery|(?:knee|hip) replacement|transplant|allergic|intolerant|diabetic"
    r"|asthmatic|pregnant|deaf|blind|epileptic|dyslexic|autistic|sober|wheelchair|epi-?pens?"
    r"|diagnosed|remission|pacemaker|hearing aids?|dexcom|omnipod|flare|physio|colou?r-?blind"
    rf"|celiac|coeliac)\b|\bmy (?:\w+ )?{BODY} (?:in|is|are|has|have|gave|went)\b"
)
_KIN: Final = compiled(rf"^{NUMBER} {KIN}\b|\b(?:my|our|the) (?:{KIN}|lad|lads|lass|nipper)\b")
_OF_KIN: Final = compiled(
    rf"\b(?:{NAME}'?s? (?:is|\d)|is (?:an?|from|in|at|on|called|named|\d|nearly|almost|autistic)"
    r"|(?:lives?|works?|died|passed|born|married|divorced|studies|studying|teaches|retired"
    r"|moved|due"
    r"|turns?|turned|turning|starts?|started|has|got|loves|hates|plays|adopted|black belt|only)\b)"
)
_PET: Final = compiled(
    rf"\b(?:my|our|{NUMBER}|the|mine|ours) (?:[\w'-]+ ){{0,2}}?{PET}\b(?! (?:food|store|shop"
    rf"|life|care"
    rf"|park|walker|soup|breast|and (?:veg|rice)))|\b{PET},? (?:called|named) |\b(?:called|named)"
    rf" {NAME}.*\b{PET}\b"
)
_OF_PET: Final = compiled(
    r"\b(?:my|our|we|I|mine|ours|called|named|out the back|the (?:cat|dog|puppy|kitten|horse))\b"
)
_SEEN: Final = compiled(r"\b(?:took|got to|saw|ran|went|was|were|made|cooked|ate)\b")
_ANIMAL: Final = compiled(
    r"\b(?:cat|dog|pup|kitt|hamster|gerbil|rabbit|bunn|guinea|ferret|rats?\b|mice|parr?[oa]"
    r"|budgie|cock|bird"
    r"|macaw|canar|goldfish|fish|tetra|betta|gecko|lizard|snake|python|tortoise|turtle|iguana"
    r"|bearded"
    r"|axolotl|tarantula|horse|pon|mare|goat|sheep|chick|hens?\b|duck|cow|pig|alpaca|llama"
    r"|donkey|bees"
    r"|hive|hedgehog|chinchilla|pets?\b|aquarium|lab|terrier|collie|spaniel|pug|poodle|beagle"
    r"|corgi|husk"
    r"|whippet|greyhound|retriever|shepherd|put)|(?:doodle|poo|hound)s?\b"
)
"""How the names of animals begin: most sentences have none."""
_PUT_DOWN: Final = compiled(r"\bput (?:to sleep|down)$|\bput (?:to sleep|down) (?:in|last|on)\b")
_MADE: Final = compiled(
    r"\b(?:have |has |just )?(?:made|promoted|hired|fired|sacked|transferred|put|let) me"
    r" (?!feel|think|laugh|want|cry|so|off|through|in touch|know)"
)
_ROUTINE: Final = compiled(
    rf"^{DAY}(?: (?:night|morning|evening))?s? (?:is|are|means?) .*\b(?:night|for|ours|day|with)\b"
)
_THERE: Final = compiled(
    r"^there (?:is|are) .*\b(?:in|on|at|under|outside) (?:my|our|the) (?:[\w-]+ )?(?:house|home"
    r"|garden|kitchen"
    r"|room|bedroom|garage|attic|loft|shed|yard|flat|apartment|roof|basement|place|office)\b"
)
_SET_ON: Final = compiled(
    rf"^(?!he\b|she\b|they\b)[\w' ]{{3,40}} (?:is|are|starts|ends|commences) (?:on )?(?:the"
    rf" )?(?:\d{{1,2}}(?:st|nd|rd|th)?"
    rf" (?:of )?{MONTH}|{MONTH} \d)"
)
_AGED: Final = compiled(r"\b(?:turn(?:ing|s|ed)?|am|be) (?:\d\d|thirty|forty|fifty|sixty)\b")
_DATED: Final = compiled(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)|{MONTH} \d|\d{{1,2}} (?:of )?{MONTH}|(?:on |next |this |come"
    rf" )?(?:{DAY}|{MONTH}|spring|summer|autumn|winter)|tomorrow|\d{{4}}|a week today|weeks? today"
    r"|day after tomorrow|next (?:week|month|year)|tonight)\b"
)


_OF_OTHERS: Final = compiled(r"\b(?:his|her|their|he|she|they)\b|^the (?!lease|move|wedding)")


def broad(sentence: str) -> Category | None:
    """What a sentence tells by its words, whatever its shape; None in doubt."""
    if not _fit(sentence) or _passes(sentence):
        return None
    kind = next((kind for kind, tells in _TELLS if tells(sentence)), None)
    if kind == "dates" and not _OWN.search(sentence):
        return None if _OF_OTHERS.search(sentence) else kind
    return kind if _mine(sentence) else None


def entire(sentence: str) -> str:
    """A sentence that is better kept whole than in parts, as a statement; empty if it is not."""
    text = trimmed(sentence)
    whole = len(text) <= _SHORT and _STARTS.match(text) and _fit(text)
    return text if whole and not _PARTS.search(text) else ""


_SHORT: Final = 140
_STARTS: Final = compiled(r"(?:I|we|my|our)\b")
_PARTS: Final = compiled(r"[;:]|\s[-–—]+\s")
_ASKING: Final = compiled(
    r"\?|, (?:so )?(?:what|why|how|where|when|which|can|could|would|is|are|do|does|did|should|any"
    r"|give|tell|find|help|make|show|suggest|recommend|write|explain|please)\b"
)


def headed(sentence: str) -> str:
    """A sentence without what it asks for at its end."""
    return _TAIL.sub("", sentence)


def _passes(sentence: str) -> bool:
    """Whether the user says what they think or do at a moment."""
    found = _FIRST.match(sentence)
    if not found:
        return False
    said = predicate(found["rest"])
    if said.helpers.startswith("would") and not _HOPED.search(sentence):
        return True
    return said.verb in _PASSING or (
        said.helpers == "will" and not (_DATED.search(sentence) or _HOPED.search(sentence))
    )


def _fit(sentence: str) -> bool:
    """Whether it may be a statement of the user, and can be read alone."""
    first = sentence.partition(" ")[0].lower().strip(",:")
    return not (
        len(sentence) > _LONGEST
        or sentence.count(" ") < 2
        or first in _ASKS
        or _OUTSIDE.match(sentence)
        or is_question(sentence)
        or is_unreal(sentence)
        or BROKEN_OFF.search(sentence.rstrip(" .!"))
        or _YOU.search(sentence)
        or _MOMENT.search(sentence)
        or _STRANGER.search(sentence)
        or _ASKING.search(sentence)
        or _DATA.search(sentence)
    )


_DATA: Final = compiled(r";\S|\d;|\|")
_YOU: Final = compiled(r"\b(?:you|your|yours|yourself)\b")


_NO_MARKS: Final = str.maketrans(",.!:", "    ")
_VISITS: Final = listed("dentist doctor gp optician scan mot recital oath ceremony vet hospital")


def _words(sentence: str) -> frozenset[str]:
    return frozenset(sentence.lower().translate(_NO_MARKS).replace("'s", "").split())


def _own(sentence: str) -> bool:
    return bool(_SUBJECT.match(sentence))


def _is_health(said: str) -> bool:
    signs = (_UNWELL, ILLNESS, DRUG)
    return _mine(said) and any(sign.search(said) for sign in signs)


def _is_dislike(said: str) -> bool:
    return bool(_LOATHED.search(said)) and not _NARRATED.search(said)


def _is_pet(said: str) -> bool:
    if not _ANIMAL.search(said):
        return False
    if _OWN.search(said) and _PUT_DOWN.search(said):
        return True
    return bool(_PET.search(said) and _OF_PET.search(said)) and not _SEEN.search(said)


def _is_home(said: str) -> bool:
    return bool(_words(said) & _HOMELY and _PLACE.search(said) and _mine(said))


def _is_work(said: str) -> bool:
    if _MADE.search(said) and not _NARRATED.match(said):
        return True
    return bool(_own(said) and _words(said) & _WORKING and _AT_WORK.search(said))


def _is_family(said: str) -> bool:
    return bool(_OF_KIN.search(said) and _KIN.search(said)) and not _STRANGER.search(said)


def _is_date(said: str) -> bool:
    if _AGED.search(said) and _own(said):
        return True
    if _SET_ON.match(said):
        return True
    if not _DATED.search(said) or _NARRATED.search(said):
        return False
    return any(DATE_THING.search(word) or word in _VISITS for word in _words(said))


def _is_plan(said: str) -> bool:
    dated = _DATED.search(said) and _COMING.search(said) and _OWN.search(said)
    return bool(dated) and not _NARRATED.search(said)


def _is_goal(said: str) -> bool:
    return bool(_HOPED.search(said) and not _TASK.search(said))


def _is_like(said: str) -> bool:
    return bool(_LOVED.search(said)) and not _NARRATED.search(said)


def _is_skill(said: str) -> bool:
    return bool(_ABLE.search(said)) and not _NARRATED.search(said)


def _has_thing(said: str) -> bool:
    return bool(_THERE.match(said) or (_own(said) and _HAD.search(said) and not _TASK.search(said)))


def _is_habit(said: str) -> bool:
    if _ROUTINE.match(said):
        return True
    again = _PRESENT.search(said) and _AGAIN.search(said)
    return bool(again) and not (_NARRATED.search(said) or _TASK.search(said))


def _mine(said: str) -> bool:
    """Whether it is of the user, or does not say of whom."""
    return bool(_OWN.search(said) or not _FINITE.search(said) or _BARE.match(said))


_BARE: Final = compiled(
    rf"home\b|{NUMBER} {KIN}\b|there (?:is|are)\b|\w+days\b|the (?:lad|cat|dog|kids|baby|van"
    rf"|car|wife)\b"
)
_FINITE: Final = compiled(
    r"\b(?:is|are|was|were|has|have|had|will|does|did|can|\w{2,}(?:ed|es|ves)|lives|works|said)\b"
)
_STRANGER: Final = compiled(
    r"\b(?:neighbou?r|colleague|coworker|boss|teacher|client|landlord|customer|tenant"
    r"|friend)s?'?s?\b"
)
_PRESENT: Final = compiled(r"\b(?:I|we) (?!have been|will|would|can|could|never|had)\w+")
_AGAIN: Final = compiled(
    rf"\b(?:every|each|most \w+s|always|usually|(?:once|twice|times) a|on (?:a )?{DAY}|by \w+"
    rf" every"
    r"|nights|before (?:work|bed|breakfast)|after (?:work|my shift|dinner)|up at|tend to)\b"
)
_TELLS: Final[tuple[tuple[Category, Callable[[str], bool]], ...]] = (
    ("health", _is_health),
    ("dislikes", _is_dislike),
    ("goals", _is_goal),
    ("pets", _is_pet),
    ("dates", _is_date),
    ("plans", _is_plan),
    ("home", _is_home),
    ("family", _is_family),
    ("work", _is_work),
    ("likes", _is_like),
    ("skills", _is_skill),
    ("possessions", _has_thing),
    ("habits", _is_habit),
)
