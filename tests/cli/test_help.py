import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from bethink import __version__
from bethink.cli import bethink
from bethink.cli.app import COMMANDS, START, Command
from tests.cli.conftest import COMMAND, Shell


def command_named(name: str) -> Command:
    command = bethink.get_command(click.Context(bethink), name)
    assert isinstance(command, Command)
    return command


def test_the_help_lists_every_command_with_one_line(shell: Shell) -> None:
    said = shell.out("--help")
    for name, line in COMMANDS.items():
        assert f"  {name} " in said
        assert line in said
    for line in START:
        assert f"  {line}\n" in said


def test_the_command_alone_prints_its_help(shell: Shell) -> None:
    assert shell.out() == shell.out("--help")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_starts_with_its_line_and_ends_with_examples(
    shell: Shell, name: str
) -> None:
    said = shell.out(name, "--help")
    assert said.splitlines()[2].strip() == COMMANDS[name]
    assert said == shell.out(name, "-h")
    examples = said.partition("Examples:\n")[2]
    assert f"  bethink {name}" in examples
    assert max(map(len, said.splitlines())) <= 80


def commands_in(examples: Sequence[str]) -> Iterator[list[str]]:
    """The commands in examples, as words, without what they are piped into or from."""
    for line in "\n".join(examples).replace("\\\n", " ").splitlines():
        for typed in line.split(" | "):
            words = shlex.split(typed.partition(" > ")[0])
            if words[0] == "bethink":
                yield words[1:]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_is_a_command_that_can_be_typed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("john.jsonl").touch()
    typed = list(commands_in(command_named(name).examples))
    assert typed
    for called, *words in typed:
        with command_named(called).make_context(called, words):
            pass  # it was understood


def test_the_version_is_printed(shell: Shell) -> None:
    assert shell.out("--version") == f"bethink {__version__}\n"


def test_help_imports_neither_models_nor_tables() -> None:
    code = "import sys, bethink.cli as cli\ntry: cli.main()\nfinally: print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True
    )
    assert not {"onnxruntime", "tokenizers", "rich"} & set(done.stdout.split())


def test_the_module_is_the_command() -> None:
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"bethink {__version__}\n"
