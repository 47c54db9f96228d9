"""Messages as they are delivered: a text, one message or several, in any provider's shape."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, cast

from bethink.errors import UsageError
from bethink.kinds.messages import check_message
from bethink.times import read_time
from bethink.types import Message, Role
from bethink.validate import check_many, check_optional_name
from bethink.wire import read_calls

Delivered: TypeAlias = str | Message | Mapping[str, Any]
"""A user's words, or a message: ours, or a dictionary as OpenAI and Anthropic have them."""

_ROLES = {"developer": "system", "human": "user", "ai": "assistant", "model": "assistant"}
_SPEAKERS = ("system", "user", "assistant")
_TEXTS = ("text", "input_text", "output_text", "refusal")


@dataclass(frozen=True, slots=True)
class Heard:
    """A message, and the id that whoever delivers it gave it."""

    message: Message
    id: str | None = None


def heard(messages: Delivered | Iterable[Delivered]) -> list[Heard]:
    """Every message that was delivered, checked. One bad message, and it is none.

    A dictionary whose content has nothing to keep, such as only a picture, is left out; a history
    is kept without it.
    """
    if isinstance(messages, str | Message | Mapping):
        messages = [messages]
    if not isinstance(messages, Iterable):
        raise UsageError(f"messages must be a text or messages, not {type(messages).__name__}.")
    found: list[Heard] = []
    for number, delivered in enumerate(messages):
        try:
            found += _heard(delivered)
        except UsageError as error:
            raise UsageError(f"Message {number}: {error}") from error
    if not found:
        raise UsageError("There are no messages with words in them. Pass a text, or messages.")
    return found


def _heard(delivered: Delivered) -> Iterator[Heard]:
    if isinstance(delivered, str):
        yield Heard(check_message(Message("user", delivered)))
    elif isinstance(delivered, Message):
        yield Heard(check_message(delivered))
    elif isinstance(delivered, Mapping):
        yield from _of_mapping(delivered)
    else:
        raise UsageError(f"It must be a text or a dictionary, not {type(delivered).__name__}.")


def _of_mapping(value: Mapping[str, Any]) -> Iterator[Heard]:
    """A message; what tools answered, which Anthropic has inside a user's message, comes apart."""
    role = value.get("role", "user")
    role = _ROLES.get(role, role) if isinstance(role, str) else role
    own_id = check_optional_name(value.get("id"), name="id")
    content = value.get("content")
    texts, calls, results = _parts(content) if isinstance(content, list) else ([], [], [])
    when = _time(value.get("timestamp"))
    metadata = value.get("metadata") or {}
    for place, result in enumerate(results):
        message = Message("tool", result[1], when, metadata, tool_call_id=result[0])
        yield Heard(check_message(message), own_id and f"{own_id}/{place}")
    text = "\n".join(texts) if isinstance(content, list) else _text(content)
    text = text if text.strip() else _text(value.get("refusal"))
    made = [*check_many(value.get("tool_calls") or (), name="tool_calls"), *calls]
    says_nothing = "content" in value and not text.strip() and not made
    if says_nothing and (results or role in _SPEAKERS):
        return
    message = Message(
        cast("Role", role),
        text,
        when,
        metadata,
        value.get("name"),
        read_calls(made),
        value.get("tool_call_id"),
    )
    yield Heard(check_message(message), own_id)


def _parts(blocks: list[Any]) -> tuple[list[str], list[Any], list[tuple[str, str]]]:
    """The texts, calls and results of tools in a message's blocks; pictures and such stay out."""
    texts: list[str] = []
    calls: list[Any] = []
    results: list[tuple[str, str]] = []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block)
            continue
        if not isinstance(block, Mapping):
            raise UsageError(f"A block of it is of the type {type(block).__name__}.")
        kind = block.get("type")
        if kind in _TEXTS:
            texts.append(_text(block.get("text", block.get("refusal"))))
        elif kind == "tool_use":
            calls.append(block)
        elif kind == "tool_result":
            results.append((cast("str", block.get("tool_use_id")), _result(block.get("content"))))
    return texts, calls, results


def _result(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(_parts(content)[0])
    return _text(content)


def _text(content: Any) -> str:
    if content is None:
        return ""
    if not isinstance(content, str):
        raise UsageError(f"content must be text, not {type(content).__name__}.")
    return content


def _time(value: Any) -> datetime | None:
    return value if isinstance(value, datetime) else read_time(value, name="timestamp")
