"""Anthropic's API: messages, streams of them, and counting tokens."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar

from bethink.testing.providers.faults import Fault, Kind
from bethink.testing.providers.provider import (
    MISSING_MODEL,
    WRONG_KEY,
    Answer,
    Body,
    Call,
    Provider,
    Refusal,
    Route,
    bearer,
    sse,
)
from bethink.testing.providers.replies import Ask, Said, Stop, pieces, text_of, tokens
from bethink.testing.providers.schemas import Schema, loose_objects

_TOOL_NAME = re.compile("[a-zA-Z0-9_-]{1,128}")
_STOP = {
    Stop.END: "end_turn",
    Stop.TOOLS: "tool_use",
    Stop.LENGTH: "max_tokens",
    Stop.FILTER: "refusal",
    Stop.NOTHING: "end_turn",
}
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class Anthropic(Provider):
    """The Messages API."""

    base: ClassVar[str] = ""
    overloaded: ClassVar[int] = 529
    complaints: ClassVar[Mapping[Fault, str]] = {
        Fault.RATE_LIMIT: "This request would exceed your organization's rate limit.",
        Fault.SERVER_ERROR: "Internal server error",
        Fault.OVERLOADED: "Overloaded",
    }

    def routes(self) -> Mapping[str, Route]:
        return {
            "POST /v1/messages": (Kind.CHAT, self.messages),
            "POST /v1/messages/count_tokens": (Kind.OTHER, self.count_tokens),
        }

    def admit(self, headers: Mapping[str, str]) -> None:
        key = headers.get("x-api-key") or bearer(headers)
        if not key:
            raise Refusal(401, "x-api-key header is required")
        if key == WRONG_KEY:
            raise Refusal(401, "invalid x-api-key")
        if "anthropic-version" not in headers:
            raise Refusal(400, "anthropic-version: header is required")

    def error(self, refusal: Refusal, number: int) -> Body:
        kind = _TYPES.get(refusal.status, "api_error")
        return {
            "type": "error",
            "error": {"type": kind, "message": refusal.message},
            "request_id": f"req_{number:08}",
        }

    def headers(self, number: int) -> Mapping[str, str]:
        return {"request-id": f"req_{number:08}"}

    def messages(self, call: Call) -> Answer:
        body = call.body
        if "max_tokens" not in body:
            raise Refusal(400, "max_tokens: Field required")
        if body["max_tokens"] < 0:
            raise Refusal(400, "max_tokens: Input should be greater than or equal to 0")
        _check(body)
        completion = call.said(_ask(body))
        message = _message(completion, f"msg_{call.number:08}", body["model"])
        if not body.get("stream"):
            return Answer.of(message, headers=self.headers(call.number))
        return Answer(
            parts=[sse(event, event["type"]) for event in _events(message)],
            content_type="text/event-stream; charset=utf-8",
            headers=self.headers(call.number),
        )

    def count_tokens(self, call: Call) -> Answer:
        _check(call.body)
        used = tokens(_ask(call.body).prompt)
        return Answer.of({"input_tokens": used}, headers=self.headers(call.number))


# --- what a request must look like


def _check(body: Body) -> None:
    if not body.get("model"):
        raise Refusal(400, "model: Field required")
    if body["model"] == MISSING_MODEL:
        raise Refusal(404, f"model: {body['model']}")
    check_messages(body["messages"])
    for at, tool in enumerate(body.get("tools") or ()):
        _check_tool(tool, at)
    asked = (body.get("output_config") or {}).get("format") or {}
    for _ in loose_objects(asked.get("schema", {})):
        raise Refusal(
            400,
            "output_config.format.schema: For 'object' type, 'additionalProperties' must be "
            "explicitly set to false",
        )


def _check_tool(tool: Body, at: int) -> None:
    """A tool of the caller's own has a plain name and a schema."""
    if tool.get("type", "custom") != "custom":
        return
    if not _TOOL_NAME.fullmatch(tool.get("name", "")):
        raise Refusal(
            400, f"tools.{at}.custom.name: String should match pattern '^{_TOOL_NAME.pattern}$'"
        )
    if "input_schema" not in tool:
        raise Refusal(400, f"tools.{at}.custom.input_schema: Field required")


def check_messages(messages: Sequence[Body]) -> None:
    """The user begins, nobody says nothing, and each use of a tool gets its result at once."""
    if not messages:
        raise Refusal(400, "messages: at least one message is required")
    if messages[0]["role"] != "user":
        raise Refusal(400, 'messages: first message must use the "user" role')
    for at, message in enumerate(messages):
        if message["role"] not in {"user", "assistant", "system"}:
            raise Refusal(400, f'messages: Unexpected role "{message["role"]}".')
        _check_content(message, at, last=at == len(messages) - 1)
    used: list[str] = []
    for at, (role, blocks) in enumerate(_turns(messages)):
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        _check_results(used, results, blocks, at)
        used = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if used and role != "assistant":
            raise Refusal(
                400, f"messages.{at}: `tool_use` blocks can only be in `assistant` messages"
            )
    if used:
        raise _without_result(used, len(messages) - 1)
    _check_ids(messages)


