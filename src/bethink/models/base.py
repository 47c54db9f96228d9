"""What models are: an embedder, a language model and a reranker, and what they answer.

Anything with these members will do; nothing needs to be subclassed.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, Unpack, runtime_checkable

import numpy as np
import numpy.typing as npt

from bethink.types import Message, ToolCall

Vectors: TypeAlias = npt.NDArray[np.float32]
Schema: TypeAlias = Mapping[str, Any]
"""A JSON schema."""


class Embedder(Protocol):
    """Turns texts into vectors of length one.

    A model that tells queries from documents has a method `embed_queries` as well, which takes
    and returns the same as `embed` and is used for what is searched for.
    """

    @property
    def name(self) -> str:
        """Names the model: equal for two embedders only if their vectors may mix."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has. May cost a call of the model the first time."""

    def split(self, text: str) -> list[str]:
        """The text in parts that each fit the model's window, overlapping; often just one."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One normalised row for each text, in order."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used: requests sent, tokens, and their cost where prices are known."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in whatever currency."""

    input: float = 0.0
    output: float = 0.0

    def of(self, usage: Usage) -> float:
        return (self.input * usage.input_tokens + self.output * usage.output_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model may ask to be done; `parameters` is a JSON schema."""

    name: str
    description: str = ""
    parameters: Schema = field(default_factory=lambda: {"type": "object", "properties": {}})


Stop: TypeAlias = Literal["end", "length", "tools"]
"""Why an answer ended: it was complete, it reached `max_tokens`, or it waits for tools."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a language model answered."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    usage: Usage = field(default_factory=Usage)


MAX_TOKENS = 1024
"""How long an answer may become if nobody says."""


class Manner(TypedDict, total=False):
    """What may be said beside the messages; `temperature` is the model's own if not given."""

    system: str | None
    tools: Sequence[Tool]
    max_tokens: int
    temperature: float | None


class Settings(Manner, total=False):
    """The same, with the schema that an answer must fit."""

    schema: Schema | None


@runtime_checkable
class LLM(Protocol):
    """A language model. `stream` gives pieces of text as they come, and the whole reply last.

    `native_schemas` says whether the model itself keeps to a `schema`; where it does not, see
    `bethink.models.structured.ask`.
    """

    name: str
    native_schemas: bool

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Reply: ...

    def stream(
        self, messages: Sequence[Message], **settings: Unpack[Settings]
    ) -> Iterator[str | Reply]: ...

    async def acomplete(
        self, messages: Sequence[Message], **settings: Unpack[Settings]
    ) -> Reply: ...

    def astream(
        self, messages: Sequence[Message], **settings: Unpack[Settings]
    ) -> AsyncIterator[str | Reply]: ...

    def __call__(self, prompt: str) -> str:
        """The text that the model answers to a prompt."""


@runtime_checkable
class Reranker(Protocol):
    """Tells how well texts answer a query. Scores of one call compare; their scale is its own."""

    name: str

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number for each text, in order; higher is better."""


def space_of(embedder: Embedder) -> str:
    """The name of the vector space that an embedder's vectors live in."""
    return f"{embedder.name}/{embedder.dimension}"


def model_in(space: str) -> str:
    """The name of the model behind a vector space."""
    return space.rpartition("/")[0]
