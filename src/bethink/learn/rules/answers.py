"""Short answers, made whole with the words of the question before them."""

import re
from typing import Final

from bethink.learn.rules.words import compiled

_QUESTIONS: Final = (
    (compiled(r"\bwhere (?:do you live|are you based|is home)\b"), "I live", "I live in"),
    (compiled(r"\bwhere are you from\b"), "I am", "I am from"),
    (compiled(r"\bwhere do you work\b|\bwho do you work for\b"), "I work", "I work at"),
    (compiled(r"\bhow old are you\b|\bwhat(?:'s| is) your age\b"), "I am", "I am"),
    (
        compiled(
            r"\bwhat do you do(?: for (?:a living|work))?\?"
            r"|\bwhat(?:'s| is) your (?:job|occupation|profession)\b"
        ),
        "I am",
        "I am",
    ),
    (compiled(r"\bwhen(?:'s| is) your (?P<what>birthday|anniversary)\b"), "My {} is", "My {} is"),
    (compiled(r"\ballerg(?:y|ies|ic)\b"), "I am allergic to", "I am allergic to"),
    (
        compiled(
            r"\bwhat(?:'s| is| are) your (?P<what>favou?rite [\w ]{2,30}|(?:full |first |last"
            r" )?name"
            r"|phone number|e-?mail(?: address)?|address|pronouns"
            r"|(?:wife|husband|partner|dog|cat|son|daughter)'s name)\b"
        ),
        "My {} is",
        "My {} is",
    ),
)
"""What a question asks for: how the answer begins with a preposition, and without one."""
_WHOLE: Final = compiled(
    r"\b(?:i|i'm|im|my|we|it|that|no|none|nothing|not|why|what|yes|don't|dont|you|nope|sorry|can"
    r"|thanks|is|are|maybe|where|how)\b"
)
_PREPOSITION: Final = compiled(r"(?:in|at|for|near|from)\b")
_LONGEST = 60
_READ = 300  # characters at the end of what was asked


def answered(text: str, asked: str | None) -> str:
    """The text; if it is but a short answer to what was asked, as a sentence of its own."""
    answer = text.strip(" .!\n")
    if not asked or not answer or "\n" in answer or len(answer) > _LONGEST or _WHOLE.search(answer):
        return text
    for question, before, otherwise in _QUESTIONS:
        if found := question.search(asked[-_READ:]):
            opening = before if _PREPOSITION.match(answer) else otherwise
            what = found.groupdict().get("what") or ""
            return f"{opening.format(what)} {_continued(answer)}"
    return text


def _continued(answer: str) -> str:
    """With a small letter where a sentence goes on."""
    small = re.match(r"(?:In|At|For|Near|From|A|An|The)\b", answer)
    return answer[:1].lower() + answer[1:] if small else answer
