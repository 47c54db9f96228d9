"""The same memory, awaited: each call runs in a worker thread and leaves the event loop free.

There is no second copy of any logic here. Cancelling a call stops the waiting for it; a write
that has begun is finished all the same.
"""

import asyncio
import contextvars
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import cache, cached_property, wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Self, TypeAlias, TypeVar, Unpack

from bethink import prompt
from bethink.errors import UsageError
from bethink.forks import Forkable
from bethink.kinds.bound import Owner
from bethink.kinds.conversation import ConversationMemory
from bethink.kinds.episodic import EpisodicMemory
from bethink.kinds.factual import FactualMemory
from bethink.kinds.semantic import SemanticMemory
from bethink.kinds.working import Step, WorkingMemory
from bethink.learn.condense import Write
from bethink.memory import Memory
from bethink.models.base import LLM, Embedder, Reranker
from bethink.models.function import caller_loop
from bethink.models.tokens import count_tokens
from bethink.recall.pack import Context, Count
from bethink.stores.base import MemoryStore
from bethink.system import AgentMemorySystem
from bethink.times import Clock, utc_now
from bethink.types import Message

P = ParamSpec("P")
S = TypeVar("S")
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


@cache
def _shared() -> _Workers:
    """For all that is used on its own."""
    return _Workers()


class _Awaited(Generic[S]):
    """Something whose calls are run by workers."""

    sync: S
    _workers: _Workers

    def _wrap(self, sync: S, workers: _Workers | None = None) -> None:
        self.sync, self._workers = sync, workers or _shared()

    @classmethod
    def _of(cls, sync: S, workers: _Workers) -> Self:
        """One around what is there already."""
        made = cls.__new__(cls)
        made._wrap(sync, workers)  # noqa: SLF001 (its own)
        return made

    def _read(self, read: Callable[[S], T]) -> Awaitable[T]:
        return self._workers.run(read, self.sync)


Awaiting: TypeAlias = Callable[Concatenate[_Awaited[S], P], Coroutine[Any, Any, T]]


def awaited(method: Callable[Concatenate[S, P], T]) -> Awaiting[S, P, T]:
    """A method with the same parameters that is awaited."""

    @wraps(method)
    async def call(self: _Awaited[S], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._workers.run(method, self.sync, *args, **kwargs)

    return call


class AsyncMemory(_Awaited[Memory]):
    """`Memory` with every verb awaited; see there for what each does."""

    def __init__(
        self,
        store: str | os.PathLike[str] | MemoryStore = ":memory:",
        *,
        embedder: Embedder | Callable[[list[str]], Any] | str | None = None,
        durable: bool = False,
        index_bytes: int = 512 * 1024 * 1024,
        index: Literal["memory", "engine"] = "memory",
        count_uses: bool = True,
        llm: LLM | str | None = None,
        reranker: Reranker | str | None = None,
        rerank_seconds: float = 1.0,
        clock: Clock = utc_now,
    ) -> None:
        memory = Memory(
            store,
            embedder=embedder,
            durable=durable,
            index_bytes=index_bytes,
            index=index,
            count_uses=count_uses,
            llm=llm,
            reranker=reranker,
            rerank_seconds=rerank_seconds,
            clock=clock,
        )
        self._wrap(memory, _Workers())
        self._closing: asyncio.Future[None] | None = None

    add = awaited(Memory.add)
    add_many = awaited(Memory.add_many)
    remember = awaited(Memory.remember)
    catch_up = awaited(Memory.catch_up)
    update = awaited(Memory.update)
    search = awaited(Memory.search)
    recall = awaited(Memory.recall)
    explain = awaited(Memory.explain)
    get = awaited(Memory.get)
    get_user_memories = awaited(Memory.get_user_memories)
    history = awaited(Memory.history)
    forget = awaited(Memory.forget)
    clear = awaited(Memory.clear)
    sweep = awaited(Memory.sweep)
    sessions = awaited(Memory.sessions)
    clear_session = awaited(Memory.clear_session)
    clear_user_sessions = awaited(Memory.clear_user_sessions)
    clear_sessions_before = awaited(Memory.clear_sessions_before)
    load = awaited(Memory.load)
    flush = awaited(Memory.flush)

    def export(self, *, user_id: str) -> Lines:
        return Lines(lambda: self._read(lambda memory: list(memory.export(user_id=user_id))))

    def for_user(
        self,
        user_id: str,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        task_id: str | None = None,
    ) -> "AsyncAgentMemorySystem":
        bound = self.sync.for_user(
            user_id, session_id=session_id, agent_id=agent_id, task_id=task_id
        )
        return AsyncAgentMemorySystem._of(bound, self._workers)  # noqa: SLF001

    async def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)  # whoever closes it again waits for the same

    async def _close(self) -> None:
        try:
            await self._workers.run(self.sync.close)
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


