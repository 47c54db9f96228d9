"""Messages in the shapes that model providers speak, and back.

The shapes differ in where the system's words go, in how a tool's answer is handed in, and in
whether two messages of one role may follow each other. All of this is pure.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Literal, TypeAlias, get_args

from bethink.errors import UsageError
from bethink.types import Message, ToolCall
from bethink.validate import check_data, check_many, check_name

Shape: TypeAlias = Literal["openai", "alternating", "anthropic"]
SHAPES: tuple[Shape, ...] = get_args(Shape)

OPENING = "…"
"""What stands in for the user where a model wants to hear the user first."""

_MARKS = frozenset({"role", "type", "id", "tool_call_id", "tool_use_id"})
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]+")


def shaped(messages: Sequence[Message], shape: Shape) -> list[dict[str, Any]]:
    """Messages as a provider takes them.

    `openai` is the Chat Completions format. `alternating` is the same for models that take the
    system's words only at the start and want user and assistant in turns. `anthropic` is the
    Messages format, in turns as well; the system's words are not in it, see `system_of`.
    """
    if shape not in SHAPES:
        raise UsageError(f"There is no shape {shape!r}; the shapes are {', '.join(SHAPES)}.")
    return _SHAPE[shape](messages)


def system_of(messages: Iterable[Message]) -> str:
    """All that the system says, for providers that take it apart from the messages."""
    said = (message.content for message in messages if message.role == "system")
    return "\n\n".join(part for part in said if part.strip())


def texts(shaped: Any) -> Iterator[str]:
    """All that a model reads of messages in any shape."""
    if isinstance(shaped, str):
        yield shaped
    elif isinstance(shaped, dict):
        for name, value in shaped.items():
            if name == "input":
                yield arguments_of(value)
            elif name not in _MARKS:
                yield from texts(value)
    elif isinstance(shaped, list):
        for value in shaped:
            yield from texts(value)


def arguments_of(arguments: Any) -> str:
    """The arguments of a call, as text."""
    return json.dumps(arguments, ensure_ascii=False)


def _openai(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [_openai_message(message) for message in messages]


def _openai_message(message: Message) -> dict[str, Any]:
    shaped: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.name and message.role != "tool":
        shaped["name"] = _NOT_IN_NAMES.sub("_", message.name)[:64]
    if message.tool_calls:
        shaped["content"] = message.content or None
        shaped["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_of(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.role == "tool":
        shaped["tool_call_id"] = message.tool_call_id
    return shaped


def _alternating(messages: Sequence[Message]) -> list[dict[str, Any]]:
    system = system_of(messages)
    turns = [_openai_message(Message("system", system))] if system else []
    for message in _spoken(messages):
        turn = _openai_message(replace(message, content=_named(message), name=None))
        last = turns[-1] if turns else {}
        if turn["role"] != last.get("role") or turn["role"] == "tool" or "tool_calls" in last:
            turns.append(turn)
        else:
            said = [part for part in (last["content"], turn["content"]) if part]
            last |= turn | {"content": "\n\n".join(said)}
    return turns


def _named(message: Message) -> str:
    """What was said, after the name of the one who said it, where nothing else tells it."""
    if not (message.name and message.content) or message.role == "tool":
        return message.content
    return f"{message.name}: {message.content}"


def _anthropic(messages: Sequence[Message]) -> list[dict[str, Any]]:
    spoken = _spoken(messages)
    if messages and not spoken:  # a request must have at least one turn
        spoken = [Message("user", OPENING)]
    if spoken and spoken[-1].role == "assistant":  # which is continued, and must not end in space
        spoken[-1] = replace(spoken[-1], content=spoken[-1].content.rstrip())
    turns = []
    for role, run in groupby(
        spoken, key=lambda m: "assistant" if m.role == "assistant" else "user"
    ):
        blocks = [block for message in run for block in _blocks(message)]
        # What tools answered comes first, straight after the calls.
        blocks.sort(key=lambda block: block["type"] != "tool_result" and role == "user")
        plain = len(blocks) == 1 and blocks[0]["type"] == "text"
        turns.append({"role": role, "content": blocks[0]["text"] if plain else blocks})
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [
            {
                "type": "tool_result",
                "tool_use_id": message.tool_call_id,
                "content": message.content,
            }
        ]
    text = [{"type": "text", "text": _named(message)}] if message.content.strip() else []
    return text + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
        for call in message.tool_calls
    ]


def _spoken(messages: Sequence[Message]) -> list[Message]:
    """All but the system's words, the user first. Who said nothing is left out."""
    spoken = [one for one in messages if one.role != "system" and _says_something(one)]
    if spoken and spoken[0].role == "assistant":
        return [Message("user", OPENING), *spoken]
    return spoken


def _says_something(message: Message) -> bool:
    """A tool that answers nothing has answered."""
    return message.role == "tool" or bool(message.content.strip() or message.tool_calls)


_SHAPE: dict[Shape, Callable[[Sequence[Message]], list[dict[str, Any]]]] = {
    "openai": _openai,
    "alternating": _alternating,
    "anthropic": _anthropic,
}


def read_calls(value: Any) -> tuple[ToolCall, ...]:
    """Tool calls from what a caller passes: objects of ours, or dictionaries in either shape."""
    calls = tuple(_read_call(call) for call in check_many(value or (), name="tool_calls"))
    if len({call.id for call in calls}) < len(calls):
        raise UsageError("Two of the tool_calls have the same id.")
    return calls


def _read_call(call: Any) -> ToolCall:
    if isinstance(call, ToolCall):
        call = {"id": call.id, "name": call.name, "arguments": call.arguments}
    if not isinstance(call, Mapping):
        raise UsageError(f"A tool call must be a dictionary, not {type(call).__name__}.")
    function = call.get("function")
    inner: Mapping[str, Any] = function if isinstance(function, Mapping) else call
    arguments = inner.get("arguments", inner.get("input"))
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    return ToolCall(
        check_name(call.get("id"), name="The id of a tool call"),
        check_name(inner.get("name"), name="The name of a tool call"),
        check_data(arguments),
    )


def _parsed(arguments: str) -> Any:
    """Arguments that came as JSON; what a model wrote that is none is kept as it is."""
    try:
        parsed = json.loads(arguments or "{}", parse_constant=_refuse)
    except (ValueError, RecursionError):
        return {"": arguments}
    return parsed if isinstance(parsed, dict) else {"": parsed}


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
