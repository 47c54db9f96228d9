"""The first page of the documentation, line by line, with the built-in model."""

import asyncio
from datetime import timedelta

import pytest

from bethink import AsyncMemory, Memory, UsageError


def test_the_first_minute(tmp_path):
    with Memory(tmp_path / "agent.db") as memory:
        item = memory.add(
            "Supports Arsenal", user_id="john", importance=0.8, metadata={"topic": "football"}
        )
        memory.add_many(["Lives in London", "Allergic to peanuts"], user_id="john")
        memory.add("The parking code is 4411", user_id="john", expires_in=timedelta(hours=2))
        hits = memory.search("which football team does he like?", user_id="john", limit=5)
        best = hits[0]
        assert (best.item.content, best.item.importance) == ("Supports Arsenal", 0.8)
        assert best.item.access_count == 1
        assert best.score > hits[1].score
        narrowed = memory.search(
            "team", user_id="john", where={"topic": "football"}, min_importance=0.5
        )
        assert [hit.item.id for hit in narrowed] == [item.id]
        found = memory.get(item.id, user_id="john")
        assert found is not None
        assert found.access_count == 2
        assert len(memory.get_user_memories(user_id="john", limit=100)) == 4
        assert memory.update(item.id, user_id="john", importance=0.9).importance == 0.9
        lines = list(memory.export(user_id="john"))
        assert memory.load(lines, user_id="johns_copy") == 5
        assert memory.forget(item.id, user_id="john") == 1
        assert memory.clear(user_id="john") == 3
        with pytest.raises(UsageError):
            memory.clear()
        with pytest.raises(TypeError):
            memory.search("x")  # type: ignore[call-arg]
        with pytest.raises(UsageError):
            memory.search("x", user_id="")
        assert memory.clear(all_users=True) == 5


def test_the_first_minute_awaited(tmp_path):
    async def story():
        async with AsyncMemory(tmp_path / "agent.db") as memory:
            await memory.add_many(["Supports Arsenal", "Lives in London"], user_id="john")
            hits = await memory.search("which football team does he like?", user_id="john")
            return hits[0].item.content

    assert asyncio.run(story()) == "Supports Arsenal"


def test_a_long_text_is_found_by_what_stands_at_its_end(tmp_path):
    """Nothing is cut off: the end of a text has a vector of its own."""
    weather = "It rained all day and the wind came from the west. " * 60
    with Memory(tmp_path / "agent.db") as memory:
        memory.add_many(
            [f"{weather} My violin teacher is called Ines.", weather, weather + " Nothing else."],
            user_id="ann",
        )
        [hit] = memory.search("who gives music lessons", user_id="ann", limit=1)
        assert hit.item.content.endswith("Ines.")


def test_other_languages_are_found_by_their_words(tmp_path):
    said = [
        "我喜欢北京烤鸭",
        "去年、東京タワーに行きました",
        "저는 서울에서 살아요",
        "Ich wohne seit März in München",
    ]
    with Memory(tmp_path / "agent.db") as memory:
        memory.add_many(said, user_id="ann")
        for query, text in zip(["北京", "東京", "서울", "Munchen"], said, strict=True):
            assert memory.search(query, user_id="ann")[0].item.content == text
