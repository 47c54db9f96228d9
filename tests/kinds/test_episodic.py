"""What was tried, and how it went."""

from datetime import datetime, timedelta

import pytest

from bethink import EpisodicMemory, Step, UsageError
from bethink.errors import ModelUnavailable
from bethink.kinds.episodic import told
from bethink.testing.models import ScriptedLLM
from tests.conftest import START

MINUTE = timedelta(minutes=1)


@pytest.fixture
def episodes(ram):
    return EpisodicMemory(memory=ram, user_id="ann")


def test_it_works_with_nothing_else():
    episodes = EpisodicMemory()
    episodes.record("Book a flight to Lisbon", success=True, outcome="LX 316 on 3 May")
    episodes.record("Fix the printer", success=False, outcome="No toner left")
    assert episodes.search("reserve plane tickets")[0].task == "Book a flight to Lisbon"
    assert [episode.task for episode in episodes.recent()] == [
        "Fix the printer",
        "Book a flight to Lisbon",
    ]


def test_an_episode_comes_back_as_it_was_recorded(episodes):
    steps = [{"thought": "Cheap first", "action": "search", "result": {"price": 90}},
             Step("Book it", "book", "done", START - MINUTE)]  # fmt: skip
    recorded = episodes.record(
        "Book a flight",
        success=True,
        outcome="Booked",
        steps=steps,
        lesson="Mornings are cheaper",
        started_at=START - 5 * MINUTE,
        importance=0.9,
        metadata={"city": "Lisbon"},
    )
    [episode] = episodes.recent()
    assert episode == recorded
    assert (episode.success, episode.duration, episode.lesson) == (
        True,
        5 * MINUTE,
        "Mornings are cheaper",
    )
    assert episode.steps[0] == Step("Cheap first", "search", {"price": 90}, START)
    assert episode.steps[1].at == START - MINUTE
    assert episode.metadata == {"city": "Lisbon"}


def test_failures_are_remembered_and_can_be_asked_for(episodes):
    episodes.record("Deploy on Friday", success=False, outcome="Rolled back")
    episodes.record("Deploy on Monday", success=True, outcome="Live")
    assert [e.outcome for e in episodes.search("deploy", success=False)] == ["Rolled back"]
    assert [e.outcome for e in episodes.search("deploy", success=True)] == ["Live"]
    assert len(episodes.search("deploy")) == 2


def test_lessons_are_what_was_noted_or_how_it_went(episodes):
    episodes.record("Deploy", success=False, outcome="Rolled back", lesson="Not on Fridays")
    episodes.record("Bake a cake", success=True, outcome="Delicious")
    assert episodes.lessons() == ["Bake a cake (worked): Delicious", "Not on Fridays"]
    assert episodes.lessons("deploy", limit=1) == ["Not on Fridays"]


def steps(*actions):
    return [{"action": action, "result": "ok"} for action in actions]


def test_a_lesson_that_nobody_noted_is_made_from_tasks_like_it():
    episodes = EpisodicMemory()
    episodes.record("Bake a cake", success=True, outcome="Eaten", steps=steps("mix"))
    good = steps("search", "check the card", "book")
    episodes.record("Book a flight to Lisbon", success=True, outcome="LX 318", steps=good)
    failed = episodes.record(
        "Book a flight to Porto", success=False, outcome="Refused", steps=steps("search", "book")
    )
    assert failed.lesson == (
        "Book a flight to Porto: Similar tasks that worked did "
        '"check the card", which was not done here.'
    )
    assert episodes.recent(1) == [failed]
    assert told(failed) == (
        "Book a flight to Porto (failed): Refused; lesson: "
        'Similar tasks that worked did "check the card", which was not done here.'
    )


def test_a_model_writes_lessons_if_there_is_one_and_nobody_noted_any(ram):
    llm = ScriptedLLM(["Not on Fridays."])
    episodes = EpisodicMemory(llm=llm, memory=ram, user_id="ann")
    noted = episodes.record("Deploy", success=False, outcome="Lost", lesson="Back up first")
    assert (noted.lesson, llm.asked) == ("Back up first", [])
    made = episodes.record("Deploy", success=False, outcome="Rolled back", run="r1")
    assert made.lesson == "Not on Fridays."
    assert "Back up first" not in llm.prompts[0]  # lessons are made from what was done
    assert episodes.record("Deploy", success=False, outcome="Rolled back", run="r1") == made
    assert len(llm.asked) == 1


def test_a_model_that_fails_loses_no_episode(ram):
    llm = ScriptedLLM([ModelUnavailable("Out of reach.")])
    episode = EpisodicMemory(llm=llm, memory=ram, user_id="ann").record(
        "Deploy", success=False, outcome="Rolled back"
    )
    assert episode.lesson == "Deploy (failed): Rolled back"


