"""The command as a whole: its help, where its commands are found, and how its errors end."""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from bethink import __version__
from bethink.errors import BethinkError, UsageError

START = (
    "bethink demo",
    'bethink add "Supports Arsenal" --user john',
    'bethink search "which football team does he like?" --user john',
)
SECTIONS = {
    "Keep and change": {
        "add": "Keep texts, exactly as they are.",
        "remember": "Keep what was said, and what is worth knowing of it.",
        "update": "Change a memory and keep what it was.",
        "forget": "Remove memories, with their histories.",
    },
    "Find": {
        "search": "Find memories by meaning and by words.",
        "recall": "Print what matters for a query, within a budget.",
        "why": "See why a search returns a memory, or does not.",
        "list": "List what is known, the newest first.",
        "get": "Show one memory in full.",
        "history": "Show every state that a memory was in.",
        "context": "See what an agent would be given.",
        "profile": "See the essentials about a user.",
    },
    "By kind": {
        "facts": "State facts, and ask what was so.",
        "sessions": "Read conversations, and remove them.",
        "episodes": "Look back on tasks, and how they went.",
    },
    "Tidy": {
        "consolidate": "Merge what is said twice, prune what is stale.",
        "quarantine": "See what from outside reads like instructions.",
    },
    "Move": {
        "copy": "Copy memories to another store, of any sort.",
        "export": "Write a user's memory as JSON Lines.",
        "load": "Read what export wrote.",
    },
    "Look after a file": {
        "stats": "Count users and memories.",
        "check": "Check that a file agrees with itself.",
        "reembed": "Embed everything anew with another model.",
    },
    "See": {
        "models": "List providers of models, or try one.",
        "demo": "Watch it work, in about 20 seconds.",
        "bench": "Measure how much is remembered, on your data.",
    },
}
COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}

_INTERRUPTED = 130


class Command(click.Command):
    """A command whose help ends with examples that can be pasted."""

    def __init__(self, *args: Any, examples: Sequence[str], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        _write_lines(formatter, "Examples", self.examples)


class Lazy(click.Group):
    """Imports a command when it is called, so that help is quick."""

    def __init__(self, *args: Any, package: str, lines: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.package = package
        self.lines = lines

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self.lines:
            return None
        command: click.Command = import_module(f"{self.package}.{cmd_name}").command
        return command


class Group(Lazy):
    """Commands that go together. Where none of them is named, the default is meant."""

    def __init__(
        self, *args: Any, examples: Sequence[str], default: str = "list", **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self.examples = examples
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = args and (not args[0].startswith("-") or args[0] in ctx.help_option_names)
        if not named and not ctx.resilient_parsing:  # which is how a shell completes
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()), col_spacing=4)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        _write_lines(formatter, "Examples", self.examples)


class Commands(Lazy):
    """The command itself: its help is in sections, and its errors end in one sentence."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_lines(formatter, "Start here", START)
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()), col_spacing=4)
        click.Command.format_options(self, ctx, formatter)

    def main(self, *args: Any, **extra: Any) -> Any:
        extra["standalone_mode"] = False
        try:
            code = super().main(*args, **extra)
        except click.Abort:
            sys.exit(_INTERRUPTED)
        except click.ClickException as error:
            _fail(_with_help(error), error.exit_code)
        except BethinkError as error:
            _fail(str(error), 2 if isinstance(error, UsageError) else 1)
        except UnicodeDecodeError:
            _fail("The input is not UTF-8 text.", 1)
        except OSError as error:  # but not a closed pipe, which Click ends quietly
            _fail(_about_file(error), 1)
        sys.exit(code)


def _write_lines(formatter: click.HelpFormatter, title: str, lines: Sequence[str]) -> None:
    with formatter.section(title):
        for line in lines:
            formatter.write(f"{'':{formatter.current_indent}}{line}\n")


def _with_help(error: click.ClickException) -> str:
    """Click's sentence, and where to read more."""
    sentence = error.format_message()
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{sentence} See {error.ctx.command_path} --help."
    return sentence


def _about_file(error: OSError) -> str:
    return ": ".join(filter(None, [error.filename, error.strerror])) + "."


def _fail(sentence: str, code: int) -> None:
    from bethink.cli.screen import print_error  # noqa: PLC0415 (help does without it)

    print_error(sentence)
    sys.exit(code)


@click.group(
    cls=Commands,
    package="bethink.cli.commands",
    lines=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="bethink %(version)s")
@click.pass_context
def bethink(ctx: click.Context) -> None:
    """The memory that any AI agent can be given, in one file."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
