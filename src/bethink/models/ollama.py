"""Ollama: language models and embeddings from a server that is usually one's own."""

import os
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from bethink.models.ask import Ask
from bethink.models.base import Prices, Reply, Stop, Usage
from bethink.models.batches import Limits
from bethink.models.embedding import Embedded, RemoteEmbedder
from bethink.models.extras import needed
from bethink.models.failures import StatusError, Unusable
from bethink.models.keys import Key
from bethink.models.policy import Policy
from bethink.models.talk import RemoteLLM, tool_calls, tool_schema
from bethink.types import Message

EXTRA = "ollama"
KEY = "OLLAMA_API_KEY"
URL = "OLLAMA_HOST"
LIMITS = Limits(texts=512, tokens=100_000, window=2048)
"""Ollama itself sets none but the model's window; these keep a request to some seconds."""


class OllamaEmbedder(RemoteEmbedder):
    """Embeds with Ollama.

    Args:
        model: As Ollama calls it, such as ``nomic-embed-text``.
        api_key: Read from ``OLLAMA_API_KEY`` if not given; one's own server needs none.
        base_url: The server's address; ``OLLAMA_HOST`` or this machine if not given.
        dimension: Ask for vectors of this length, if the model can make others than its own.
        window: How many tokens the model reads at once. Longer texts are embedded in parts.
        policy: How it is called.
        prices: What a million tokens cost.
    """

    extra, packages = EXTRA, ("ollama",)

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        dimension: int | None = None,
        window: int = LIMITS.window,
        policy: Policy | None = None,
        prices: Prices | None = None,
    ) -> None:
        key = Key.find(api_key, KEY)
        policy = policy or Policy()
        host = base_url or os.environ.get(URL)
        super().__init__(
            f"ollama:{model}",
            lambda: _Embedding(model, key, host, policy.timeout, dimension),
            key=key,
            policy=policy,
            prices=prices,
        )
        self.known_dimension = dimension
        self.limits = Limits(LIMITS.texts, LIMITS.tokens, window)


class OllamaLLM(RemoteLLM):
    """Answers with Ollama.

    Args:
        model: As Ollama calls it, such as ``qwen3``.
        api_key: Read from ``OLLAMA_API_KEY`` if not given; one's own server needs none.
        base_url: The server's address; ``OLLAMA_HOST`` or this machine if not given.
        policy: How it is called.
        prices: What a million tokens cost.
    """

    extra, packages = EXTRA, ("ollama",)

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        policy: Policy | None = None,
        prices: Prices | None = None,
    ) -> None:
        key = Key.find(api_key, KEY)
        policy = policy or Policy()
        host = base_url or os.environ.get(URL)
        super().__init__(
            f"ollama:{model}",
            lambda: _Chat(model, key, host, policy.timeout),
            key=key,
            policy=policy,
            prices=prices,
        )


class _Client:
    def __init__(self, model: str, key: Key, host: str | None, timeout: float) -> None:
        self._model = model
        headers = {"authorization": f"Bearer {key.reveal()}"} if key else {}
        self._ollama = needed("ollama", EXTRA).AsyncClient(
            host, timeout=timeout, headers=headers, event_hooks={"response": [_refuse]}
        )

    async def close(self) -> None:
        await self._ollama.close()


async def _refuse(response: Any) -> None:
    """The client's own error has no headers, and with them no Retry-After."""
    if response.is_error:
        await response.aread()
        try:
            said = response.json()
        except ValueError:
            said = response.text
        raise StatusError(response.status_code, response.headers, said)


class _Embedding(_Client):
    def __init__(
        self, model: str, key: Key, host: str | None, timeout: float, dimension: int | None
    ) -> None:
        super().__init__(model, key, host, timeout)
        self._dimension = dimension

    async def embed(self, texts: list[str], *, query: bool) -> Embedded:  # noqa: ARG002
        # A text that is too long is to be refused: by itself, Ollama drops what does not fit.
        answer = await self._ollama.embed(
            model=self._model, input=texts, truncate=False, dimensions=self._dimension
        )
        return Embedded(answer.embeddings, answer.prompt_eval_count or 0)


class _Chat(_Client):
    async def complete(self, ask: Ask) -> Reply:
        heard = _Heard()
        heard.add(await self._ollama.chat(**self._request(ask)))
        return heard.reply()

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Reply, None]:
        heard = _Heard()
        async for part in await self._ollama.chat(**self._request(ask), stream=True):
            heard.add(part)
            yield part.message.content or ""
        yield heard.reply()

    def _request(self, ask: Ask) -> dict[str, Any]:
        options: dict[str, Any] = {"num_predict": ask.max_tokens}
        if ask.temperature is not None:
            options["temperature"] = ask.temperature
        return {
            "model": self._model,
            "messages": _shaped(ask.messages),
            "tools": [tool_schema(tool) for tool in ask.tools],
            "format": None if ask.schema is None else dict(ask.schema),
            "options": options,
        }


def _shaped(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages as Ollama takes them: a tool's answer has the tool's name, and no id.

    The name is that of the last call before it with its id, which need not be the only one.
    """
    names: dict[str, str] = {}
    made = []
    for message in messages:
        names |= {call.id: call.name for call in message.tool_calls}
        made.append(_message(message, names))
    return made


def _message(message: Message, names: dict[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        made["tool_calls"] = [
            {"function": {"name": call.name, "arguments": dict(call.arguments)}}
            for call in message.tool_calls
        ]
    if message.role == "tool" and message.tool_call_id in names:
        made["tool_name"] = names[message.tool_call_id]
    return made


class _Heard:
    """An answer as it comes, whole or in pieces."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._last: Any = None

    def add(self, part: Any) -> None:
        self._text.append(part.message.content or "")
        for call in part.message.tool_calls or ():
            known = getattr(call, "id", None)
            self._calls.append(
                {
                    "id": known,
                    "name": call.function.name,
                    "arguments": dict(call.function.arguments),
                }
            )
        self._last = part

    def reply(self) -> Reply:
        last = self._last
        if last is None or not last.done:
            raise Unusable("stopped in the middle of its answer.")
        calls = tool_calls(self._calls)
        ended: Stop = "length" if last.done_reason == "length" else "end"
        return Reply(
            "".join(self._text),
            calls,
            "tools" if calls else ended,
            Usage(1, last.prompt_eval_count or 0, last.eval_count or 0),
        )
