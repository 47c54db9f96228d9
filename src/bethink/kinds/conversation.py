"""Conversation memory: what was said in a session, and what of it a model is shown."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Unpack, cast

from bethink import validate
from bethink.errors import UsageError
from bethink.ids import known_id, new_id
from bethink.index.user import Selection
from bethink.kinds.bound import Bound, Owner, opened
from bethink.kinds.messages import check_message, message_record, read_message
from bethink.kinds.window import Limits, shown, tokens_of, unparted
from bethink.learn.condense import Write, condense
from bethink.learn.summarise import Said
from bethink.models.base import LLM
from bethink.models.tokens import count_tokens
from bethink.recall.pack import Count
from bethink.records import Key
from bethink.times import read_time
from bethink.types import MemoryItem, Message, Role
from bethink.wire import Shape, read_calls, shaped, system_of

SUMMARY = "[Summary of the conversation so far]\n"
"""Comes before the summary in the message that it is shown as."""

_LONGEST_SUMMARY = 1000  # tokens
_SHORTEST_SUMMARY = 10  # less says nothing


@dataclass(frozen=True, slots=True)
class _Summary:
    """What the older messages of a session said."""

    text: str = ""
    count: int = 0
    """Of so many messages, from the first."""
    through: Key = (-(2**63), "")
    """When the last of them was said, and its id."""

    def fits(self, keys: Sequence[Key]) -> bool:
        """Whether it is of just these messages: none was removed since, and none came late."""
        return self.count == bisect_right(keys, self.through)

    def record(self, id_: str, user_id: str, now: datetime) -> MemoryItem:
        return MemoryItem(
            id=id_,
            user_id=user_id,
            content=self.text,
            created_at=now,
            kind="summary",
            data={"count": self.count, "through": list(self.through)},
        )

    @classmethod
    def of(cls, item: MemoryItem) -> "_Summary":
        at, id_ = cast("tuple[int, str]", item.data["through"])
        return cls(item.content, cast("int", item.data["count"]), (at, id_))


class ConversationMemory(Bound):
    """The messages of one session.

    Every message is kept for good and can be searched. A model is shown the newest ones, and a
    summary of those before, within the limits.

    Args:
        max_messages: How many messages `get_messages_for_llm` returns at most, with the summary.
        max_tokens: How many tokens they have at most together, tool calls included.
        summarize_threshold: When there are more messages than this that no summary covers, the
            older ones are summarised and a third as many are still shown.
        llm: Writes summaries: a model, a name such as "anthropic:claude-haiku-4-5", or any
            function from a prompt to text. Without one, or when it fails, they are made of the
            most telling sentences.
        count_tokens: Counts the tokens of a text, if yours are to be counted another way.
        **owner: `memory`, `user_id`, `session_id`, `agent_id`. Without a memory it is kept in
            this process only; without a session a new one begins.
    """

    def __init__(
        self,
        max_messages: int = 50,
        max_tokens: int = 10_000,
        summarize_threshold: int = 30,
        *,
        llm: LLM | Write | str | None = None,
        count_tokens: Count = count_tokens,
        **owner: Unpack[Owner],
    ) -> None:
        super().__init__(**owner)
        self.session_id: str = self.session_id or new_id(self._records.now())
        self.max_messages = validate.check_limit(max_messages, name="max_messages")
        self.max_tokens = validate.check_limit(max_tokens, name="max_tokens")
        self.summarize_threshold = validate.check_limit(
            summarize_threshold, name="summarize_threshold"
        )
        if not callable(count_tokens):
            raise UsageError(f"count_tokens must be a function, not {count_tokens!r}.")
        self._llm = opened(llm)
        self._count: Count = lru_cache(maxsize=10_000)(count_tokens)
        self._last = datetime.min.replace(tzinfo=UTC)

    # --- adding

    def add_message(
        self,
        /,
        role: Role,
        content: str | None = "",
        *,
        name: str | None = None,
        tool_calls: Sequence[Any] = (),
        tool_call_id: str | None = None,
        timestamp: datetime | None = None,
        **metadata: Any,
    ) -> Message:
        """Keep a message. It is found by its words at once, and by meaning a moment later.

        Args:
            role: system, user, assistant or tool.
            content: What was said; may be empty beside tool calls, or if a tool said nothing.
            name: Who it was, where a role is not enough.
            tool_calls: What an assistant asks of tools: `id`, `name` and `arguments` of each, in
                any provider's shape.
            tool_call_id: Which call a tool answers.
            timestamp: When it was said; now, if not given. Messages are in the order of time.
            **metadata: Whatever else is to be kept with it.
        """
        # A clock that is set back does not put an answer before its question.
        self._last = now = max(self._records.now(), self._last)
        message = check_message(
            Message(
                role,
                "" if content is None else content,
                timestamp or now,
                metadata,
                name,
                read_calls(tool_calls),
                tool_call_id,
            )
        )
        self._records.put_soon(self.user_id, [self._record(message, now)])
        return message

    def _record(self, message: Message, now: datetime) -> MemoryItem:
        return message_record(
            message,
            new_id(now),
            now,
            user_id=self.user_id,
            session_id=self.session_id,
            agent_id=self.agent_id,
        )

    # --- reading

    @property
    def messages(self) -> list[Message]:
        """Everything that was said in this session, oldest first."""
        return self._read(self._keys())

    @property
    def summary(self) -> str | None:
        """What the messages said that a model is no longer shown."""
        return self._summary(self._keys()).text or None

    def get_last_n(self, n: int) -> list[Message]:
        """The last n messages, oldest first."""
        return [read_message(item) for item in self.get_last_items(n)]

    def search(self, query: str, limit: int = 5) -> list[Message]:
        """The messages of this session that match best, by meaning and by words, best first."""
        hits = self.memory.search(
            query,
            user_id=self.user_id,
            limit=limit,
            kinds=["message"],
            session_id=self.session_id,
        )
        return [read_message(hit.item) for hit in hits]

    def get_messages_for_llm(self, shape: Shape = "openai") -> list[dict[str, Any]]:
        """What a model should be shown, within the limits, in the shape that it takes.

        The newest message is always there, cut if it must be. Then, as far as there is room: what
        the system said first, a summary of what is left out, and the messages before the newest.
        Calls of tools come with their results. The shapes are `openai`, `alternating` and
        `anthropic`; for the last, pass `system_prompt` as `system`.
        """
        return shaped(self._window(shape), shape)

    @property
    def system_prompt(self) -> str:
        """What the system says, for providers that take it apart from the messages."""
        return system_of(self._window("anthropic"))

    def _window(self, shape: Shape) -> list[Message]:
        summary = self._condensed(self._keys())
        keys = self._keys()
        covered = min(summary.count, max(0, len(keys) - 1))  # others may have gone on meanwhile
        messages = self._read([*keys[: min(covered, 1)], *keys[covered:]])
        if covered and messages[0].role != "system":
            messages = messages[1:]
        told = Message("user", SUMMARY + summary.text) if summary.text else None
        return shown(messages, told, Limits(self.max_messages, self.max_tokens, self._count, shape))

    def uncovered_ids(self) -> list[str]:
        """The ids of the messages that no summary covers: a model is shown most of them."""
        keys = self._keys()
        return [id_ for _, id_ in keys[self._summary(keys).count :]]

    def get_last_items(self, n: int) -> list[MemoryItem]:
        """The records of the last n messages, oldest first."""
        return self._items(self._keys()[-validate.check_limit(n, name="n") :])

    def _keys(self) -> list[Key]:
        selection = Selection(("message",), session_id=self.session_id)
        return self._records.keys(self.user_id, selection)

    def _read(self, keys: Sequence[Key]) -> list[Message]:
        return [read_message(item) for item in self._items(keys)]

    def _items(self, keys: Sequence[Key]) -> list[MemoryItem]:
        return self._records.get(self.user_id, [id_ for _, id_ in keys])

    # --- summaries

    def _condensed(self, keys: Sequence[Key]) -> _Summary:
        """The summary, brought up to date if too much has been said since."""
        summary = self._summary(keys)
        covered = summary.count
        place = covered + self._place(self._read(keys[covered:]))
        budget = min(_LONGEST_SUMMARY, self.max_tokens // 4) - self._count(SUMMARY)
        if place == covered or budget < _SHORTEST_SUMMARY:
            return summary
        old, new = (
            [_said(item) for item in self._items(some) if item.data.get("role") != "system"]
            for some in (keys[:covered], keys[covered:place])
        )
        text = condense(
            [*old, *new],
            before=summary.text,
            already=len(old),
            budget=budget,
            count=self._count,
            write=self._llm,
        )
        return self._keep(_Summary(text, place, keys[place - 1])) if text else summary

    def _place(self, messages: Sequence[Message]) -> int:
        """How many of these messages are to be summarised: none, or all but the newest few."""
        threshold = min(self.summarize_threshold, self.max_messages)
        sizes = [tokens_of(message, self._count) for message in messages]
        if len(messages) <= threshold and sum(sizes) <= self.max_tokens:
            return 0
        most = min(max(threshold // 3, min(threshold - 1, 4), 1), len(messages))
        kept, room = 1, self.max_tokens // 2 - sizes[-1]
        while kept < most and sizes[-kept - 1] <= room:
            kept += 1
            room -= sizes[-kept]
        return unparted(messages, len(messages) - kept)

    def _summary(self, keys: Sequence[Key]) -> _Summary:
        """The summary of these messages, as far as there is one."""
        item = self._records.one(self.user_id, self._summary_id)
        summary = _Summary.of(item) if item else _Summary()
        return summary if summary.fits(keys) else _Summary()

    def _keep(self, summary: _Summary) -> _Summary:
        """Keep a summary, unless another process made a longer one or its messages are gone."""

        def rule(item: MemoryItem | None) -> Sequence[MemoryItem]:
            keys = self._keys()
            there = _Summary.of(item) if item else _Summary()
            if not summary.fits(keys) or (there.fits(keys) and there.count >= summary.count):
                return []
            new = summary.record(self._summary_id, self.user_id, self._records.now())
            return [replace(new, session_id=self.session_id, agent_id=self.agent_id)]

        self._records.change(self.user_id, self._summary_id, rule)
        return self._summary(self._keys())

    @property
    def _summary_id(self) -> str:
        """Of a summary for these limits: whoever shows more of a session needs another one."""
        limits = (self.max_messages, self.max_tokens, self.summarize_threshold)
        return known_id("summary", [self.session_id, *map(str, limits)])

    # --- removing and moving

    def clear(self) -> None:
        """Remove this session's messages and summary for good."""
        selection = Selection(("message", "summary"), session_id=self.session_id)
        self._records.delete(self.user_id, self._records.ids(self.user_id, selection))

    def export(self) -> dict[str, Any]:
        """All of the conversation as JSON values, for `import_from`."""
        keys = self._keys()
        summary = self._summary(keys)
        return {
            "messages": list(map(_as_json, self._read(keys))),
            "summary": summary.text or None,
            "summarized": summary.count,
        }

    def import_from(self, data: Mapping[str, Any]) -> None:
        """Take over what `export` gave. One bad message, and nothing is taken over."""
        if self._keys():
            raise UsageError(
                "This conversation has messages. Import into a new session, or clear()."
            )
        messages, summary, covered = _imported(data)
        now = self._records.now()
        items = [self._record(message, now) for message in messages]
        self._records.put_soon(self.user_id, items)
        if covered:
            self._keep(_Summary(summary, covered, self._keys()[covered - 1]))


