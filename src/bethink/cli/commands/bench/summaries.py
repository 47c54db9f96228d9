from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.progress import Progress

from bethink.bench.data import asked_about, conversations
from bethink.bench.summaries import Result, Survival, results, survivals
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.screen import err, out, print_json, print_note
from bethink.cli.tables import table
from bethink.errors import UsageError

_DATA_SET = click.argument(
    "directory", metavar="DIR", type=click.Path(file_okay=False, exists=True, path_type=Path)
)


@click.command(
    cls=Command,
    examples=["bethink bench summaries locomo", "bethink bench summaries locomo --tokens 100"],
)
@_DATA_SET
@click.option(
    "--tokens",
    type=click.IntRange(1),
    default=300,
    show_default=True,
    metavar="NUMBER",
    help="How long a summary may be.",
)
@options.as_json
def command(*, directory: Path, tokens: int, as_json: bool) -> None:
    """Measure what summaries keep of the answers to questions.

    A question counts if all that holds its answer is summarised away. Its key words are the
    answer's words that were said there. Beside the summary stand three simple ways to get to the
    same length.
    """
    found = results(_measure(directory, tokens))
    if not found:
        raise UsageError(
            f"No question in {directory} can be measured: none has its answer, in its own words, "
            "in turns that would be summarised."
        )
    if as_json:
        for result in found:
            print_json({"tokens": tokens, **asdict(result)})
    else:
        _print(found)
        print_note(f"Shares of the answers' key words, in summaries of {tokens} tokens at most.")


def _measure(directory: Path, tokens: int) -> list[Survival]:
    console = err()
    measured: list[Survival] = []
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("Summarising", total=asked_about(directory))
        for conversation in conversations(directory):
            if conversation.questions:
                measured += survivals(conversation, tokens)
                progress.advance(task)
    return measured


def _print(found: Sequence[Result]) -> None:
    made = table("summarised", "by", ">questions", ">key words kept", ">all kept")
    for last, result in zip([None, *found], found, strict=False):
        new = last is None or last.setting != result.setting
        if new and last is not None:
            made.add_section()
        made.add_row(
            result.setting if new else "",
            result.way,
            f"{result.questions:,}",
            f"{result.words:.1%}",
            f"{result.whole:.1%}",
            style="bold" if result.way == "summary" else "",
        )
    out().print(made)
