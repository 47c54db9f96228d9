"""Sixty stories of facts that change, told in the order in which they arrive."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bethink import FactualMemory

STORIES = [
    json.loads(line) for line in (Path(__file__).parent / "stories.jsonl").read_text().splitlines()
]


@pytest.fixture(autouse=True)
def _years_later(clock):
    clock.now = datetime(2030, 1, 1, tzinfo=UTC)


def told(memory, story):
    """A memory that was told a story, and all that it knows of the facts in it."""
    for said in sorted(story["said"], key=lambda said: said["arrives"]):
        memory.remember(
            {"role": "user", "content": said["text"], "timestamp": said["at"]},
            user_id="ann",
            session_id=said["at"],
        )
    return FactualMemory(memory=memory, user_id="ann")


def plain(values):
    return sorted(str(value).casefold() for value in values)


@pytest.mark.parametrize("story", STORIES, ids=[story["id"] for story in STORIES])
def test_a_story_leaves_the_right_facts(memory, story):
    facts = told(memory, story)
    assert plain(facts.values(story["key"])) == plain(story["now"])
    for day, expected in story["as_of"]:
        moment = datetime.fromisoformat(day).replace(hour=12, tzinfo=UTC)
        assert plain(facts.values(story["key"], at=moment)) == plain(expected), day


@pytest.mark.parametrize("story", STORIES, ids=[story["id"] for story in STORIES])
def test_a_story_leaves_the_right_history(memory, story):
    facts = told(memory, story)
    keys = {fact.key for moment in moments(story) for fact in facts.facts(at=moment)}
    held = [
        fact for key in keys if key.split("/")[0] == story["key"] for fact in facts.timeline(key)
    ]
    told_in = [value.casefold() for value in story["history"]]
    begun = sorted((fact.valid_from, told_in.index(str(fact.value).casefold())) for fact in held)
    # What began at the same moment has no order of its own.
    assert [told_in[place] for _, place in begun] == told_in


def moments(story):
    days = [datetime.fromisoformat(day).replace(hour=12, tzinfo=UTC) for day, _ in story["as_of"]]
    return [None, *days]
