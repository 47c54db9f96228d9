"""What was said, cut into statements that can stand alone, without the small talk around them."""

import re
from collections.abc import Iterable, Iterator

LONGEST = 240
"""Characters in a statement: longer ones are cut where a clause or at least a word ends."""
_LONGEST_NAME = 32
_MOST_NAMES = 50

_CODE = re.compile(r"```(?:[\w+-]*\n)?(.*?)(?:```|\Z)", re.DOTALL)
_LIST_MARK = re.compile(r"(?:[-*+•>#|]+|\d{1,3}[.)]) ")
_STRESS = re.compile(r"(?<!\w)\*\*|\*\*(?!\w)")

# "3 p.m. on", "e.g. this", "J. K. Rowling" and "Mrs. Dalloway" do not end a sentence.
_SENTENCE_ENDS = re.compile(
    r"(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b(?:Dr|Mr|Ms|St|vs)\.)(?<!\bMrs\.)[\"'”’)]* (?=[^a-z])"
    r"|(?<=[。！？؟।])"
)
_CLAUSE_ENDS = re.compile(
    r"; |(?: [-–—]+|,(?= (?:and|but|so) )) (?=(?:(?:and|but|so) )?(?:I|we|he|she|they|it|my)\b)"
)
_PIECES = re.compile(
    rf"\S.{{,{LONGEST + 79}}}\Z"  # no crumbs: the last piece may be longer
    rf"|\S.{{,{LONGEST - 1}}}(?:(?<=[,;:，、；])|(?= ))|\S.{{,{LONGEST - 1}}}"
)

_OPENINGS = re.compile(
    r"(?:(?:absolutely|ah|alright|also|and|anyway|aw+|but|bye|cool|definitely|exactly|for sure"
    r"|great|haha|hello|hey|hi|hm+|honestly|lol|man|no worries|of course|oh|ok|okay|plus|right|so"
    r"|sure|thank you|thanks|totally|true|well|whoa|wow|yeah|yep|yes|yup)\b"
    r"(?: (?:man|there|(?-i:[A-Z])\w+))?(?: ?[,.!…]+ ?| (?=(?:I|we|my|he|she|they|it)\b)))+",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r",? \b(?:you know|I mean),|(?<!not)(?<!n't)(?<!n’t)(?<!only)"
    r" (?:really|actually|basically|literally|totally|definitely|honestly|super)\b(?= \w)",
    re.IGNORECASE,
)


def statements(text: str, calls: re.Pattern[str] | None = None) -> Iterator[str]:
    """The statements of a message in order, each on one line. What `calls` finds is left out."""
    end = 0
    for code in _CODE.finditer(text):
        yield from _of_prose(text[end : code.start()], calls)
        yield from _of_code(code[1])
        end = code.end()
    yield from _of_prose(text[end:], calls)


def calls_by(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds names, short or in full, where someone is called by them: "Ann, I …", "… , Ann!"."""
    some = sorted(name[:_LONGEST_NAME] for name in set(names))[:_MOST_NAMES]
    forms = {name[:end] for name in some for end in range(3, len(name) + 1)}
    known = "|".join(map(re.escape, sorted(forms, reverse=True)))
    return re.compile(rf"^(?:{known})[,!] ?|, (?:{known})(?=[.!?]*$)") if known else None


def _of_prose(text: str, calls: re.Pattern[str] | None) -> Iterator[str]:
    for line in _lines(_STRESS.sub("", text)):
        mark = _LIST_MARK.match(line)
        for sentence in _SENTENCE_ENDS.split(line[mark.end() :] if mark else line):
            for clause in _CLAUSE_ENDS.split(sentence):
                yield from (_trimmed(piece, calls) for piece in _PIECES.findall(clause))


def _of_code(block: str) -> Iterator[str]:
    for line in _lines(block):
        yield from _PIECES.findall(line)


def _lines(text: str) -> Iterator[str]:
    return (" ".join(line.split()) for line in text.splitlines())


def _trimmed(statement: str, calls: re.Pattern[str] | None) -> str:
    """A statement without its interjections, fillers and calls."""
    if calls is not None:
        statement = calls.sub("", statement)
    opening = _OPENINGS.match(statement)
    return _FILLERS.sub("", statement[opening.end() :] if opening else statement).strip(" ,")
