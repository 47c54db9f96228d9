import asyncio
import inspect
import threading
from functools import cached_property
from inspect import getattr_static

import pytest

from bethink import (
    AgentMemorySystem,
    AsyncAgentMemorySystem,
    AsyncConversationMemory,
    AsyncEpisodicMemory,
    AsyncFactualMemory,
    AsyncMemory,
    AsyncSemanticMemory,
    AsyncWorkingMemory,
    ConversationMemory,
    EpisodicMemory,
    FactualMemory,
    FunctionEmbedder,
    Memory,
    SemanticMemory,
    UsageError,
    WorkingMemory,
)
from bethink.aio import create_memory_aware_prompt
from bethink.testing.models import ScriptedLLM
from tests.conftest import letters
from tests.stores.test_sqlite import in_child


def public(cls):
    return {
        name: inspect.signature(method)
        for name, method in inspect.getmembers(cls, inspect.isfunction)
        if not name.startswith("_")
    }


TWINS = [
    (Memory, AsyncMemory),
    (AgentMemorySystem, AsyncAgentMemorySystem),
    (WorkingMemory, AsyncWorkingMemory),
    (ConversationMemory, AsyncConversationMemory),
    (SemanticMemory, AsyncSemanticMemory),
    (FactualMemory, AsyncFactualMemory),
    (EpisodicMemory, AsyncEpisodicMemory),
]


@pytest.mark.parametrize(("blocking", "awaited"), TWINS)
def test_both_have_the_same_verbs_with_the_same_parameters(blocking, awaited):
    ours, theirs = public(awaited), public(blocking)
    assert ours.keys() == theirs.keys()
    for name, signature in theirs.items():
        assert ours[name].parameters == signature.parameters, name


@pytest.mark.parametrize(("blocking", "awaited"), TWINS)
def test_both_have_the_same_attributes(blocking, awaited):
    def attributes(cls):
        made = (property, cached_property)
        return {n for n in dir(cls) if n[0] != "_" and isinstance(getattr_static(cls, n), made)}

    own = {"task_id", "session_id", "user_id"}  # plain attributes there, which read nothing
    assert attributes(awaited) - own == attributes(blocking)


def test_they_are_opened_alike():
    assert inspect.signature(Memory) == inspect.signature(AsyncMemory)


def test_every_verb_works_awaited(tmp_path, quick):
    async def story():
        async with AsyncMemory(tmp_path / "agent.db", embedder=quick) as memory:
            item = await memory.add("Supports Arsenal", user_id="john", importance=0.8)
            await memory.add_many(["Lives in London", "Likes tea"], user_id="john")
            hits = await memory.search("Arsenal", user_id="john", limit=5)
            assert (hits[0].item.content, hits[0].item.access_count) == ("Supports Arsenal", 1)
            assert await memory.get(item.id, user_id="john") == hits[0].item
            assert (await memory.explain("Arsenal", item.id, user_id="john")).rank == 1
            assert len(await memory.get_user_memories(user_id="john")) == 3
            changed = await memory.update(item.id, user_id="john", importance=0.9)
            assert [s.version for s in await memory.history(item.id, user_id="john")] == [1, 2]
            assert changed.importance == 0.9
            lines = await memory.export(user_id="john")
            assert [line async for line in memory.export(user_id="john")][1:] == lines[1:]
            assert await memory.load(lines, user_id="copy") == 4
            john = memory.for_user("john", session_id="s")
            assert (await john.add("Has a dog")).session_id == "s"
            assert len(await john.add_many(["one", "two"])) == 2
            assert (await john.search("dog", limit=1))[0].item.content == "Has a dog"
            assert "Has a dog [1]" in await john.recall("dog", limit=1, budget=50)
            assert await memory.recall("dog", user_id="john", least=1) == ""
            assert (await john.explain("dog", item.id, limit=1)).returned is False
            assert len(await john.get_user_memories()) == 6
            assert await john.get(item.id) == (await john.history(item.id))[-1]
            assert (await john.update(item.id, importance=0.1)).version == 3
            assert len(await john.export()) == 9
            assert await john.forget(item.id) == 1
            assert await memory.forget(item.id, user_id="copy") == 1
            assert await memory.sweep() == 0
            assert (await memory.consolidate(user_id="john")).counts["pruned"] == 0
            assert await john.undo_consolidation() == []
            assert await memory.quarantine(user_id="john") == await john.quarantine() == []
            assert "Lives in London" in await memory.profile(user_id="john")
            await memory.flush()
            assert await memory.clear(user_id="john") == 5
            with pytest.raises(UsageError):
                await memory.clear()
            assert await memory.clear(all_users=True) == 2

    asyncio.run(story())


def test_every_kind_works_awaited(tmp_path, quick):
    async def story():
        async with AsyncMemory(tmp_path / "agent.db", embedder=quick) as memory:
            john = memory.for_user("john", session_id="s", task_id="t")
            assert await john.start_task("Book a flight") == []
            await john.record_step("Cheap first", "search", ["LX 316"])
            assert await john.working.results == {"search": ["LX 316"]}
            assert await john.working.steps == (await john.working.state()).steps
            assert (await john.end_task(success=True, outcome="Booked")).task == "Book a flight"
            await john.conversation.add_message("assistant", "Booked!")
            assert [m.content for m in await john.conversation.messages][-1] == "Booked!"
            assert len(await john.conversation.get_messages_for_llm("anthropic")) == 2
            await john.factual.set_fact("home", "London")
            assert await john.factual.get_fact("home") == "London"
            await john.learn("Likes window seats")
            assert len(await john.semantic.search("seats")) == 1
            assert (await john.episodic.recent())[0].outcome == "Booked"
            assert "London" in await john.get_relevant_context("home")
            assert "London" in await create_memory_aware_prompt(john, "Fly home")
            assert [s.id for s in await memory.sessions(user_id="john")] == ["s"]
            assert await memory.clear_session("s", user_id="john") == 3
            await memory.flush()

    asyncio.run(story())


