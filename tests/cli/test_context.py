"""context."""

import pytest

from bethink import ConversationMemory, Memory
from tests.cli.conftest import Shell


@pytest.fixture
def rich(filled: Shell) -> Shell:
    """Memories of every kind."""
    filled.out("facts", "set", "home city", "London")
    with Memory(filled.store, embedder=filled.embedder, clock=filled.clock) as memory:
        system = memory.for_user("john", session_id="monday", task_id="dinner")
        system.episodic.record("Book a table", success=False, outcome="The form lost it.")
        system.conversation.add_message("user", "My sister is Maya.")
        system.working.set_task("Plan a dinner")
    return filled


def test_what_an_agent_would_be_given_is_printed_as_it_is(rich: Shell) -> None:
    with Memory(rich.store, embedder=rich.embedder, clock=rich.clock) as memory:
        given = memory.for_user("john").get_relevant_context("dinner in London")
    assert rich.out("context", "dinner in London") == f"{given}\n"
    for part in ("home city: London", "Eats no nuts", "The form lost it.", "sister is Maya"):
        assert part in given


def test_as_json_it_has_its_sources(rich: Shell) -> None:
    [given] = rich.json("context", "dinner")
    assert f"{given['text']}\n" == rich.out("context", "dinner")
    assert 0 < given["tokens"] <= 1000
    for number, source in given["sources"].items():
        assert f"[{number}]" in given["text"]
        [item] = rich.json("get", source["id"])
        assert (source["content"], source["kind"]) == (item["content"], item["kind"])


def test_it_keeps_within_its_limits(rich: Shell) -> None:
    [given] = rich.json("context", "dinner", "--limit", "1")
    kinds = [source["kind"] for source in given["sources"].values()]
    assert sorted(kinds) == ["episode", "fact", "message", "semantic"]
    [given] = rich.json("context", "dinner", "--budget", "20")
    assert given["tokens"] <= 20


def test_what_a_session_shows_anyway_is_left_out(rich: Shell) -> None:
    assert "Maya" in rich.out("context", "sister", "--session", "tuesday")
    assert "Maya" not in rich.out("context", "sister", "--session", "monday")


def test_the_working_memory_of_a_task_is_part_of_it(rich: Shell) -> None:
    assert "Task: Plan a dinner" not in rich.out("context", "x", "--session", "monday")
    words = ["--session", "monday", "--task", "dinner"]
    assert "Task: Plan a dinner" in rich.out("context", "x", *words)


def test_looking_changes_nothing(rich: Shell) -> None:
    with Memory(rich.store, embedder=rich.embedder) as memory:
        ConversationMemory(memory=memory, user_id="john", session_id="begun")
    _, *before = rich.out("export").splitlines()
    for words in ([], ["--session", "begun"], ["--session", "new", "--task", "new"], ["--json"]):
        rich.out("context", "dinner", *words)
    _, *after = rich.out("export").splitlines()
    assert after == before
    assert [session["id"] for session in rich.json("sessions")] == ["monday"]


def test_where_there_is_nothing_it_says_so_on_stderr(rich: Shell) -> None:
    result = rich.run("context", "dinner", "--user", "mary")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "mary has no memory that fits.\n"
