"""What a model says, before it is put into anyone's format."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, TypedDict

from bethink.testing.providers.faults import Fault
from bethink.testing.providers.schemas import Schema, example, misfit


class ToolCall(TypedDict):
    """A tool that the model wants to be called."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a completion shall answer. Tokens that are not given are counted in words."""

    text: str = ""
    tool_calls: Sequence[ToolCall] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    truncated: bool = False
    """Whether it stopped because it had reached the most tokens allowed."""


class Stop(Enum):
    """Why a completion ended."""

    END = auto()
    TOOLS = auto()
    LENGTH = auto()
    FILTER = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class Ask:
    """What a chat request asks for, whoever's format it came in."""

    prompt: str
    """All the text of the conversation."""
    last: str
    """What the user said last."""
    schema: Schema | None = None
    """What the text must fit."""
    tool: tuple[str, Schema] | None = None
    """The tool that must be called, and what its arguments must fit."""
    most: int | None = None
    """How many tokens the text may have."""


@dataclass(frozen=True, slots=True)
class Said:
    """A completion, ready to be put into a format."""

    text: str
    tool_calls: Sequence[ToolCall]
    stop: Stop
    input_tokens: int
    output_tokens: int


def said(ask: Ask, reply: Reply | None, fault: Fault | None) -> Said:
    """The completion: what was scripted, or something that fits the request."""
    if fault in {Fault.EMPTY_CHOICES, Fault.CONTENT_FILTER}:
        stop = Stop.NOTHING if fault is Fault.EMPTY_CHOICES else Stop.FILTER
        return Said("", (), stop, tokens(ask.prompt), 0)
    if fault is Fault.BAD_JSON:
        reply = _unfit(ask)
    reply = _cut(reply or _fitting(ask), ask.most)
    spoken = reply.text + json.dumps([call["arguments"] for call in reply.tool_calls])
    return Said(
        text=reply.text,
        tool_calls=reply.tool_calls,
        stop=_stop(reply),
        input_tokens=_or(reply.input_tokens, tokens(ask.prompt)),
        output_tokens=_or(reply.output_tokens, tokens(spoken)),
    )


def _fitting(ask: Ask) -> Reply:
    if ask.tool is not None:
        name, schema = ask.tool
        return Reply(
            tool_calls=[{"id": f"call_{name}", "name": name, "arguments": example(schema)}]
        )
    if ask.schema is not None:
        return Reply(json.dumps(example(ask.schema)))
    return Reply(ask.last)


def _cut(reply: Reply, most: int | None) -> Reply:
    """The reply as far as its tokens go. What was scripted to count otherwise does."""
    if most is None or reply.output_tokens is not None or tokens(reply.text) <= most:
        return reply
    at = list(re.finditer(r"\w+", reply.text))[most - 1].end()
    return replace(reply, text=reply.text[:at], truncated=True)


def _unfit(ask: Ask) -> Reply:
    if ask.tool is not None:
        name, _ = ask.tool
        return Reply(tool_calls=[{"id": f"call_{name}", "name": name, "arguments": misfit({})}])
    return Reply(json.dumps(misfit(ask.schema or {})))


def _stop(reply: Reply) -> Stop:
    if reply.truncated:
        return Stop.LENGTH
    return Stop.TOOLS if reply.tool_calls else Stop.END


def _or(given: int | None, counted: int) -> int:
    return counted if given is None else given


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def tokens(*texts: str) -> int:
    """About how many tokens there are: one for each word, and at least one."""
    return max(1, sum(len(words(text)) for text in texts))


def pieces(text: str) -> list[str]:
    """The text in the pieces that a stream brings: a word and the space after it."""
    return re.findall(r"\s*\S+\s?|\s+", text)


def text_of(content: Any) -> str:
    """The text in a message's content, be it a string or a list of parts."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = (part.get("text") or text_of(part.get("content")) for part in content)
    return "\n".join(part for part in parts if part)
