"""What a clause tells about the user, by the words that such things are told with.

In English, what someone does in the simple present is what they do again and again, so a verb
there is taken for a habit unless it is one of thinking or asking; the other tenses need a word
that says that something lasts, has changed, or is going to happen.
"""

import re
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.predicates import Predicate, predicate
from bethink.learn.rules.third import is_past
from bethink.learn.rules.words import (
    DAY,
    DIET,
    KIN,
    LANGUAGE,
    MONTH,
    NAME,
    NUMBER,
    PET,
    compiled,
)

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


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- what is said of time -------------------------------------------------------------------

_TIME: Final = compiled(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:next|last|this) (?:year|month|week|weekend|summer"
    r"|winter|spring|autumn|fall|christmas|easter|semester|term|night|afternoon|evening|morning"
    rf"|{MONTH}|{DAY})|on (?:the )?(?:\d|{DAY}|christmas|new year)|in (?:\d{{4}}|{MONTH}"
    r"|the (?:spring|summer|autumn|fall|winter|new year)|(?:a|an|one|two|three|four|five|six|\d+)"
    r" (?:days?|weeks?|months?|years?))|at the end of|from the \d+|the \d+(?:st|nd|rd|th)"
    rf"|{MONTH} \d|\d+(?:st|nd|rd|th)? (?:of )?{MONTH}|by (?:the end|summer|christmas|\d)"
    r"|over (?:the summer|christmas|easter)|day after tomorrow|(?:week|month|year|day)s? ago"
    rf"|for (?:{MONTH}|christmas|thanksgiving|easter)|from (?:\d+ )?{MONTH}|thanksgiving|since)\b"
)
_OFTEN: Final = compiled(
    rf"\b(?:always|never|usually|often|every|each|daily|weekly|monthly|normally|generally|most days"
    rf"|sometimes|rarely|regularly|nights|{DAY}|by hand|for a living|before (?:work|bed|school"
    r"|breakfast)|after (?:work|school|dinner|lunch|noon)|once a|twice a|times a|from \w+"
    r" (?:to|till|until) \w+|when (?:I|we) (?:am|are|get|feel)|at (?:\d|\w+ o'clock|noon"
    r"|midnight|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|with"
    r" (?:lofi|music)|whenever)\b"
)

# --- what is said of things that point outside, and of passing ones -------------------------

_DANGLING: Final = compiled(
    r"(?<!/)\b(?:it(?! (?:rains|storms|snows|is (?:hot|cold|raining|sunny|dark)))(?<!with"
    r" \w{9} in it)"
    r"|this(?! (?:year|month|week|weekend|summer|winter|spring|autumn|fall|semester|term|morning"
    rf"|afternoon|evening|{MONTH}|christmas|easter|thanksgiving|coming|past)\b)|that (?:one"
    r"|is|was|means)"
    r"|these(?! days)|those|them|him|there|the same (?:thing|one|way|problem|issue|here)"
    r"|the (?:former|latter|above|following)|(?:for|of|at|with|about|like|love|hate|on|do|did|to)"
    r" that|each other|one another|the (?:first|second|third|last|other|next) one|you|your|yours"
    r"|so that|such that|what|as follows)\b"
)
_IN_IT: Final = compiled(r"\b(?:anything|everything|something) with .* in it\b")
_PASSING: Final = _set(
    """
    question questions problem problems issue issues idea ideas feeling doubt doubts point points
    clue concern concerns request favour favor time fun list table file text error bug headache
    look chat talk go try word choice opinion suggestion suggestions thought thoughts say plan
    plans reason chance moment second minute hour good great nice lovely blast laugh dream
    nightmare trouble difficulty difficulties work homework stuff thing things lot lots luck day
    week weekend morning evening night power right access data dataset function script code class
    string array column dataframe spreadsheet document essay assignment paragraph sentence enough
    experience interest information info detail details option options sense impression preference
    hold money knowledge understanding tip tips recommendation recommendations guess confession
    theory friend friends coworker coworkers colleague colleagues client clients customer customers
    patient patients student students neighbour neighbor boss story stories memory memories news
    everything nothing something anything everyone someone lot bunch couple few mix variety ton
    tons case example user users model app page section version draft goal goals discussion
    conversation meeting call way ways situation decision feedback response answer sort kind type
    love hope faith fear pain bit need desire tendency habit difference effect impact result
    results attention moments times people person man woman place places number numbers amount
    set series crush secret hunch hint suspicion deal dilemma team budget role picture pictures photo photos
    """
)
_TASK: Final = compiled(
    r"\b(?:(?:get|learn|read|find|know|see|start|write|build|visit|have|make) (?:(?:a |some |the "
    r"|any |an )?(?:\w+ )?(?:sense|idea|ideas|information|info|advice|help|feedback|quote|handle"
    r"|recommendations|suggestions|tips|list|overview|understanding|more about|about|how|head start"
    r"|most out|better at this)|started|going|ready|back to|through this|by)|sure|more about|which"
    r"|(?:a |an |the |this |my )(?:list|table|script|function|email|poem|query|regex|report|summary"
    r"|letter|presentation|paragraph|response|code|program|user|component|button|array|page|file"
    r"|database|model|class|server|api|article|blog post|essay|subject|topic|process|concept)"
    r"|(?:be|stop|start) (?:able|by|with|using)|see (?:if|how|whether|some)|make sure"
    r"|whether|users?"
    r"|play around|deeper|a better)\b"
)

# --- verbs ----------------------------------------------------------------------------------

