"""What a clause tells about the user, by the words that such things are told with.

In English, what someone does in the simple present is what they do again and again, so a verb
there is taken for a habit unless it is one of thinking or asking; the other tenses need a word
that says that something lasts, has changed, or is going to happen.
"""

import re
from dataclasses import dataclass
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.third import ADVERB, is_past
from bethink.learn.rules.words import (
    CAR,
    CHILD,
    DAY,
    DIET,
    KIN,
    LANGUAGE,
    MONTH,
    NAME,
    NUMBER,
    PET,
    SIBLING,
    VEHICLE,
    compiled,
    either,
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

_A = rf"(?:{ADVERB} )*+"
_TIME: Final = compiled(
    rf"\b(?:today|tonight|tomorrow|yesterday|next \w+|last \w+|this (?:year|month|week|weekend|summer|winter|spring|autumn|fall|{MONTH}|{DAY}|christmas|easter|semester|term|afternoon|evening)|on (?:the )?(?:\d|{DAY}|my|our|christmas)|in (?:\d{{4}}|the (?:spring|summer|autumn|fall|winter|new year)|{MONTH}|{NUMBER} (?:days?|weeks?|months?|years?))|at the end of|from the \d+|the \d+(?:st|nd|rd|th)|{MONTH} \d|\d+ {MONTH}|\d+(?:st|nd|rd|th) (?:of )?{MONTH}|by (?:the end|summer|christmas|\d)|over (?:the summer|christmas|easter)|for (?:{MONTH}|christmas|thanksgiving|easter)|day after tomorrow|through|until|soon)\b"
)
_ILLNESS: Final = (
    r"(?:diabet\w+|asthma\w*|adhd|add\b|autis\w+|asperger\w*|allerg\w+|intoleran\w+|coeliac|celiac|crohn\w*|colitis|ibs|ibd|migraines?|epilep\w+|cancer|lupus|eczema|psoriasis|thyroid\w*|hypothyroid\w*|hyperthyroid\w*|arthritis|\w+itis|\w+algia|\w+osis|\w+emia|\w+aemia|\w{3,}pathy|syndrome|disorder|disease|condition|anxiety|depression|ptsd|ocd|bipolar|dyslexi\w+|dyspraxi\w+|insomnia|tinnitus|vertigo|sleep apnoea|sleep apnea|apnea|apnoea|hernia|pacemaker|scoliosis|copd|ms\b|pcos|hiv|hearing aids?|hearing loss|glaucoma|cataracts?|high blood pressure|high cholesterol|low blood pressure|heart (?:condition|murmur|attack|failure|problem)|stroke|bad (?:back|knees?|hip|shoulder)|panic attacks|seizures|long covid|gout|reflux|hay ?fever|a? ?stoma|sciatica|astigmatism|prosthe\w+|chronic \w+|cartilage|bipolar|schizo\w+|a stammer|a stutter|a limp|herniated|slipped disc|kidney stones?|gallstones?|ulcers?|nut allergy|food allergy|trisomy|down'?s|cerebral palsy|nosebleeds|cold sores|rosacea|acne|alopecia|the flu shot)"
)
_STATE: Final = (
    r"(?:allergic|intolerant|lactose|gluten|coeliac|celiac|diabetic|asthmatic|(?:\w+ ){0,3}pregnant|(?:\w+ )?(?:deaf|blind)|epileptic|dyslexic|dyspraxic|autistic|an?aemic|anemic|disabled|sober|immunocompromised|bipolar|near-?sighted|short-?sighted|long-?sighted|hard of hearing|(?:[\w-]+ )?colou?r[- ]?blind|on the (?:autism )?spectrum|in remission|in recovery|recovering from|undergoing|a wheelchair user|an? (?:recovering )?alcoholic|a type|neurodivergent|hiv|hypermobile|a carrier|insulin|vaccinated|sensitive to|prone to|(?:a )?cancer survivor|(?:a )?diabetic|(?:a )?coeliac)"
)
_BODY: Final = r"(?:wrist|arm|leg|ankle|knees?|hip|back|shoulder|foot|toe|finger|thumb|nose|collarbone|ribs?|elbow|acl|achilles|hamstring|meniscus|neck|jaw|tooth|teeth|hand|eyes?|heart|lungs?|kidneys?|liver|spine|hearing|eyesight|vision|blood pressure|cholesterol|thyroid|bmi|blood sugar|iron levels|stomach)"
_DRUG: Final = r"(?:\w+(?:ine|olol|pril|statin|cillin|mycin|zole|pam|lam|sone|solone|lone|mab|nib|tide|formin|parin|oxetine|pram|dipine|sartan|zine|tidine|afil|sterone|trexate|gabalin|pentin)|insulin|statins?|antidepressants?|ssris?|blood thinners|beta blockers|antibiotics|steroids|chemo\w*|the (?:mini)?pill|medication|meds|hrt|warfarin|ibuprofen|lithium|ritalin|adderall|ozempic|prozac|zoloft|aspirin|iron tablets|vitamin \w+|inhalers?|\d+ ?mg)"
_JOB_END: Final = r"(?:\w*(?:er|or|ist|ian|nurse|doctor|vet|chef|cook|clerk|guard|agent|pilot|analyst|architect|attorney|lawyer|student|intern|trainee|apprentice|assistant|consultant|accountant|surgeon|dentist|barista|driver|tech|dev|paramedic|midwife|officer|scientist|monk|priest|nun|rabbi|imam|mechanic|lead|head|founder|ceo|cto|cfo|vp|rep|freelancer|au pair|nanny|model|dad|mum|mom|parent|mother|father|wife|homemaker|grad|graduate|postdoc|phd|fellow|coach|host|hostess|sergeant|captain|judge|paralegal|sophomore|freshman|senior|junior|professor|secretary|treasurer|chair|president|specialist|engineer|technician|solo|hand|maid|smith|wright|monger|keeper|landlord|undergrad|sales|manager|partner|associate|employee|temp|volunteer|principal|marine|veteran|soldier|cop|farmhand|concierge|steward|stewardess|attendant|carer|caregiver|executive|exec|recruiter|dba|sre|pm|qa|gp|ta|psychic))"
_NOT_ROLE: Final = compiled(
    r"^(?:bit|little|lot|mess|moron|idiot|genius|fool|disaster|wreck|lost cause|failure|bad|good|great|terrible|horrible|tad|wee|touch|step|few|couple|believer|minute|beginner with|sucker|person who|bag of|million|nervous|total mess|hot mess|complete|day|week|month|year|hour|huge mess|state|rush|hurry|loss|fraud|burden|loser|liar|monster|nobody|saint|winner|broken|newbie here|regular|big deal|bot|human|man of|woman of|reader of this|customer|user|first-time|first time)\b|\b(?:bit|little|fan|mess|wreck|fool|idiot|disaster|zombie)\b"
)
_NOT_HAVE: Final = compiled(
    r"^(?:to\b|(?:a |an |any |no |some |another |one |two |three |few |the |this |these |quite a |so many |so much |my |it |that |such |all |one more |a few |a couple of |a couple |a lot of |lots of |many |other |more |multiple |several |(?:quick|general|simple|specific|silly|dumb|weird|small|big|huge|minor|follow-up|new|great|good|bad|real|tough|hard|similar|strange|serious|hunch|better|clear|rough|vague|strong|funny|long|busy|nice|lovely|wonderful|amazing|rough|tough|crazy) )*(?:questions?|problems?|issues?|ideas?|feeling|doubts?|points?|clue|concerns?|request|favou?r|time|fun|list|table|file|text|error|bug|headache|cold|look|chat|talk|go|try|word|choice|opinion|suggestions?|thoughts?|say|plans?|reason|chance|moment|second|minute|hour|good|great|nice|lovely|blast|laugh|dream|nightmare|hard time|trouble|difficulty|difficulties|work to do|homework|stuff|things?|thing|lot|lots|luck|day|week|weekend|morning|evening|night|power|right|access|data|dataset|function|script|code|class|string|array|column|dataframe|spreadsheet|document|essay|assignment|paragraph|sentence|project due|meeting|call|deadline|enough|experience|interest|information|info|details|options?|sense|impression|preference|date|hold|money|knowledge|understanding|tips?|recommendations?|guess|confession|theory|friend|friends|coworker|colleague|client|customer|patient|student|students|neighbou?r|boss|interview questions|story|stories|memories|memory|news|everything|nothing|something|anything|been|had|done|made|seen|heard|tried|read|it|this|that|them|him|her|so|more|less|to)\b)"
)
_MENTAL: Final = (
    r"(?:need|want|think|guess|hope|mean|know|see|feel|wonder|agree|understand|appreciate|believe|suppose|swear|promise|remember|forget|hear|apologi[sz]e|recommend|wish|doubt|figure|notice|reali[sz]e|imagine|assume|expect|care|mind|bet|admit|look|seem|sound|get (?:it|that|this|what|why|how|the|an? (?:error|message|warning))|got to|have to|have been|have|am|are|was|were|do (?!the |my |our |yoga|pilates|crossfit|karate|judo|a lot of|all|some|not)|do$|did|does|try|ask|say|said|suggest|thank|trust|deserve|regret|miss|disagree|insist|confess|recall|find|consider|request|require|sort of|kind of|keep (?:getting|having|seeing|forgetting|thinking|hearing|trying)|come back|can|could|will|would|should|must|may|might|cannot|ought|used|just|tell|owe|let|give you|send|attach|point|refer|concern|worry|fear|dread|love|like|hate|enjoy|prefer|adore|loathe|detest|dislike|despise|fancy|open|click|press|put|set|close|call it|turn|bring|start|stop|begin|finish|end|leave|die|win|lose|arrive|happen|change|happen|provide|stand|sit|lie|come|beg|support|respect|pay attention|question|accept|acknowledge|plan|intend|mention|notice|want|show|paste|type|run (?:it|this|the)|stumble|hit|give|add|remove|choose|decide|pick|vote|judge|gather|take it|quote|stress|struggle (?:to|with (?:this|that|the|how|it))|cry|laugh|smile|sigh|blame|envy|pity|salute|hang|freak|panic|ship)"
)
_SIMPLE: Final = compiled(
    rf"^{_A}(?:do not |never )?(?!{_MENTAL}\b)(?P<verb>[a-z]+)\b(?! (?:it|this|that|these|those|them|him|her|you|your)\b)"
)
_NOT_VERB: Final = compiled(r"^(?:\w+ly|and|or|the|a|an|my|to|too|in|on|at|who|with|not|also|both|alone|all|as|of|for|from|if|when|\w+ing|here|there|there's|personally|only|now|then|myself|u|o|mean|hereby|c|d|ii|iii|b|t|s|x|y|n|v|e|g|h|k|l|m|p|q|r|w|z)$")
_LASTING: Final = either(
    "learning studying training living working saving trying teaching building writing renovating"
    " raising running dating seeing expecting recovering planning aiming hoping restoring"
    " practising practicing attending pursuing doing researching majoring minoring homeschooling"
    " volunteering getting_into transitioning developing growing applying caring studying_for"
    " preparing taking_care looking_after launching converting knitting crocheting fostering"
    " reading taking self-employed freelancing commuting sharing renting switching relearning"
    " working_on working_as writing_a co-writing"
)
_EVENT: Final = either(
    "moved relocated quit left started joined retired graduated qualified grew_up bought sold"
    " adopted inherited signed booked enrolled became switched gave_up stopped dropped_out broke"
    " sprained fractured tore injured turned married divorced separated proposed got_married"
    " got_engaged got_divorced got_promoted got_laid_off got_fired got_hired got_accepted"
    " got_into got_the_job got_a_job got_diagnosed lost_my lost_our was_born was_raised"
    " was_diagnosed was_laid_off was_fired was_made_redundant was_promoted was_adopted were_married"
    " was_brought_up went_vegan went_vegetarian took_up upgraded purchased rescued welcomed had_a_baby"
    " gave_birth had_surgery split_up broke_up passed_my earned_my got_my converted"
    " resigned was_hired trained_as worked lived studied majored served was_raised was_in_the"
    " traded rehomed gave_away was_accepted accepted_a_job completed_my finished_my founded opened_a"
    " set_up launched came_out emigrated immigrated had_twins had_my adopted got_rid_of started_a"
    " changed_my replaced swapped cancelled settled got_the_keys got_keys got_confirmed got_tickets"
    " received_my won_a won_the published bought_myself moved_in moved_out ordered_a picked_up_a"
    " treated_myself brought_home"
)
_PLANNED: Final = either(
    "going flying moving starting visiting taking getting having hosting hiking travelling"
    " traveling driving leaving meeting running attending seeing throwing spending staying"
    " joining heading returning competing performing presenting speaking graduating retiring"
    " marrying celebrating buying selling closing switching flying_out road-tripping cruising"
    " turning applying launching changing quitting camping skiing interviewing adopting racing"
    " sitting doing"
)
_GOAL: Final = either(
    "learn become be run lose save pass read walk visit move retire buy own open start quit stop"
    " finish get speak travel master climb complete hike publish qualify graduate study live work"
    " earn pay reach win play swim cycle sail build gain improve grow cut eat drink exercise"
    " have_kids have_children adopt see_the join train compete return go_back go_to do_a give_up"
    " sleep spend_less spend_more write_a build_a transition settle volunteer teach launch found"
    " perform make_a_living make_it make_partner bench deadlift surf dive ski cook_more reduce"
    " break lower raise set_up"
)
_TASKLIKE: Final = compiled(
    r"\b(?:(?:get|learn|read|find|know|see|start|write|build|visit) (?:(?:a |some |the |any )?(?:sense|idea|ideas|information|info|advice|help|feedback|recommendations|suggestions|tips|list|overview|understanding|more about|about|how|better idea|quote)|started|going|ready|back to|through this|by)|sure|(?:a |an |the |this |my )(?:list|table|script|function|email|poem|essay|story|query|regex|report|summary|letter|website|app\b|presentation|paragraph|response|code|program)|(?:be|stop|start) (?:able|by|with|using)|see (?:if|what|how|whether|some)|make sure|work on this|play around|more about|which|whether)\b"
)


@dataclass(frozen=True, slots=True)
class Rule:
    category: Category
    pattern: re.Pattern[str]


def _rule(category: Category, pattern: str) -> Rule:
    return Rule(category, compiled(pattern))


_OWN_RULES: Final = (
    _rule("name", rf"^(?:{_A}go by|am called|am known as|am named|became (?:Mrs|Mr|Ms|Dr)\b|(?:have )?(?:just )?(?:legally )?(?:got|had|changed) my name\b|am Mrs? )"),
    _rule("name", rf"^am {NAME}(?:, [a-z]+/[a-z]+)?$"),
    _rule("name", r"^(?:use|am|prefer) (?:she/|he/|they/|it/)"),
    _rule("goals", rf"^{_A}(?:want|would like|would love|hope|am hoping|aim|am aiming|am trying|intend|am determined|aspire|dream of|am working|plan to (?:become|learn))\b"),
    _rule("goals", r"^am (?:saving|training|aiming|going to be an? (?!bit|little|while|long|problem|challenge))"),
    _rule("dislikes", rf"^{_A}(?:hate|dislike|loathe|detest|despise|cannot (?:stand|bear|abide|with\b|do\b|deal with|get into|tolerate)|(?:do not|never|have never)(?: {ADVERB})* (?:like|liked|enjoy|enjoyed|care for|fancy|cared for)|am not (?:\w+ )?(?:a |much of a |really a )?(?:\w+ )?(?:fan|keen|into|fond|crazy)|would (?:not|never)(?: ever)? (?:touch|eat|drink|wear|use)|am (?:terrified|scared|afraid) of|have an aversion|avoid)\b"),
    _rule("likes", rf"^{_A}(?:would rather|would prefer|love|like|adore|enjoy|prefer|fancy|dig|(?:am|have been)(?: {ADVERB})* (?:into|fond of|keen on|obsessed with|crazy about|mad about|passionate about|partial to|hooked on|addicted to|in love with|(?:a |an )?(?:[\w-]+ )?(?:[\w-]+ )?(?:fan|lover|sucker|fanatic|nerd|enthusiast|geek|buff|aficionado|junkie|freak|addict|person|supporter)\b)|cannot (?:get enough|live without)|have (?:a |always had a )?(?:\w+ )?(?:soft spot|weakness|passion|thing|sweet tooth|love)\b(?: (?:for|of|to))?|have always (?:loved|liked|enjoyed|wanted)|swear by|fell in love with|support (?=(?-i:[A-Z])))\b"),
    _rule("health", rf"^{_A}(?:(?:am|have been) (?:{ADVERB} )*(?:not )?(?:partially |severely |mildly |slightly |completely |very |badly |deathly |\w+ly )?{_STATE}|(?:have|have got|got|get|suffer from|live with|struggle with|deal with|was diagnosed with|have been diagnosed with|had|was born with|was told I have|developed|survived|have had)\b(?: [\w-]+){{0,4}} {_ILLNESS}\b|(?:am|have been|was put|got put) on (?:\w+ ){{0,3}}{_DRUG}|take (?:[\w-]+ ){{0,3}}{_DRUG}|(?:have )?(?:just )?(?:broke|broken|sprained|fractured|tore|torn|injured|dislocated|hurt|twisted|pulled) (?:my|a|both) (?:\w+ )?{_BODY}|(?:had|have had|am having|am getting|need)\b.*\b(?:surgery|operation|replacement|replaced|removed|transplant|bypass|c-section|miscarriage|stroke|heart attack|chemo\w*|surgeries|biopsy|dialysis|physio\w*)\b|was diagnosed|have been diagnosed|use a (?:wheelchair|walking stick|cane|hearing aid|walker|cpap)|wear (?:glasses|contact lenses|hearing aids|contacts|a hearing aid|an insulin pump)|have no sense of|am (?:in|on) (?:chemo\w*|remission|dialysis)|(?:am|have been) sober|have not (?:had a drink|smoked|drunk)|cannot (?:hear|see) (?:well|out of|in)|need (?:step-free|a wheelchair|subtitles|large print|hearing))"),
    _rule("habits", rf"^(?:am|have been|went|am going|became) (?:{ADVERB} )*(?:not )?(?:a |an )?(?:strict |lifelong |mostly )?{DIET}\b"),
    _rule("pets", rf"^{_A}(?:have|have got|have had|got|keep|own|adopted|rescued|bought|foster|have adopted|have just brought home|brought home|have rescued|have just got|am getting|do not have|breed|am adopting|raise|have just adopted|welcomed|have recently adopted|have bought|share my home with|look after)\b(?: [\w-]+){{0,7}} {PET}\b"),
    _rule("pets", r"^(?:gave|rehomed) (?-i:[A-Z])\w+"),
    _rule("family", rf"^{_A}(?:have|have got|have had|got)\b (?:(?:{NUMBER}|[\w-]+) ){{1,4}}(?:{KIN})\b(?!'s)"),
    _rule("family", rf"^(?:am|was|got|have been|are) (?:{ADVERB} )*(?:happily |recently |newly |getting )?(?:married|engaged|single|divorced|separated|widowed|a widow\w*|an only child|the (?:oldest|youngest|eldest|middle)(?: of| child| one| in)|expecting\b(?! (?:a |an )?(?:call|package|delivery|email))|adopted$|an orphan|an? (?:single |proud |new |first-time |working )?(?:mother|father|mum|mom|dad|parent|grandmother|grandfather|grandma|grandpa|aunt|uncle|twin|godmother|godfather|step\w+)\b|dating\b|seeing someone)"),
    _rule("family", rf"^(?:have )?(?:{ADVERB} )*(?:lost|married|adopted|proposed to|met|broke up|broken up|split up|separated|divorced|got (?:married|engaged|divorced)|got back together|eloped|care for|gave birth|had (?:a baby|twins|our|my)|welcomed|fostered|foster|live with my|was raised by|am raising|am estranged)\b(?: .*)?\b(?:{KIN}|broke up|separated|married|engaged|divorced|twins|baby|together|split up|eloped|birth|up)\b"),
    _rule("home", rf"^{_A}(?:live|lived|reside|resided|rent|have (?:{ADVERB} )*(?:lived|resided|moved|settled|relocated|been living)|(?:am|was|have been) (?:{ADVERB} )*(?:living|based|born|staying in|renting|sharing a|from|originally from|residing|located|moving)|moved (?!out|on\b|past|forward|away)|relocated|grew up|come from|hail from|settled in|emigrated|immigrated|(?:just )?got (?:the )?keys|split (?:my|our) time|bought (?:a|our|my) (?:\w+ )?(?:house|flat|apartment|home|place|condo|cottage)|sold (?:the|our|my) (?:house|flat|apartment|home|place|condo)|share a (?:house|flat|apartment)|was (?:raised|brought up)|spent my childhood|used to live|stay in|am no longer living|do not live|no longer live)\b"),
    _rule("home", rf"^(?:am|have been)(?: {ADVERB})* (?:in|at) (?!a |an |the |my |our |this |that |bed|love|need|pain|trouble|total|shock|awe|case|charge|agreement|favou?r|line|order|touch|no |between|fact|work|home|school|least|ease|peace|college|uni|class|car|town\b|hospital|progress|luck|tears|\d|{DAY}|{MONTH}|meeting|high|debt|limbo|year|grade|therapy|recovery|remission|isolation|quarantine)(?-i:[A-Z])[\w' -]+(?:since|for (?:{NUMBER} |about|over|nearly|the past))"),
    _rule("work", rf"^{_A}(?:work|worked|have (?:{ADVERB} )*(?:worked|been working|joined|started at|retired|quit)|(?:am|was|have been) (?:{ADVERB} )*(?:working (?:as|at|for|in|part|full|remotely|nights|from|with|on a|two|three|freelance|shifts)|employed|unemployed|self-employed|freelanc\w+|retired|between jobs|out of work|on the (?:\w+ )?(?:desk|team|board|night|committee)|laid off|fired|promoted|made redundant|on (?:maternity|paternity|parental|sick) leave|back at (?-i:[A-Z])|starting at|in (?:the (?:army|navy|military|air force|marines)|tech|sales|finance|marketing|hr|it\b|construction|real estate|retail|hospitality|insurance|banking|healthcare|logistics|publishing|law|medicine|advertising|accounting|academia))|retired|joined|started (?:at|as|working|my (?:new )?job|a (?:new )?(?:job|business|company|role|position)|my own)|have (?:been )?(?:promoted|laid off|made redundant)|got (?:promoted|laid off|fired|hired|a (?:new )?job|the job|a (?:promotion|raise)|made redundant|an offer)|left (?=(?-i:[A-Z])|my job|the company)|quit(?:$| (?!smoking|drinking|vaping|sugar|caffeine|coffee|social|trying))|resigned|run (?:a|an|my own|our own|the)\b|own (?:a|an|my own) (?:\w+ )?(?:business|company|shop|restaurant|cafe|bakery|salon|agency|studio|bar|pub|gym|farm|store)|manage (?:a|an|the)|teach|freelance|handle|lead (?:a|the)|head up|supervise|drive (?:a|the|for) (?:\w+ )?(?:bus|lorry|taxi|cab|truck for|uber|lyft|train|tram|van for|forklift|ambulance)|do (?:instacart|uber|doordash|deliveries|freelance|the (?:backend|frontend|accounts|books)|shifts|contract|consulting)|majored|am majoring|used to (?:work|teach|run)|served|(?:co-?)?founded|do not work (?:at|for|as|in)|no longer work|am (?:a|an) (?:[\w-]+ ){{0,2}}(?:startup|company|start-up)|report to|intern)\b"),
    _rule("work", rf"^(?:am|was|have been|became|am now|am training (?:to be|as)|am no longer|used to be|trained as|qualified as)(?: {ADVERB})* (?:the |an? |in my \w+ year as a )?(?!{NUMBER} )(?:(?!for |or |with |at |in |on |to )[\w'/&-]+ ){{0,4}}?(?!(?:for|or|her|their|other|over|after|never|either|under|better|later|ever|older|younger|number|order|matter|bigger|another|together|rather|whether|further|super|proper|sober|eager|poor|minor|clever|bitter|former|inner|outer|upper|lower|weather|computer|paper|letter|dinner|water|summer|winter|october|november|december|september|error|door|floor|color|power|monster|master of|corner|border|flower|river|twitter|however|per)\b){_JOB_END}\b(?! with (?:this|that|the) )"),
    _rule("skills", rf"^{_A}(?:(?:do not )?(?:speak|know (?:how to|{LANGUAGE}|some|a bit|a little|any)|play (?:the |a )?(?!a role|along|it|with|around)|can (?:speak|play|do a|read|swim|ride|drive|juggle|cook|sew|knit|crochet|touch-type|code|program|bake|sing|dance|whistle|fly|sail|weld|type|solve|run|deadlift|bench|sign|ski|surf|skate|draw|paint|write in|drive|say the|hold my breath|do|fix|build|understand (?={LANGUAGE}))|cannot (?:{ADVERB} )*(?:swim|drive|cook|sing|dance|whistle|ride|read music|cycle|ski|draw|speak|play|code|type|sew|knit|spell|roll my)|never (?:learned|learnt|managed to learn)|have never learned|hold (?:a|an|the|two)|have (?:a|an|my|two)? ?(?:[\w'-]+ )?(?:degree|diploma|phd|doctorate|master'?s|mba|bachelor'?s|certificate|certification|licen[cs]e|black belt|qualification|ba|bsc|msc|ma)\b|qualified|graduated|studied|study|(?:am|have been) (?:{ADVERB} )*(?:learning|studying|taking (?!a break|it|my time|care)|practi[sc]ing|fluent|bilingual|trilingual|self[- ]taught|a native|good (?:at|with)|great at|bad (?:at|with)|terrible (?:at|with)|hopeless (?:at|with)|rubbish at|pretty good at|not (?:very )?good (?:at|with)|(?:brand )?new to|a beginner|experienced|proficient|trained in|certified|qualified|(?:doing|pursuing|finishing|getting) (?:a|an|my) (?:[\w'-]+ )?(?:degree|phd|master'?s|mba|ba|bsc|msc|a-levels?|gcses?|doctorate|thesis)|in (?:\w+ )?(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|final|my \w+) (?:grade|year|semester)|in (?:year|grade) \w+|in (?:high school|middle school|college|medical school|law school|grad school|sixth form|uni)|(?:an? )?(?:native )?{LANGUAGE} (?:native )?speaker)|get by in|have been (?:{ADVERB} )*(?:writing|coding|programming|playing|using|learning|studying|speaking)|dropped out|got (?:into|accepted)|passed my|am (?:a )?(?:\w+ )?(?:black belt)|went to (?:\w+ )?(?:school|uni|university|college|(?-i:[A-Z]\w+))|attended|got my (?:\w+ )?(?:degree|licen[cs]e|diploma|certificate)|earned my|switched to))\b"),
    _rule("possessions", rf"^{_A}(?:(?:drive|own|have|have got|got|bought|have bought|have just bought|ride|wear|inherited|have inherited|use|have been using|am using|have had|ordered|upgraded|picked up|purchased|treated myself|bought myself|collect|have owned|got myself|was given)\b(?! (?:it|this|that|the (?:error|following|same problem)|to|married|engaged|fired|laid|promoted|up|home|here|into|back|out|there|sick|tired|lost|stuck|you|your)\b)|sold|traded|gave away|got rid of|crashed|lost my|have sold)"),
    _rule("dates", r"^(?:turned|turn|am turning|will be|will turn|just turned) (?:\d{1,3}|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b|^was born\b|^celebrate\b|^am (?:almost |nearly )?\d{1,3}(?: years? old)?\b"),
    _rule("habits", rf"^(?:have )?(?:{ADVERB} )*(?:quit|gave up(?! in| on|$)|given up(?! in| on|$)|stopped|started|taken up|took up|been (?:doing|going|running|practising|practicing|meditating|journaling|eating|drinking|walking|swimming|cycling|training))\b(?! (?:to|it|this|that|working$))"),
    _rule("habits", rf"^(?:{ADVERB} )*(?:am (?:only |usually |always |never |mostly )*(?:free|available|busy|up|awake|off|home)\b.*\b(?:on|at|after|before|until|every|in the)\b|am (?:a|an) (?:[\w-]+ )?(?:early bird|night owl|morning person|evening person|light sleeper|smoker|non-smoker|runner|cyclist|vegetarian|vegan|swimmer|reader|gamer|hiker|introvert|extrovert|homebody|perfectionist|minimalist|christian|muslim|jew|hindu|buddhist|catholic|atheist|quaker|sikh)\b|am (?:jewish|muslim|christian|catholic|hindu|buddhist|sikh|atheist|agnostic|religious|orthodox|left-handed|right-handed|teetotal|nocturnal|introverted|ambidextrous|gay|lesbian|bisexual|trans|transgender|non-binary|queer|straight)\b|used to)"),
    _rule("other", rf"^am (?:(?:half|part) )?(?:british|american|english|scottish|welsh|irish|german|french|italian|spanish|polish|dutch|indian|canadian|australian|mexican|brazilian|nigerian|kenyan|chinese|japanese|korean|russian|ukrainian|turkish|greek|portuguese|swedish|norwegian|danish|finnish|swiss|austrian|belgian|a (?:british|us|american|canadian|dutch|french|german) citizen|a citizen)\b|^am \d(?:'| ?ft|\.\d+ ?m| ?foot|\d+ ?cm)"),
)
_PLAN_RULES: Final = (
    compiled(rf"^(?:am|have|will|shall)(?: {ADVERB})* (?:be )?(?:going to )?\w+"),
    compiled(rf"^(?:have |are )?(?:{ADVERB} )*(?:booked|signed up|enrolled|registered|reserved|got tickets|scheduled|arranged|bought tickets|have tickets)\b"),
    compiled(rf"^{_A}(?:plan|intend)(?:ned)? (?:to|on)\b|^am (?:{ADVERB} )*planning\b|^have (?:{ADVERB} )*decided to\b|^decided to\b|^drive (?:down|up|over)|^am getting (?:married|divorced)|^am due\b"),
)
_KIN_SUBJECT: Final = compiled(
    rf"^(?P<subject>(?:my|our) (?:(?!best|favou?rite)[\w-]+ ){{0,3}}?(?P<kin>{KIN}|{PET})\b(?:'s (?!name|birthday)[\w-]+)?(?:,? (?:called |named )?(?P<name>(?!is |has |was |and )(?-i:[A-Z][\w-]+(?: and [A-Z][\w-]+)?)|[a-z]+(?= (?:is|has|escaped|loves|was|and))(?<! ))?(?=[ ,]))?,?) (?P<rest>\S.*)"
)
_KIN_VETO: Final = compiled(
    rf"^(?:is|are|was|were)(?: {ADVERB})* (?:not (?:a|an)\b|fine|ok|okay|great|nice|awesome|amazing|here|there|coming over|calling|asleep|tired|mad|angry|sick of|asking|telling|annoying|annoyed|upset|happy|sad|funny|sweet|lovely|so |visiting|watching|sleeping|yelling|laughing|being|driving me|going through|worried|excited|proud|right|wrong|supportive|always there|my (?:rock|hero|everything|world|inspiration|biggest)|the best|wonderful|adorable|cute|beautiful|the light|waiting|busy|helpful|talking|saying|looking|making|getting (?:on|better|tired|annoyed)|what|why|how|where|everything|important|a blessing|a great|a huge|a big|a wonderful|an amazing|such|very|really|super|and|also|like|over|out|up)\b"
    r"|^(?:say|said|says|think|thinks|thought|told|tell|tells|ask|asked|asks|want me|wants me|wanted me|call me|called me|know|knows|knew|seem|seems|look|looks|sound|sounds|make me|makes me|made me|keep|keeps|let|lets|mean|means|feel|feels|and|or|both|would|could|should|might|may|will (?:be (?:so|happy|proud|mad)|love it|kill)|can (?:be|see|tell|hear)|also (?:said|thinks?)|help me|helped me|helps me|support|supported|supports|always (?:say|tell|told|make)|was like|just (?:said|told|called|texted)|inspire|inspired|love it|loved it|loved|enjoyed|bring|brings|taught me|show|showed|shows|came|come|went|saw|laughed|smiled|cried|got me|gave me|need|needs help|in |at |with |about |to |for |on |is$|are$|of |as |when |while |who |that )\b"
)
_KIN_OK: Final = compiled(
    rf"^(?:(?:{ADVERB}|who) )*(?:is|are|'s|has|have|was|were|will be|lives?|live|works?|speaks?|loves?|hates?|loathes?|likes?|dislikes?|enjoys?|prefers?|plays?|teaches|teach|studies|study|goes to|go to|owns?|runs?|drives?|does not|do not|will not|cannot|can not|can (?:speak|play)|turn(?:s|ed)|died|passed(?: away)?|moved|retired|graduated|started|starts?|got|just|divorced|separated|split|married|adopted|had|suffers|takes?|eats?|drinks?|collects?|keeps? (?:bees|chickens|goats)|wears?|uses?|carries|needs? (?:a|an|her|his|their|glasses|insulin|help with|to)|wants? to|only (?:eats?|speaks?|drinks?)|handles?|manages?|used to|grew up|comes from|escaped|is called|was born|broke|lost|bought|sold|works|commutes?|volunteers?|served|won|became|joined|quit|left|spends?|job|attends?|trains?|coaches|swims?|rides?|builds?|makes? (?!me|it|us)|writes?|paints?|sings?|dances?|bakes?|cooks?|gardens?|sleeps?|weighs?|belongs?|sheds?|barks?|chews?|limps?|follows?|starts?|never|always|usually|still)\b"
)
_KIN_DOING: Final = compiled(
    rf"^(?:is|are) (?:{ADVERB} )*(?P<doing>\w+ing)\b"
)
_KIN_LASTING: Final = compiled(
    rf"^(?:is|are) (?:{ADVERB} )*(?:moving|getting (?:married|divorced|engaged|a divorce)|expecting|turning|learning|studying|training|living|working|starting|attending|teaching|recovering|retiring|graduating|going (?:to (?:(?:[\w-]+ ){{0,2}}(?:school|university|college|uni)|(?-i:[A-Z])|be|have)|blind|deaf)|undergoing|fighting|battling|losing|doing (?:a|an|her|his|their)|having (?:a|an|another|surgery|her|his)|allergic|running|dating|majoring|applying)\b"
)
_KIN_EVENT: Final = compiled(
    r"\b(?:died|passed away|moved|retired|graduated|started|starts?|got (?:married|engaged|divorced|into|a|an|the|her|his|promoted|accepted|stolen)|divorced|separated|turn(?:s|ed)|had (?:a|an|her|his|twins|surgery)|born|adopted|diagnosed|broke|bought|sold|won|became|joined|quit|left|escaped|lost|is|are|has|have)\b"
)
_FIRST_VERB: Final = compiled(rf"^(?:(?:{ADVERB}|who) )*(?P<verb>[\w']+)")
_PEOPLE: Final = compiled(
    rf"^(?:my|our) (?:new |old |current )?(?:[\w-]+ )?(?:boss|manager|supervisor|advisor|adviser|teacher|tutor|therapist|doctor|gp|dentist|landlord|landlady|coach|trainer|lawyer|accountant|best friend|vet|hairdresser|barber|neighbou?r|colleague|friend|co-founder|professor|assistant|team lead)(?:'s name)? (?:is|are) (?:called |named )?(?:Dr\.? |Mrs?\.? |Ms\.? |Prof\.? )?(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*$"
)
_THING: Final = compiled(
    rf"^(?:my|our) (?P<what>[\w'/-]+(?: [\w'/&-]+){{0,4}}?),? (?P<verb>is|are|was|were|has|have|will be|got stolen|was stolen|expires?|ends?|starts?|begins?|runs out|got|needs?|belongs?|falls on|moved|goes|died|broke|breaks|uses?|,) ?(?P<rest>.*)"
)
_NAME_THING: Final = compiled(rf"^(?:(?:full|first|last|middle|maiden|birth|given|family|legal|real|actual|married|stage|pen|preferred|new|old|user|screen|nick) ?)*(?:name|surname|nickname|username|handle|pronouns|initials|name's)(?: everywhere| online| here| on \w+)?$")
_DATE_THING: Final = compiled(
    rf"\b(?:birthday|anniversary|exams?|exam|test|appointment|visa|passport|lease|thesis|dissertation|deadline|flight|wedding|recital|interview|surgery|operation|graduation|licen[cs]e|contract|rent|due date|baby shower|party|reunion|concert|trip|holiday|vacation|honeymoon|finals|mot|checkup|check-up|scan|school|term|semester|move|ceremony|funeral|marathon|race|match|tournament|performance|audition|hearing|viva|defen[cs]e|first day|last day|start date|tax return|mortgage|subscription|insurance|prescription|paper|essay|project|shift|standup|stand-up|practice|rehearsal|class|lesson|meeting|retirement|bat mitzvah|bar mitzvah|christening|baptism|quincea\w+|shower|therapy|dentist|game|show|exhibition|launch|presentation)s?$"
)
_BODY_THING: Final = compiled(rf"^(?:(?:left|right|lower|upper|bad|both|resting|whole) )*{_BODY}$|^blood (?:type|group|pressure|sugar)$|^(?:allergy|allergies|medication|diagnosis|prescription|dosage|condition|height|weight|cycle|pregnancy|eyesight|hearing|a1c|bmi)$")
_GOAL_THING: Final = compiled(r"^(?:[\w-]+ ){0,2}(?:goals?|aim|dream|ambition|target|resolution|bucket list|dream job|new year'?s resolution|objective|mission)(?: (?:this|for|in) .*)?$")
_TASTE_THING: Final = compiled(r"^(?:(?:absolute|all-time|least|second|current|personal|daughter's|son's|wife's|husband's|kids'|partner's|mum's|mom's|dad's|other|new) )*(?:favou?rite|go-to|comfort|guilty pleasure|pet peeve|hobby|hobbies|hobbie|passion|biggest fear|pet hate|usual|preferred|preference|main hobby|interests|true love|poison|idea of)\b")
_HOME_THING: Final = compiled(r"^(?:new |old |current |home |childhood |postal |shipping |mailing |studio )*(?:home|house|flat|apartment|address|place|hometown|home town|home city|neighbou?rhood|studio|condo|cottage|dorm|room|postcode|zip code|zip|timezone|time zone|street|village|garden|balcony|building|loft)$")
_WORK_THING: Final = compiled(r"^(?:new |old |current |day |side |main |first |last |part-time |dream )*(?:job|role|work|team|company|employer|office|title|job title|profession|occupation|startup|business|hours|shift|shifts|commute|salary|department|boss|manager|degree|major|course|school|college|university|minor|shop|restaurant|practice|side hustle|field|trade|industry|working hours|supervisor|advisor|phd|research|firm)$")
_SKILL_THING: Final = compiled(rf"^(?:spoken |written |first |native |second |mother |own )*(?:{LANGUAGE}|(?:mother |native |first |second |home )?(?:language|tongue)|instrument|level|languages)$")
_NOT_THING: Final = compiled(
    r"\b(?:questions?|problems?|issues?|code|points?|guess|concerns?|ideas?|understanding|suggestions?|bad|fault|turn|pleasure|app|file|files|program|script|query|function|essay|draft|story|character|paragraph|opinion|thoughts?|feeling|feelings|head|mind|life|day|week|weekend|morning|night|experience|favou?r|mistake|apologies|answer|input|output|data|server|website|site|page|heart|mood|battery|internet|wifi is|connection|biggest|main|only|next|first|previous|last|friend|friends|neighbou?r|neighbou?rs|colleague|colleagues|coworker|coworkers|client|clients|customer|customers|patient|patients|students?|teacher|boss|manager|landlord|roommate's|goodness|god|gosh|word|request|task|assignment|impression|hope|fear|worry|reason|explanation|time|attempt|result|results|hands|eyes on|budget for this|plan for|excitement|love for|journey|focus|advice|friend's|tenant's|neighbour's|neighbor's|colleague's|boss's)\b"
)
_COPULA: Final = compiled(
    rf"^(?:now |actually |still |only |currently |also |just |called |named )*(?:a |an |the |my |called |named |(?-i:[A-Z])|\d|#|to |{DAY}|{MONTH}|on |in |at |{NUMBER} |[\w.+-]+@|due|next|tomorrow|not |O |AB )"
)
_PASSING: Final = compiled(
    r"^(?:is|are|was|were)(?: \w+ly)? (?:not working|broken|slow|down|full|empty|dirty|late|messy|a mess|a bit|a little|a lot|a pain|a total|a complete|in progress|on fire|to (?:be|say|do|make|ask)|killing|hurting|the same|the best|the worst|in the car|on the table|at home|too|so|very|really|getting|going|starting to|making|being|almost|a disaster|a nightmare|a problem|a good|a great|a big|in a good|the only|what|that|how|why|when|where|not (?:showing|loading|the|a good|sure|very|that|so|too|really))\b"
)
_IDEA: Final = compiled(r"^(?P<what>[\w' -]{2,40}?) (?P<verdict>slaps?|rocks?|sucks?|(?:is|are) (?:my (?:idea of|jam|thing|go-to|favou?rite|least favou?rite|pet peeve|guilty pleasure|comfort|happy place|passion|kryptonite|weakness|nemesis|life\b|absolute)|not (?:for me|my (?:thing|cup of tea|jam|style|favou?rite))|the (?:worst|best)(?! (?:option|way|choice|one|part|thing to|of|time|place)) )|(?:drives?|makes?) (?:me|us) (?:up the wall|mad|crazy|insane|nuts|gag|sick|happy|nauseous|nervous|anxious|round the bend|so happy)|gives? me (?:the creeps|joy|anxiety|migraines|hives|heartburn)|tastes? like \w+ to me|(?:is|are) home\b)")
_NO_TASTE: Final = compiled(r"^(?:it|this|that|these|those|they|he|she|you|i|we|there|which|what|everything|nothing|here|your|the (?:answer|result|idea|response))\b")
_HERE: Final = compiled(rf"^(?P<what>{NAME})(?:'s| is) (?:my |our )?home\b")
_DANGLING: Final = compiled(r"(?<!/)\b(?:it(?! (?:rains|storms|snows|is (?:hot|cold|raining|sunny|dark)))|this(?! (?:year|month|week|weekend|summer|winter|spring|autumn|fall|semester|term|morning|afternoon|evening|january|february|march|april|may|june|july|august|september|october|november|december|christmas|easter|thanksgiving|coming|past)\b)|that (?:one|is all)|these(?! days)|those|them|him|there|the same (?:thing|one|way|problem|issue|here)|the (?:former|latter|above|following)|(?:for|of|at|with|about|like|love|hate|on|do|did) that)\b")
_TASTE_VETO: Final = compiled(
    r"^(?:\w+ )??(?:(?:really|also|just|so|absolutely|especially|particularly|very|both) )*(?:it|this|that|these|those|him|her|them|you|your|the (?:idea|way|first|second|third|fourth|last|sound|look|one|options?|suggestions?|version|thought|concept|feel|fact|result|design|other|new|more)|how|what you|to (?:know|see|hear|think|add|ask|get|have|make|be|use|find|try|learn|share|thank|start|understand|discuss|explore|do|go|know)|both|either|all of|option|seeing (?:your|how|the)|hearing|idea|where|when you|there|a (?:shorter|longer|better|different|more)|something$|some$|anything$|if|and|but|talking (?:to|with) you)\b"
)


def judged(clause: str) -> Category | None:  # noqa: PLR0911 (one for each kind of subject)
    """What kind of knowledge a clause holds, if it is worth keeping."""
    if kin := _KIN_SUBJECT.match(clause):
        if found := _of_kin(kin):
            return found
    if own := _own(clause):
        return _of_self(own["lead"], own["rest"], clause)
    if _PEOPLE.match(clause):
        return "work"
    if thing := _THING.match(clause):
        return _of_thing(thing)
    if taste := _IDEA.match(clause):
        return None if _NO_TASTE.match(clause) else _verdict(taste["verdict"])
    return None


_PAIR = compiled(
    rf"^(?:(?:my|our) {KIN}(?: (?-i:[A-Z])[\w-]+)?|{NAME}) and (?:I|me) (?P<rest>.+)|^me and (?:my {KIN}(?: (?-i:[A-Z])[\w-]+)?|\w+) (?P<other>.+)"
)
_OWN: Final = compiled(
    rf"^(?P<lead>(?:(?:in|on|at|every|each|most|once|twice|next|last|this|since|for|from|after|before|as|tomorrow|yesterday|today|currently|now|these days|nowadays|usually|normally|sometimes|by|during|over|until|when|the plan is|what|two|three|a few|\w+ times|{DAY}|also|so)\b[^;:]{{0,60}}?,? )?)(?:I|we)(?= |$) ?(?P<rest>.*)"
)
_PAIR_RULE: Final = compiled(
    rf"^(?:have |are |am )?(?:{ADVERB} )*(?:broke up|broken up|separated|split up|divorced|married|got (?:married|engaged|divorced|back together)|met|getting (?:married|divorced)|live|moved|bought|adopted|run|own|have been (?:together|married)|hiking|going|flying|travel\w*|visiting|planning|expecting|moving|dating|have|love|hate|enjoy|like|play|own)\b"
)


def _own(clause: str) -> re.Match[str] | None:
    return _OWN.match(clause)


def pair(clause: str) -> Category | None:
    """What a clause tells whose subject is the user and someone else."""
    found = _PAIR.match(clause)
    rest = (found["rest"] or found["other"]) if found else None
    if not rest or not _PAIR_RULE.match(rest):
        return None
    if compiled_family.search(rest):
        return "family"
    return "plans" if _TIME.search(rest) else "habits"


compiled_family: Final = compiled(r"\b(?:broke|broken|separated|split up|divorced|married|engaged|together|met|dating|expecting)\b")


def _of_self(lead: str, rest: str, clause: str) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    if lead.lower().startswith("what "):
        return _of_wish(clause)
    rest = re.sub(r" if you (?:paid|begged) me$", "", rest)
    if not rest or re.search(r"\b(?:you|your|yours|u)\b", rest) or re.match(r"(?:\w+ )?(?:can|will|shall) (?:try|check|see|let|text|call|come back|get back|go ahead|take a look|look|do that|give)\b", rest):
        return None
    rest = re.sub(r"^(?:are|were)\b", lambda be: {"are": "am", "were": "was"}[be[0]], rest)
    rest = re.sub(r" if you paid me$", "", rest)
    if re.match(r"(?:am|was)(?: \w+ly)? not (?:an?|the) ", rest) and not re.search(r"any ?more|any longer|\bfan\b", rest):
        return None
    planned = _planned(lead, rest)
    for rule in _OWN_RULES:
        if rule.pattern.match(rest):
            category: Category | None = rule.category
            if category in ("likes", "dislikes"):
                object_ = rule.pattern.sub("", rest, count=1).strip()
                if (not object_ and len(rest.split()) < 3) or _TASTE_VETO.match(object_) or not object_:
                    return None
            if category == "goals":
                return _of_goal(rest)
            if category in ("possessions",):
                return _of_possession(rest, lead)
            if category == "family" and "have" in rest and _NOT_HAVE.match(re.sub(r"^.*?have (?:got )?", "", rest)):
                return None
            if category == "work" and _NOT_ROLE.search(re.sub(r"^(?:am|was|have been)(?: \w+ly)? (?:an?|the) ", "", rest)) and re.match(r"(?:am|was|have been)\b", rest):
                return None
            if category == "skills" and re.match(r"(?:am|have been)(?: \w+)? (?:taking|using|learning)\b", rest) and planned:
                return "plans"
            if category == "habits" and re.match(r"(?:have )?(?:\w+ly )?started\b", rest) and not re.search(r"\b\w+ing\b", rest):
                return None
            if _stands(rest):
                return "plans" if planned and category in ("home", "work", "health", "family") and re.match(r"am \w+ing|will", rest) and category != "home" and category != "work" else category
            return None
    if planned and _stands(rest):
        return "plans"
    if re.match(rf"(?:am|have been)(?: {ADVERB})* {_LASTING}\b", rest) and _stands(rest):
        return "habits" if not re.search(r"\b(?:trying|hoping|looking)\b", rest) else None
    if re.match(r"(?:have (?:got )?)(?:an? )?[\w' -]*\b(?:interview|appointment|exam|surgery|flight|physio|meeting|test|wedding|class|lesson|practice|therapy|choir|training|shift|race|match)s?\b", rest) and (_TIME.search(lead + rest) or re.search(rf"\b{DAY}\b", rest)):
        return "plans" if planned or _TIME.search(lead + rest) else "habits"
    return _of_habit(lead, rest)


def _of_habit(lead: str, rest: str) -> Category | None:
    found = _SIMPLE.match(rest)
    if not found or is_past(found["verb"]) or _NOT_VERB.match(found["verb"]):
        return None
    words = rest.split()
    if len(words) < 2 or not _stands(rest):
        return None
    often = re.search(rf"\b(?:always|never|usually|often|every|each|daily|weekly|normally|generally|sometimes|rarely|most days|regularly|nights|{DAY}s?|at \d|by hand|for (?:a living|fun|work)|when I|before|after|whenever|once|twice)\b", f"{lead} {rest}", re.IGNORECASE)
    own = re.search(r"\b(?:my|our|a|an|the|\d+|no)\b|(?-i:[A-Z])", rest)
    return "habits" if often or own or len(words) <= 6 else None


def _planned(lead: str, rest: str) -> bool:
    time = _TIME.search(f"{lead}{rest}")
    if re.match(r"(?:am|will|shall)(?: \w+ly)? (?:not )?(?:be )?(?:going to )?(?:\w+)", rest) and time:
        doing = re.match(rf"am (?:{ADVERB} )*(?P<doing>\w+ing)\b", rest)
        if doing:
            return bool(re.match(_PLANNED, doing["doing"]))
        return not rest.startswith(("am ", "will not"))
    if any(pattern.match(rest) for pattern in _PLAN_RULES[1:]):
        return True
    return bool(lead.lower().startswith("the plan is") or (re.match(r"am going to (?:visit|move|repaint|start|marry)", rest)) or re.match(r"am going (?:vegan|vegetarian)", rest) or (re.match(r"am (?:flying|travelling|traveling|hosting|getting married|visiting) ", rest) and time))


def _of_wish(clause: str) -> Category | None:
    if re.match(r"what I (?:really |truly |most |always )*(?:want|would like|hope)\b.{0,80}\bis to\b", clause, re.IGNORECASE):
        return "goals"
    if re.match(r"what I (?:really )?(?:like|love|enjoy) (?:best|most|about)?\b.{0,40}\b(?:is|are) (?!that|how|the way)", clause, re.IGNORECASE):
        return "likes"
    if re.match(r"what I (?:really )?(?:hate|dislike|cannot stand)\b.{0,40}\b(?:is|are) ", clause, re.IGNORECASE):
        return "dislikes"
    return None


def _of_goal(rest: str) -> Category | None:
    if _TASKLIKE.search(rest) or not _stands(rest):
        return None
    want = re.match(rf"(?:{ADVERB} )*(?:want|would like|would love|hope|am hoping|am trying|intend|aspire|am determined|plan)(?: {ADVERB})* (?:to )?(?P<what>.+)", rest)
    if want and " to " in f" {rest.split(want['what'])[0]}":
        return "goals" if re.match(rf"(?:{ADVERB} )*{_GOAL}\b", want["what"]) else None
    if want:
        return "goals" if re.search(r"\b(?:straight As|kids|children|a family|a baby|degree|promotion|this semester|this year|one day|by \d|a house|a career)\b", rest) and rest.split()[0].lower() == "want" else None
    if rest.startswith("am working"):
        return "goals" if re.match(r"am working (?:towards?|to(?= \w)|up to)\b", rest) else _work(rest)
    return "goals"


def _work(rest: str) -> Category | None:
    return "work" if re.match(r"am working (?:as|at|for|in (?:a|an|the (?!back)|(?-i:[A-Z]))|part|full|remotely|nights|from)\b", rest) else None


def _of_possession(rest: str, lead: str) -> Category | None:
    thing = re.sub(rf"^(?:{ADVERB} )*(?:have (?:just |got |been using |had |bought |inherited |owned )*|\w+ )(?:myself |from my \w+ )?", "", rest)
    if re.match(r"have (?:got )?(?:an? )?[\w' -]*\b(?:interview|appointment|exam|surgery|flight|physio|wedding|lesson|practice|therapy|choir|training|shift|race|match)s?\b", rest):
        return "plans" if _TIME.search(f"{lead}{rest}") else "habits" if re.search(rf"\b(?:{DAY}|every)\b", rest) else None
    if re.match(r"(?:have|have got|got)\b", rest) and _NOT_HAVE.match(thing):
        return None
    if re.match(r"(?:have )(?:been (?!using)|\w+ed\b|\w+en\b|(?:never|always|already|ever|just|not|recently|also|even) )", rest) and not re.match(r"have (?:just |recently |also )?(?:had|owned|bought|inherited|sold|upgraded|purchased|ordered|been using)\b", rest):
        return None
    if re.match(r"(?:got|used?|ordered|have been using|am using|picked up)\b", rest) and not re.match(r"(?:a|an|my|our|the new|two|three|myself|\d|(?-i:[A-Z]))\b", thing):
        return None
    if re.match(r"got (?:a|an|the) (?:\w+ )?(?:\w+ )?(?:email|message|call|text|error|letter|lot|few|bit|chance|idea|feeling|question|response|reply|notification|offer|ticket|refund|answer|results?|job|point|look|good|great|glimpse|taste|ride)\b", rest):
        return None
    if re.match(r"(?:use|have been using|am using)\b", rest) and re.match(r"(?:the|a) (?:same|following|word|term|code|formula|method|function|command)\b", thing):
        return None
    return "possessions" if _stands(rest) and len(rest.split()) > 1 else None


def _of_kin(kin: re.Match[str]) -> Category | None:
    rest, subject = kin["rest"], kin["subject"]
    is_pet = bool(re.fullmatch(PET, kin["kin"], re.IGNORECASE))
    if "'s" in subject and not re.match(r"(?:is|are|was|moved|has|had|will|starts?|ends?|died|got)\b", rest):
        return None
    if "'s" in subject and _DATE_THING.search(subject.rsplit("'s ")[-1]):
        return "dates" if _TIME.search(rest) or re.search(r"\d", rest) else None
    if _KIN_VETO.match(rest) or not _KIN_OK.match(rest):
        return None
    if (doing := _KIN_DOING.match(rest)) and not _KIN_LASTING.match(rest):
        return None
    verb = _FIRST_VERB.match(rest)
    if not doing and verb and is_past(verb["verb"]) and verb["verb"] not in ("was", "were") and not _KIN_EVENT.match(rest):
        return None
    if re.match(r"(?:has|have) (?:been (?:so|very|really|a (?:great|huge|big)|super|supportive|amazing)|always|never|to\b|no idea|helped|made|a (?:great|good|lovely|wonderful))", rest):
        return None
    if not _stands(rest, person=True) or re.search(r"\byour?\b", rest):
        return None
    if re.search(rf"\b(?:{_ILLNESS}|{_STATE})\b", rest) and not is_pet:
        return "health" if re.search(rf"^(?:has|have|suffers|is|are|carries|takes)\b.*(?:{_ILLNESS}|{_STATE})", rest) else "family"
    if re.match(r"(?:\w+ly )?(?:hates?|loathes?|dislikes?|detests?|will not (?:eat|touch)|cannot stand|does not (?:like|eat))\b", rest):
        return "dislikes"
    return "pets" if is_pet else "family"


def _of_thing(thing: re.Match[str]) -> Category | None:  # noqa: C901, PLR0911, PLR0912
    what, verb, rest = thing["what"].lower(), thing["verb"].lower(), thing["rest"]
    if re.search(r"\byour?\b", rest) or re.search(r"\b(?:this|that|these|those|it)$", rest):
        return None
    if _NAME_THING.match(what):
        return "name" if rest and re.match(r"(?:now |actually |legally |also |called )*(?:[\w@.]|she/|he/)", rest) and not re.match(r"(?:not|on|in|at|hard|difficult|spelled wrong|often|mis\w+)\b", rest) else None
    if _GOAL_THING.match(what):
        return "goals" if re.match(r"(?:to |a |an |be|simple|\d|[a-z]+ing)", rest) or verb == "is" else None
    if _TASTE_THING.match(what):
        return ("dislikes" if re.search(r"least|peeve|hate|fear", what) else "likes") if verb in ("is", "are", "has") and not re.match(r"(?:the (?:first|second|last|one)|that|this|it|when|how|probably|definitely the|yours)\b", rest) and rest else None
    if verb in ("got stolen", "was stolen"):
        return "possessions"
    if re.fullmatch(r"(?:phone|mobile|cell|telephone|home|work|whatsapp)? ?(?:number|phone|email|e-mail|email address|e-mail address)", what) or re.search(r"\b(?:number|password|email|code|pin)$", what):
        return "possessions" if re.search(r"\d|@|-", rest) else None
    if _NOT_THING.search(what) or _PASSING.match(f"{verb} {rest}"):
        return None
    if _DATE_THING.search(what):
        return "dates" if _TIME.search(f"{verb} {rest}") or re.search(rf"\b\d|{MONTH}\b", rest) or re.search(r"\b(?:will be|is) in [A-Z]", f"{verb} {rest}") else None
    if _BODY_THING.match(what):
        return "health" if verb in ("is", "are", "has", "was") and rest else None
    if _SKILL_THING.match(what) and verb in ("is", "are"):
        return "skills" if not re.match(r"(?:not (?:very )?good|bad|getting|rusty)", rest) or True else None
    if _HOME_THING.match(what):
        return "home" if verb in ("is", "has") and (_COPULA.match(rest) or what.endswith("address")) else None
    if _WORK_THING.match(what):
        return "work" if verb in ("is", "are", "starts", "has") and re.match(r"(?:now |called |at |in |a |an |the |to |(?-i:[A-Z])|\d|remote|\w+ing\b|from )", rest) else None
    if verb in ("is", "are") and (re.match(r"(?:a|an|called|named|\d{4}|(?-i:[A-Z])[\w-]+) ?\b", rest)):
        return "possessions" if not re.match(r"(?:a|an) \w+$", rest) or True else None
    if verb in ("expires", "ends", "starts", "begins", "expire", "start") and _TIME.search(rest):
        return "dates"
    return None


def _verdict(verdict: str) -> Category:
    bad = re.search(r"suck|worst|hell|not |least|peeve|wall|mad|crazy|insane|nuts|gag|sick|creeps|anxiety|migraines|hives|heartburn|tastes|nemesis|kryptonite|nause|bend|anxious|nervous", verdict)
    return "home" if "home" in verdict else "dislikes" if bad else "likes"


def _stands(rest: str, *, person: bool = False) -> bool:
    """Whether nothing in it points outside."""
    found = _DANGLING.search(rest)
    if not found:
        return True
    if re.match(r"(?:it|there)$", found[0], re.IGNORECASE) and person:
        return rest[: found.start()].count(" ") >= 3
    return found[0].lower() in ("it", "them", "him") and rest[: found.start()].count(" ") >= 4