def test_a_model_is_not_asked_about_what_is_refused(ram):
    llm = ScriptedLLM([])
    with pytest.raises(UsageError, match="importance"):
        EpisodicMemory(llm=llm, memory=ram, user_id="ann").record(
            "Deploy", success=True, outcome="Live", importance=2
        )
    assert llm.asked == []


def test_looking_for_tasks_to_compare_with_is_no_use_of_them(ram, episodes):
    first = episodes.record("Deploy", success=True, outcome="Live")
    episodes.record("Deploy", success=False, outcome="Lost")
    assert ram.get(first.id, user_id="ann").access_count == 0


def test_a_lesson_is_not_cut_off_by_a_long_task_or_outcome(episodes):
    episode = episodes.record("x " * 500, success=True, outcome="y " * 500, lesson="Be brief")
    assert told(episode).endswith("; lesson: Be brief")
    assert len(told(episode)) < 400


def test_a_task_of_any_length_gets_a_lesson(episodes):
    long = "Deploy " * 10_000
    episodes.record(long, success=True, outcome=long)
    assert episodes.record(long, success=False, outcome=long).lesson.startswith("Deploy Deploy")


def test_recording_the_same_run_again_changes_nothing(episodes):
    first = episodes.record("Deploy", success=True, outcome="Live", run="r1")
    again = episodes.record("Deploy", success=False, outcome="Lost", run="r1")
    assert again == first
    assert len(episodes.recent()) == 1


def test_a_failure_stays_one_whatever_else_is_changed(ram, episodes):
    episode = episodes.record("Deploy", success=False, outcome="Lost")
    ram.update(episode.id, user_id="ann", importance=0.9)
    with pytest.raises(UsageError, match="is an? episode: its metadata"):
        ram.update(episode.id, user_id="ann", metadata={"x": 1})
    assert not episodes.recent()[0].success


def test_a_run_may_have_any_name(episodes):
    for run in ("a@1", "r" * 256):
        episodes.record("Deploy", success=True, outcome="Live", run=run)
    assert len(episodes.recent()) == 2


def test_steps_that_are_too_long_together_are_cut_rather_than_lost(episodes):
    steps = [{"thought": "t", "action": "a", "result": "x" * 99_000} for _ in range(120)]
    episode = episodes.record("Read it all", success=True, outcome="Done", steps=steps)
    assert len(episode.steps) == 120
    assert episode.steps[0].result.endswith("[…]")


def test_only_episodes_are_forgotten(ram, episodes):
    item = ram.add("Likes tea", user_id="ann")
    assert not episodes.forget(item.id)
    assert ram.get(item.id, user_id="ann")


def test_an_episode_can_be_forgotten(episodes):
    episode = episodes.record("Deploy", success=True, outcome="Live")
    assert episodes.forget(episode.id)
    assert not episodes.forget(episode.id)
    assert episodes.recent() == []


def test_a_record_that_was_only_added_is_an_episode_too(ram, episodes):
    ram.add("Fixed the door", user_id="ann", kind="episode")
    [episode] = episodes.recent()
    assert (episode.task, episode.outcome, episode.steps) == ("Fixed the door", "", ())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": ""}, "task is empty"),
        ({"outcome": ""}, "outcome is empty"),
        ({"success": "yes"}, "success must be True or False"),
        ({"steps": "step"}, "steps must be a list"),
        ({"steps": ["step"]}, "A step is a dictionary"),
        ({"steps": [{"what": 1}]}, "A step is a dictionary"),
        ({"steps": [{"result": object()}]}, "result must be JSON"),
        ({"steps": [{"action": [1]}]}, "action must be a string"),
        ({"steps": [{"at": "yesterday"}]}, "The time of a step must be a datetime"),
        ({"steps": [{"at": datetime(2024, 1, 1)}]}, "no time zone"),  # noqa: DTZ001
        ({"lesson": " "}, "lesson is empty"),
        ({"duration": -MINUTE}, "duration must be"),
        ({"duration": MINUTE, "started_at": START}, "not both"),
        ({"started_at": START + MINUTE}, "in the future"),
        ({"started_at": datetime(2024, 1, 1)}, "no time zone"),  # noqa: DTZ001
        ({"metadata": {"success": 1}}, "is taken"),
        ({"importance": 2}, "importance"),
        ({"run": ""}, "run is empty"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_kept(episodes, options, message):
    arguments = {"task": "Deploy", "success": True, "outcome": "Live", **options}
    with pytest.raises(UsageError, match=message):
        episodes.record(arguments.pop("task"), **arguments)
    assert episodes.recent() == []
