"""The server, as a test sees it."""

import asyncio
import re
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from bethink.errors import UsageError
from bethink.testing.providers.anthropic import Anthropic
from bethink.testing.providers.cohere import Cohere
from bethink.testing.providers.faults import Fault, Plan
from bethink.testing.providers.ollama import Ollama
from bethink.testing.providers.openai import OpenAI
from bethink.testing.providers.provider import Answer, Call, Provider
from bethink.testing.providers.replies import Reply
from bethink.testing.providers.script import Request, Script
from bethink.testing.providers.voyage import Voyage
from bethink.testing.providers.wire import Message, read, write, write_half

_COMPATIBLE = OpenAI()
_PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Anthropic(),
    "cohere": Cohere(),
    "ollama": Ollama(),
    "voyage": Voyage(),
}
"""All others are taken for providers that are compatible with OpenAI."""

_NOWHERE = Answer(b"Not found: an address begins with the name of a provider.", status=404)


class ProviderServer:
    """Model providers on a free port of this machine, from the moment it is made until `close`.

    Answers are what the script says or, without one, always the same for the same request: the
    last text of the user, vectors made of the words in a text, scores of words in common. A
    request without a key, or with the key "wrong", is refused, and so is one for "missing-model".

    Args:
        dimension: How many numbers a vector has, unless the request says it.
        delay: How long each answer takes, in seconds.
    """

    def __init__(self, *, dimension: int = 64, delay: float = 0.0) -> None:
        if dimension < 1:
            raise UsageError(f"dimension is {dimension}: give 1 or more.")
        self.delay = delay
        self.requests: list[Request] = []
        """What came in, in order."""
        self.most_in_flight = 0
        """The largest number of requests that were handled at once."""
        self._in_flight = 0
        self._script = Script(dimension)
        self._connections: set[asyncio.Task[None]] = set()
        self._stop = asyncio.Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._port: int = self._socket.getsockname()[1]
        self._socket.settimeout(0)
        self._loop = asyncio.SelectorEventLoop()
        self._thread = threading.Thread(target=self._run, name="bethink-providers", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- what a test says

    def url(self, provider: str) -> str:
        """The base URL for the official client of a provider.

        That is "anthropic", "cohere", "ollama", "openai" or "voyage"; any other name is that of a
        provider which is compatible with OpenAI, such as "nebius".
        """
        if not re.fullmatch(r"[a-z0-9_-]+", provider):
            raise UsageError(f"{provider!r} is no name of a provider: give one such as 'openai'.")
        return f"http://127.0.0.1:{self._port}/{provider}{_api(provider).base}"

    def say(self, reply: str | Reply) -> None:
        """Answer the next completion with this; the one after it with what is said next."""
        self._script.say(Reply(reply) if isinstance(reply, str) else reply)

    def fail(
        self,
        fault: Fault,
        *,
        times: int = 1,
        provider: str | None = None,
        path: str | None = None,
        retry_after: float | None = None,
        delay: float = 0.0,
    ) -> None:
        """Let a fault befall the next requests that it can befall.

        What `say` was told is kept for the requests after them.

        Args:
            fault: What goes wrong.
            times: How many requests it befalls.
            provider: Whose; anyone's if not given.
            path: A part of their path, such as "embeddings".
            retry_after: How long the client is told to wait, in seconds. With a rate limit, one
                second if not given; nothing is said with the others then.
            delay: How long it takes until it happens, in seconds, on top of the server's delay.
        """
        self._script.plan(Plan(fault, times, provider, path, retry_after, delay))

    def poison(self, text: str) -> None:
        """Refuse every request to embed a text with this in it, as providers do for one bad one."""
        self._script.poison(text)

    def close(self) -> None:
        """Cut all connections and stop, at once; again is allowed."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    # --- what the server does, in its own thread

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._loop.add_reader(self._socket, self._accept)
        await self._stop.wait()
        self._loop.remove_reader(self._socket)
        self._socket.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await asyncio.sleep(0)  # in which the last of them let go

    def _accept(self) -> None:
        with suppress(BlockingIOError, ConnectionError):  # a client that is gone already
            connected, _ = self._socket.accept()
            # Else small answers wait 40 ms, in case that more is to follow.
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = self._loop.create_task(self._connected(connected))
            self._connections.add(connection)
            connection.add_done_callback(self._connections.discard)
            # Also of a task that was cancelled before it began, and so could not clean up.
            connection.add_done_callback(lambda _: connected.close())

    async def _connected(self, connected: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=connected)
        try:
            while (message := await read(reader)) and await self._handled(message, reader, writer):
                pass
            writer.close()
            await writer.wait_closed()
        except ConnectionError:
            pass  # the client went away, which is its right
        finally:
            writer.transport.abort()

    async def _handled(
        self, message: Message, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Whether the connection can be used for another request."""
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            return await self._answered(message, reader, writer)
        finally:
            self._in_flight -= 1

    async def _answered(
        self, message: Message, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        request = self._noted(message)
        api = _api(request.provider)
        plan = self._script.planned(request, api.kind(request))
        await asyncio.sleep(self.delay + (plan.delay if plan else 0))
        fault = plan.fault if plan else None
        if fault is Fault.TIMEOUT:
            await reader.read()  # until the client gives up
            return False
        call = Call(request, plan, self._script, self._script.number())
        answer = api.answer(call) if request.provider else _NOWHERE
        if fault in {Fault.CUT_BODY, Fault.CUT_STREAM}:
            await write_half(writer, answer)
            return False
        if fault is Fault.CUT_JSON:
            answer = replace(answer, body=answer.body[: len(answer.body) // 2])
        last = message.headers.get("connection", "").lower() == "close"
        await write(writer, answer, last=last)
        return not last

    def _noted(self, message: Message) -> Request:
        provider, _, path = message.path[1:].partition("/")
        request = Request(
            provider=provider,
            method=message.method,
            path=f"/{path}",
            headers=message.headers,
            body=message.body,
            when=time.monotonic(),
            in_flight=self._in_flight,
        )
        self.requests.append(request)
        return request


def _api(provider: str) -> Provider:
    return _PROVIDERS.get(provider, _COMPATIBLE)
