"""Which messages of a conversation a model is shown: pure rules, no store.

Calls of tools stay together with their results, whatever the limits.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TypeAlias

from bethink.recall.pack import Count, cut
from bethink.types import Message, ToolCall
from bethink.wire import OPENING

Unit: TypeAlias = tuple[Message, ...]
"""Messages that are shown together or not at all."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a model is shown."""

    messages: int
    tokens: int
    count: Count = field(repr=False)
    turns: bool = False
    """Whether the model wants to hear the user first."""

    def allow(self, messages: Sequence[Message]) -> bool:
        if self.turns and _assistant_first(messages):
            messages = [Message("user", OPENING), *messages]
        tokens = sum(tokens_of(message, self.count) for message in messages)
        return len(messages) <= self.messages and tokens <= self.tokens


def tokens_of(message: Message, count: Count) -> int:
    """The tokens of all that a model reads of a message."""
    calls = sum(count(f"{call.name} {_json(call)}") for call in message.tool_calls)
    return count(message.content) + calls + (count(message.name) if message.name else 0)


def shown(messages: Sequence[Message], summary: Message | None, limits: Limits) -> list[Message]:
    """The newest message, what was told at the very start, the summary, and all that still fits.

    Where not even the newest fits, it alone is shown, cut.
    """
    units = paired(messages)
    if not units:
        return [summary] if summary and limits.allow([summary]) else []
    first = [units[0]] if len(units) > 1 and units[0][0].role == "system" else []
    between, newest = units[len(first) : -1], list(units[-1])
    if not limits.allow(newest):
        return [_cut(messages[-1], limits)]
    head: list[Message] = []
    for more in (first[0] if first else (), (summary,) if summary else ()):
        if limits.allow([*head, *more, *newest]):
            head += more
    tails = _tails(between, newest)
    fitting = list(takewhile(lambda tail: limits.allow([*head, *tail]), tails))
    return [*head, *fitting[-1]]


def _tails(units: Sequence[Unit], newest: Sequence[Message]) -> Iterator[list[Message]]:
    """The newest messages, then those with one unit more, and so on."""
    tail = list(newest)
    yield tail
    for unit in reversed(units):
        tail = [*unit, *tail]
        yield tail


def paired(messages: Sequence[Message]) -> list[Unit]:
    """Messages with the results of a call straight after it, as models demand.

    A call without a result, and a result without a call, become plain text.
    """
    groups: list[list[Message]] = []
    open_calls: dict[str, list[Message]] = {}
    for message in messages:
        group = open_calls.pop(message.tool_call_id or "", None) if message.role == "tool" else None
        if group is None:
            groups.append([message])
            open_calls |= {call.id: groups[-1] for call in message.tool_calls}
        else:
            group.append(message)
            groups.append(groups.pop(_place(groups, group)))  # where its newest message stands
    return [_closed(group) for group in groups]


def _place(groups: Sequence[list[Message]], group: list[Message]) -> int:
    return next(place for place, other in enumerate(groups) if other is group)


def _closed(group: Sequence[Message]) -> Unit:
    """A call with its results; what of it was not answered as text."""
    head, *results = group
    answered = {result.tool_call_id for result in results}
    waiting = tuple(call for call in head.tool_calls if call.id not in answered)
    calls = tuple(call for call in head.tool_calls if call.id in answered)
    if head.role == "tool" or waiting:
        head = plain(replace(head, tool_calls=waiting))
    return replace(head, tool_calls=calls), *results


def unparted(messages: Sequence[Message], place: int) -> int:
    """The last place up to this one where no call would be parted from its result."""
    open_calls: dict[str, int] = {}
    spans = []
    for at, message in enumerate(messages):
        if message.role == "tool" and message.tool_call_id in open_calls:
            spans.append((open_calls[message.tool_call_id], at))
        open_calls |= {call.id: at for call in message.tool_calls}
    for called, answered in sorted(spans, reverse=True):
        if called < place <= answered:
            place = called
    return place


def plain(message: Message) -> Message:
    """A message without calls and results: what they were, as text."""
    said = [message.content] if message.content else []
    said += [f"[called {call.name} {_json(call)}]" for call in message.tool_calls]
    text = "\n".join(said)
    if message.role == "tool":
        return replace(message, role="user", content=f"[result] {text}", tool_call_id=None)
    return replace(message, content=text, tool_calls=())


def _cut(message: Message, limits: Limits) -> Message:
    """As much of a message as the limits allow, as plain text."""
    short = replace(plain(message), name=None)
    if limits.turns and short.role == "assistant":
        short = replace(short, role="user", content=f"[assistant] {short.content}")
    return replace(short, content=cut(short.content, limits.tokens, limits.count))


def _assistant_first(messages: Sequence[Message]) -> bool:
    spoken = next((message for message in messages if message.role != "system"), None)
    return spoken is not None and spoken.role == "assistant"


def _json(call: ToolCall) -> str:
    return json.dumps(call.arguments, ensure_ascii=False)
