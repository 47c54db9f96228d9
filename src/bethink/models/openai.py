"""OpenAI, and everyone who speaks its language: Nebius by name, others by their address."""

import base64
import os
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from bethink.models.ask import Ask
from bethink.models.base import Prices, Reply, Schema, Stop, Usage
from bethink.models.batches import Limits
from bethink.models.embedding import Embedded, RemoteEmbedder
from bethink.models.extras import needed
from bethink.models.failures import Unusable, Withheld
from bethink.models.keys import Key
from bethink.models.policy import Policy
from bethink.models.remote import key_for
from bethink.models.schemas import closed
from bethink.models.talk import RemoteLLM, tool_calls, tool_schema
from bethink.wire import shaped

EXTRA = "openai"
KEY = "OPENAI_API_KEY"
URL = "OPENAI_BASE_URL"
NEBIUS_KEY = "NEBIUS_API_KEY"
NEBIUS_URL = "https://api.tokenfactory.nebius.com/v1/"
_THEIRS = ("api.openai.com", urlsplit(NEBIUS_URL).hostname)
LIMITS = Limits(texts=2048, tokens=300_000, window=8191)
_NO_KEY = "none"
"""What a server without keys is sent: the client insists on one."""
_STOPS: dict[str, Stop] = {
    "stop": "end",
    "length": "length",
    "tool_calls": "tools",
    "function_call": "tools",
}


def _credentials(who: str, given: str | None, base_url: str | None) -> tuple[Key, str | None]:
    """The key and the address. OpenAI's key in the environment is for no address in the code."""
    if who == "nebius":
        return key_for(who, given, NEBIUS_KEY), base_url or NEBIUS_URL
    if base_url:
        return Key(given), base_url
    base_url = os.environ.get(URL)
    return (Key.find(given, KEY) if base_url else key_for(who, given, KEY)), base_url


def _place(base_url: str | None) -> str:
    """Where a server is, for a name: nothing if it is the provider's own.

    No more than host and port: some addresses have a key in their path.
    """
    if base_url is None:
        return ""
    url = urlsplit(base_url)
    with suppress(ValueError):  # a port that is none: the client says so when it is made
        return "" if url.hostname in _THEIRS else f"@{url.hostname}:{url.port or ''}".rstrip(":")
    return f"@{url.hostname}"


class _Client:
    def __init__(self, model: str, key: Key, base_url: str | None, timeout: float) -> None:
        self._model = model
        self._openai = needed("openai", EXTRA).AsyncOpenAI(
            api_key=key.reveal() or _NO_KEY, base_url=base_url, timeout=timeout, max_retries=0
        )

    async def close(self) -> None:
        await self._openai.close()


class OpenAIEmbedder(RemoteEmbedder):
    """Embeds with OpenAI, or with any server that speaks its language.

    Args:
        model: As the provider calls it, such as ``text-embedding-3-small``.
        api_key: Read from ``OPENAI_API_KEY`` if neither it nor a `base_url` is given.
        base_url: The server's address, if it is not OpenAI.
        dimension: Ask for vectors of this length, if the model can make others than its own.
        name: Names the vectors. ``openai:`` and the model if not given, and the server's address
            if there is a `base_url`: two servers may call two models the same.
        limits: What the server takes at once, if that is not what OpenAI takes.
        policy: How it is called.
        prices: What a million tokens cost.
    """

    extra, packages = EXTRA, ("openai",)
    who = "openai"

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        dimension: int | None = None,
        name: str | None = None,
        limits: Limits = LIMITS,
        policy: Policy | None = None,
        prices: Prices | None = None,
    ) -> None:
        key, base_url = _credentials(self.who, api_key, base_url)
        policy = policy or Policy()
        place = _place(base_url)
        model = model.removesuffix(place)  # a name that was kept is the name of this model, too
        super().__init__(
            name or f"{self.who}:{model}{place}",
            lambda: _Embedding(model, key, base_url, policy.timeout, dimension),
            key=key,
            policy=policy,
            prices=prices,
        )
        self.known_dimension = dimension
        self.limits = limits


class _Embedding(_Client):
    def __init__(
        self, model: str, key: Key, base_url: str | None, timeout: float, dimension: int | None
    ) -> None:
        super().__init__(model, key, base_url, timeout)
        self._settings = {} if dimension is None else {"dimensions": dimension}

    async def embed(self, texts: list[str], *, query: bool) -> Embedded:  # noqa: ARG002
        # Asked for as such, base64 is not unpacked into lists of floats, which take ten times the
        # room. A server that knows no base64 sends lists.
        answer = await self._openai.embeddings.create(
            model=self._model, input=texts, encoding_format="base64", **self._settings
        )
        if answer.data is None:
            raise Unusable("returned no vectors.")
        rows = sorted(answer.data, key=lambda row: row.index)
        tokens = answer.usage.prompt_tokens if answer.usage else 0
        return Embedded([_vector(row.embedding) for row in rows], tokens)


