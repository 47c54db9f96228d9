"""How telling a statement is: what its words are worth, and what it does with them."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bethink.text import STOP_WORDS, query_terms, terms, words

_HOLLOW = """
    able absolutely actually agree ago almost already alright always amazing another anyone anything
    anyway around awesome away awful back bad beautiful best better big bit bring brings bye call
    care change changes congrats congratulations cool course crazy definitely different difference
    easy end enjoy enough especially even everyone everything exactly excited exciting experience
    experiences fantastic far feel feeling feelings felt find first fun give glad gonna good great
    guess guy guys haha happen happened happy hard hear heard hello help helped helpful helping
    helps hope hopefully important impressive incredible inspiring interesting keep keeps know last
    lately life lol long look looking looks love lovely loved luck matter mean means moment moments
    need never new next nice nothing old perfect person positive pretty probably proud quite ready
    right see seem seems seen sense show shows since someone sometimes soon sound sounds special
    start started stay stuff super support sure surely talk thank thanks think thinking thought
    thoughts three time times today together totally tough true truly try trying two understand
    wait wanna want wanted way ways welcome whole wish wonderful wondering word words work working
    world worry worth wow year years yep yup ask asking day days
    bitte bonjour ciao danke grazie gracias hallo hola merci obrigada obrigado olá salut
    привет спасибо
    """
_SAYS_NOTHING = frozenset(terms(" ".join([*STOP_WORDS, _HOLLOW])))

_OWN = frozenset(
    """
    i i'm i've i'll i'd my mine we we're we've we'll we'd our ours
    ich mein meine wir unser je mon mes nous notre yo mi mis eu minha meu io
    я мы мой моя 我 私 僕 俺
    """.split()  # noqa: SIM905 (to be read, not parsed)
)
_DIRECTED = frozenset({"you", "your", "yours", "you're", "you've", "you'll", "you'd"})
_TELLING = frozenset(
    """
    agree agreed allergic always birthday booked bought born called chose chosen deadline decide
    decided due enjoy favorite favorites favourite favourites going got hate hates i'll joined like
    likes live lives love loves married moved moving must named never plan planned planning plans
    prefer prefers promised quit signed start started starting we'll will won works
    """.split()  # noqa: SIM905
)
_DATED = frozenset(
    """
    yesterday today tonight tomorrow ago last next week weekend month monday tuesday wednesday
    thursday friday saturday sunday january february march april june july august september october
    november december
    """.split()  # noqa: SIM905
)

_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=[^.!?:\s\"“(] )[\"“(]?([A-Z][\w'’-]+)")
_MOST_REPEATS = 4
"""From here on, a word that comes up again is no more worth for it."""
_RARE = 1.5


def content(statement: str) -> list[str]:
    """The distinct terms of a statement that say something."""
    return [term for term in query_terms(statement) if term not in _SAYS_NOTHING]


def worths(statements: Iterable[str], contents: Iterable[Sequence[str]]) -> dict[str, float]:
    """What each term is worth: more if it comes up again, and if it is a name or has a number."""
    names = set(terms(" ".join(name for text in statements for name in _NAME.findall(text))))
    often = Counter(term for found in contents for term in found)
    return {
        term: min(count, _MOST_REPEATS) ** 0.5
        * (_RARE if term in names or _NUMBER.search(term) else 1.0)
        for term, count in often.items()
    }


def stress(statement: str) -> float:
    """What a statement's manner makes of its words.

    What people say of themselves, decide, prefer or date counts for more; praise, advice and
    headings for less.
    """
    said = set(words(statement))
    factor = 0.3 if statement.endswith(":") else 1.0
    if not said.isdisjoint(_OWN):
        factor *= 1.4
    elif statement.endswith("!") or not said.isdisjoint(_DIRECTED):
        factor *= 0.6
    if not said.isdisjoint(_TELLING):
        factor *= 1.3
    if not said.isdisjoint(_DATED):
        factor *= 1.2
    return factor