def test_every_kind_works_awaited_with_nothing_else():
    async def story():
        before = threading.active_count()
        conversation = AsyncConversationMemory(max_messages=1)
        await conversation.add_message("user", "Hello")
        assert conversation.session_id
        await conversation.add_message("user", "Hi")
        assert [m.content for m in await conversation.messages] == ["Hello", "Hi"]
        working, facts = AsyncWorkingMemory(), AsyncFactualMemory()
        await working.set_task("Wait")
        assert await working.task == "Wait"
        await facts.set_fact("home", "London")
        assert await facts.get_fact("home") == "London"
        await AsyncAgentMemorySystem().learn("Likes tea")
        assert await AsyncSemanticMemory().search("tea") == []
        assert await AsyncEpisodicMemory().recent() == []
        episodes = AsyncEpisodicMemory(llm=ScriptedLLM(["Ring them up."]))
        assert (
            await episodes.record("Book", success=False, outcome="Full")
        ).lesson == "Ring them up."
        for _ in range(30):
            await AsyncFactualMemory().get_fact("home")
        assert threading.active_count() <= before + 10  # they share their workers
        assert len(await conversation.get_messages_for_llm()) == 1

    asyncio.run(story())


@pytest.mark.parametrize(("blocking", "awaited"), TWINS)
def test_both_are_made_alike(blocking, awaited):
    ours, theirs = inspect.signature(awaited), inspect.signature(blocking)
    assert list(ours.parameters.values()) == list(theirs.parameters.values())


def test_an_async_embedding_function_runs_in_the_background_on_the_caller_s_loop_too():
    loops = set()

    async def embed(texts):
        await asyncio.sleep(0)
        loops.add(asyncio.get_running_loop())
        return letters(texts)

    async def story():
        async with AsyncMemory(embedder=embed) as memory:
            await memory.for_user("ann").conversation.add_message("user", "Likes tea")
            await memory.flush()
            assert loops == {asyncio.get_running_loop()}

    asyncio.run(story())


def test_an_async_embedding_function_runs_on_the_caller_s_loop():
    loops = set()

    async def embed(texts):
        await asyncio.sleep(0)
        loops.add(asyncio.get_running_loop())
        return letters(texts)

    async def story():
        async with AsyncMemory(embedder=embed) as memory:
            await memory.add("Likes tea", user_id="ann")
            assert await memory.search("tea", user_id="ann")
            assert loops == {asyncio.get_running_loop()}

    asyncio.run(story())


def test_the_loop_stays_free_while_an_embedder_is_slow():
    release = threading.Event()

    def slow(texts):
        release.wait(10)
        return letters(texts)

    async def story():
        embedder = FunctionEmbedder(slow, name="slow", dimension=16)
        async with AsyncMemory(embedder=embedder) as memory:
            adding = asyncio.create_task(memory.add("Likes tea", user_id="ann"))
            await asyncio.sleep(0.05)
            assert not adding.done()
            release.set()
            assert (await adding).content == "Likes tea"

    asyncio.run(story())


def test_cancelling_stops_the_waiting_and_loses_no_write(tmp_path, quick):
    entered, release = threading.Event(), threading.Event()

    def slow(texts):
        entered.set()
        release.wait(10)
        return letters(texts)

    async def story():
        embedder = FunctionEmbedder(slow, name="letters", dimension=16)
        async with AsyncMemory(tmp_path / "a.db", embedder=embedder) as memory:
            adding = asyncio.create_task(memory.add("Likes tea", user_id="ann"))
            await asyncio.to_thread(entered.wait, 10)
            adding.cancel()
            with pytest.raises(asyncio.CancelledError):
                await adding
            release.set()
            for _ in range(1000):
                if await memory.get_user_memories(user_id="ann"):
                    return
                await asyncio.sleep(0.01)
            pytest.fail("the write was lost")

    asyncio.run(asyncio.wait_for(story(), 20))


def test_a_hundred_calls_at_once_are_all_answered(quick):
    async def story():
        async with AsyncMemory(embedder=quick) as memory:
            calls = [memory.add(f"note {n}", user_id=f"user{n % 7}") for n in range(100)]
            items = await asyncio.gather(*calls)
            assert len({item.id for item in items}) == 100
            found = await asyncio.gather(
                *(memory.search("note", user_id=f"user{n}", limit=100) for n in range(7))
            )
            assert sum(map(len, found)) == 100

    asyncio.run(story())


def test_closing_twice_is_fine_and_using_it_afterwards_is_not(quick):
    async def story():
        memory = AsyncMemory(embedder=quick)
        await memory.add("Likes tea", user_id="ann")
        await memory.close()
        await memory.close()
        with pytest.raises(UsageError, match="closed"):
            await memory.search("tea", user_id="ann")

    asyncio.run(story())


def test_closing_it_twice_at_once_waits_for_the_same(tmp_path, quick):
    async def story():
        memory = AsyncMemory(tmp_path / "agent.db", embedder=quick)
        await memory.add("Likes tea", user_id="ann")
        await asyncio.gather(memory.close(), memory.close())
        assert [file.name for file in tmp_path.iterdir()] == ["agent.db"]

    asyncio.run(story())


def test_a_forked_child_has_threads_of_its_own(tmp_path, quick):
    memory = AsyncMemory(tmp_path / "agent.db", embedder=quick)
    asyncio.run(memory.add("Likes tea", user_id="ann"))
    assert in_child(lambda: bool(asyncio.run(memory.search("tea", user_id="ann"))))
    asyncio.run(memory.close())