# Each kind of memory awaited: of one of its own, of the one given, or of a system. Attributes that
# read from the store are awaited as well: `await working.results`.


class AsyncWorkingMemory(_Awaited[WorkingMemory]):
    """`WorkingMemory`, awaited."""

    def __init__(
        self,
        *,
        task_id: str | None = None,
        ttl: timedelta | None = None,
        count_tokens: Count = count_tokens,
        **owner: Unpack[Owner],
    ) -> None:
        self._wrap(WorkingMemory(task_id=task_id, ttl=ttl, count_tokens=count_tokens, **owner))

    set_task = awaited(WorkingMemory.set_task)
    push_subgoal = awaited(WorkingMemory.push_subgoal)
    pop_subgoal = awaited(WorkingMemory.pop_subgoal)
    add_result = awaited(WorkingMemory.add_result)
    get_result = awaited(WorkingMemory.get_result)
    set_variable = awaited(WorkingMemory.set_variable)
    get_variable = awaited(WorkingMemory.get_variable)
    update_variable = awaited(WorkingMemory.update_variable)
    add_thought = awaited(WorkingMemory.add_thought)
    add_step = awaited(WorkingMemory.add_step)
    state = awaited(WorkingMemory.state)
    get_context_string = awaited(WorkingMemory.get_context_string)
    clear = awaited(WorkingMemory.clear)
    finish = awaited(WorkingMemory.finish)

    @property
    def task_id(self) -> str:
        return self.sync.task_id

    @property
    def task(self) -> Awaitable[str]:
        return self._read(lambda working: working.task)

    @property
    def current_goal(self) -> Awaitable[str]:
        return self._read(lambda working: working.current_goal)

    @property
    def subgoals(self) -> Awaitable[tuple[str, ...]]:
        return self._read(lambda working: working.subgoals)

    @property
    def results(self) -> Awaitable[dict[str, Any]]:
        return self._read(lambda working: working.results)

    @property
    def scratchpad(self) -> Awaitable[tuple[str, ...]]:
        return self._read(lambda working: working.scratchpad)

    @property
    def variables(self) -> Awaitable[dict[str, Any]]:
        return self._read(lambda working: working.variables)

    @property
    def steps(self) -> Awaitable[tuple[Step, ...]]:
        return self._read(lambda working: working.steps)


class AsyncConversationMemory(_Awaited[ConversationMemory]):
    """`ConversationMemory`, awaited."""

    def __init__(
        self,
        max_messages: int = 50,
        max_tokens: int = 10_000,
        summarize_threshold: int = 30,
        *,
        llm: LLM | Write | str | None = None,
        count_tokens: Count = count_tokens,
        **owner: Unpack[Owner],
    ) -> None:
        limits = (max_messages, max_tokens, summarize_threshold)
        self._wrap(ConversationMemory(*limits, llm=llm, count_tokens=count_tokens, **owner))

    add_message = awaited(ConversationMemory.add_message)
    get_last_n = awaited(ConversationMemory.get_last_n)
    get_last_items = awaited(ConversationMemory.get_last_items)
    uncovered_ids = awaited(ConversationMemory.uncovered_ids)
    search = awaited(ConversationMemory.search)
    get_messages_for_llm = awaited(ConversationMemory.get_messages_for_llm)
    clear = awaited(ConversationMemory.clear)
    export = awaited(ConversationMemory.export)
    import_from = awaited(ConversationMemory.import_from)

    @property
    def session_id(self) -> str:
        return self.sync.session_id

    @property
    def messages(self) -> Awaitable[list[Message]]:
        return self._read(lambda conversation: conversation.messages)

    @property
    def summary(self) -> Awaitable[str | None]:
        return self._read(lambda conversation: conversation.summary)

    @property
    def system_prompt(self) -> Awaitable[str]:
        return self._read(lambda conversation: conversation.system_prompt)


class AsyncSemanticMemory(_Awaited[SemanticMemory]):
    """`SemanticMemory`, awaited."""

    def __init__(
        self,
        embedding_fn: Embedder | Callable[[list[str]], Any] | str | None = None,
        similarity_threshold: float | None = None,
        **owner: Unpack[Owner],
    ) -> None:
        self._wrap(SemanticMemory(embedding_fn, similarity_threshold, **owner))

    add = awaited(SemanticMemory.add)
    search = awaited(SemanticMemory.search)
    update_importance = awaited(SemanticMemory.update_importance)
    forget = awaited(SemanticMemory.forget)
    consolidate = awaited(SemanticMemory.consolidate)