def _check_ids(messages: Sequence[Body]) -> None:
    blocks = [block for message in messages for block in _blocks(message["content"])]
    ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
    if len(set(ids)) < len(ids):
        raise Refusal(400, "messages: `tool_use` ids must be unique")


def _check_content(message: Body, at: int, *, last: bool) -> None:
    content = message["content"]
    if not content and not (last and message["role"] == "assistant"):
        raise Refusal(400, f"messages.{at}: {message['role']} messages must have non-empty content")
    texts = [block["text"] for block in _blocks(content) if block["type"] == "text"]
    if not all(texts):
        raise Refusal(400, "messages: text content blocks must be non-empty")
    if not all(map(str.strip, texts)):
        raise Refusal(400, "messages: text content blocks must contain non-whitespace text")
    if last and message["role"] == "assistant" and texts and texts[-1] != texts[-1].rstrip():
        raise Refusal(400, "messages: final assistant content cannot end with trailing whitespace")


def _check_results(used: Sequence[str], results: list[str], blocks: list[Body], at: int) -> None:
    """The results of the tools used in the turn before come first, and no others come."""
    first = [block.get("tool_use_id") for block in blocks[: len(results)]]
    missing = [id_ for id_ in used if id_ not in first]
    if missing:
        raise _without_result(missing, at - 1)
    strange = [id_ for id_ in results if id_ not in used]
    if strange:
        raise Refusal(
            400,
            f"messages.{at}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: "
            f"{', '.join(strange)}. Each `tool_result` block must have a corresponding `tool_use` "
            "block in the previous message.",
        )


def _without_result(ids: Sequence[str], at: int) -> Refusal:
    return Refusal(
        400,
        f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately "
        f"after: {', '.join(ids)}. Each `tool_use` block must have a corresponding `tool_result` "
        "block in the next message.",
    )


def _turns(messages: Sequence[Body]) -> Iterator[tuple[str, list[Body]]]:
    """What was said in turn: messages of the same role are one."""
    spoken = [message for message in messages if message["role"] != "system"]
    for role, together in groupby(spoken, key=lambda message: str(message["role"])):
        yield role, [block for message in together for block in _blocks(message["content"])]


def _blocks(content: Any) -> list[Body]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


# --- what it asks for, and how it is answered


def _ask(body: Body) -> Ask:
    messages = body["messages"]
    users = [message for message in messages if message["role"] == "user"]
    asked = (body.get("output_config") or {}).get("format") or {}
    said = [text_of(message["content"]) for message in messages]
    return Ask(
        prompt="\n".join([text_of(body.get("system")), *said]),
        last=text_of(users[-1]["content"]),
        schema=asked.get("schema"),
        tool=_forced_tool(body),
        most=body.get("max_tokens") or None,
    )


def _forced_tool(body: Body) -> tuple[str, Schema] | None:
    tools = body.get("tools") or []
    choice = body.get("tool_choice") or {}
    if choice.get("type") == "tool":
        tools = [tool for tool in tools if tool["name"] == choice["name"]]
    elif choice.get("type") != "any":
        return None
    return tools[0]["name"], tools[0]["input_schema"]


def _message(completion: Said, id_: str, model: str) -> Body:
    blocks: list[Body] = [{"type": "text", "text": completion.text}] if completion.text else []
    for call in completion.tool_calls:
        use = {"id": call["id"], "name": call["name"], "input": call["arguments"]}
        blocks.append({"type": "tool_use", **use})
    filtered = completion.stop is Stop.FILTER
    details = {"type": "refusal", "category": None, "explanation": None} if filtered else None
    return {
        "id": id_,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": _STOP[completion.stop],
        "stop_sequence": None,
        "stop_details": details,
        "usage": {
            "input_tokens": completion.input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": completion.output_tokens,
        },
    }


def _events(message: Body) -> Iterator[Body]:
    begun: Body = {
        "content": [],
        "stop_reason": None,
        "usage": {**message["usage"], "output_tokens": 1},
    }
    yield {"type": "message_start", "message": {**message, **begun, "stop_details": None}}
    yield {"type": "ping"}
    for at, block in enumerate(message["content"]):
        empty: Body = {"text": ""} if block["type"] == "text" else {"input": {}}
        yield {"type": "content_block_start", "index": at, "content_block": {**block, **empty}}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": at, "delta": delta}
        yield {"type": "content_block_stop", "index": at}
    ended = ("stop_reason", "stop_sequence", "stop_details")
    delta = {key: message[key] for key in ended}
    yield {"type": "message_delta", "delta": delta, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _deltas(block: Body) -> Iterator[Body]:
    if block["type"] == "text":
        for piece in pieces(block["text"]):
            yield {"type": "text_delta", "text": piece}
        return
    for piece in ("", *pieces(json.dumps(block["input"]))):
        yield {"type": "input_json_delta", "partial_json": piece}
