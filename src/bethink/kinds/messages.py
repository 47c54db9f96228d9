"""Messages as records, and back."""

from dataclasses import replace
from datetime import datetime
from typing import cast

from bethink import validate
from bethink.errors import UsageError
from bethink.kinds.window import plain
from bethink.types import JSON, ROLES, MemoryItem, Message, Origin, Role
from bethink.wire import read_calls

ORIGIN: dict[Role, Origin] = {
    "system": "user",  # whoever runs the agent speaks for the user
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}


def check_message(message: Message) -> Message:
    """A message that can be kept, or an error that says why not."""
    if message.role not in ROLES:
        raise UsageError(f"There is no role {message.role!r}; the roles are {', '.join(ROLES)}.")
    may_be_empty = message.role == "tool" or message.tool_calls
    if message.content or not may_be_empty:
        validate.check_text(message.content, name="content")
    if message.tool_calls and message.role != "assistant":
        raise UsageError(f"Only an assistant calls tools, not a {message.role}.")
    if message.role == "tool" and message.tool_call_id is None:
        raise UsageError("Which call does the tool answer? Pass tool_call_id=….")
    if message.role != "tool" and message.tool_call_id is not None:
        raise UsageError(f"tool_call_id is for what a tool answers, not for a {message.role}.")
    return replace(
        message,
        timestamp=validate.check_time(message.timestamp, name="timestamp"),
        metadata=validate.check_metadata(message.metadata),
        name=validate.check_optional_name(message.name, name="name"),
        tool_call_id=validate.check_optional_name(message.tool_call_id, name="tool_call_id"),
    )


def message_record(
    message: Message,
    id_: str,
    now: datetime,
    *,
    user_id: str,
    session_id: str | None,
    agent_id: str | None,
) -> MemoryItem:
    """The record of a message, which has something to be found by."""
    data: dict[str, JSON] = {"role": message.role}
    if message.name:
        data["name"] = message.name
    if message.tool_calls:
        data["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": cast("JSON", call.arguments)}
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        data["tool_call_id"] = message.tool_call_id
    content = message.content
    if not content.strip():
        data["content"] = content
        content = plain(message).content[: validate.MAX_CONTENT]
    return MemoryItem(
        id=id_,
        user_id=user_id,
        content=content,
        created_at=message.timestamp or now,
        kind="message",
        session_id=session_id,
        agent_id=agent_id,
        speaker=message.name or message.role,
        metadata=message.metadata,
        data=data,
        origin=ORIGIN[message.role],
    )


def read_message(item: MemoryItem) -> Message:
    """The message in a record."""
    data = item.data
    return Message(
        role=cast("Role", data.get("role", "user")),
        content=cast("str", data.get("content", item.content)),
        timestamp=item.created_at,
        metadata=item.metadata,
        name=cast("str | None", data.get("name", item.speaker if "role" not in data else None)),
        tool_calls=read_calls(data.get("tool_calls")),
        tool_call_id=cast("str | None", data.get("tool_call_id")),
    )
