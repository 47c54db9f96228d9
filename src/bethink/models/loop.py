"""One event loop in a thread of its own, where everything async runs, whoever calls.

Clients of remote models belong to one loop, and callers come from many threads and loops, or
none. So the work is written once, async, and `run` and `arun` lead there from either side.
"""

import threading
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from bethink.errors import UsageError
from bethink.models.local import PerProcess

if TYPE_CHECKING:
    # Imported where it runs: most programs embed without it, and it is slow to import.
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")


def running_loop() -> "asyncio.AbstractEventLoop | None":
    """The loop that this thread runs, if it does."""
    import asyncio  # noqa: PLC0415

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _started() -> "asyncio.AbstractEventLoop":
    import asyncio  # noqa: PLC0415

    loop, running = asyncio.new_event_loop(), threading.Event()
    loop.call_soon(running.set)
    threading.Thread(target=loop.run_forever, name="bethink-async", daemon=True).start()
    running.wait()
    return loop


own_loop = PerProcess(_started)


def start(work: Coroutine[Any, Any, T]) -> "Future[T]":
    """Begins the work on our loop; cancelling the future cancels the work."""
    import asyncio  # noqa: PLC0415

    return asyncio.run_coroutine_threadsafe(work, own_loop())


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of work on our loop, waited for in this thread."""
    if running_loop() is own_loop():
        work.close()  # or Python would warn that nobody awaited it
        raise UsageError("This would wait for itself: call the async method here, and await it.")
    future = start(work)
    try:
        return future.result()
    except BaseException:  # such as Ctrl-C: nobody waits for the answer any more
        future.cancel()
        raise


async def arun(work: Coroutine[Any, Any, T]) -> T:
    """The result of work on our loop, awaited on any; cancelling the caller cancels the work."""
    import asyncio  # noqa: PLC0415

    if running_loop() is own_loop():
        return await work
    return await asyncio.wrap_future(start(work))


class _Pump(AsyncIterator[T]):
    """Draws from a generator in one task, and keeps what it gave until it is asked for.

    A generator that is read step by step from outside would see each step in another task, which
    time-outs and connections do not survive.
    """

    def __init__(self, source: AsyncGenerator[T, None]) -> None:
        import asyncio  # noqa: PLC0415

        self._given: asyncio.Queue[T | _End] = asyncio.Queue()
        self.task = asyncio.create_task(self._draw(source))

    async def _draw(self, source: AsyncGenerator[T, None]) -> None:
        error = None
        try:
            async for value in source:
                self._given.put_nowait(value)
        except Exception as raised:  # noqa: BLE001 (it is raised again where it is read)
            error = raised
        finally:
            await source.aclose()
            self._given.put_nowait(_End(error))

    async def __anext__(self) -> T:
        value = await self._given.get()
        if not isinstance(value, _End):
            return value
        self._given.put_nowait(_End())
        if value.error is not None:
            raise value.error
        raise StopAsyncIteration


class _End:
    def __init__(self, error: Exception | None = None) -> None:
        self.error = error


_OVER: Any = object()


async def _pumped(source: AsyncGenerator[T, None]) -> _Pump[T]:
    return _Pump(source)


async def _next(pump: _Pump[T]) -> T:
    return await anext(pump, _OVER)


def iterate(source: AsyncGenerator[T, None]) -> Iterator[T]:
    """What an async generator on our loop gives. Leaving early cancels it."""
    pump = run(_pumped(source))
    try:
        while (value := run(_next(pump))) is not _OVER:
            yield value
    finally:
        own_loop().call_soon_threadsafe(pump.task.cancel)


async def aiterate(source: AsyncGenerator[T, None]) -> AsyncIterator[T]:
    """The same, for a caller on any loop."""
    pump = await arun(_pumped(source))
    try:
        while (value := await arun(_next(pump))) is not _OVER:
            yield value
    finally:
        own_loop().call_soon_threadsafe(pump.task.cancel)
