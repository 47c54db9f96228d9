"""How a remote model is called: how often, how long, how many at a time, and what was used."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from bethink.errors import ModelUnavailable, UsageError
from bethink.models.base import Prices, Usage
from bethink.models.breaker import Breaker, Sent
from bethink.models.failures import never_sent, understood
from bethink.models.keys import Key

T = TypeVar("T")
_sent: ContextVar[Sent] = ContextVar("_sent")
"""What the call that runs now has sent."""

# Whoever listens to stamina hears of every retry; by itself it would print to stderr.
logging.getLogger("stamina").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What may be asked of a remote model.

    Attributes:
        attempts: How often a request is sent at most, the first time included. Only what may
            pass is tried again: no connection, no answer in time, half an answer, 429, 5xx.
        timeout: Seconds until an attempt is given up. For a stream: between two pieces.
        deadline: Seconds until a call is given up, with its waits and its queueing. A call that
            embeds many texts has this time for each of its requests.
        wait: Seconds before the second attempt; each later wait is twice as long. What the
            provider asks for in Retry-After is waited instead, if the deadline allows it.
        longest_wait: Where the doubling ends.
        jitter: Up to so many random seconds are added to each wait.
        concurrency: How many requests of one object are under way at most, over all threads and
            loops.
        failures: After so many failed calls in a row the model is left alone; 0 for never.
        rest: For how many seconds.
    """

    attempts: int = 4
    timeout: float = 60.0
    deadline: float = 180.0
    wait: float = 0.5
    longest_wait: float = 20.0
    jitter: float = 0.5
    concurrency: int = 8
    failures: int = 5
    rest: float = 30.0

    def __post_init__(self) -> None:
        for name, least in (("attempts", 1), ("concurrency", 1), ("failures", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise UsageError(f"{name} is {value!r}: give a whole number, {least} or more.")
        for name in ("timeout", "deadline"):
            if not _seconds(value := getattr(self, name)) or not value:
                raise UsageError(f"{name} is {value!r}: give more than 0 seconds.")
        for name in ("wait", "longest_wait", "jitter", "rest"):
            if not _seconds(value := getattr(self, name)):
                raise UsageError(f"{name} is {value!r}: give 0 seconds or more.")


def _seconds(value: Any) -> bool:
    """Whether that is a time to wait, which 'not a number' is not."""
    return isinstance(value, int | float) and value >= 0


class Calls:
    """The calls of one model under its policy. Lives on one event loop."""

    def __init__(self, name: str, policy: Policy, key: Key, prices: Prices) -> None:
        self.policy = policy
        self.usage = Usage()
        self._name = name
        self._key = key
        self._prices = prices
        self._places = asyncio.Semaphore(policy.concurrency)
        self._breaker = Breaker(name, policy.failures, policy.rest)
        self._under_way: set[asyncio.Future[None]] = set()

    def spent(self, input_tokens: int, output_tokens: int = 0) -> Usage:
        """Counts what an answer used, and tells it with the requests that it took."""
        used = Usage(0, input_tokens, output_tokens)
        used = replace(used, cost=self._prices.of(used))
        self.usage += used
        return replace(used, requests=_sent.get().count)

    async def ended(self) -> None:
        """Waits for the calls that are under way now, and not for those that come later."""
        if self._under_way:
            await asyncio.wait(set(self._under_way))

    async def call(self, request: Callable[[], Awaitable[T]]) -> T:
        """The answer to a request, sent as often as the policy allows."""
        async with self._watched() as sent:
            return await self._retried(lambda: self._placed(request, sent))

    async def stream(
        self, request: Callable[[], AsyncGenerator[T, None]]
    ) -> AsyncGenerator[T, None]:
        """What a stream gives. It is begun anew only as long as it has given nothing.

        Once begun, it keeps its place to its last piece. Empty pieces are signs of life, such as
        those of a model that thinks, and are not passed on.
        """
        async with self._watched() as sent:
            begun = await self._retried(lambda: self._begun(request, sent))
            try:
                async with aclosing(begun.rest) as rest:
                    piece: T | _Over = begun.first
                    while not isinstance(piece, _Over):
                        if piece != _ALIVE:
                            yield piece
                        piece = await self._in_time(lambda: anext(rest, _OVER))
            finally:
                self._places.release()

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[Sent]:
        """Around a call: the breaker, the deadline, and the count of what is sent."""
        sent, ended = Sent(), asyncio.get_running_loop().create_future()
        _sent.set(sent)
        self._under_way.add(ended)
        try:
            with self._breaker.watch(sent):
                async with self._deadline(sent):
                    yield sent
        finally:
            self._under_way.discard(ended)
            ended.set_result(None)

    @asynccontextmanager
    async def _deadline(self, sent: Sent) -> AsyncIterator[None]:
        late = False
        try:
            async with asyncio.timeout(self.policy.deadline):
                yield
        except TimeoutError:
            late = True
        if late and not sent.count:
            raise ModelUnavailable(
                f"A call of {self._name} waited {self.policy.deadline:g} seconds for a place: "
                f"{self.policy.concurrency} may be under way at once."
            )
        if late:
            raise ModelUnavailable(
                f"{self._name} did not answer within {self.policy.deadline:g} seconds."
            )

    async def _retried(self, attempt: Callable[[], Awaitable[T]]) -> T:
        import stamina  # noqa: PLC0415 (whoever has no remote model does without it)

        policy = self.policy
        ends = time.monotonic() + policy.deadline

        def wait(error: Exception) -> bool | float:
            """Whether to try again after an error and, if it says so, how long to wait first."""
            if not isinstance(error, ModelUnavailable) or error.retry_after is None:
                return isinstance(error, ModelUnavailable)
            seconds = error.retry_after + random.uniform(0, policy.jitter)  # noqa: S311
            return seconds if time.monotonic() + seconds < ends else False

        retrying = stamina.AsyncRetryingCaller(
            attempts=policy.attempts,
            timeout=None,
            wait_initial=policy.wait,
            wait_max=policy.longest_wait,
            wait_jitter=policy.jitter,
        )
        return await retrying(wait, attempt)

    async def _begun(
        self, request: Callable[[], AsyncGenerator[T, None]], sent: Sent
    ) -> "_Begun[T]":
        """A stream and the first that it gives. It holds a place, for the caller to free."""
        await self._places.acquire()
        try:
            stream = request()
            return _Begun(await self._first(stream, sent), stream)
        except BaseException:
            self._places.release()
            raise

    async def _first(self, stream: AsyncGenerator[T, None], sent: Sent) -> T:
        try:
            piece = await self._counted(lambda: anext(stream, _OVER), sent)
            while piece == _ALIVE:
                piece = await self._in_time(lambda: anext(stream, _OVER))
        except BaseException:
            await stream.aclose()
            raise
        if isinstance(piece, _Over):
            raise ModelUnavailable(f"{self._name} ended its answer before it began.")
        return piece

    async def _placed(self, request: Callable[[], Awaitable[T]], sent: Sent) -> T:
        async with self._places:
            return await self._counted(request, sent)

    async def _counted(self, request: Callable[[], Awaitable[T]], sent: Sent) -> T:
        """One attempt. It counts as sent, unless it turns out that it was not."""
        self._count(sent, 1)
        return await self._in_time(request, or_else=lambda: self._count(sent, -1))

    def _count(self, sent: Sent, requests: int) -> None:
        sent.count += requests
        self.usage += Usage(requests)

    async def _in_time(
        self,
        request: Callable[[], Awaitable[T]],
        or_else: Callable[[], None] = lambda: None,
    ) -> T:
        """Whatever goes wrong is an error of ours, which knows nothing of the client's.

        `or_else` is told if nothing was sent.
        """
        try:
            async with asyncio.timeout(self.policy.timeout):
                return await request()
        except Exception as raised:  # noqa: BLE001 (a client may raise anything)
            error = understood(raised, self._name, self._key)
            if never_sent(raised):
                or_else()
        raise error


@dataclass(frozen=True, slots=True)
class _Begun(Generic[T]):
    first: T
    rest: AsyncGenerator[T, None]


class _Over:
    """Comes after the last piece of a stream."""


_OVER = _Over()
_ALIVE = ""
