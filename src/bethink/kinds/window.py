"""Which messages of a conversation a model is shown: pure rules, no store.

Calls of tools stay together with their results, whatever the limits.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from bethink.recall.pack import Count, cut
from bethink.recall.quote import quoted
from bethink.types import Message
from bethink.wire import Shape, arguments_of, shaped, system_of, texts

Unit: TypeAlias = tuple[Message, ...]
"""Messages that are shown together or not at all."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a model is shown: of the messages in their shape, and of the system's words."""

    messages: int
    tokens: int
    count: Count = field(repr=False)
    shape: Shape = "openai"

    def allow(self, messages: Sequence[Message]) -> bool:
        turns = shaped(messages, self.shape)
        apart = self.count(system_of(messages)) if self.shape == "anthropic" else 0
        tokens = apart + sum(map(self.count, texts(turns)))
        return len(turns) <= self.messages and tokens <= self.tokens


def tokens_of(message: Message, count: Count) -> int:
    """About how many tokens a message has in any shape."""
    calls = sum(count(f"{call.name} {arguments_of(call.arguments)}") for call in message.tool_calls)
    return count(message.content) + calls + (count(message.name) if message.name else 0)


def shown(messages: Sequence[Message], summary: Message | None, limits: Limits) -> list[Message]:
    """The newest message, what was told at the very start, the summary, and all that still fits.

    Where not even the newest fits, it is cut, and with it what belongs to it.
    """
    units = paired(messages)
    if not units:
        return [summary] if summary and limits.allow([summary]) else []
    first = [units[0]] if len(units) > 1 and units[0][0].role == "system" else []
    between, newest = units[len(first) : -1], _fitting(units[-1], messages[-1], limits)
    head: list[Message] = []
    for more in (first[0] if first else (), (summary,) if summary else ()):
        if limits.allow([*head, *more, *newest]):
            head += more

    def with_last(number: int) -> list[Message]:
        last = between[len(between) - number :]
        return [*head, *(message for unit in last for message in unit), *newest]

    return with_last(_most(len(between), lambda number: limits.allow(with_last(number))))


def _most(end: int, allowed: Callable[[int], bool]) -> int:
    """The largest number up to `end` that is allowed, if whatever is below it is as well."""
    return bisect_left(range(1, end + 1), 1, key=lambda number: int(not allowed(number)))


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
    said += [f"[called {call.name} {arguments_of(call.arguments)}]" for call in message.tool_calls]
    text = "\n".join(said)
    if message.role == "tool":
        return replace(message, role="user", content=f"[result] {quoted(text)}", tool_call_id=None)
    return replace(message, content=text, tool_calls=())


def _fitting(unit: Unit, newest: Message, limits: Limits) -> Unit:
    """The newest messages within the limits: as they are, cut, or the last of them as text."""
    if limits.allow(unit):
        return unit

    def at_most(tokens: int) -> Unit:
        return tuple(
            replace(message, content=cut(message.content, tokens, limits.count)) for message in unit
        )

    tokens = _most(limits.tokens, lambda tokens: limits.allow(at_most(tokens)))
    if tokens and limits.allow(at_most(tokens)):
        return at_most(tokens)
    short = replace(plain(newest), name=None)
    if limits.shape != "openai" and short.role != "user":  # who speaks first there
        short = replace(short, role="user", content=f"[{short.role}] {short.content}")
    return (replace(short, content=cut(short.content, limits.tokens, limits.count)),)
