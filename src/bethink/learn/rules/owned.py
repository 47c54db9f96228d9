"""What someone has."""

import re
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.illness import ILLNESS
from bethink.learn.rules.times import OFTEN, TIME
from bethink.learn.rules.words import DAY, KIN, NUMBER, PET, listed

PASSING: Final = listed(
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
    set series crush secret hunch hint suspicion deal dilemma team budget role
    picture pictures photo photos minutes minute hours seconds days weeks cold flu fever headache
    dollars euros pounds csv json pdf dataset repo api website blog png jpg image
    """
)


def thing_had(what: str, *, timed: bool = False, new: bool = False) -> Category | None:  # noqa: C901, PLR0911
    """What having something tells; `new` says that it was got."""
    if not what or re.match(r"(?:to|been)\b", what):
        return None
    head = re.split(
        r" (?:with|that|who|which|for|from|in|on|at|of|to|and|called|named|about|but|where|when"
        r"|so|since)\b|,",
        what,
    )[0]
    words = [re.sub(r"[^\w'-]", "", word).lower() for word in head.split()]
    if re.match(r"(?:\w+ )?tickets\b", what):
        return "plans"
    if ILLNESS.search(head) and not new:
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
        r"|presentation|test|scan|viva|audition|hearing|defence|defense)s?$",
        head,
    ):
        return "plans" if timed or TIME.search(what) else "habits" if OFTEN.search(what) else None
    if (
        len(words) <= 4
        and re.search(rf"\b(?:every|{DAY}s)\b", what, re.IGNORECASE)
        and words[-1] not in PASSING
    ):
        return "habits"
    if (
        not words
        or words[-1] in PASSING
        or set(words)
        & {
            "great",
            "amazing",
            "huge",
            "wonderful",
            "awesome",
            "idea",
            "question",
            "issue",
            "problem",
            "feeling",
        }
    ):
        return None
    if not re.match(
        r"(?:an?|one|two|three|four|five|six|\d[\w,.]*|about|around|over|nearly|my own|our own|no"
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
