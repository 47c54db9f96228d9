"""Which questions nobody has answered yet."""

import re
from collections.abc import Sequence

from bethink.learn.sentences import statements

_MARKS = ("?", "？", "؟")
_AFTER_MARKS = " \"'”’»)]*_"
_NO_ANSWER = re.compile(
    r"\b(?:no idea|not sure|don['’]t know|let me (?:check|think|see)|get back to you)\b"
    r"|\b(?:['’]ll|will) (?:ask|check|find out|look into)\b",
    re.IGNORECASE,
)
_REPLY = 500
"""How many characters of a reply are read to see whether it is an answer."""


def is_question(text: str) -> bool:
    return text.rstrip(_AFTER_MARKS).endswith(_MARKS)


def is_open(speakers: Sequence[str], contents: Sequence[str], at: int) -> bool:
    """Whether nobody answers what is asked at a place in a conversation.

    The next thing that somebody else says is taken for the answer, unless it is nothing but a
    question or says that they do not know.
    """
    for reply in range(at + 1, min(at + 4, len(contents))):
        if speakers[reply] != speakers[at]:
            return _is_no_answer(contents[reply][:_REPLY])
    return True


def _is_no_answer(reply: str) -> bool:
    return bool(_NO_ANSWER.search(reply)) or all(map(is_question, filter(None, statements(reply))))
