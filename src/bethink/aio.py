"""The same memory, awaited: each call runs in a worker thread and leaves the event loop free.

There is no second copy of any logic here. Cancelling a call stops the waiting for it; a write
that has begun is finished all the same.
"""

import asyncio
import contextvars
import os
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, Unpack

from bethink.errors import UsageError
from bethink.forks import Forkable
from bethink.memory import Memory
from bethink.models.base import Embedder
from bethink.models.function import caller_loop
from bethink.stores.base import MemoryStore
from bethink.system import AgentMemorySystem
from bethink.times import Clock, utc_now
from bethink.types import KNOWN, SEARCHED, Changed, Fields, Hit, Kind, MemoryItem

P = ParamSpec("P")
T = TypeVar("T")

_WORKERS = 8


class _Workers(Forkable):
    """A bounded set of threads for one memory."""

    def __init__(self) -> None:
        self.closed = False
        self._after_fork_in_child()
        self._follow_forks()

    def _after_fork_in_child(self) -> None:
        self._executor = ThreadPoolExecutor(_WORKERS, thread_name_prefix="bethink")

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self.closed:
            raise UsageError("This memory is closed. Open it again to use it.")
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        context.run(caller_loop.set, loop)  # where an async embedding function is to run
        return await loop.run_in_executor(
            self._executor, lambda: context.run(call, *args, **kwargs)
        )

    def close(self) -> None:
        self.closed = True
        self._executor.shutdown(wait=False)


class Lines:
    """Lines of an export: await them all, or go through them with ``async for``."""

    def __init__(self, fetch: Callable[[], Awaitable[list[str]]]) -> None:
        self._fetch = fetch

    def __await__(self) -> Generator[Any, None, list[str]]:
        return self._fetch().__await__()

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in await self._fetch():
            yield line


class AsyncMemory:
    """`Memory` with every verb awaited; see there for what each does."""

    def __init__(
        self,
        store: str | os.PathLike[str] | MemoryStore = ":memory:",
        *,
        embedder: Embedder | Callable[[list[str]], Any] | None = None,
        durable: bool = False,
        index_bytes: int = 512 * 1024 * 1024,
        clock: Clock = utc_now,
    ) -> None:
        self.memory = Memory(
            store, embedder=embedder, durable=durable, index_bytes=index_bytes, clock=clock
        )
        self._workers = _Workers()
        self._closing: asyncio.Future[None] | None = None

    async def add(self, content: str, *, user_id: str, **fields: Unpack[Fields]) -> MemoryItem:
        return await self._workers.run(self.memory.add, content, user_id=user_id, **fields)

    async def add_many(
        self, items: Iterable[str | Mapping[str, Any]], *, user_id: str, **fields: Unpack[Fields]
    ) -> list[MemoryItem]:
        return await self._workers.run(self.memory.add_many, items, user_id=user_id, **fields)

    async def update(
        self,
        item_id: str,
        *,
        user_id: str,
        if_version: int | None = None,
        **changed: Unpack[Changed],
    ) -> MemoryItem:
        return await self._workers.run(
            self.memory.update, item_id, user_id=user_id, if_version=if_version, **changed
        )

    async def search(
        self,
        query: str,
        *,
        user_id: str,
        limit: int = 10,
        kinds: Iterable[Kind] = SEARCHED,
        agent_id: str | None = None,
        session_id: str | None = None,
        min_importance: float = 0.0,
        where: Mapping[str, Any] | None = None,
        embedding: Sequence[float] | None = None,
    ) -> list[Hit]:
        return await self._workers.run(
            self.memory.search,
            query,
            user_id=user_id,
            limit=limit,
            kinds=kinds,
            agent_id=agent_id,
            session_id=session_id,
            min_importance=min_importance,
            where=where,
            embedding=embedding,
        )

    async def get(self, item_id: str, *, user_id: str) -> MemoryItem | None:
        return await self._workers.run(self.memory.get, item_id, user_id=user_id)

    async def get_user_memories(
        self,
        *,
        user_id: str,
        limit: int | None = None,
        kinds: Iterable[Kind] = KNOWN,
        agent_id: str | None = None,
        session_id: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> list[MemoryItem]:
        return await self._workers.run(
            self.memory.get_user_memories,
            user_id=user_id,
            limit=limit,
            kinds=kinds,
            agent_id=agent_id,
            session_id=session_id,
            where=where,
        )

    async def history(self, item_id: str, *, user_id: str) -> list[MemoryItem]:
        return await self._workers.run(self.memory.history, item_id, user_id=user_id)

    async def forget(self, item_ids: str | Sequence[str], *, user_id: str) -> int:
        return await self._workers.run(self.memory.forget, item_ids, user_id=user_id)

    async def clear(self, *, user_id: str | None = None, all_users: bool = False) -> int:
        return await self._workers.run(self.memory.clear, user_id=user_id, all_users=all_users)

    async def sweep(self) -> int:
        return await self._workers.run(self.memory.sweep)

    def export(self, *, user_id: str) -> Lines:
        return Lines(lambda: self._workers.run(lambda: list(self.memory.export(user_id=user_id))))

    async def load(self, lines: Iterable[str], *, user_id: str) -> int:
        return await self._workers.run(self.memory.load, lines, user_id=user_id)

    def for_user(
        self, user_id: str, *, session_id: str | None = None, agent_id: str | None = None
    ) -> "AsyncAgentMemorySystem":
        bound = self.memory.for_user(user_id, session_id=session_id, agent_id=agent_id)
        return AsyncAgentMemorySystem(bound, self._workers)

    async def flush(self) -> None:
        await self._workers.run(self.memory.flush)

    async def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)  # whoever closes it again waits for the same

    async def _close(self) -> None:
        try:
            await self._workers.run(self.memory.close)
        finally:
            self._workers.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class AsyncAgentMemorySystem:
    """`AgentMemorySystem` with every verb awaited; made by `AsyncMemory.for_user`."""

    def __init__(self, system: AgentMemorySystem, workers: _Workers) -> None:
        self.system = system
        self._workers = workers

    async def add(self, content: str, **fields: Unpack[Fields]) -> MemoryItem:
        return await self._workers.run(self.system.add, content, **fields)

    async def add_many(
        self, items: Iterable[str | Mapping[str, Any]], **fields: Unpack[Fields]
    ) -> list[MemoryItem]:
        return await self._workers.run(self.system.add_many, items, **fields)

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Iterable[Kind] = SEARCHED,
        min_importance: float = 0.0,
        where: Mapping[str, Any] | None = None,
    ) -> list[Hit]:
        return await self._workers.run(
            self.system.search,
            query,
            limit=limit,
            kinds=kinds,
            min_importance=min_importance,
            where=where,
        )

    async def get(self, item_id: str) -> MemoryItem | None:
        return await self._workers.run(self.system.get, item_id)

    async def get_user_memories(self, *, limit: int | None = None) -> list[MemoryItem]:
        return await self._workers.run(self.system.get_user_memories, limit=limit)

    async def update(self, item_id: str, **changed: Unpack[Changed]) -> MemoryItem:
        return await self._workers.run(self.system.update, item_id, **changed)

    async def history(self, item_id: str) -> list[MemoryItem]:
        return await self._workers.run(self.system.history, item_id)

    async def forget(self, item_ids: str | Sequence[str]) -> int:
        return await self._workers.run(self.system.forget, item_ids)

    def export(self) -> Lines:
        return Lines(lambda: self._workers.run(lambda: list(self.system.export())))
