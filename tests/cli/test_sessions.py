"""sessions list, show, clear."""

from datetime import timedelta

import pytest

from bethink import ConversationMemory, Memory
from tests.cli.conftest import Shell

HOUR = timedelta(hours=1)


def opened(shell: Shell) -> Memory:
    return Memory(shell.store, embedder=shell.embedder, clock=shell.clock)


@pytest.fixture
def talked(shell: Shell) -> Shell:
    """A trip was talked about on Monday, and a dog on Tuesday; something was learnt."""
    with opened(shell) as memory:
        monday = ConversationMemory(memory=memory, user_id="john", session_id="monday")
        monday.add_message("system", "You are a travel agent.")
        monday.add_message("user", "Somewhere warm in June, please.")
        call = {"id": "1", "name": "find_flights", "arguments": {"to": "LIS"}}
        monday.add_message("assistant", "Let me look.", tool_calls=[call])
        monday.add_message("tool", "BA117, 3 June", tool_call_id="1")
        shell.clock.pass_by(24 * HOUR)
        tuesday = ConversationMemory(memory=memory, user_id="john", session_id="tuesday")
        tuesday.add_message("user", "The dog is ill.", name="John")
        memory.add("Has a dog", user_id="john", session_id="tuesday")
        shell.clock.pass_by(HOUR)
    return shell


# --- list


def test_sessions_are_listed_with_how_they_began(talked: Shell) -> None:
    heading, _, *rows = talked.out("sessions").splitlines()
    assert heading.split() == ["session", "messages", "begun", "last"]
    assert rows[0].split("  ")[0] == "The dog is ill."
    assert rows[1].strip() == "tuesday"
    assert "Somewhere warm in June, please." in rows[2]
    assert rows[2].split()[-7:] == ["4", "25", "h", "ago", "25", "h", "ago"]
    assert rows[3].strip() == "monday"


def test_sessions_are_listed_as_json(talked: Shell) -> None:
    tuesday, monday = talked.json("sessions")
    assert (tuesday["id"], tuesday["messages"]) == ("tuesday", 1)
    assert monday["opening"] == "Somewhere warm in June, please."
    assert monday["first"] <= monday["last"] < tuesday["first"]


def test_where_the_user_said_nothing_whoever_spoke_first_is_shown(shell: Shell) -> None:
    with opened(shell) as memory:
        said = ConversationMemory(memory=memory, user_id="john", session_id="s")
        said.add_message("assistant", "Good morning!")
        memory.for_user("john", session_id="t", task_id="x").working.set_task("Walk the dog")
    assert {one["opening"] for one in shell.json("sessions")} == {"Good morning!", None}


def test_a_list_of_sessions_says_when_there_is_more(talked: Shell) -> None:
    result = talked.run("sessions", "--limit", "1")
    assert "monday" not in result.stdout
    assert result.stderr == "There are more; --limit shows them.\n"
    assert talked.run("sessions", "--limit", "2").stderr == ""


def test_no_sessions_say_so_on_stderr(talked: Shell) -> None:
    result = talked.run("sessions", "--user", "mary")
    assert (result.stdout, result.stderr) == ("", "mary has no sessions.\n")


# --- show


def test_a_conversation_shows_who_said_what_and_when(talked: Shell) -> None:
    lines = talked.out("sessions", "show", "monday").splitlines()
    assert [line.split(maxsplit=3)[:3] for line in lines if line.startswith("2")] == [
        ["2024-05-17", "12:00", role] for role in ("system", "user", "assistant", "tool")
    ]
    assert lines[1].split(maxsplit=3)[3].strip() == "Somewhere warm in June, please."
    assert "John" in talked.out("sessions", "show", "tuesday")


def test_calls_of_tools_are_shown_in_a_line(talked: Shell) -> None:
    lines = talked.out("sessions", "show", "monday").splitlines()
    assert lines[3].strip() == 'calls find_flights {"to": "LIS"}'