_MENTAL: Final = _set(
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
_WORKING: Final = _set(
    "work teach freelance manage intern run lead supervise commute volunteer coach tutor"
)
_HOMELY: Final = _set("live reside rent dwell")
_TASTE: Final = _set("love like adore enjoy prefer fancy dig worship crave")
_DISTASTE: Final = _set("hate dislike loathe detest despise avoid")
_OWNING: Final = _set("drive own ride wear use collect play")
_LASTING: Final = _set(
    """
    learning studying living working teaching renovating raising running dating expecting
    recovering restoring practising practicing attending pursuing researching majoring minoring
    homeschooling volunteering fostering renting commuting training saving freelancing caring
    rebuilding retraining growing playing using wearing driving collecting taking
    """
)
_COMING: Final = _set(
    """
    going flying moving starting visiting taking getting having hosting hiking travelling traveling
    driving leaving meeting running attending throwing spending staying joining heading returning
    competing performing presenting speaking graduating retiring marrying celebrating buying
    selling closing switching cruising turning launching changing quitting camping skiing
    interviewing adopting racing expecting relocating seeing launching off
    """
)
_EVENTS: Final[dict[str, Category]] = {
    **dict.fromkeys(
        ["moved", "relocated", "emigrated", "immigrated", "grew", "settled", "lived", "resided"], "home"
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
_SEEN: Final = _set(
    """
    attended visited went saw met ran completed finished won published hosted celebrated hiked
    travelled traveled flew toured volunteered participated donated planted started read watched
    climbed cycled baked cooked
    """
)
"""What has happened and is worth knowing with its date."""
_WISHES: Final = _set(
    """
    learn become be run lose save pass read walk visit move retire buy own open start quit stop
    finish get speak travel master climb complete hike publish qualify graduate study live work
    earn pay reach win play swim cycle sail build gain improve grow cut eat drink exercise adopt
    join train compete return go give sleep spend write transition settle volunteer teach launch
    found perform bench deadlift surf dive ski cook reduce break lower raise set see have make do
    """
)
_WISHES_WITH: Final = {
    "see": r"the ",
    "have": r"(?:kids|children|a (?:family|baby|garden|house)|my own|our own)",
    "make": r"(?:a living|partner|it as|enough|my own)",
    "do": r"(?:a |an |my )",
    "write": r"(?:a |my |another )?(?:\w+ )?(?:novel|book|memoir|screenplay|album|musical)",
    "go": r"(?:back|to |vegan|vegetarian|freelance|part-time|full-time|on )",
    "set": r"up ",
    "get": r"(?:my|a|an|into|better|fit|back into|married|promoted|out of debt|in shape|stronger"
    r"|healthier|more|better at|organi[sz]ed|under|below|straight)\b",
    "give": r"up ",
    "be": r"(?:a|an|the|able to|mortgage|debt|fluent|fit|free|my own|more|better|self|in )\b",
    "start": r"(?:a|an|my|our|running|learning|eating|cycling|own|doing|going)\b",
    "build": r"(?:a|an|my|our|up)\b",
    "read": r"(?:\d|\w+ books|more|all|the|a book)\b",
    "find": r"(?:a (?:new )?job|work|love|a partner)\b",
    "cook": r"(?:more|healthier|at home|less)\b",
    "spend": r"(?:more|less)\b",
    "improve": r"my\b",
    "reduce": r"my\b",
    "complete": r"(?:my|a|the)\b",
    "finish": r"(?:my|a|the)\b",
    "raise": r"(?:money|\d|\$|£|€)",
    "save": r"(?:up|money|for|\d|\$|£|€|enough|more)",
    "pay": r"(?:off|down)",
    "work": r"(?:as|for|at|in|abroad|less|fewer|from|part)\b",
    "cut": r"(?:down|back|out)\b",
    "reach": r"(?:my|\d|\w+ (?:kg|level))",
}

# --- nouns ----------------------------------------------------------------------------------

_ILLNESS: Final = compiled(
    r"\b(?:diabet\w+|asthma|adhd|autis\w+|asperger\w*|allerg(?:y|ies)|intoleran\w+|coeliac|celiac"
    r"|crohn'?s|colitis|ibs|ibd|migraines?|epileps\w+|cancer|lupus|eczema|psoriasis|\w*thyroid\w*"
    r"|\w+itis|\w+algia|\w{3,}osis|\w+aemia|anemia|leukemia|\w{4,}pathy|\w+ (?:syndrome|disorder"
    r"|disease)|heart (?:condition|murmur|attack|failure)|medical condition|anxiety|depression|ptsd"
    r"|ocd|bipolar|dyslexia|dyspraxia|insomnia|tinnitus|vertigo|apno?ea|hernia|pacemaker|copd|pcos"
    r"|hiv|hearing (?:aids?|loss)|glaucoma|cataracts?|(?:high|low) blood pressure|high cholesterol"
    r"|stroke|bad (?:back|knees?|hip|shoulder)|panic attacks|seizures|long covid|gout|acid reflux"
    r"|hay ?fever|sciatica|astigmatism|prosthe\w+|chronic \w+|no cartilage|stammer|stutter"
    r"|herniated|slipped disc|kidney stones?|gallstones?|ulcers?|cerebral palsy|down'?s syndrome"
    r"|rosacea|alopecia|scoliosis|multiple sclerosis|ms)\b"
)
_STATE: Final = compiled(
    r"^(?:(?:not|an?|partially|severely|mildly|slightly|\d+|\w+ly|very|lactose|gluten|\w+ weeks"
    r"|\w+ months|currently|red-green|type|legally|in|on|also) )*(?:allergic|intolerant"
    r"|coeliac|celiac|diabetic"
    r"|asthmatic|(?:\w+ )?(?:weeks|months) pregnant|pregnant|deaf|blind|epileptic|dyslexic"
    r"|dyspraxic"
    r"|autistic|an?aemic|disabled|sober|immunocompromised|bipolar|(?:near|short|long|far)-?sighted"
    r"|hard of hearing|(?:[\w-]+ )?colou?r[- ]?blind|(?:the )?(?:autism )?spectrum"
    r"|remission|recovery"
    r"|wheelchair user|(?:recovering )?alcoholic|neurodivergent|hypermobile|cancer survivor"
    r"|sensitive to|prone to|dialysis|chemo\w*)\b"
)
_BODY: Final = (
    r"(?:wrist|arm|leg|ankle|knees?|hips?|back|shoulder|foot|toe|finger|thumb|nose|collarbone|ribs?"
    r"|elbow|acl|achilles|hamstring|meniscus|neck|jaw|tooth|teeth|hand|eyes?|heart|lungs?|kidneys?"
    r"|liver|spine|hearing|eyesight|vision|blood pressure|cholesterol|thyroid|bmi|blood sugar"
    r"|iron levels|stomach|ears?|skin|feet)"
)
_DRUG: Final = compiled(
    r"\b(?:\w{3,}(?:aline|etine|olol|pril|statin|cillin|mycin|azole|azepam|azolam|solone|sone"
    r"|metformin|parin|oxetine|alopram|dipine|sartan|azine|tidine|trexate|gabalin|pentin|thyroxine"
    r"|formin|glutide)|insulin|statins?|antidepressants?|ssris?|blood thinners|beta blockers"
    r"|antibiotics|steroids|chemo\w*|the (?:mini)?pill|medication|meds|hrt|warfarin"
    r"|ibuprofen|lithium"
    r"|ritalin|adderall|ozempic|prozac|zoloft|aspirin|iron tablets|inhalers?|\d+ ?mg)\b"
)
_TREATED: Final = compiled(
    r"\b(?:surgery|surgeries|operation|replacement|replaced|removed|transplant|bypass|c-section"
    r"|miscarriage|appendix|tonsils|wisdom teeth|gallbladder|stroke|heart attack|chemo\w*"
    r"|biopsy|dialysis)\b"
)
_JOB: Final = compiled(
    r"\b(?:\w{3,}(?:er|or|ist|ian|smith|wright|monger|keeper|maid|ant|ress|eer)|nurse"
    r"|doctor|gp|vet|chef"
    r"|cook|clerk|guard|agent|pilot|analyst|architect|attorney|intern|trainee|apprentice"
    r"|barista|tech|dev|paramedic|midwife|scientist|monk|priest|nun|rabbi|imam|mechanic|lead|head"
    r"|ceo|cto|cfo|vp|rep|au pair|nanny|model|dad|mum|mom|parent|mother|father|homemaker|grad"
    r"|student|graduate|postdoc|fellow|coach|host|sergeant|captain|judge|paralegal|sophomore"
    r"|freshman|senior|junior|secretary|chair|president|undergrad|associate|temp|principal"
    r"|veteran|soldier|cop|concierge|steward|executive|exec|carer|housewife|actress|waitress"
    r"|artist|surgeon|dentist|startup|start-up|company|candidate|major|hand|manager|supervisor)s?\b"
)
_NO_JOB: Final = _set(
    """
    for or her their other over after never either under better later ever older younger number
    order matter bigger another together rather whether further super proper sober eager poor minor
    clever bitter former inner outer upper lower weather computer paper letter dinner water summer
    winter october november december september error door floor color power monster corner border
    flower river twitter however per fan lover person member beginner customer user liar loser
    winner monster outsider sister brother daughter mother-in-law owner important constant
    significant relevant reluctant distant instant giant restaurant want plant grant relevant
    pleasant ignorant easier harder faster slower sure longer greater larger higher lower clear near
    earlier cheaper disaster favor favour mirror minor anger danger finger career cancer newbie
    sucker believer foodie bitter bummer stranger character familiar similar regular particular
    """
)
_BEING: Final = compiled(
    r"^(?:(?:more of )?an? (?:[\w-]+ ){0,2}(?:early bird|night owl|(?:morning|evening|cat"
    r"|dog|people) person|light"
    r" sleeper|heavy sleeper|smoker|non-smoker|runner|cyclist|vegetarian|vegan|swimmer"
    r"|reader|gamer|hiker"
    r"|introvert|extrovert|homebody|perfectionist|minimalist|christian|muslim|jew|hindu|buddhist"
    r"|catholic|atheist|quaker|sikh|twin|citizen|procrastinator|collector|climber|gardener|knitter|"
    r"dual citizen|only child)|jewish|muslim|christian|catholic|hindu|buddhist|sikh|atheist"
    r"|agnostic|religious"
    r"|orthodox|left[- ]handed|right[- ]handed|teetotal|introverted|ambidextrous|gay"
    r"|lesbian|bisexual"
    r"|trans|transgender|non-binary|queer|asexual|(?:half[- ]|part[- ])?(?:british|american"
    r"|english|scottish"
    r"|welsh|irish|german|french|italian|spanish|polish|dutch|indian|canadian|australian|mexican"
    r"|brazilian|nigerian|kenyan|chinese|japanese|korean|russian|ukrainian|turkish|greek|portuguese"
    r"|swedish|norwegian|danish|finnish|swiss|austrian|belgian|ghanaian|pakistani|filipino|thai"
    r"|vietnamese|romanian|hungarian|czech|israeli|egyptian|iranian|argentinian|colombian)"
    r"(?: by birth| originally|$|,| and\b)|\d(?:'\d| ?ft| ?foot|\.\d+ ?m| ?m\b|\d\d ?cm))"
)
_MARRIED: Final = compiled(
    r"^(?:(?:happily|recently|newly|getting|still|now) )*(?:married|engaged|single$|single"
    r" (?:mum|mom|dad|parent)"
    r"|divorced|separated|widowed|an? widow\w*|an only child|the (?:oldest|youngest|eldest|middle)"
    r"|expecting|adopted|an? (?:\w+ )?(?:mother|father|mum|mom|dad|parent|grandmother"
    r"|grandfather|grandma|grandpa|aunt|uncle|godmother|godfather|step\w+) (?:of|to)|dating"
    r"|seeing someone"
    r"|in a (?:relationship|long-distance)|estranged)\b"
)
_LEARNING: Final = compiled(
    r"^(?:(?:pretty|very|not|really|quite|completely|\w+ly|so) )*(?:fluent|bilingual"
    r"|trilingual|self[- ]taught|an? (?:[\w-]+ )?"
    r"(?:native|beginner|black belt)|good (?:at|with)|great (?:at|with)|bad (?:at|with)"
    r"|terrible (?:at|with)"
    r"|hopeless (?:at|with)|rubbish (?:at|with)|useless (?:at|with)|(?:brand )?new to"
    r"|experienced|proficient|trained|certified|qualified"
    r"|in (?:my )?(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh"
    r"|eighth|ninth|tenth|final|last)"
    r" (?:grade|year|semester)|in (?:year|grade) \w+|in (?:high school|middle school"
    r"|college|medical"
    rf" school|law school|grad school|sixth form|uni)\b|(?:an? )?(?:native )?{LANGUAGE}"
    r" (?:native )?speaker)\b"
)
_AT_WORK: Final = compiled(
    r"^(?:employed|unemployed|self-employed|retired|between jobs|out of work|laid off|fired"
    r"|promoted"
    r"|made redundant|on (?:maternity|paternity|parental|sick) leave|on the (?:[\w-]+"
    r" )?(?:desk|team"
    r"|board|committee)|back at (?-i:[A-Z])|in (?:the (?:army|navy|military|air force"
    r"|marines)|tech|sales"
    r"|finance|marketing|hr|construction|real estate|retail|hospitality|insurance|banking"
    r"|healthcare"
    r"|logistics|publishing|law|medicine|advertising|accounting|academia)\b)"
)
_LOVING: Final = compiled(
    r"^(?:(?:really|pretty|very|quite|big|so|\w+ly|not|much|all) )*(?:into|fond of|keen on"
    r"|obsessed with"
    r"|crazy about|mad about|passionate about|partial to|hooked on|addicted to|in love with"
    r"|scared of"
    r"|terrified of|afraid of|(?:an? |much of an? |the biggest )?(?:[\w-]+ ){0,2}(?:fan"
    r"|lover|sucker|fanatic|nerd|enthusiast|geek|buff"
    r"|aficionado|junkie|addict|supporter)(?: of| for)?)\b"
)
_FROM: Final = compiled(
    r"^(?:originally )?from (?!my|the (?:same|other)|a\b|that|this|what|scratch|work|home"
    r"|here|it)"
)
_BASED: Final = compiled(
    r"^(?:based|located|born|living|residing|staying|renting|moving|relocating"
    r"|sharing)\b(?! (?!in\b|at\b|with\b|near\b|to\b|back\b|a\b|on\b|into\b|out\b|from\b"
    r"|between\b|outside\b|over\b|and\b|alone|abroad|here|my\b|our\b|the\b|since|now|house"
    r"|somewhere|temporarily|permanently|up\b|down\b|next\b|for\b|just|by\b|together"
    r"|\w+ly\b))"
)
_IN_PLACE: Final = compiled(
    r"^(?:in|at) (?-i:[A-Z])[\w' -]+? (?:since|for (?:\w+ )?(?:\w+ )?(?:years?|months?"
    r"|decades?))\b"
)
_LIKED: Final = compiled(
    r"^(?:(?:really|also|just|so|especially|very|both|that|to) )*(?:it|this|that|these"
    r"|those|him|her|them|you|your|the"
    r" (?:[\w-]+ )*(?:idea|way|first|second|third|fourth|last|sound|look|one|options?"
    r"|suggestions?|version|thought|concept"
    r"|feel|fact|result|design|other|new|more|approach|list|part|tip|tips|point|structure"
    r"|tone|title)"
    r"|how|what|know|see|hear|think|add|ask|get|have|make|be|use|find|share|thank|understand"
    r"|discuss|explore|do|either|all of|option|seeing|hearing|idea|where|when you|there|a"
    r" (?:shorter|longer|better"
    r"|different|more)|something|some|anything$|everything|if|and|but|talking|shared?|yours"
    r"|his|many|most|what's|lots)\b"
    r"|.*\b(?:idea|ideas|suggestions?|options?|recommendations?|approach)$|sure\b|all the\b"
    r"|(?:both )?the (?!(?:\w+ )?(?:ocean|sea|beach|outdoors|mountains|winter|summer|autumn"
    r"|rain|snow|cold|heat|sun"
    r"|theatre|theater|cinema|gym|smell|taste|countryside|forest|woods|water|night|morning"
    r"|mornings|blues|city|colou?r|great"
    r"|piano|guitar|violin|\d0s|sixties|seventies|eighties"
    r"|nineties)\b)(?:(?-i:[a-z])[\w'-]* ?(?:and the )?){1,3}$"
)


def stands(text: str) -> bool:
    """Whether nothing in it points outside."""
    return not _DANGLING.search(text) or bool(_IN_IT.search(text))


# --- the user -------------------------------------------------------------------------------

_LEAD: Final = (
    r"(?:in|on|at|every|each|most|once|twice|(?:next|last|this) (?:year|month|week|weekend"
    r"|summer|winter|spring|autumn|fall|christmas|easter|semester|term|night|afternoon"
    rf"|evening|morning|{MONTH}|{DAY})|since \d+|for|from \d+|after|before|as an?|as the"
    r"|tomorrow"
    rf"|yesterday|today|these days|nowadays|by|during|over|until|two|three|a few|the plan is"
    r"|(?:first|then|and|now|also|sometimes|usually|normally|currently|recently|lately"
    rf"|finally)|\w+ times|{DAY})"
)
_OWN: Final = compiled(
    rf"^(?P<lead>(?:{_LEAD}\b[^;:]{{0,80}}?,? )??)(?P<who>I|we)(?: and (?:(?:my|our)"
    r" )?[\w-]+(?: (?-i:[A-Z])[\w-]+)?)?(?= |$) ?(?P<rest>.*)"
)


def judged(clause: str) -> Category | None:
    """What kind of knowledge a clause holds, if it is worth keeping."""
    if own := _OWN.match(clause):
        return _of_user(own["lead"], own["rest"], clause, both=own["who"].lower() == "we")
    if clause[:3].lower() in ("my ", "our"):
        return _of_kin(clause) or _of_thing(clause)
    return _of_taste(clause)


_BROKEN_OFF: Final = compiled(
    r"\b(?:my|our|the|a|an|with|of|to|for|and|or|but|at|from|because|that|than|as|by|very"
    r"|is|are|if|when)$"
)


def _of_user(lead: str, rest: str, clause: str, *, both: bool) -> Category | None:
    rest = re.sub(r" if you (?:paid|begged) me$", "", rest)
    said = predicate(rest)
    if not (said.verb or said.helpers) or not stands(said.whole) or _BROKEN_OFF.search(rest):
        return None
    if lead.lower().startswith("the plan is"):
        return "plans"
    timed = bool(_TIME.search(f"{lead}{rest}"))
    found = _HELPED[said.helpers](said, timed=timed) if said.helpers in _HELPED else None
    if found is None and "no longer" in said.adverbs:
        return "habits"
    often = _OFTEN.search(f"{lead}{rest}") or said.adverbs & _ADVERBS_OFTEN
    if found is None and not said.helpers and lead and often and said.verb not in _MENTAL:
        return None if is_past(said.verb) or said.verb in _NO_VERBS else "habits"
    if found == "habits" and both and not said.helpers and not often and not is_past(said.verb):
        return (
            "habits"
            if re.match(r"(?:do|celebrate|grow|speak|own|eat|drink|host|homeschool)\b", said.whole)
            else None
        )
    if found in ("habits", "possessions") and _ROUTINE.search(clause):
        return "habits"
    return found


_ADVERBS_OFTEN: Final = _set("always usually often sometimes rarely normally")


_ROUTINE: Final = compiled(r"^(?:every|each|most|once|twice) ")


def _simple(said: Predicate, *, timed: bool) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    """The present, or the past."""
    verb, rest = said.verb, said.rest
    whole = said.whole
    if whole.startswith(("go a ", "go every", "make a great", "make a good", "join in")):
        return None
    if is_past(verb) or verb in ("split", "quit", "put"):
        return _past(said, timed=timed)
    if verb in _TASTE:
        return None if not rest or _LIKED.match(rest) else "likes"
    if verb in _DISTASTE:
        return None if not rest or _LIKED.match(rest) else "dislikes"
    if verb in ("want", "hope", "aim", "intend", "aspire", "wish", "need", "plan"):
        return _wish(whole) or (_mental(whole, said) if verb == "need" else None)
    if _DRUG.search(rest) and verb in ("take", "use", "need"):
        return "health"
    if verb in ("get", "suffer", "struggle", "deal") and _ILLNESS.search(rest):
        return "health"
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
    if (said.verb in _MENTAL and not _MENTAL_BUT.match(whole)) or not said.rest:
        return None
    if (
        not re.fullmatch(r"[a-z]{2,}", said.verb)
        or said.verb.endswith(("ing", "ly"))
        or said.verb in _NO_VERBS
    ):
        return None
    often = _OFTEN.search(f"{' '.join(said.adverbs)} {said.rest}") or said.adverbs & {
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


_NO_VERBS: Final = _set(
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


def _past(said: Predicate, *, timed: bool) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    verb, rest = said.verb, said.rest
    whole = f"{verb} {rest}".strip()
    if found := re.match(r"used to (?P<rest>.+)", whole):
        return _simple(predicate(found["rest"]), timed=False) or (
            "habits" if re.match(r"(?:be|have|smoke|drink|do|go)\b", found["rest"]) else None
        )
    if verb == "got":
        return _got(rest, timed=timed)
    if verb == "lost":
        return (
            (
                "family"
                if re.search(rf"\b{KIN}\b", rest, re.IGNORECASE)
                else "work"
                if "job" in rest
                else "health"
                if re.search(_BODY, rest)
                else None
            )
            if rest.startswith("my ")
            else None
        )
    if verb in ("quit", "left", "stopped", "gave"):
        return _quit(verb, rest)
    if verb == "became":
        return "name" if re.match(r"M(?:rs|r|s|x)\b", rest) else _being(rest, timed=timed)
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
    if (verb == "brought" and rest.startswith("home")) or verb in ("adopted", "rescued", "welcomed"):
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
            if re.match(rf"(?:my|both|a) (?:\w+ )?(?:\w+ )?{_BODY}\b", rest, re.IGNORECASE)
            else None
        )
    if verb == "married" or verb == "met":
        return (
            "family"
            if (re.search(rf"\b{KIN}\b|\d{{4}}|{NAME}", rest)
            and timed)
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
            and (timed or re.search(r"\b(?:in|at|for|as|with|abroad)\b", rest))
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
        and timed
        and re.match(
            r"(?:to |up |at |in |with |an?\b|my\b|our\b|the\b|\w+ing\b|(?-i:[A-Z])|\d)", rest
        )
        and len(rest.split()) > 2
    ):
        return "other"
    return None


def _had(what: str) -> Category | None:
    if _TREATED.search(what) or _ILLNESS.search(what):
        return "health"
    born = re.match(r"(?:a baby|twins|our|my)\b", what) and re.search(
        r"\b(?:baby|twins|son|daughter|child)\b", what
    )
    return "family" if born else None


def _will_be(what: str) -> Category | None:
    return (
        "dates"
        if re.match(r"(?:\d|thirty|forty|fifty|sixty|seventy|eighty)", what)
        else None
        if what.startswith(("able", "sure", "happy", "glad", "back", "using"))
        else "plans"
    )


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
        _ILLNESS.search(rest) and re.match(r"(?:a|an|my|the)?\b", rest)
    ):
        return "health"
    if re.match(r"(?:the )?keys to", rest):
        return "home"
    if re.search(r"\btickets\b", rest):
        return "plans"
    return _thing_had(rest, new=True)


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


def _being(rest: str, *, timed: bool) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    """What someone is."""
    rest = re.sub(
        r"^(?:(?:now|also|actually|currently|still|just|again|really|officially|always|only"
        r"|both|recently|never|pretty|already|literally) )+",
        "",
        rest,
    )
    if re.match(
        rf"(?:Mrs? |Dr\.? )?{NAME}(?:$|,? [a-z]+/[a-z]+$| from |, (?:an?|the|from|\d))", rest
    ) and not _BEING.match(rest):
        return "name"
    if re.match(r"(?:called|known as|named) (?-i:[A-Z])", rest) or re.match(
        r"(?:she|he|they)/", rest
    ):
        return "name"
    if re.match(rf"(?:an? )?(?:strict |lifelong |mostly |not )*{DIET}\b", rest, re.IGNORECASE):
        return "habits"
    if _STATE.match(rest) or (rest.startswith(("on ", "taking ")) and _DRUG.search(rest)):
        return "health"
    if _MARRIED.match(rest):
        return "family"
    if _LOVING.match(rest):
        bad = re.match(r"(?:\w+ )*(?:not|scared|terrified|afraid)\b", rest)
        object_ = _LOVING.sub("", rest, count=1).strip()
        return None if not object_ or _LIKED.match(object_) else "dislikes" if bad else "likes"
    if _LEARNING.match(rest):
        return "skills"
    if _AT_WORK.match(rest):
        return "work"
    if _FROM.match(rest) or _BASED.match(rest) or _IN_PLACE.match(rest):
        return (
            "home"
            if len(rest.split()) > 1
            and not re.match(
                r"living (?:my|the|for|a)\b|moving (?:on|forward|the)|sharing (?:my|the|this)|born to",
                rest,
            )
            else None
        )
    if found := re.match(
        r"(?:(?:almost|nearly) )?(?P<age>\d{1,3})(?: years? (?:old|young))?(?=$|,| (?:not|on|in"
        r"|next|today|this|and)\b)",
        rest,
    ):
        return "dates" if int(found["age"]) <= 119 else None
    if re.match(
        r"(?:free|available|busy|off|home) (?:\w+ )?(?:on|after|before|until|every|from|at)\b", rest
    ) and _OFTEN.search(rest):
        return "habits"
    if re.match(r"due (?:in|on|next|any day)\b", rest):
        return "family"
    if _BEING.match(rest):
        return "other"
    if re.match(r"(?:an?|the|in charge of|head of|vp of)\b", rest) or re.match(
        r"(?:PhD|masters?|exchange|nursing|medical|law|engineering|grad|postgrad|chemistry"
        r"|physics|history) student",
        rest,
    ):
        return _role(rest)
    if doing := re.match(r"(?P<doing>[a-z-]+ing)\b ?(?P<rest>.*)", rest):
        return _doing(doing["doing"], doing["rest"], timed=timed)
    return None


def _role(rest: str) -> Category | None:
    head = re.split(
        r" (?:at|for|in|with|on|from|who|of|and|by|to|since|but|working|specialising"
        r"|specializing|based|doing|now|again)\b|,",
        rest,
    )[0]
    words = head.lower().split()
    if (
        len(words) > 6
        or not words
        or words[-1] in _NO_JOB
        or set(words)
        & {"bit", "little", "good", "great", "bad", "huge", "terrible", "lot", "tad", "mess"}
    ):
        return None
    found = _JOB.search(words[-1])
    return "work" if found and found.end() == len(words[-1]) else None


def _doing(doing: str, rest: str, *, timed: bool) -> Category | None:  # noqa: C901, PLR0911
    whole = f"{doing} {rest}"
    if doing in ("hoping", "trying", "aiming", "saving", "training", "working") and (
        wish := _wish(whole)
    ):
        return wish
    if doing == "working":
        return (
            "work"
            if re.match(
                r"(?:as|at|for|in (?:a|an|the|(?-i:[A-Z]))|part|full|remotely|nights|from|with)\b",
                rest,
            )
            else None
        )
    if doing in ("planning",):
        return (
            "plans"
            if re.match(r"(?:to|on|a|an|my|our)\b", rest) and not _TASK.search(rest)
            else None
        )
    if doing == "going" and re.match(r"to (?:be an?|become)\b", rest):
        return (
            "goals"
            if not re.match(
                r"to be an? (?:bit|little|while|long|problem|challenge|good|great|big)\b", rest
            )
            else None
        )
    if doing == "expecting":
        return (
            "family"
            if not rest or re.match(r"(?:a (?:baby|boy|girl)|our|my|twins|in|on|to)\b", rest)
            else None
        )
    if doing == "getting" and re.match(r"(?:married|divorced)\b", rest):
        return "plans"
    if doing in _COMING and timed and rest:
        if _TREATED.search(rest):
            return "health"
        return (
            None
            if re.match(
                r"(?:through|crazy|mad|trouble|a hard|good|better|back to|well|tired|lost|over|nuts"
                r"|fine|to (?:try|see|check|look|ask|need|use|do|add|have to|make sure))\b",
                rest,
            )
            else "plans"
        )
    if doing == "going" and re.match(
        r"(?:vegan|vegetarian|to (?:visit|move|start a|marry|study|repaint|run))\b", rest
    ):
        return "plans"
    if doing in (
        "learning",
        "studying",
        "practising",
        "practicing",
        "majoring",
        "minoring",
        "pursuing",
        "taking",
        "doing",
        "finishing",
        "getting",
        "teaching",
    ):
        return _study(doing, rest)
    if doing in (
        "using",
        "wearing",
        "driving",
        "playing",
        "collecting",
        "running",
        "growing",
        "attending",
        "raising",
    ):
        return None
    return "habits" if doing in _LASTING and rest else None


def _study(doing: str, rest: str) -> Category | None:
    if doing in (
        "learning",
        "studying",
        "majoring",
        "minoring",
        "practising",
        "practicing",
        "pursuing",
    ):
        return (
            "skills"
            if rest
            and not re.match(
                r"(?:about|how|more|that|a lot|from|so much|the basics|as|the)\b(?! (?:guitar|piano"
                r"|violin|ukulele|drums|cello|saxophone|flute))",
                rest,
            )
            else None
        )
    if doing == "teaching":
        return "work" if rest and not rest.startswith(("my", "me", "him", "her")) else None
    return (
        "skills"
        if re.match(
            r"(?:an?|my|our|AP|\w+) (?:[\w'-]+ )?(?:degree|phd|master'?s|mba|ba|bsc|msc|a-levels?"
            r"|gcses?|doctorate|classes|class|course|courses|lessons|bio|chem|calc|physics|maths?)\b",
            rest,
            re.IGNORECASE,
        )
        else None
    )


def _having(said: Predicate, *, timed: bool) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    """The perfect, or what someone has."""
    verb, rest = said.verb, said.rest
    whole = f"{verb} {rest}".strip()
    if "never" in said.helpers:
        return (
            "dislikes"
            if verb in ("liked", "enjoyed", "loved", "cared")
            else "skills"
            if verb in ("learned", "learnt", "driven", "flown", "swum", "skied", "ridden")
            else None
        )
    if "not" in said.helpers:
        return "health" if re.match(r"(?:had a drink|smoked|drunk)\b", whole) else None
    if said.adverbs & {"always", "usually", "normally", "often"} and not is_past(verb) and rest:
        return "habits"
    if verb == "got" and not re.match(
        r"(?:married|engaged|divorced|to\b|into|my name|promoted|used to)", rest
    ):
        return _thing_had(rest, timed=timed)
    if verb == "had":
        return (
            "health"
            if _TREATED.search(rest) or _ILLNESS.search(rest)
            else _thing_had(rest)
            if re.search(r"\bfor\b|\bsince\b", rest)
            else None
        )
    if verb in (
        "lived",
        "resided",
        "worked",
        "taught",
        "studied",
        "played",
        "used",
        "owned",
        "moved",
        "settled",
        "relocated",
    ):
        return (
            {
                "lived": "home",
                "resided": "home",
                "settled": "home",
                "moved": "home",
                "relocated": "home",
                "worked": "work",
                "taught": "work",
                "studied": "skills",
                "played": "skills",
            }.get(verb, "possessions")
            if rest and not rest.startswith("on")
            else None
        )  # type: ignore[return-value]
    if verb == "loved" or (
        verb in ("liked", "enjoyed", "wanted", "hated") and "always" in said.adverbs
    ):
        return (
            None
            if _LIKED.match(rest) or not rest
            else "dislikes"
            if verb == "hated"
            else "goals"
            if verb == "wanted" and rest.startswith("to")
            else "likes"
        )
    if verb in ("taken", "given", "quit", "stopped", "started", "become", "begun"):
        return (
            "habits"
            if re.match(
                r"(?:taken up|given up (?!on)|(?:quit|stopped|started|begun) \w+ing|quit)\b", whole
            )
            and "thinking" not in rest
            else _being(rest, timed=timed)
            if verb == "become"
            else None
        )
    if verb == "decided":
        return "plans" if rest.startswith("to ") and not _TASK.search(rest) else None
    if verb == "broken":
        return "health" if re.search(_BODY, rest) else "family" if rest.startswith("up") else None
    if verb in (
        "brought",
        "adopted",
        "bought",
        "sold",
        "inherited",
        "joined",
        "retired",
        "booked",
        "signed",
        "enrolled",
        "registered",
        "graduated",
        "qualified",
        "married",
        "separated",
        "divorced",
        "split",
        "switched",
        "resigned",
        "left",
        "changed",
        "turned",
        "upgraded",
        "reserved",
        "purchased",
        "ordered",
        "rescued",
    ):
        return _past(said, timed=timed)
    if verb == "been":
        return None
    if (
        is_past(verb)
        or (verb.endswith("en")
        and verb not in ("seven", "eleven", "ten", "children", "chicken"))
    ):
        return None
    return _thing_had(whole, timed=timed)


def _thing_had(what: str, *, timed: bool = False, new: bool = False) -> Category | None:  # noqa: PLR0911
    if not what or re.match(r"(?:to|been)\b", what):
        return None
    head = re.split(
        r" (?:with|that|who|which|for|from|in|on|at|of|to|and|called|named|about|but|where|when"
        r"|so|since)\b|,",
        what,
    )[0]
    words = [re.sub(r"[^\w'-]", "", word).lower() for word in head.split()]
    if _ILLNESS.search(head) and not new:
        return "health"
    if re.search(rf"\b{PET}\b", what, re.IGNORECASE) and not re.search(
        r"\b(?:allergy|allergies|cat food|dog food)\b", what
    ):
        return (
            "pets"
            if re.match(rf"(?:an?|my|our|the|any|no|{NUMBER}|one) ", what, re.IGNORECASE)
            else None
        )
    if re.match(
        rf"(?:an?|{NUMBER}|one|no|any|my|our|twins|kids|children|grandchildren)\b",
        what,
        re.IGNORECASE,
    ) and re.search(rf"\b{KIN}\b", head, re.IGNORECASE):
        return "family"
    if re.match(
        r"(?:an?|two|my|the|\w+) ?(?:[\w'-]+ )?(?:degree|diploma|phd|doctorate|master'?s|mba"
        r"|bachelor'?s|certificate|certification|licen[cs]e|black belt|qualification|msc|bsc)\b",
        what,
        re.IGNORECASE,
    ):
        return "skills"
    if re.match(
        r"(?:an? |the |my )?(?:\w+ )?(?:soft spot|weakness|passion|sweet tooth|love) for|a"
        r" sweet tooth",
        what,
    ):
        return "likes"
    if re.search(
        r"\b(?:interview|appointment|exam|surgery|flight|physio|wedding|class|lesson|practice"
        r"|therapy|choir|training|shift|race|match|rehearsal|conference|recital|workshop"
        r"|session|meeting|call|trip|concert|party|reunion|checkup|check-up|viva|deadline"
        r"|presentation)s?$",
        head,
    ):
        return "plans" if timed or _TIME.search(what) else "habits" if _OFTEN.search(what) else None
    if (
        len(words) <= 4
        and re.search(rf"\b(?:every|{DAY}s)\b", what, re.IGNORECASE)
        and words[-1] not in _PASSING
    ):
        return "habits"
    if (
        not words
        or words[-1] in _PASSING
        or set(words) & {"idea", "question", "issue", "problem", "feeling"}
    ):
        return None
    if not re.match(
        r"(?:an?|two|three|four|five|six|\d[\w,.]*|about|around|over|nearly|my own|our own|no"
        r"|solar|several|(?-i:[A-Z])[\w-]+)\b",
        what,
    ) and not (new and re.match(r"(?:my|our|the new|myself)\b", what)):
        return None
    if (
        words[0] in ("no", "my", "our")
        and not new
        and words[:2] not in (["my", "own"], ["our", "own"])
    ):
        return None
    return "possessions" if len(words) > 1 else None


def _been(said: Predicate, *, timed: bool) -> Category | None:
    """What someone has been, or has been doing."""
    rest = said.whole
    lasting = re.search(
        r"\b(?:since|for (?:[\w-]+ ){0,3}(?:years?|months?|weeks?|decades?|ages|while|\w+teen"
        r"|long)|all my life|these days|lately|recently)\b",
        rest,
    )
    if found := _being(rest, timed=False):
        return found
    if not lasting or not said.verb.endswith("ing"):
        return None
    if said.verb in (
        "thinking",
        "looking",
        "meaning",
        "wondering",
        "considering",
        "trying",
        "hoping",
        "struggling",
        "having",
        "feeling",
        "getting",
        "seeing",
        "hearing",
        "noticing",
        "wanting",
        "dealing",
        "waiting",
        "talking",
        "reading",
        "planning",
        "searching",
        "being",
        "going",
        "working",
    ):
        return (
            "work"
            if re.match(r"working (?:as|at|for|in)\b", rest)
            else "habits"
            if re.match(r"going to (?:the|my|a)\b", rest)
            else None
        )
    if re.match(r"\w+ (?:for|since|a lot|together|lately|recently|so|more|well|really|it)\b", rest):
        return None
    if said.verb in ("using", "driving", "wearing"):
        return "possessions"
    return (
        "work"
        if said.verb == "teaching"
        else "skills"
        if said.verb in ("writing", "coding", "programming", "playing", "speaking")
        else "habits"
    )


def _am(said: Predicate, *, timed: bool) -> Category | None:
    if "not" in said.helpers and not re.search(r"any ?more|any longer", said.rest):
        return (
            "dislikes"
            if _LOVING.match(f"not {said.whole}")
            and _LOVING.sub("", f"not {said.whole}", count=1).strip()
            else None
        )
    return _being(said.whole, timed=timed)


def _was(said: Predicate, *, timed: bool) -> Category | None:
    rest = said.whole
    if re.match(r"(?:born|raised|brought up)\b", rest):
        return "dates" if re.match(r"born (?:on|in \d)", rest) else "home"
    if re.match(r"(?:laid off|fired|made redundant|promoted|hired)\b", rest):
        return "work"
    if re.match(r"diagnosed\b", rest) or (rest.startswith("put on") and _DRUG.search(rest)):
        return "health"
    if re.match(r"adopted\b", rest):
        return "family"
    if (re.match(r"an? ", rest) and timed) or re.search(r"\bfor (?:[\w-]+ )?years\b", rest):
        return _role(rest) if re.match(r"an? ", rest) else None
    return "work" if re.match(r"in the (?:army|navy|military|air force|marines)", rest) else None


def _do_not(said: Predicate, *, timed: bool) -> Category | None:
    verb, rest = said.verb, said.rest
    if verb in ("like", "enjoy", "fancy", "love") or (verb == "care" and rest.startswith("for")):
        object_ = rest.removeprefix("for ")
        return None if not object_ or _LIKED.match(object_) else "dislikes"
    if verb in ("have", "own"):
        return (
            "pets"
            if re.search(rf"\b{PET}\b", rest, re.IGNORECASE)
            else "family"
            if re.search(rf"\b{KIN}\b", rest, re.IGNORECASE)
            else "possessions"
            if re.match(
                r"(?:an?|any) (?:\w+ )?(?:car|phone|oven|tv|television|dishwasher|garden|licen[cs]e"
                r"|smartphone|microwave|printer|passport|credit card|washing machine|freezer|balcony"
                r"|computer|laptop|driving)\b",
                rest,
            )
            else None
        )
    if verb in (
        "eat",
        "drink",
        "smoke",
        "work",
        "drive",
        "speak",
        "play",
        "live",
        "wear",
        "use",
        "watch",
        "celebrate",
        "cook",
        "swim",
        "do",
        "sleep",
        "read",
        "travel",
        "shop",
        "date",
        "vote",
        "gamble",
        "tolerate",
    ):
        if not rest and verb not in ("drink", "smoke", "drive", "swim", "cook"):
            return None
        if re.match(r"(?:well|anything|much|enough|the (?:way|trick)|in this)\b", rest):
            return None
        return {
            "work": "work" if re.match(r"(?:at|for|as|in)\b", rest) else "habits",
            "speak": "skills",
            "play": "skills",
            "live": "home",
        }.get(verb, "habits")  # type: ignore[return-value]
    if verb == "know":
        return (
            "skills"
            if re.match(
                r"(?:any|how to (?:swim|drive|cook|code|ride|sew|ski|play|read|speak))\b", rest
            )
            and not re.search(r"\b(?:one|way|good)\b", rest)
            else None
        )
    return "dislikes" if verb == "stand" else None


def _never(said: Predicate, *, timed: bool) -> Category | None:
    verb, rest = said.verb, said.rest
    if verb in ("learned", "learnt"):
        return "skills" if rest.startswith(("to ", "how ")) else None
    if verb in ("liked", "enjoyed", "cared"):
        return None if _LIKED.match(rest) or not rest else "dislikes"
    if (
        is_past(verb)
        or not rest
        or verb
        in (
            "thought",
            "know",
            "understand",
            "see",
            "get",
            "think",
            "mind",
            "say",
            "want",
            "forget",
            "knew",
        )
    ):
        return None
    return "habits" if re.fullmatch(r"[a-z]+", verb) and verb not in _NO_VERBS else None


_ABLE: Final = _set(
    """
    speak play swim ride drive juggle cook sew knit crochet touch-type code program bake sing dance
    whistle fly sail weld type solve run deadlift bench sign ski surf skate draw paint dive
    """
)
_UNABLE: Final = _ABLE | _set("cycle read spell")


def _can(said: Predicate, *, timed: bool) -> Category | None:
    if said.verb == "do":
        return (
            "skills"
            if re.match(
                r"(?:an? (?:\w+ )?(?:backflip|handstand|cartwheel|split|pull-up|\w+flip)|the splits|\d+"
                r" (?:push|pull|sit)-?ups)",
                said.rest,
            )
            else None
        )
    if said.verb == "read":
        return (
            "skills"
            if re.search(rf"\b(?:music|{LANGUAGE}|braille)\b", said.rest, re.IGNORECASE)
            else None
        )
    if said.verb in (
        "run",
        "code",
        "type",
        "sign",
        "solve",
        "draw",
        "play",
        "drive",
        "fly",
        "program",
    ) and re.match(r"(?:it|this|the|to|up|in|out|my|on|for|through|over)\b", said.rest):
        return (
            "skills"
            if re.match(
                r"the (?:piano|guitar|violin|drums|cello|flute|oboe|ukulele|saxophone|trumpet|clarinet"
                r"|banjo|organ|bass|harp)",
                said.rest,
            )
            else None
        )
    return "skills" if said.verb in _ABLE else None


def _cannot(said: Predicate, *, timed: bool) -> Category | None:
    verb, rest = said.verb, said.rest
    if (
        verb in ("stand", "bear", "abide", "tolerate", "with")
        or (verb == "do" and rest)
        or (verb == "deal" and rest.startswith("with"))
    ):
        object_ = rest.removeprefix("with ")
        return (
            None
            if not object_
            or _LIKED.match(object_)
            or re.match(r"(?:much|the (?:first|second)|anything|that)\b", object_)
            else "dislikes"
        )
    if verb in ("eat", "drink", "have", "digest"):
        return (
            "health"
            if rest and not re.match(r"(?:it|the|any more|another|this|fun)\b", rest)
            else None
        )
    if (verb == "get" and rest.startswith("enough")) or (
        verb == "live" and rest.startswith("without")
    ):
        return None if _LIKED.match(re.sub(r"^(?:enough of|without) ", "", rest)) else "likes"
    return (
        "skills"
        if verb in _UNABLE and not re.match(r"(?:it|this|the|my|up|to|in|out|on)\b", rest)
        else None
    )


def _would(said: Predicate, *, timed: bool) -> Category | None:
    whole = said.whole
    if "not" in said.helpers or "never" in said.helpers:
        return (
            "dislikes"
            if said.verb in ("touch", "eat", "drink", "wear", "use", "live") and said.rest
            else None
        )
    if said.verb in ("like", "love"):
        return _wish(f"would {whole}")
    if "rather" in said.adverbs:
        return "likes" if said.rest and " than " in f" {said.rest} " else None
    return None


def _will(said: Predicate, *, timed: bool) -> Category | None:
    if (
        "not" in said.helpers
        or not timed
        or not said.rest
        or said.verb
        in (
            "try",
            "check",
            "see",
            "let",
            "text",
            "call",
            "come",
            "get",
            "look",
            "do",
            "give",
            "definitely",
            "make sure",
            "consider",
            "keep",
            "need",
            "take a look",
            "focus",
            "be sure",
            "use",
            "add",
            "continue",
            "remember",
            "follow",
            "report",
        )
    ):
        return None
    if re.match(r"be (?:\d|thirty|forty|fifty|sixty|seventy|eighty)", said.whole):
        return "dates"
    return "plans"


_WISH: Final = compiled(
    r"^(?:want|would (?:like|love)|hope|hoping|trying|intend|aspire|aim|aiming|wish|plan"
    r"|saving|training|working|need)\b(?: (?P<to>towards?|to|for|up|as|on)\b)?"
    r" ?(?P<verb>[\w'-]+)? ?(?P<rest>.*)"
)


def _wish(whole: str) -> Category | None:  # noqa: PLR0911
    found = _WISH.match(whole)
    if not found:
        return None
    first, to, verb, rest = (
        whole.split(maxsplit=1)[0],
        found["to"],
        (found["verb"] or "").lower(),
        found["rest"],
    )
    if first == "saving":
        return "goals" if to in ("for", "up", "to") or re.match(r"(?:money|\d)", verb) else None
    if first == "training":
        return "goals" if to in ("for", "to", "as") else None
    if first == "working":
        return (
            "goals" if (to or "").startswith("toward") or (to == "to" and verb in _WISHES) else None
        )
    if first in ("aim", "aiming") and to in ("for", "to"):
        return None if _TASK.search(rest) else "goals"
    if first in ("need", "plan"):
        return None
    if to == "to" and verb in _WISHES:
        needed = _WISHES_WITH.get(verb)
        fits = not needed or re.match(needed, rest, re.IGNORECASE)
        return (
            "goals"
            if fits and rest and rest != "in" and not _TASK.search(f"{verb} {rest}")
            else "goals"
            if verb in ("retire", "graduate", "emigrate")
            else None
        )
    if first == "want" and not to:
        return (
            "goals"
            if re.search(
                r"\b(?:straight As|kids|children|family|baby|promotion|this semester|one day|a career)\b",
                whole,
            )
            else None
        )
    return None


_HELPED: Final = {
    "": _simple,
    "am": _am,
    "am not": _am,
    "was": _was,
    "have": _having,
    "have not": _having,
    "have never": _having,
    "never have": _having,
    "have been": _been,
    "had": lambda said, *, timed: _had(said.whole),
    "do not": _do_not,
    "do": _simple,
    "did": lambda said, *, timed: None,
    "never": _never,
    "can": _can,
    "cannot": _cannot,
    "would": _would,
    "would not": _would,
    "would never": _would,
    "will": _will,
    "will be": lambda said, *, timed: _will_be(said.whole) if timed else None,
}
"""What to make of a predicate, by its auxiliary verbs."""

# --- family, pets ---------------------------------------------------------------------------

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
    r"|expecting|turning|moving|getting (?:married|divorced)|learning|studying|training"
    r"|living|working|starting|attending|teaching|recovering|retiring|graduating|going"
    r" (?:to (?:[\w-]+ ){0,2}(?:school|university|college|uni|(?-i:[A-Z])\w+)|blind|deaf)"
    r"|undergoing|losing|doing (?:an?|her|his|their)|having (?:an?|another|surgery|her|his)"
    r"|dating|majoring|running|very allergic|severely allergic|lactose|coeliac|celiac"
    rf"|gluten|{LANGUAGE}|(?:swedish|british|american|indian|brazilian|mexican|canadian"
    r"|australian|scottish)\b|(?-i:[A-Z])[\w-]+(?: and (?-i:[A-Z])|$|,))"
)
_KIN_DOES: Final = compiled(
    r"^(?:lives?|works?|speaks?|loves?|hates?|loathes?|likes?|dislikes?|enjoys?|prefers?"
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


def _of_kin(clause: str) -> Category | None:  # noqa: PLR0911
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
        fits = said.helpers in ("will", "will be") and bool(_TIME.search(rest))
    if not fits:
        return None
    if (
        not is_pet
        and re.match(r"(?:has|have|suffers|is|are|carries|takes)\b", rest)
        and (_ILLNESS.search(rest) or (said.helpers == "am" and _STATE.match(whole)))
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
    if _DATE_THING.search(thing):
        return "dates" if _TIME.search(rest) or re.search(r"\d", rest) else None
    if re.match(r"(?:is|are) (?:called|named|an?|in (?-i:[A-Z])|(?-i:[A-Z]))", rest) or re.match(
        r"(?:moved|died|is due)\b", rest
    ):
        return "family"
    return None


# --- things ---------------------------------------------------------------------------------

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
    r"^(?:my|our) (?P<what>[\w'/-]+(?: [\w'/&-]+){0,4}?),? (?P<verb>is|are|was|were|has|will be"
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
_DATE_THING: Final = compiled(
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
    r"|notice period|warranty|baby)s?$"
)
_BODY_THING: Final = compiled(
    rf"^(?:(?:left|right|lower|upper|bad|both|resting|whole) )*{_BODY}$|^blood (?:type|group)$"
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
    r"|address|place|hometown|home town|home city|neighbou?rhood|studio|condo|cottage|dorm|postcode"
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
    r"|bad|fault|turn|pleasure|app|files?|program|script|query|function|essay|draft|story|character"
    r"|paragraph|opinion|thoughts?|feelings?|head|mind|life|day|week|weekend|morning|night"
    r"|experience"
    r"|favou?r|mistake|apologies|answer|input|output|data|server|website|site|page|mood|battery"
    r"|internet|connection|biggest|main|only|next|previous|friends?|neighbou?rs?"
    r"|colleagues?|coworkers?"
    r"|clients?|customers?|patients?|students?|teachers?|boss|manager|landlord|god|gosh"
    r"|goodness|word"
    r"|request|task|assignment|impression|hope|worry|reason|explanation|time|attempt|results?|hands"
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


def _of_thing(clause: str) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    if _PEOPLE.match(clause):
        return "work" if "friend" not in clause else "family"
    thing = _THING.match(clause)
    if not thing:
        return None
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
            if verb == "is"
            and not _TASK.search(rest)
            and re.match(r"(?:to |an? |[a-z]+ing )", rest)
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
    if _NOT_THING.search(what) or _LATELY.match(f"{verb} {rest}"):
        return None
    if _DATE_THING.search(what) and (
        _TIME.search(f"{verb} {rest}")
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
            if verb in ("is", "are", "starts", "uses", "use")
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
        "dates" if verb in ("expires", "ends", "starts", "begins") and _TIME.search(rest) else None
    )


# --- opinions -------------------------------------------------------------------------------

_VERDICT: Final = compiled(
    r"^(?!(?:it|this|that|these|those|they|he|she|you|there|which|what|everything|nothing"
    r"|here|your|the"
    r" (?:answer|result|idea|response))\b)(?P<what>[\w' -]{2,40}?) (?P<verdict>slaps|rocks"
    r"|sucks?|(?:is|are) (?:my (?:idea of hell|jam|thing"
    r"|go-to|favou?rite|least favou?rite|pet peeve|guilty pleasure|happy place|passion"
    r"|kryptonite|nemesis)"
    r"|not (?:for me|my (?:thing|cup of tea|jam|favou?rite))|the (?:worst|best) (?:\w+"
    r" )?(?:ever|in the world)|home (?:now|these days|for me))"
    r"|(?:drives?|makes?) me (?:up the wall|mad|crazy|insane|nuts|gag|sick|nauseous|anxious"
    r"|round the bend)"
    r"|gives? me (?:the creeps|anxiety|migraines|hives|heartburn|the ick)|tastes? like \w+ to me)\b"
)
_BAD: Final = compiled(
    r"suck|worst|hell|\bnot\b|least|peeve|wall|mad|crazy|insane|nuts|gag|sick|creeps|anxi"
    r"|migraines|hives"
    r"|heartburn|tastes|nemesis|kryptonite|nause|bend|ick"
)
_PLAIN_HOME: Final = compiled(rf"^{NAME} is home\b")


def _of_taste(clause: str) -> Category | None:
    if _PLAIN_HOME.match(clause):
        return "home"
    found = _VERDICT.match(clause)
    if not found:
        return None
    return "dislikes" if _BAD.search(found["verdict"]) else "likes"


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
