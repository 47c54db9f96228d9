"""A remote language model, whole answers and streams."""

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Protocol, Unpack

from bethink.errors import UsageError
from bethink.models.ask import Ask, Said, asked
from bethink.models.base import Reply, Schema, Settings, Tool
from bethink.models.failures import Unusable
from bethink.models.loop import aiterate, arun, iterate, run
from bethink.models.remote import Client, Remote
from bethink.models.schemas import closed
from bethink.types import Message, ToolCall
from bethink.wire import read_calls


class TextClient(Client, Protocol):
    """An answer's usage holds its tokens; the rest is added by the model.

    A stream gives an empty piece for whatever else comes, to show that it is alive.
    """

    async def complete(self, ask: Ask) -> Reply: ...

    def stream(self, ask: Ask) -> AsyncGenerator[str | Reply, None]: ...


class RemoteLLM(Remote[TextClient]):
    """Answers by asking a provider. A stream is begun anew only before its first piece."""

    native_schemas = True

    def __call__(self, prompt: str) -> str:
        return self.complete([Message("user", prompt)]).text

    def complete(self, messages: Said, **settings: Unpack[Settings]) -> Reply:
        return run(self._complete(asked(messages, settings)))

    async def acomplete(self, messages: Said, **settings: Unpack[Settings]) -> Reply:
        return await arun(self._complete(asked(messages, settings)))

    def stream(self, messages: Said, **settings: Unpack[Settings]) -> Iterator[str | Reply]:
        return iterate(self._stream(asked(messages, settings)))

    def astream(self, messages: Said, **settings: Unpack[Settings]) -> AsyncIterator[str | Reply]:
        return aiterate(self._stream(asked(messages, settings)))

    def takes_schema(self, schema: Schema) -> bool:
        """Whether the provider can be asked for this schema; if not, it is said in words."""
        return closed(schema) is not None

    async def _complete(self, ask: Ask) -> Reply:
        client = await self._client()

        async def answer() -> Reply:
            return self._counted(await client.complete(ask))

        return await self._calls().call(answer)

    async def _stream(self, ask: Ask) -> AsyncGenerator[str | Reply, None]:
        client = await self._client()

        async def pieces() -> AsyncGenerator[str | Reply, None]:
            async with aclosing(client.stream(ask)) as stream:
                async for piece in stream:
                    yield self._counted(piece) if isinstance(piece, Reply) else piece

        async with aclosing(self._calls().stream(pieces)) as stream:
            async for piece in stream:
                yield piece

    def _counted(self, reply: Reply) -> Reply:
        spent = self._calls().spent(reply.usage.input_tokens, reply.usage.output_tokens)
        if not reply.text and not reply.tool_calls and reply.stop != "length":
            raise Unusable("returned an empty answer.")
        return replace(reply, usage=spent)


def tool_calls(calls: Iterable[dict[str, Any]]) -> tuple[ToolCall, ...]:
    """Tool calls as we know them; where a server names none, each gets a name of its own."""
    try:
        return read_calls([{**call, "id": call["id"] or _new_id()} for call in calls])
    except UsageError as error:
        raise Unusable(f"asked for a tool in a way that makes no sense: {error}") from None


def _new_id() -> str:
    """Unlike all ids of the conversation, which some providers insist on."""
    return f"call_{secrets.token_hex(8)}"


def tool_schema(tool: Tool) -> dict[str, Any]:
    """A tool as OpenAI and those who follow it take it."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return {"type": "function", "function": function}
