"""What a language model is asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bethink.errors import UsageError
from bethink.models.base import MAX_TOKENS, Schema, Settings, Tool
from bethink.models.schemas import plain
from bethink.types import ROLES, Message
from bethink.wire import read_calls

Said: TypeAlias = str | Sequence[Message | Mapping[str, Any]]
"""What is said to a model: a text, messages, or dictionaries in OpenAI's shape."""

_SETTINGS = tuple(Settings.__annotations__)


@dataclass(frozen=True, slots=True)
class Ask:
    """All that a language model is asked at once. The system's words are among the messages."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    schema: Schema | None = None
    max_tokens: int = MAX_TOKENS
    temperature: float | None = None


def asked(messages: Said, settings: Settings) -> Ask:
    """What a caller asks, checked."""
    unknown = sorted(set(settings) - set(_SETTINGS))
    if unknown:
        raise UsageError(
            f"There is no setting {', '.join(unknown)}; there are {', '.join(_SETTINGS)}."
        )
    system, schema = settings.get("system"), settings.get("schema")
    said = messages_of(messages)
    if not any(_says_something(message) for message in said):
        raise UsageError("There is nothing to answer: give at least one message.")
    return Ask(
        (Message("system", _text(system, "system")), *said) if system else tuple(said),
        _tools(settings.get("tools")),
        None if schema is None else plain(schema),
        _most(settings.get("max_tokens")),
        _temperature(settings.get("temperature")),
    )


def messages_of(said: Said) -> list[Message]:
    """What is said to a model, as messages."""
    if isinstance(said, str):
        return [Message("user", said)]
    if isinstance(said, Message | Mapping):
        said = [said]
    return [_message(one) for one in _many(said, "messages")]


def _message(said: Any) -> Message:
    if isinstance(said, Mapping):
        said = Message(
            said.get("role", "user"),
            said.get("content") or "",
            name=said.get("name"),
            tool_calls=read_calls(said.get("tool_calls")),
            tool_call_id=said.get("tool_call_id"),
        )
    if not isinstance(said, Message):
        raise UsageError(f"A message must be a Message or a dictionary, not {_kind(said)}.")
    if said.role not in ROLES:
        raise UsageError(f"There is no role {said.role!r}; there are {', '.join(ROLES)}.")
    _text(said.content, "The content of a message")
    return said


def _says_something(message: Message) -> bool:
    return message.role != "system" and bool(message.content.strip() or message.tool_calls)


def _tools(given: Any) -> tuple[Tool, ...]:
    return tuple(_tool(tool) for tool in _many(given or (), "tools"))


def _tool(given: Any) -> Tool:
    """A tool; a dictionary has the names of a `Tool`, or OpenAI's shape with a function in it."""
    if isinstance(given, Tool):
        return given
    if not isinstance(given, Mapping):
        raise UsageError(f"A tool must be a Tool or a dictionary, not {_kind(given)}.")
    inner = given.get("function", given)
    name = _text(inner.get("name"), "The name of a tool")
    others = {key: inner[key] for key in ("description", "parameters") if inner.get(key)}
    return Tool(name, **others)


def _most(given: Any) -> int:
    most = MAX_TOKENS if given is None else given
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise UsageError(f"max_tokens is {most!r}: give a whole number, 1 or more.")
    return most


def _temperature(given: Any) -> float | None:
    if given is None or (isinstance(given, int | float) and given >= 0):
        return given
    raise UsageError(f"temperature is {given!r}: give a number, 0 or more.")


def _many(values: Any, name: str) -> list[Any]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise UsageError(f"{name} must be a list, not {_kind(values)}.")
    return list(values)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name} must be a text, not {_kind(value)}.")
    return value


def _kind(value: Any) -> str:
    return type(value).__name__
