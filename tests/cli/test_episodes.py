"""episodes list, show, search."""

from datetime import timedelta

import pytest

from bethink import Memory
from tests.cli.conftest import Shell


@pytest.fixture
def tried(shell: Shell) -> Shell:
    """A table could not be booked; later a hotel could."""
    with Memory(shell.store, embedder=shell.embedder, clock=shell.clock) as memory:
        past = memory.for_user("john").episodic
        past.record(
            "Book a table",
            success=False,
            outcome="The form lost it.",
            lesson="Ring them up.",
            duration=timedelta(minutes=5),
            steps=[
                {"thought": "The form is quick", "action": "fill in", "result": {"status": 500}},
                {"thought": "Once more", "action": "fill in", "result": None},
            ],
            metadata={"place": "ramen bar"},
        )
        shell.clock.pass_by(timedelta(hours=2))
        past.record("Book a hotel", success=True, outcome="Booked Casa Azul.")
    return shell


def test_past_tasks_are_listed_with_how_they_went(tried: Shell) -> None:
    heading, _, *rows = tried.out("episodes").splitlines()
    assert heading.split() == ["when", "task", "went", "took"]
    assert rows[0].split() == ["just", "now", "Book", "a", "hotel", "worked", "0", "s"]
    assert rows[2].split() == ["2", "h", "ago", "Book", "a", "table", "failed", "5", "min"]
    assert rows[3].strip() == "Lesson: Ring them up."
    assert rows[4].strip() == tried.json("episodes")[1]["id"]


def test_past_tasks_are_listed_as_json(tried: Shell) -> None:
    hotel, table = tried.json("episodes")
    assert (hotel["task"], hotel["success"]) == ("Book a hotel", True)
    assert hotel["lesson"] == "Book a hotel (worked): Booked Casa Azul."
    assert (table["success"], table["metadata"]) == (False, {"place": "ramen bar"})
    assert table["steps"][0]["result"] == {"status": 500}


def test_a_list_of_tasks_says_when_there_is_more(tried: Shell) -> None:
    result = tried.run("episodes", "--limit", "1")
    assert "table" not in result.stdout
    assert result.stderr == "There are more; --limit shows them.\n"


def test_no_past_tasks_say_so_on_stderr(tried: Shell) -> None:
    result = tried.run("episodes", "--user", "mary")
    assert (result.stdout, result.stderr) == ("", "mary has no past tasks.\n")
    result = tried.run("episodes", "search", "x", "--user", "mary")
    assert (result.stdout, result.stderr) == ("", "mary has no past task that fits.\n")


def test_a_past_task_is_shown_with_its_steps(tried: Shell) -> None:
    id_ = tried.json("episodes")[1]["id"]
    said = tried.out("episodes", "show", id_)
    for part in (id_, "failed", "The form lost it.", "Ring them up.", "ramen bar", "5 min"):
        assert part in said
    *_, first, second = said.splitlines()
    assert first.split("   ")[1:] == ["1", "The form is quick", "fill in", '{"status": 500}']
    assert second.split() == ["2", "Once", "more", "fill", "in", "null"]
    assert tried.json("episodes", "show", id_) == [tried.json("episodes")[1]]


def test_what_is_no_past_task_is_not_shown_as_one(tried: Shell) -> None:
    id_ = tried.add("Likes tea")
    assert tried.fails("episodes", "show", id_) == f"john has no past task with the id {id_}."
    episode = tried.json("episodes")[0]["id"]
    assert "mary has no past task" in tried.fails("episodes", "show", episode, "--user", "mary")


def test_the_task_most_alike_comes_first(tried: Shell) -> None:
    heading, _, first, *_ = tried.out("episodes", "search", "Book a table").splitlines()
    assert heading.split() == ["relevance", "when", "task", "went"]
    assert "Book a table" in first


def test_a_search_can_be_for_what_worked_or_failed(tried: Shell) -> None:
    tasks = {
        word: [hit["episode"]["task"] for hit in tried.json("episodes", "search", "Book", word)]
        for word in ("--worked", "--failed")
    }
    assert tasks == {"--worked": ["Book a hotel"], "--failed": ["Book a table"]}
    assert len(tried.json("episodes", "search", "Book")) == 2
    assert len(tried.json("episodes", "search", "Book", "--limit", "1")) == 1


def test_tables_of_tasks_fit_80_columns_and_steer_no_terminal(shell: Shell) -> None:
    loud = "supercalifragilistic \x1b[31m " * 20
    with Memory(shell.store, embedder=shell.embedder) as memory:
        steps = [{"thought": loud, "action": loud, "result": loud}]
        past = memory.for_user("john").episodic
        id_ = past.record(loud, success=True, outcome=loud, lesson=loud, steps=steps).id
    for words in ([], ["search", "x"], ["show", id_]):
        said = shell.out("episodes", *words)
        assert max(map(len, said.splitlines())) <= 80
        assert "\x1b" not in said
        assert id_ in said
