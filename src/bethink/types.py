"""The records that everything else is about. All are frozen: a change is a new object."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, TypedDict, get_args

JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None
Metadata: TypeAlias = Mapping[str, JSON]

Kind: TypeAlias = Literal["semantic", "fact", "episode", "message", "summary", "working"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Origin: TypeAlias = Literal["user", "assistant", "tool", "document", "import"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
OUTSIDE: tuple[Origin, ...] = ("tool", "document", "import")
"""Whose word is neither the user's nor the assistant's."""
Made: TypeAlias = Literal["said", "rule", "model"]
WAYS: tuple[Made, ...] = get_args(Made)
KNOWN: tuple[Kind, ...] = ("semantic", "fact", "episode")
"""What is known about a user."""
SEARCHED: tuple[Kind, ...] = (*KNOWN, "message")
"""What a search looks at: everything known and everything said."""
OF_A_SESSION: tuple[Kind, ...] = ("message", "summary", "working")
"""What belongs to one session and goes with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem:
    """One memory: the record that every kind of memory is made of.

    `created_at` says when it was learnt, `updated_at` when it was last changed, `valid_from` and
    `valid_to` when it is true, and `expires_at` when it must be gone. `access_count` and
    `last_accessed` tell how often and when `search` last returned it. `superseded_by` names the
    record that replaced it. `origin` says whose word it is, `made` whether that word was kept as
    it was said or read by a rule or a model, and `sources` the ids of the messages it was read
    from. `flagged` marks text from outside that reads like instructions; `pinned` keeps a memory
    from ever being pruned. `metadata` is the caller's; `data` is what the kind of memory keeps
    beside the content, such as a fact's value or a task's steps.
    """

    id: str
    user_id: str
    content: str
    created_at: datetime
    kind: Kind = "semantic"
    agent_id: str | None = None
    session_id: str | None = None
    speaker: str | None = None
    metadata: Metadata = field(default_factory=dict)
    data: Metadata = field(default_factory=dict)
    importance: float = 0.5
    updated_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    superseded_by: str | None = None
    origin: Origin = "user"
    made: Made = "said"
    sources: tuple[str, ...] = ()
    flagged: bool = False
    pinned: bool = False
    version: int = 1
    access_count: int = 0
    last_accessed: datetime | None = None

    @property
    def text(self) -> str:
        """What is indexed: the content, after the name of whoever said it, or of what it is."""
        called = self.speaker or self.data.get("called")
        return f"{called}: {self.content}" if called else self.content

    def expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now


REVISION = "@"
"""Stands between an id and a version in the id of an earlier state of a record."""


PRUNED = "pruned"
"""In `superseded_by`, that nothing replaced a record: it was pruned, and can be brought back."""


def revision_id(item_id: str, version: int) -> str:
    """The id under which an earlier state of a record is kept."""
    return f"{item_id}{REVISION}{version}"


def head_id(item_id: str) -> str:
    """The id of the record that this is the id, or an earlier state, of."""
    return item_id.partition(REVISION)[0]


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that a search found.

    `arms` holds what each way of looking says and `factors` the small preferences that hold
    whatever is asked; `score` is the sum of both, and compares the memories of one search.
    `relevance` compares searches: how likely the memory has to do with the query at all, from 0
    to 1. `ranks`, if the search was asked to explain, has the memory's place in each arm and
    factor among all that was searched, the first being 1.
    """

    item: MemoryItem
    score: float
    arms: Mapping[str, float]
    factors: Mapping[str, float]
    relevance: float
    ranks: Mapping[str, int] | None = None


class Hits(list[Hit]):
    """The hits of a search, best first. `degraded` says what it had to do without, if anything."""

    __slots__ = ("degraded",)

    def __init__(self, hits: Iterable[Hit] = (), degraded: str | None = None) -> None:
        super().__init__(hits)
        self.degraded = degraded


Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What an assistant asked a tool to do."""

    id: str
    name: str
    arguments: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """Something that was said. `tool_call_id` is the id of the call that a tool answers."""

    role: Role
    content: str
    timestamp: datetime | None = None
    metadata: Metadata = field(default_factory=dict)
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation with a user: when it began, when it was last gone on with, how long it is."""

    id: str
    first: datetime
    last: datetime
    messages: int


class Fields(TypedDict, total=False):
    """What may be said about a memory when it is added."""

    kind: Kind
    agent_id: str | None
    session_id: str | None
    speaker: str | None
    metadata: Metadata | None
    importance: float
    created_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    expires_in: timedelta | None
    origin: Origin
    sources: Sequence[str]
    pinned: bool
    embedding: Sequence[float] | None


class Changed(TypedDict, total=False):
    """What may be changed about a memory."""

    content: str
    metadata: Metadata | None
    importance: float
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    expires_in: timedelta | None
    flagged: bool
    pinned: bool
