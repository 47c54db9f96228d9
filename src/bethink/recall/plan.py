"""What a query asks for, as far as its words tell."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bethink.text import Hashes, hashed, query_terms
from bethink.times import to_micros
from bethink.when import anchored, periods

_SAID = (
    r"(?:recommend|suggest|sa(?:id|y)|told|tell|mention|gave|give|provid|explain|list|remind|share"
    r"|wrote|write|describ|advis|creat|talk|discuss)\w*"
)
_OF_THE_ASSISTANT = re.compile(
    rf"\byou(?:r|'ve|’ve)?\b.{{0,40}}\b{_SAID}|\b{_SAID}\b.{{0,20}}\b(?:by|from) you\b"
    r"|\bour (?:last|previous|earlier|past) (?:chat|conversation|discussion|session)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_QUESTION = re.compile(
    r"[?？][\"”’')*_ ]*$|^\W*(?:who|whom|whose|what|when|where|which|why|how|do|does|did|is|are|was"
    r"|were|has|have|had|can|could|will|would|should|tell me|remind me|show me|list|find)\b",
    re.IGNORECASE,
)
_FEW = 6
_QUOTED = re.compile(
    r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|«([^»\n]{2,200})»|「([^」\n]{1,200})」"
)


Period: TypeAlias = tuple[int, int]
"""From when, and until when, in microseconds since 1970."""


class Event(NamedTuple):
    """Something that a time is told from, by its words."""

    terms: Hashes
    earliest: int
    """In microseconds from the event; negative where it is before it."""
    latest: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A query, read."""

    vector: npt.NDArray[np.float32]
    terms: Hashes
    at: int
    """When it is asked, in microseconds since 1970."""
    of_assistant: bool = False
    """It asks for what the assistant said, and not for what the user told."""
    goes_on: bool = False
    """It goes on with a conversation: it tells something, and does not only ask."""
    phrases: tuple[Hashes, ...] = ()
    """The words of each phrase that a question quotes."""
    periods: tuple[Period, ...] = ()
    """The times that a question asks about."""
    event: Event | None = None
    """What the time that a question asks about is told from: two weeks before the wedding."""


def plan(query: str, *, vector: npt.NDArray[np.float32], at: datetime) -> Plan:
    telling = goes_on(query)
    if telling:  # what it quotes and dates is what it tells, not what it looks for
        return Plan(
            vector,
            hashed(query_terms(query)),
            to_micros(at),
            of_assistant=asks_assistant(query),
            goes_on=True,
        )
    return Plan(
        vector,
        hashed(query_terms(query)),
        to_micros(at),
        of_assistant=asks_assistant(query),
        phrases=tuple(quoted(query)),
        periods=tuple((to_micros(one.start), to_micros(one.end)) for one in periods(query, at)),
        event=event_in(query),
    )


def asks_assistant(query: str) -> bool:
    """Whether it asks for what the assistant said, and not for what the user told."""
    return bool(_OF_THE_ASSISTANT.search(query))


def goes_on(query: str) -> bool:
    """Whether any of its sentences is not a question, as of someone who goes on with a talk.

    A few words alone are a search, whatever they end in.
    """
    if len(query.split()) < _FEW:
        return False
    sentences = filter(str.strip, _SENTENCE_END.split(query.strip()))
    return any(not _QUESTION.search(sentence) for sentence in sentences)


def quoted(query: str) -> list[Hashes]:
    """The terms of each phrase in quotation marks, but for those without any."""
    found = ("".join(groups) for groups in _QUOTED.findall(query))
    return [terms for phrase in found if len(terms := hashed(query_terms(phrase)))]


def event_in(query: str) -> Event | None:
    """The event that the time in a query is told from, and how long before or after it."""
    found = anchored(query)
    if found is None or not len(terms := hashed(query_terms(found.event))):
        return None
    return Event(terms, _micros(found.earliest), _micros(found.latest))


def _micros(span: timedelta) -> int:
    return span // timedelta(microseconds=1)
