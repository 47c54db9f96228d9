"""What someone wants to reach, and not just to have done for them."""

import re
from typing import Final

from bethink.learn.knowledge import Category
from bethink.learn.rules.words import compiled, listed

TASK: Final = compiled(
    r"\b(?:(?:get|learn|read|find|know|see|start|write|build|visit|have|make) (?:(?:a |some |the "
    r"|any |an )?(?:\w+ )?(?:sense|idea|ideas|information|info|advice|help|feedback|quote|handle"
    r"|recommendations|suggestions|tips|list|overview|understanding|more about|about|how|head"
    r" start"
    r"|most out|better at this)|started|going|ready|back to|through this|by)|sure|more about|which"
    r"|(?:a |an |the |this |my )(?:list|table|script|function|email|poem|query|regex|report"
    r"|summary"
    r"|letter|presentation|paragraph|response|code|program|user|component|button|array|page|file"
    r"|database|model|class|server|api|article|blog post|essay|subject|topic|process|concept)"
    r"|(?:be|stop|start) (?:able|by|with|using)|see (?:if|how|whether|some)|make sure"
    r"|whether|users?"
    r"|play around|deeper|a better)\b"
)


_WISHES: Final = listed(
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


_WISH: Final = compiled(
    r"^(?:want|would (?:like|love)|hope|hoping|trying|intend|aspire|aim|aiming|wish|plan"
    r"|saving|training|working|need)\b(?: (?P<to>towards?|to|for|up|as|on)\b)?"
    r" ?(?P<verb>[\w'-]+)? ?(?P<rest>.*)"
)


def _task(verb: str, rest: str) -> bool:
    return verb in ("use", "do", "add", "make", "create", "write") or bool(TASK.search(rest))


def wish(whole: str) -> Category | None:  # noqa: PLR0911
    found = _WISH.match(whole)
    if not found:
        return None
    first, to, verb, rest = (
        whole.split(maxsplit=1)[0],
        found["to"],
        (found["verb"] or "").lower(),
        found["rest"],
    )
    if first == "plan":
        return "plans" if to == "to" and not _task(verb, rest) else None
    if first == "saving":
        return "goals" if to in ("for", "up", "to") or re.match(r"(?:money|\d)", verb) else None
    if first == "training":
        return "goals" if to in ("for", "to", "as") else None
    if first == "working":
        return (
            "goals" if (to or "").startswith("toward") or (to == "to" and verb in _WISHES) else None
        )
    if first in ("aim", "aiming") and to in ("for", "to"):
        return None if TASK.search(rest) else "goals"
    if first == "need":
        return None
    if to == "to" and verb in _WISHES:
        needed = _WISHES_WITH.get(verb)
        fits = not needed or re.match(needed, rest, re.IGNORECASE)
        return (
            "goals"
            if fits and rest and rest != "in" and not TASK.search(f"{verb} {rest}")
            else "goals"
            if verb in ("retire", "graduate", "emigrate")
            else None
        )
    if first == "want" and not to:
        return (
            "goals"
            if re.search(
                r"\b(?:straight As|kids|children|family|baby|promotion|this semester|one day|a"
                r" career)\b",
                whole,
            )
            else None
        )
    return None
