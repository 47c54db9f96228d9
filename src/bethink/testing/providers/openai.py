"""OpenAI's API, which many others offer as well: chat completions, embeddings, models."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
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
from bethink.testing.providers.replies import Ask, Said, Stop, ToolCall, pieces, text_of, tokens
from bethink.testing.providers.schemas import Schema, loose_objects, optional_fields, unsayable
from bethink.testing.providers.vectors import in_base64

MOST_INPUTS = 2048
MODELS = ("chat-model", "embedding-model")

MOST_TOKENS = 300_000
"""In one request for embeddings."""
WINDOW = 8192
"""Tokens in one text to embed."""
_ROLES = ("system", "assistant", "user", "function", "tool", "developer")
_MOST = ("max_completion_tokens", "max_tokens")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_FINISH = {
    Stop.END: "stop",
    Stop.TOOLS: "tool_calls",
    Stop.LENGTH: "length",
    Stop.FILTER: "content_filter",
}


class OpenAI(Provider):
    """The API of OpenAI, and of all who are compatible with it."""

    complaints: ClassVar[Mapping[Fault, str]] = {
        Fault.RATE_LIMIT: "Rate limit reached for requests.",
        Fault.SERVER_ERROR: "The server had an error while processing your request.",
        Fault.OVERLOADED: "The engine is currently overloaded, please try again later.",
    }

    def routes(self) -> Mapping[str, Route]:
        return {
            "POST /v1/chat/completions": (Kind.CHAT, self.chat),
            "POST /v1/embeddings": (Kind.EMBEDDING, self.embeddings),
            "GET /v1/models": (Kind.OTHER, self.models),
        }

    def admit(self, headers: Mapping[str, str]) -> None:
        key = bearer(headers)
        if not key:
            raise Refusal(401, "You didn't provide an API key.")
        if key == WRONG_KEY:
            raise Refusal(401, f"Incorrect API key provided: {key}.", code="invalid_api_key")

    def error(self, refusal: Refusal, number: int) -> Body:  # noqa: ARG002 (it has none)
        kind = "server_error" if refusal.status >= 500 else "invalid_request_error"
        if refusal.status == 429:
            kind = "requests"
        return {
            "error": {
                "message": refusal.message,
                "type": kind,
                "param": refusal.param,
                "code": refusal.code,
            }
        }

    def headers(self, number: int) -> Mapping[str, str]:
        return {"x-request-id": f"req_{number:08}", "openai-version": "2020-10-01"}

    # --- chat completions

    def chat(self, call: Call) -> Answer:
        body = call.body
        _check_model(body)
        check_messages(body["messages"])
        check_format(body)
        _check_most(body)
        completion = call.said(_ask(body))
        head = {
            "id": f"chatcmpl-{call.number:08}",
            "created": int(time.time()),
            "model": body["model"],
            "system_fingerprint": None,
        }
        if not body.get("stream"):
            whole = {**head, "object": "chat.completion", **_whole(completion)}
            return Answer.of(whole, headers=self.headers(call.number))
        usage = bool((body.get("stream_options") or {}).get("include_usage"))
        chunks = _chunks({**head, "object": "chat.completion.chunk"}, completion, usage=usage)
        return Answer(
            parts=[*(sse(chunk) for chunk in chunks), sse("[DONE]")],
            content_type="text/event-stream; charset=utf-8",
            headers=self.headers(call.number),
        )

    # --- embeddings

    def embeddings(self, call: Call) -> Answer:
        body = call.body
        _check_model(body)
        texts = _inputs(body["input"])
        if call.is_poisoned(texts):
            raise Refusal(400, "'$.input' is invalid. Please check the API reference.")
        encode = in_base64 if body.get("encoding_format") == "base64" else list[float]
        vectors = call.vectors(texts, body.get("dimensions"))
        used = tokens(*texts)
        return Answer.of(
            {
                "object": "list",
                "data": [
                    {"object": "embedding", "index": at, "embedding": encode(vector)}
                    for at, vector in enumerate(vectors)
                ],
                "model": body["model"],
                "usage": {"prompt_tokens": used, "total_tokens": used},
            },
            headers=self.headers(call.number),
        )

    def models(self, call: Call) -> Answer:
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "you"} for name in MODELS]
        return Answer.of({"object": "list", "data": data}, headers=self.headers(call.number))


def _check_model(body: Body) -> None:
    model = body.get("model")
    if not model:
        raise Refusal(400, "you must provide a model parameter")
    if model == MISSING_MODEL:
        raise Refusal(
            404,
            f"The model `{model}` does not exist or you do not have access to it.",
            code="model_not_found",
        )


def _inputs(given: Any) -> list[str]:
    """The texts to embed; tokens stand for themselves."""
    if isinstance(given, str):
        given = [given]
    if given and isinstance(given[0], int):
        given = [given]
    if not given or not all(given):
        raise Refusal(400, "Invalid 'input': input cannot be empty.", param="input")
    if len(given) > MOST_INPUTS:
        raise Refusal(
            400,
            f"Invalid 'input': array too long. Expected an array with maximum length {MOST_INPUTS}"
            f", but got an array with length {len(given)} instead.",
            code="array_above_max_length",
            param="input",
        )
    texts = [text if isinstance(text, str) else " ".join(map(str, text)) for text in given]
    _check_tokens([tokens(text) for text in texts])
    return texts


def _check_tokens(counts: Sequence[int]) -> None:
    if max(counts) > WINDOW:
        raise Refusal(
            400,
            f"This model's maximum context length is {WINDOW} tokens, however you requested "
            f"{max(counts)} tokens ({max(counts)} in your prompt; 0 for the completion). Please "
            "reduce your prompt; or completion length.",
        )
    if sum(counts) > MOST_TOKENS:
        raise Refusal(
            400,
            f"Requested {sum(counts)} tokens, max {MOST_TOKENS} tokens per request",
            code="max_tokens_per_request",
        )


# --- what a chat request must look like


def check_messages(messages: Sequence[Body]) -> None:
    """Each tool call is answered at once, and nothing else is."""
    if not messages:
        raise Refusal(
            400,
            "Invalid 'messages': empty array. Expected an array with minimum length 1.",
            code="empty_array",
            param="messages",
        )
    open_calls: set[str] = set()
    for at, message in enumerate(messages):
        _check_message(message, at)
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                raise Refusal(
                    400,
                    "Invalid parameter: messages with role 'tool' must be a response to a "
                    "preceeding message with 'tool_calls'.",
                    param=f"messages.[{at}].role",
                )
            open_calls.remove(message["tool_call_id"])
            continue
        _check_answered(open_calls)
        open_calls = {_checked_call(tool, at) for tool in message.get("tool_calls") or ()}
    _check_answered(open_calls)


def _check_message(message: Body, at: int) -> None:
    role = message["role"]
    if role not in _ROLES:
        raise Refusal(
            400,
            f"Invalid value: '{role}'. Supported values are: {', '.join(map(repr, _ROLES))}.",
            code="invalid_value",
            param=f"messages[{at}].role",
        )
    said_otherwise = role in {"assistant", "function"} and set(message) - {"role", "content"}
    if message.get("content") is None and not said_otherwise:
        raise Refusal(
            400,
            "Invalid value for 'content': expected a string, got null.",
            param=f"messages.[{at}].content",
        )


def _check_most(body: Body) -> None:
    for name in _MOST:
        if body.get(name) is not None and body[name] < 1:
            raise Refusal(
                400,
                f"Invalid '{name}': integer below minimum value. Expected a value >= 1, but got "
                f"{body[name]} instead.",
                code="integer_below_min_value",
                param=name,
            )


def _check_answered(open_calls: set[str]) -> None:
    if open_calls:
        raise Refusal(
            400,
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            + ", ".join(sorted(open_calls)),
            param="messages",
        )


def _checked_call(tool: Body, at: int) -> str:
    if not isinstance(tool["function"]["arguments"], str):
        where = f"messages[{at}].tool_calls[0].function.arguments"
        raise Refusal(
            400,
            f"Invalid type for '{where}': expected a string, but got an object instead.",
            code="invalid_type",
            param=where,
        )
    return str(tool["id"])


def check_format(body: Body) -> None:
    """What is asked for in JSON is asked for in the way that the API demands."""
    asked = body.get("response_format") or {}
    if asked.get("type") == "json_object" and "json" not in json.dumps(body["messages"]).lower():
        raise Refusal(
            400,
            "'messages' must contain the word 'json' in some form, to use 'response_format' of "
            "type 'json_object'.",
            param="messages",
        )
    if asked.get("type") == "json_schema":
        _check_strict(asked["json_schema"], "schema", "response_format")
    for at, tool in enumerate(body.get("tools") or ()):
        _check_tool_name(tool["function"].get("name"), f"tools[{at}].function.name")
        _check_strict(tool["function"], "parameters", "function")


def _check_tool_name(name: Any, where: str) -> None:
    if name and not _TOOL_NAME.fullmatch(name):
        raise Refusal(
            400,
            f"Invalid '{where}': string does not match pattern. Expected a string that matches "
            "the pattern '^[a-zA-Z0-9_-]+$'.",
            code="invalid_value",
            param=where,
        )


def _check_strict(named: Body, key: str, what: str) -> None:
    """A strict schema allows nothing that it does not name, and lets nothing be left out."""
    if not named.get("name"):
        raise Refusal(
            400, f"Missing required parameter: '{what}.name'.", code="missing_required_parameter"
        )
    if not named.get("strict"):
        return
    schema = named.get(key) or {}
    if schema.get("type") != "object":
        got = json.dumps(schema.get("type", "None"))
        problem = f"schema must be a JSON Schema of 'type: \"object\"', got 'type: {got}'"
        raise Refusal(400, f"Invalid schema for {what} '{named['name']}': {problem}.", param=what)
    for place, problem in unsayable(schema):
        raise _bad_schema(what, named["name"], place, problem)
    for place, _ in loose_objects(schema):
        problem = "'additionalProperties' is required to be supplied and to be false"
        raise _bad_schema(what, named["name"], place, problem)
    for place, name in optional_fields(schema):
        problem = f"'required' is required to include every key in properties. Missing '{name}'"
        raise _bad_schema(what, named["name"], place, problem)


def _bad_schema(what: str, name: str, place: str, problem: str) -> Refusal:
    context = tuple(place.split("/")[1:])
    return Refusal(
        400,
        f"Invalid schema for {what} '{name}': In context={context}, {problem}.",
        param=what,
    )


# --- what it asks for, and how it is answered


def _ask(body: Body) -> Ask:
    messages = body["messages"]
    users = [message for message in messages if message["role"] == "user"]
    asked = body.get("response_format") or {}
    schema: Schema | None = None
    if asked.get("type") in {"json_schema", "json_object"}:
        schema = asked.get("json_schema", {}).get("schema", {"type": "object"})
    return Ask(
        prompt="\n".join(text_of(message.get("content")) for message in messages),
        last=text_of(users[-1].get("content")) if users else "",
        schema=schema,
        tool=_forced_tool(body),
        most=next((body[name] for name in _MOST if body.get(name)), None),
    )


def _forced_tool(body: Body) -> tuple[str, Schema] | None:
    functions = [tool["function"] for tool in body.get("tools") or ()]
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        functions = [one for one in functions if one["name"] == choice["function"]["name"]]
    elif choice != "required":
        return None
    return functions[0]["name"], functions[0].get("parameters", {"type": "object"})


def _usage(completion: Said) -> Body:
    return {
        "prompt_tokens": completion.input_tokens,
        "completion_tokens": completion.output_tokens,
        "total_tokens": completion.input_tokens + completion.output_tokens,
    }


def _whole(completion: Said) -> Body:
    message: Body = {"role": "assistant", "content": completion.text or None, "refusal": None}
    if completion.tool_calls:
        message["tool_calls"] = [_tool_call(call) for call in completion.tool_calls]
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": _FINISH.get(completion.stop),
    }
    choices = [] if completion.stop is Stop.NOTHING else [choice]
    return {"choices": choices, "usage": _usage(completion)}


def _tool_call(call: ToolCall) -> Body:
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    return {"id": call["id"], "type": "function", "function": function}


def _chunks(head: Body, completion: Said, *, usage: bool) -> Iterator[Body]:
    used = {"usage": None} if usage else {}
    if completion.stop is not Stop.NOTHING:
        for delta in _deltas(completion):
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
            yield {**head, "choices": [choice], **used}
        finish = {"index": 0, "delta": {}, "logprobs": None}
        choice = {**finish, "finish_reason": _FINISH[completion.stop]}
        yield {**head, "choices": [choice], **used}
    if usage:
        yield {**head, "choices": [], "usage": _usage(completion)}


def _deltas(completion: Said) -> Iterator[Body]:
    yield {"role": "assistant", "content": "", "refusal": None}
    for piece in pieces(completion.text):
        yield {"content": piece}
    for at, call in enumerate(completion.tool_calls):
        function = {"name": call["name"], "arguments": ""}
        begun = {"index": at, "id": call["id"], "type": "function", "function": function}
        yield {"tool_calls": [begun]}
        for piece in pieces(json.dumps(call["arguments"])):
            yield {"tool_calls": [{"index": at, "function": {"arguments": piece}}]}
