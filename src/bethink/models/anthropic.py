"""Anthropic: language models."""

import os
from collections.abc import AsyncGenerator
from typing import Any

from bethink.errors import UsageError
from bethink.models.ask import Ask
from bethink.models.base import Prices, Reply, Schema, Stop, Usage
from bethink.models.extras import needed
from bethink.models.failures import Unusable, Withheld
from bethink.models.keys import Key
from bethink.models.policy import Policy
from bethink.models.remote import key_for
from bethink.models.talk import RemoteLLM, tool_calls
from bethink.wire import shaped, system_of

EXTRA = "anthropic"
KEY = "ANTHROPIC_API_KEY"
URL = "ANTHROPIC_BASE_URL"
_STOPS: dict[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tools",
}


class AnthropicLLM(RemoteLLM):
    """Answers with Claude.

    Args:
        model: As Anthropic calls it, such as ``claude-sonnet-4-5``.
        api_key: Read from ``ANTHROPIC_API_KEY`` if not given.
        base_url: Another address that speaks the same language.
        policy: How it is called.
        prices: What a million tokens cost.
    """

    extra, packages = EXTRA, ("anthropic",)

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        policy: Policy | None = None,
        prices: Prices | None = None,
    ) -> None:
        key = key_for("anthropic", api_key, KEY)
        policy = policy or Policy()
        base_url = base_url or os.environ.get(URL)
        super().__init__(
            f"anthropic:{model}",
            lambda: _Client(model, key, base_url, policy.timeout),
            key=key,
            policy=policy,
            prices=prices,
        )

    def takes_schema(self, schema: Schema) -> bool:
        if not super().takes_schema(schema) or "definitions" in schema:
            return False
        try:
            needed("anthropic", EXTRA).transform_schema(dict(schema))
        except (ValueError, AssertionError):
            return False
        return True


class _Client:
    def __init__(self, model: str, key: Key, base_url: str | None, timeout: float) -> None:
        self._model = model
        self._package = needed("anthropic", EXTRA)
        self._anthropic = self._package.AsyncAnthropic(
            api_key=key.reveal(), base_url=base_url, timeout=timeout, max_retries=0
        )

    async def close(self) -> None:
        await self._anthropic.close()

    async def complete(self, ask: Ask) -> Reply:
        return _reply(await self._anthropic.messages.create(**self._request(ask)))

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Reply, None]:
        async with self._anthropic.messages.stream(**self._request(ask)) as stream:
            async for event in stream:
                yield event.text if event.type == "text" else ""
            yield _reply(await stream.get_final_message())

    def _request(self, ask: Ask) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._model,
            "messages": shaped(ask.messages, "anthropic"),
            "max_tokens": ask.max_tokens,
        }
        if system := system_of(ask.messages):
            request["system"] = system
        if ask.temperature is not None:  # the client has no name for it any more
            request["extra_body"] = {"temperature": ask.temperature}
        if ask.tools:
            request["tools"] = [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "input_schema": dict(tool.parameters),
                }
                for tool in ask.tools
            ]
        if ask.schema is not None:
            request["output_config"] = {"format": self._format(dict(ask.schema))}
        return request

    def _format(self, schema: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"type": "json_schema", "schema": self._package.transform_schema(schema)}
        except (ValueError, AssertionError) as error:
            raise UsageError(f"Anthropic does not take this schema: {error}") from None


def _reply(message: Any) -> Reply:
    if message.stop_reason is None:
        raise Unusable("stopped in the middle of its answer.")
    if message.stop_reason == "refusal":
        raise Withheld("the model refused")
    said = [block.text for block in message.content if block.type == "text"]
    calls = tool_calls(
        {"id": block.id, "name": block.name, "arguments": block.input}
        for block in message.content
        if block.type == "tool_use"
    )
    stop = "tools" if calls else _STOPS.get(message.stop_reason, "end")
    used = message.usage
    read = (used.cache_creation_input_tokens or 0) + (used.cache_read_input_tokens or 0)
    return Reply("".join(said), calls, stop, Usage(1, used.input_tokens + read, used.output_tokens))