def test_a_summary_is_shown_above_the_conversation(talked: Shell) -> None:
    with opened(talked) as memory:
        monday = ConversationMemory(
            summarize_threshold=3, memory=memory, user_id="john", session_id="monday"
        )
        monday.add_message("user", "Book it.")
        monday.get_messages_for_llm()
        summary = monday.summary
    assert summary
    said = talked.out("sessions", "show", "monday")
    assert said.startswith("Summary of the first 2 messages:\n")
    assert summary.splitlines()[0] in said
    assert said.rstrip().endswith("Book it.")


def test_a_conversation_as_json_can_be_imported(talked: Shell) -> None:
    [exported] = talked.json("sessions", "show", "monday")
    with opened(talked) as memory:
        copy = ConversationMemory(memory=memory, user_id="mary")
        copy.import_from(exported)
        assert copy.export() == exported
    assert exported["messages"][2]["tool_calls"][0]["name"] == "find_flights"


def test_an_unknown_session_is_an_error(talked: Shell) -> None:
    assert talked.fails("sessions", "show", "x") == "john has no session with the id x."
    assert "mary has no session" in talked.fails("sessions", "show", "monday", "--user", "mary")


def test_a_session_in_which_only_work_was_done_can_be_shown(shell: Shell) -> None:
    with opened(shell) as memory:
        memory.for_user("john", session_id="s", task_id="x").working.set_task("Walk the dog")
    result = shell.run("sessions", "show", "s")
    assert (result.stdout, result.stderr) == ("", "Nothing was said in this session.\n")


def test_looking_at_sessions_leaves_the_file_as_it_is(talked: Shell) -> None:
    before = talked.out("export")
    for words in (["list"], ["show", "monday"]):
        talked.out("sessions", *words)
    assert talked.out("export").splitlines()[1:] == before.splitlines()[1:]


def test_conversations_fit_80_columns_and_steer_no_terminal(shell: Shell) -> None:
    with opened(shell) as memory:
        said = ConversationMemory(
            summarize_threshold=1, memory=memory, user_id="john", session_id="\x1b[2J"
        )
        call = {"id": "1", "name": "\x1b[2J", "arguments": {"x": "y" * 300}}
        said.add_message("user", "loud \x1b[31m " * 50, name="\x1b[2J" * 5)
        said.add_message("assistant", "z" * 300, tool_calls=[call])
        said.get_messages_for_llm()
    for words in (["list"], ["show", "\x1b[2J"]):
        shown = shell.out("sessions", *words)
        assert max(map(len, shown.splitlines())) <= 80
        assert "\x1b" not in shown


# --- clear


def test_a_session_is_cleared_and_what_was_learnt_stays(talked: Shell) -> None:
    assert talked.out("sessions", "clear", "tuesday") == "Removed 1 session of john.\n"
    assert [session["id"] for session in talked.json("sessions")] == ["monday"]
    assert talked.json("list")[0]["content"] == "Has a dog"


def test_one_unknown_session_and_nothing_is_cleared(talked: Shell) -> None:
    said = talked.fails("sessions", "clear", "monday", "x")
    assert said == "john has no session with the id x. Nothing was removed."
    assert len(talked.json("sessions")) == 2


def test_clearing_many_sessions_takes_a_yes(talked: Shell) -> None:
    for words in (["--all"], ["--before", "2030-01-01"]):
        said = talked.fails("sessions", "clear", *words, code=2)
        assert "in 2 sessions of john" in said
        assert "pass --yes" in said
    assert len(talked.json("sessions")) == 2
    assert talked.json("sessions", "clear", "--all", "--yes") == [{"sessions": 2, "removed": 5}]
    assert talked.json("sessions") == []


def test_sessions_before_a_date_are_cleared(talked: Shell) -> None:
    said = talked.out("sessions", "clear", "--before", "2024-05-18T00:00Z", "--yes")
    assert said == "Removed 1 session of john.\n"
    assert [session["id"] for session in talked.json("sessions")] == ["tuesday"]


@pytest.mark.parametrize(
    "words", [[], ["x", "--all"], ["--all", "--before", "2024-05-17"], ["x", "--before", "2024"]]
)
def test_which_sessions_are_cleared_is_said_in_one_way(talked: Shell, words: list[str]) -> None:
    talked.fails("sessions", "clear", *words, "--yes", code=2)
    assert len(talked.json("sessions")) == 2
