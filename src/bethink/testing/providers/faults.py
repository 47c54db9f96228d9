"""What can go wrong with a provider, and for which requests it is planned."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a request is for."""

    CHAT = "chat"
    EMBEDDING = "embedding"
    RERANKING = "reranking"
    OTHER = "other"


class Fault(Enum):
    """A way to misbehave."""

    RATE_LIMIT = "rate limit"
    """429 with Retry-After."""
    SERVER_ERROR = "server error"
    """500."""
    OVERLOADED = "overloaded"
    """529 from Anthropic, 503 from the others."""
    TIMEOUT = "timeout"
    """The request is taken and never answered."""
    CUT_STREAM = "cut stream"
    """The connection is closed in the middle of a stream."""
    CUT_BODY = "cut body"
    """The connection is closed in the middle of an answer."""
    CUT_JSON = "cut JSON"
    """An answer that arrives whole, with half of its JSON in it."""
    WRONG_DIMENSION = "wrong dimension"
    """Vectors with one number too many."""
    WRONG_COUNT = "wrong count"
    """One vector too few."""
    NOT_NORMALISED = "not normalised"
    """Vectors three times as long as they should be."""
    EMPTY_CHOICES = "empty choices"
    """A completion with nothing in it."""
    CONTENT_FILTER = "content filter"
    """A completion that was stopped by the filter; Ollama has none, and says nothing."""
    BAD_JSON = "bad JSON"
    """Structured output, or arguments of a tool, that do not fit the schema."""


REFUSALS = frozenset({Fault.RATE_LIMIT, Fault.SERVER_ERROR, Fault.OVERLOADED})
"""The faults that are an error status."""

_OF_CHATS = frozenset({Fault.EMPTY_CHOICES, Fault.CONTENT_FILTER, Fault.BAD_JSON})
_OF_EMBEDDINGS = frozenset({Fault.WRONG_DIMENSION, Fault.WRONG_COUNT, Fault.NOT_NORMALISED})
_OF_WHOLE_BODIES = frozenset({Fault.CUT_BODY, Fault.CUT_JSON})


def can_befall(fault: Fault, kind: Kind, *, streamed: bool) -> bool:
    """Whether a request of this kind can end in this fault."""
    if fault in _OF_CHATS:
        return kind is Kind.CHAT
    if fault in _OF_EMBEDDINGS:
        return kind is Kind.EMBEDDING
    if fault is Fault.CUT_STREAM:
        return streamed
    return not (streamed and fault in _OF_WHOLE_BODIES)


@dataclass(slots=True)
class Plan:
    """A fault, and the requests that it waits for."""

    fault: Fault
    times: int
    provider: str | None
    path: str | None
    retry_after: float | None
    delay: float

    def waits_for(self, provider: str, path: str, kind: Kind, *, streamed: bool) -> bool:
        return (
            self.times > 0
            and self.provider in {None, provider}
            and (self.path or "") in path
            and can_befall(self.fault, kind, streamed=streamed)
        )
