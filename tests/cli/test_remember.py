"""remember."""

import json

import pytest

from tests.cli.conftest import Shell

HOME = "I live in Oslo."


@pytest.mark.parametrize("line", ['{"role": "user"', "{hello}", '[{"content": "Hi"}]', '"Hi"'])
def test_a_line_that_is_no_message_is_named_and_nothing_is_kept(shell: Shell, line: str) -> None:
    result = shell.run("remember", "-", typed=f"Hello\n\n{line}\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Line 3" in result.stderr
    shell.add("Likes tea")
    assert shell.json("list", "--kind", "message") == []


def test_lines_are_objects_or_plain_text(shell: Shell) -> None:
    typed = f"{json.dumps({'role': 'assistant', 'content': 'How many?'})}\n42\n[1] is my source"
    shell.out("remember", "-", typed=typed)
    listed = shell.json("list", "--kind", "message")
    said = {item["content"] for item in listed}
    assert said == {"How many?", "42", "[1] is my source"}


def test_what_is_delivered_twice_is_known_already(shell: Shell) -> None:
    assert "Oslo" in shell.out("remember", HOME, "--session", "s")
    again = shell.out("remember", HOME, "--session", "s")
    assert again == "1 message was known already.\n"
    both = shell.out("remember", HOME, "Hello there", "--session", "s")
    assert both.startswith("Kept 1 message; nothing")
    assert both.endswith("\n1 message was known already.\n")
    [told] = shell.json("remember", "Hello there", "--session", "s")
    assert told["known"] == told["messages"]


def test_what_is_forgotten_is_counted_without_the_messages_that_said_it(shell: Shell) -> None:
    shell.out("remember", HOME)
    said = shell.out("remember", "Forget where I live.")
    assert "Forgot 1 memory, as you asked." in said
