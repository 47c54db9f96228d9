"""The times of a clause: written as dates, and since when or until when something is so."""

import re
from datetime import datetime

from bethink.learn.rules.third import is_past
from bethink.learn.rules.words import compiled
from bethink.when import Period, Prefer, absolute, periods

_TELLS = compiled(
    r"\d|\b(?:today|tonight|tomorrow|yesterday|night|morning|week|weekend|month|year|ago|last|next"
    r"|this|since|spring|summer|autumn|fall|winter|\w+day|january|february|march|april|may|june"
    r"|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov"
    r"|dec|christmas|easter|weeks|days|months|years|thanksgiving)\b"
)
_VERB = compiled(
    r"\b(?:I|we)(?: \w+ly| just| also| recently| never| only| both)* (?P<verb>[\w']+)(?:"
    r" (?P<next>\w+))?"
)
_ANY_VERB = compiled(
    r"\b(?:was|were|had|died|moved|passed|got|broke|\w{2,}ed|bought|sold|left|went|took"
    r"|lost|quit)\b"
)
_COMING = compiled(
    r"\b(?:will|going to|is|are|am|expires?|ends?|starts?|begins?|due|booked|tickets|signed"
    r" up|plan\w*)\b"
)
_FROM_DAY = re.compile(r"\bfrom (the \d{1,2}(?:st|nd|rd|th))\b(?! (?:to|of))")
_REPEATED = compiled(
    r"\b(?:every|each|always|usually|\w+days\b|daily|weekly|mornings|afternoons|evenings|nights"
    r"|most|per|(?:once|twice|times)"
    r" a)\b"
)
_SINCE = compiled(r"\bsince\b")
_UNTIL = compiled(r"\buntil|till|\bto\b")
_SPAN = compiled(r"^(?:from|between)\b")


def prefers(clause: str) -> Prefer:
    """Whether a bare "Friday" is the last one or the coming one, by the tense."""
    found = _VERB.search(clause)
    if found:
        verb, after = found["verb"].lower(), (found["next"] or "").lower()
        if verb == "have" and (is_past(after) or after in ("been", "just", "moved", "lived")):
            return "future" if _booked(clause) else "past"
        return "past" if is_past(verb) and not _booked(clause) else "future"
    if _ANY_VERB.search(clause) and not _COMING.search(clause):
        return "past"
    return "past" if re.search(r"\b(?:was|were) (?:born|\w+ed)\b", clause) else "future"


def _booked(clause: str) -> bool:
    return bool(
        re.search(
            r"\b(?:booked|signed up|enrolled|registered|reserved|scheduled|tickets|arranged)\b",
            clause,
        )
    )


def dated(clause: str, at: datetime, prefer: Prefer) -> str:
    """The clause with its relative times as dates; what comes again stays as it is."""
    if not _TELLS.search(clause) or (
        _REPEATED.search(clause)
        and not re.search(r"\b(?:next|last|yesterday|tomorrow|today)\b", clause, re.IGNORECASE)
    ):
        return clause
    if found := _FROM_DAY.search(clause):
        day = absolute(f"on {found[1]}", at, prefer=prefer).removeprefix("on ")
        clause = f"{clause[: found.start(1)]}{day}{clause[found.end(1) :]}"
    return absolute(clause, at, prefer=prefer)


def span(clause: str, at: datetime, prefer: Prefer) -> tuple[datetime | None, datetime | None]:
    """When what is told began and ended, as far as the clause says so."""
    if not _TELLS.search(clause) or _REPEATED.search(clause):
        return None, None
    found = [
        one
        for one in periods(clause, at, prefer=prefer)
        if one.grain != "hours" or "night" in one.text
    ]
    if not found:
        return None, None
    one = _first_since(found) or found[0]
    if one.start.year == 1:  # "before 2019" says when it was, not since when
        return None, None
    words = clause[max(0, one.first - 8) : one.last].lower()
    if _SPAN.search(one.text) or re.search(r"\bfrom\b", words):
        return one.start, (one.end if _UNTIL.search(one.text) else None)
    return one.start, None


def _first_since(found: list[Period]) -> Period | None:
    return next((one for one in found if _SINCE.search(one.text)), None)
