import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from bethink import __version__
from bethink.cli import bethink
from bethink.cli.app import COMMANDS, START, Command, Group, Lazy
from tests.cli.conftest import COMMAND, Shell


def command_named(*names: str) -> Command | Group:
    """The command of that name, or that of the second name in a group."""
    command: click.Command | None = bethink
    for name in names:
        assert isinstance(command, Lazy)
        command = command.get_command(click.Context(command), name)
    assert isinstance(command, Command | Group)
    return command


def lines_of_all() -> dict[str, str]:
    """Every command, those in groups as "group command", with its line."""
    found = dict(COMMANDS)
    for name in COMMANDS:
        if isinstance(group := command_named(name), Group):
            found |= {f"{name} {inner}": line for inner, line in group.lines.items()}
    return found


LINES = lines_of_all()


def test_the_help_lists_every_command_with_one_line(shell: Shell) -> None:
    said = shell.out("--help")
    for name, line in COMMANDS.items():
        assert f"  {name} " in said
        assert line in said
    for line in START:
        assert f"  {line}\n" in said


def test_the_command_alone_prints_its_help(shell: Shell) -> None:
    assert shell.out() == shell.out("--help")


@pytest.mark.parametrize("name", LINES)
def test_the_help_of_a_command_starts_with_its_line_and_ends_with_examples(
    shell: Shell, name: str
) -> None:
    said = shell.out(*name.split(), "--help")
    assert said.splitlines()[2].strip() == LINES[name]
    assert said == shell.out(*name.split(), "-h")
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


@pytest.mark.parametrize("name", LINES)
def test_every_example_is_a_command_that_can_be_typed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("john.jsonl", "before.jsonl", "after.jsonl", "mine.jsonl"):
        Path(file).touch()
    Path("locomo").mkdir()
    typed = list(commands_in(command_named(*name.split()).examples))
    assert typed
    for words in typed:
        understand(bethink, words)


def understand(command: click.Command, words: Sequence[str]) -> None:
    """Read the words of a command as it would, without doing anything."""
    with command.make_context(command.name, list(words)) as context:
        if isinstance(command, Lazy):
            name, inner, rest = command.resolve_command(
                context, context._protected_args + context.args
            )
            assert inner is not None, name
            understand(inner, rest)


@pytest.mark.parametrize("name", ["facts", "sessions", "episodes", "bench"])
def test_the_help_of_a_group_lists_its_commands(shell: Shell, name: str) -> None:
    said = shell.out(name, "--help")
    group = command_named(name)
    assert isinstance(group, Group)
    for inner, line in group.lines.items():
        assert f"  {inner} " in said
        assert line in said


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["ses"], ["sessions"]),
        (["facts", ""], ["list", "get", "set", "history", "forget"]),
        (["facts", "set", "--va"], ["--value-json"]),
    ],
)
def test_a_shell_can_complete_commands(typed: list[str], offered: list[str]) -> None:
    *words, begun = typed
    completions = ShellComplete(bethink, {}, "bethink", "_BETHINK_COMPLETE")
    assert [item.value for item in completions.get_completions(words, begun)] == offered


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