def _vector(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return np.frombuffer(base64.b64decode(value), np.dtype("<f4"))


class OpenAILLM(RemoteLLM):
    """Answers with OpenAI, or with any server that speaks its language.

    Args:
        model: As the provider calls it.
        api_key: Read from ``OPENAI_API_KEY`` if neither it nor a `base_url` is given.
        base_url: The server's address, if it is not OpenAI.
        native_schemas: Whether the server keeps to a JSON schema by itself.
        policy: How it is called.
        prices: What a million tokens cost.
    """

    extra, packages = EXTRA, ("openai",)
    who = "openai"

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        native_schemas: bool = True,
        policy: Policy | None = None,
        prices: Prices | None = None,
    ) -> None:
        key, base_url = _credentials(self.who, api_key, base_url)
        policy = policy or Policy()
        theirs = base_url is None
        super().__init__(
            f"{self.who}:{model}",
            lambda: _Chat(model, key, base_url, policy.timeout, theirs=theirs),
            key=key,
            policy=policy,
            prices=prices,
        )
        self.native_schemas = native_schemas


class NebiusEmbedder(OpenAIEmbedder):
    """The same with Nebius; the key is read from ``NEBIUS_API_KEY``."""

    who = "nebius"


class NebiusLLM(OpenAILLM):
    """The same with Nebius; the key is read from ``NEBIUS_API_KEY``."""

    who = "nebius"


class _Chat(_Client):
    def __init__(
        self, model: str, key: Key, base_url: str | None, timeout: float, *, theirs: bool
    ) -> None:
        super().__init__(model, key, base_url, timeout)
        # OpenAI has renamed it, and its newer models know the new name only; others know the old.
        self._most = "max_completion_tokens" if theirs else "max_tokens"

    async def complete(self, ask: Ask) -> Reply:
        answer = await self._openai.chat.completions.create(**self._request(ask))
        if not answer.choices:
            raise Unusable("returned no answer.")
        choice = answer.choices[0]
        heard = _Heard()
        heard.add(choice.message, choice.finish_reason)
        heard.count(answer.usage)
        return heard.reply()

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Reply, None]:
        heard = _Heard()
        chunks = await self._openai.chat.completions.create(
            **self._request(ask), stream=True, stream_options={"include_usage": True}
        )
        async with chunks:
            async for chunk in chunks:
                heard.count(chunk.usage)
                for choice in chunk.choices[:1]:
                    heard.add(choice.delta, choice.finish_reason)
                    yield choice.delta.content or ""
        yield heard.reply()

    def _request(self, ask: Ask) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._model,
            "messages": shaped(ask.messages, "openai"),
            self._most: ask.max_tokens,
        }
        if ask.temperature is not None:
            request["temperature"] = ask.temperature
        if ask.tools:
            request["tools"] = [tool_schema(tool) for tool in ask.tools]
        if ask.schema is not None:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", **_strict(ask.schema)},
            }
        return request


class _Heard:
    """An answer as it comes, whole or in pieces."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._finish: str | None = None
        self._refusal: list[str] = []
        self._usage = Usage()

    def add(self, said: Any, finish: str | None) -> None:
        if said.content:
            self._text.append(said.content)
        if getattr(said, "refusal", None):
            self._refusal.append(said.refusal)
        for at, call in enumerate(said.tool_calls or ()):
            at = at if getattr(call, "index", None) is None else call.index  # noqa: PLW2901
            kept = self._calls.setdefault(at, {"id": "", "name": "", "arguments": ""})
            kept["id"] = call.id or kept["id"]
            kept["name"] += call.function.name or ""
            kept["arguments"] += call.function.arguments or ""
        self._finish = finish or self._finish

    def count(self, usage: Any) -> None:
        if usage is not None:
            self._usage = Usage(1, usage.prompt_tokens or 0, usage.completion_tokens or 0)

    def reply(self) -> Reply:
        if self._finish is None:
            raise Unusable("stopped in the middle of its answer.")
        if self._finish == "content_filter" or self._refusal:
            raise Withheld("".join(self._refusal) or "its content filter stepped in")
        calls = tool_calls(self._calls.values())
        stop = "tools" if calls else _STOPS.get(self._finish, "end")
        return Reply("".join(self._text), calls, stop, self._usage)


def _strict(schema: Schema) -> dict[str, Any]:
    """A schema to be kept to by force, where that is possible."""
    strict = closed(schema)
    return {"schema": strict or dict(schema), "strict": strict is not None}