def _said(item: MemoryItem) -> Said:
    return Said(item.speaker or "user", item.content, item.created_at)


def _as_json(message: Message) -> dict[str, Any]:
    """A message as JSON values; what is not set is left out."""
    values = {
        **{name: getattr(message, name) for name in ("role", "content", "name", "tool_call_id")},
        "timestamp": message.timestamp and message.timestamp.isoformat(),
        "metadata": dict(message.metadata),
        "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": dict(call.arguments)}
            for call in message.tool_calls
        ],
    }
    return {name: value for name, value in values.items() if value not in (None, {}, [])}


def _imported(data: Any) -> tuple[list[Message], str, int]:
    """Messages, summary and how many it covers, from what `export` gave."""
    if not isinstance(data, Mapping):
        raise UsageError(f"A conversation must be a dictionary, not {type(data).__name__}.")
    messages = []
    for number, value in enumerate(validate.check_many(data.get("messages", []), name="messages")):
        try:
            messages.append(_from_json(value))
        except UsageError as error:
            raise UsageError(f"Message {number} cannot be imported: {error}") from error
    summary = data.get("summary")
    if summary is not None:
        validate.check_text(summary, name="summary")
    if summary is not None and "summarized" not in data:  # of messages that are not here
        first = messages[0].timestamp if messages else None
        return [Message("user", SUMMARY + summary, first), *messages], "", 0
    covered = data.get("summarized", 0)
    if type(covered) is not int or not 0 <= covered <= len(messages):
        raise UsageError(f"summarized must be from 0 to {len(messages)}, not {covered!r}.")
    return messages, summary or "", covered if summary else 0


def _from_json(value: Any) -> Message:
    if not isinstance(value, Mapping):
        raise UsageError("It is not a dictionary.")
    return check_message(
        Message(
            role=cast("Role", value.get("role")),
            content="" if value.get("content") is None else value["content"],
            timestamp=read_time(value.get("timestamp"), name="timestamp"),
            metadata=value.get("metadata", {}),
            name=value.get("name"),
            tool_calls=read_calls(value.get("tool_calls")),
            tool_call_id=value.get("tool_call_id"),
        )
    )
