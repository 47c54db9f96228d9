"""Ollama's API: chat, embeddings and what it has; it asks for no key."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import ClassVar

from bethink.testing.providers.faults import Fault, Kind
from bethink.testing.providers.provider import (
    MISSING_MODEL,
    Answer,
    Body,
    Call,
    Provider,
    Refusal,
    Route,
)
from bethink.testing.providers.replies import Ask, Said, Stop, pieces, text_of, tokens

VERSION = "0.30.0"
MODELS = ("chat-model:latest", "embedding-model:latest")


class Ollama(Provider):
    """Streams unless told not to."""

    base: ClassVar[str] = ""
    complaints: ClassVar[Mapping[Fault, str]] = {
        Fault.RATE_LIMIT: "too many requests",
        Fault.SERVER_ERROR: "llama runner process has terminated",
        Fault.OVERLOADED: "server busy, please try again.  maximum pending requests exceeded",
    }

    def routes(self) -> Mapping[str, Route]:
        return {
            "POST /api/chat": (Kind.CHAT, self.chat),
            "POST /api/embed": (Kind.EMBEDDING, self.embed),
            "GET /api/tags": (Kind.OTHER, self.tags),
            "GET /api/version": (Kind.OTHER, self.version),
        }

    def admit(self, headers: Mapping[str, str]) -> None:
        pass

    def error(self, refusal: Refusal, number: int) -> Body:  # noqa: ARG002 (it has none)
        return {"error": refusal.message}

    def chat(self, call: Call) -> Answer:
        body = call.body
        _check_model(body)
        completion = call.said(_ask(body))
        head = {"model": body["model"], "created_at": _now()}
        if not call.request.streamed:
            message = {"role": "assistant", "content": completion.text, **_tools(completion)}
            return Answer.of({**head, "message": message, **_end(completion)})
        lines = _lines(head, completion)
        return Answer(
            parts=[json.dumps(line).encode() + b"\n" for line in lines],
            content_type="application/x-ndjson",
        )

    def embed(self, call: Call) -> Answer:
        """The vectors; for no text there are none, and that is no error."""
        body = call.body
        _check_model(body)
        given = body.get("input") or []
        texts = [given] if isinstance(given, str) else given
        if not all(isinstance(text, str) for text in texts):
            raise Refusal(400, "invalid input type")
        if call.is_poisoned(texts):
            raise Refusal(400, "the input length exceeds the context length")
        return Answer.of(
            {
                "model": body["model"],
                "embeddings": call.vectors(texts, body.get("dimensions")),
                "total_duration": 1_000_000,
                "load_duration": 100_000,
                "prompt_eval_count": tokens(*texts),
            }
        )

    def tags(self, call: Call) -> Answer:  # noqa: ARG002 (a route takes a call)
        models = [{"name": name, "model": name, **_MODEL} for name in MODELS]
        return Answer.of({"models": models})

    def version(self, call: Call) -> Answer:  # noqa: ARG002 (a route takes a call)
        return Answer.of({"version": VERSION})


_MODEL: Body = {
    "modified_at": "2024-05-17T12:00:00Z",
    "size": 1_000_000,
    "digest": "0" * 64,
    "details": {
        "parent_model": "",
        "format": "gguf",
        "family": "test",
        "families": ["test"],
        "parameter_size": "1M",
        "quantization_level": "F16",
    },
}


def _check_model(body: Body) -> None:
    model = body.get("model")
    if not model:
        raise Refusal(400, "model is required")
    if model == MISSING_MODEL:
        raise Refusal(404, f"model '{model}' not found")


def _ask(body: Body) -> Ask:
    messages = body.get("messages") or []
    users = [message for message in messages if message["role"] == "user"]
    asked = body.get("format")
    most = (body.get("options") or {}).get("num_predict", -1)
    return Ask(
        prompt="\n".join(text_of(message.get("content")) for message in messages),
        last=text_of(users[-1].get("content")) if users else "",
        schema={"type": "object"} if asked == "json" else asked or None,
        most=most if most > 0 else None,
    )


def _tools(completion: Said) -> Body:
    calls = [
        {"id": call["id"], "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in completion.tool_calls
    ]
    return {"tool_calls": calls} if calls else {}


def _lines(head: Body, completion: Said) -> Iterator[Body]:
    for piece in pieces(completion.text):
        yield {**head, "message": {"role": "assistant", "content": piece}, "done": False}
    if completion.tool_calls:
        message = {"role": "assistant", "content": "", **_tools(completion)}
        yield {**head, "message": message, "done": False}
    yield {**head, "message": {"role": "assistant", "content": ""}, **_end(completion)}


def _end(completion: Said) -> Body:
    return {
        "done": True,
        "done_reason": "length" if completion.stop is Stop.LENGTH else "stop",
        "total_duration": 1_000_000,
        "load_duration": 100_000,
        "prompt_eval_count": completion.input_tokens,
        "prompt_eval_duration": 100_000,
        "eval_count": completion.output_tokens,
        "eval_duration": 800_000,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")
