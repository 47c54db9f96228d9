"""What someone is, and is doing."""

import re
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.illness import DRUG, STATE, TREATED
from bethink.learn.rules.liked import LIKED
from bethink.learn.rules.predicates import Predicate
from bethink.learn.rules.times import OFTEN
from bethink.learn.rules.wishes import TASK, wish
from bethink.learn.rules.words import DIET, LANGUAGE, NAME, compiled, listed

_LASTING: Final = listed(
    """
    learning studying living working teaching renovating raising running dating expecting
    recovering restoring practising practicing attending pursuing researching majoring minoring
    homeschooling volunteering fostering renting commuting training saving freelancing caring
    rebuilding retraining growing playing using wearing driving collecting taking
    """
)


_COMING: Final = listed(
    """
    going flying moving starting visiting taking getting having hosting hiking travelling traveling
    driving leaving meeting running attending throwing spending staying joining heading returning
    competing performing presenting speaking graduating retiring marrying celebrating buying
    selling closing switching cruising turning launching changing quitting camping skiing
    interviewing adopting racing picking collecting expecting relocating seeing launching off
    """
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
    r"|artist|surgeon|dentist|startup|start-up|company|candidate|major|hand|manager"
    r"|supervisor)s?\b"
)


_NO_JOB: Final = listed(
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
    r"|catholic|atheist|quaker|sikh|twin|citizen|procrastinator|collector|climber|gardener"
    r"|knitter|"
    r"dual citizen|only child)|jewish|muslim|christian|catholic|hindu|buddhist|sikh|atheist"
    r"|agnostic|religious"
    r"|orthodox|left[- ]handed|right[- ]handed|teetotal|introverted|ambidextrous|gay"
    r"|lesbian|bisexual"
    r"|trans|transgender|non-binary|queer|asexual|(?:half[- ]|part[- ])?(?:british|american"
    r"|english|scottish"
    r"|welsh|irish|german|french|italian|spanish|polish|dutch|indian|canadian|australian|mexican"
    r"|brazilian|nigerian|kenyan|chinese|japanese|korean|russian|ukrainian|turkish|greek"
    r"|portuguese"
    r"|swedish|norwegian|danish|finnish|swiss|austrian|belgian|ghanaian|pakistani|filipino|thai"
    r"|vietnamese|romanian|hungarian|czech|israeli|egyptian|iranian|argentinian|colombian)"
    r"(?: by birth| originally|$|,| and\b)|\d(?:'\d| ?ft| ?foot|\.\d+ ?m| ?m\b|\d\d ?cm))"
)


_MARRIED: Final = compiled(
    r"^(?:(?:happily|recently|newly|getting|still|now) )*(?:married|engaged|single$|single"
    r" (?:mum|mom|dad|parent)"
    r"|divorced|separated|widowed|an? widow\w*|an only child|the (?:oldest|youngest|eldest|middle)"
    r"|expecting|adopted|an? (?:\w+ )?(?:mother|father|mum|mom|dad|parent|grandmother"
    r"|grandfather|grandma|grandpa|aunt|uncle|godmother|godfather|step\w+)|dating"
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


def being(rest: str, *, timed: bool) -> Category | None:  # noqa: C901, PLR0911, PLR0912
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
    if STATE.match(rest) or (rest.startswith(("on ", "taking ")) and DRUG.search(rest)):
        return "health"
    if _MARRIED.match(rest):
        return "family"
    if _LOVING.match(rest):
        bad = re.match(r"(?:\w+ )*(?:not|scared|terrified|afraid)\b", rest)
        object_ = _LOVING.sub("", rest, count=1).strip()
        return None if not object_ or LIKED.match(object_) else "dislikes" if bad else "likes"
    if _LEARNING.match(rest):
        return "skills"
    if _AT_WORK.match(rest):
        return "work"
    if _FROM.match(rest) or _BASED.match(rest) or _IN_PLACE.match(rest):
        return (
            "home"
            if len(rest.split()) > 1
            and not re.match(
                r"living (?:my|the|for|a)\b|moving (?:on|forward|the)|sharing (?:my|the|this)"
                r"|born to",
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
    ) and OFTEN.search(rest):
        return "habits"
    if re.match(r"due (?:in|on|next|any day)\b", rest):
        return "family"
    if re.match(r"off to (?-i:[A-Z])", rest) and timed:
        return "plans"
    if re.match(r"determined to \w+ \w", rest):
        return "goals"
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
        found := wish(whole)
    ):
        return found
    if doing == "working":
        return (
            "work"
            if re.match(
                r"(?:as|at|for|in (?:a|an|the|(?-i:[A-Z]))|part|full|remotely|nights|from|with)\b",
                rest,
            )
            else None
        )
    if doing == "planning":
        return (
            "plans"
            if re.match(r"(?:to|on|a|an|my|our)\b", rest) and not TASK.search(rest)
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
        if TREATED.search(rest):
            return "health"
        return (
            None
            if re.match(
                r"(?:through|crazy|mad|trouble|a hard|good|better|back to|well|tired|lost|over"
                r"|nuts"
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
                r"(?:about|how|more|that|a lot|from|so much|the basics|as|the)\b(?! (?:guitar"
                r"|piano"
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
            r"|gcses?|doctorate|classes|class|course|courses|lessons|bio|chem|calc|physics"
            r"|maths?)\b",
            rest,
            re.IGNORECASE,
        )
        else None
    )


def am(said: Predicate) -> Category | None:
    if "not" in said.helpers and not re.search(r"any ?more|any longer", said.rest):
        return (
            "dislikes"
            if _LOVING.match(f"not {said.whole}")
            and _LOVING.sub("", f"not {said.whole}", count=1).strip()
            else None
        )
    return being(said.whole, timed=said.timed)


def was(said: Predicate) -> Category | None:
    rest = said.whole
    if re.match(r"(?:born|raised|brought up)\b", rest):
        return "dates" if re.match(r"born (?:on|in \d)", rest) else "home"
    if re.match(r"(?:laid off|fired|made redundant|promoted|hired)\b", rest):
        return "work"
    if re.match(r"diagnosed\b", rest) or (rest.startswith("put on") and DRUG.search(rest)):
        return "health"
    if re.match(r"adopted\b", rest):
        return "family"
    if (re.match(r"an? ", rest) and said.timed) or re.search(r"\bfor (?:[\w-]+ )?years\b", rest):
        return _role(rest) if re.match(r"an? ", rest) else None
    return "work" if re.match(r"in the (?:army|navy|military|air force|marines)", rest) else None
