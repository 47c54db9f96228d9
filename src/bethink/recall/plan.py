"""What a query asks for, as far as its words tell."""

import re
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from bethink.text import Hashes, hashed, query_terms
from bethink.times import to_micros

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


def plan(query: str, *, vector: npt.NDArray[np.float32], at: datetime) -> Plan:
    telling = goes_on(query)
    return Plan(
        vector,
        hashed(query_terms(query)),
        to_micros(at),
        of_assistant=asks_assistant(query),
        goes_on=telling,
        phrases=() if telling else tuple(quoted(query)),
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