class AsyncFactualMemory(_Awaited[FactualMemory]):
    """`FactualMemory`, awaited."""

    def __init__(self, **owner: Unpack[Owner]) -> None:
        self._wrap(FactualMemory(**owner))

    set_fact = awaited(FactualMemory.set_fact)
    get_fact = awaited(FactualMemory.get_fact)
    as_of = awaited(FactualMemory.as_of)
    values = awaited(FactualMemory.values)
    facts = awaited(FactualMemory.facts)
    timeline = awaited(FactualMemory.timeline)
    holding = awaited(FactualMemory.holding)
    history = awaited(FactualMemory.history)
    forget_fact = awaited(FactualMemory.forget_fact)


class AsyncEpisodicMemory(_Awaited[EpisodicMemory]):
    """`EpisodicMemory`, awaited."""

    def __init__(self, *, llm: LLM | Write | str | None = None, **owner: Unpack[Owner]) -> None:
        self._wrap(EpisodicMemory(llm=llm, **owner))

    record = awaited(EpisodicMemory.record)
    search = awaited(EpisodicMemory.search)
    similar = awaited(EpisodicMemory.similar)
    recent = awaited(EpisodicMemory.recent)
    lessons = awaited(EpisodicMemory.lessons)
    forget = awaited(EpisodicMemory.forget)


class AsyncAgentMemorySystem(_Awaited[AgentMemorySystem]):
    """`AgentMemorySystem` with every verb awaited."""

    def __init__(
        self,
        memory: Memory | None = None,
        user_id: str | None = None,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        task_id: str | None = None,
    ) -> None:
        system = AgentMemorySystem(
            memory, user_id, session_id=session_id, agent_id=agent_id, task_id=task_id
        )
        self._wrap(system)

    @property
    def user_id(self) -> str:
        return self.sync.user_id

    @property
    def session_id(self) -> str:
        return self.sync.session_id

    add = awaited(AgentMemorySystem.add)
    add_many = awaited(AgentMemorySystem.add_many)
    remember = awaited(AgentMemorySystem.remember)
    search = awaited(AgentMemorySystem.search)
    recall = awaited(AgentMemorySystem.recall)
    explain = awaited(AgentMemorySystem.explain)
    get = awaited(AgentMemorySystem.get)
    get_user_memories = awaited(AgentMemorySystem.get_user_memories)
    update = awaited(AgentMemorySystem.update)
    history = awaited(AgentMemorySystem.history)
    forget = awaited(AgentMemorySystem.forget)
    get_relevant_context = awaited(AgentMemorySystem.get_relevant_context)
    learn = awaited(AgentMemorySystem.learn)
    start_task = awaited(AgentMemorySystem.start_task)
    record_step = awaited(AgentMemorySystem.record_step)
    end_task = awaited(AgentMemorySystem.end_task)

    def export(self) -> Lines:
        return Lines(lambda: self._read(lambda system: list(system.export())))

    @cached_property
    def working(self) -> AsyncWorkingMemory:
        return AsyncWorkingMemory._of(self.sync.working, self._workers)  # noqa: SLF001

    @cached_property
    def conversation(self) -> AsyncConversationMemory:
        return AsyncConversationMemory._of(self.sync.conversation, self._workers)  # noqa: SLF001

    @cached_property
    def semantic(self) -> AsyncSemanticMemory:
        return AsyncSemanticMemory._of(self.sync.semantic, self._workers)  # noqa: SLF001

    @cached_property
    def factual(self) -> AsyncFactualMemory:
        return AsyncFactualMemory._of(self.sync.factual, self._workers)  # noqa: SLF001

    @cached_property
    def episodic(self) -> AsyncEpisodicMemory:
        return AsyncEpisodicMemory._of(self.sync.episodic, self._workers)  # noqa: SLF001


async def create_memory_aware_prompt(
    memory: AsyncAgentMemorySystem, task: str, *, include_history: bool = True, budget: int = 1500
) -> Context:
    """The same as `bethink.create_memory_aware_prompt`, awaited."""
    return await memory._read(  # noqa: SLF001 (of a class of this module)
        lambda system: prompt.create_memory_aware_prompt(
            system, task, include_history=include_history, budget=budget
        )
    )
