"""profile."""

from tests.cli.conftest import Shell


def test_the_essentials_are_printed_with_their_sources(filled: Shell) -> None:
    filled.out("facts", "set", "name", "John")
    said = filled.out("profile")
    assert said.splitlines()[:2] == ["## About the user", "- name: John [1]"]
    assert "- Eats no nuts [2]" in said
    [given] = filled.json("profile")
    assert f"{given['text']}\n" == said
    assert given["sources"]["1"]["kind"] == "fact"
    [given] = filled.json("profile", "--budget", "15")
    assert given["tokens"] <= 15


def test_of_whom_nothing_is_known_it_says_so_on_stderr(filled: Shell) -> None:
    result = filled.run("profile", "--user", "mary")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "mary has no memory that fits.\n"
