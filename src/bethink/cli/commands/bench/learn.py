from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table

from bethink.bench.learn import Figures, Mark, Report, Share, marked, report, utterances
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.phrases import count, shortened
from bethink.cli.screen import out, print_json, print_line, print_note
from bethink.cli.tables import table
from bethink.errors import UsageError

_FILES = click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
)


@click.command(
    cls=Command,
    examples=["bethink bench learn mine.jsonl", "bethink bench learn mine.jsonl --show wrong"],
)
@_FILES
@click.option(
    "--show",
    type=click.Choice(["wrong", "missed"]),
    help="List what was learnt that is wrong, or what was missed.",
)
@options.as_json
def command(*, files: Sequence[Path], show: str | None, as_json: bool) -> None:
    """Measure what is learnt from what people say, without a model.

    Each file holds utterances, one a line, with what should be learnt from them. What is learnt
    and fits no label counts as wrong, even if it is true.
    """
    marks = [marked(one) for file in files for one in utterances(file)]
    if not marks:
        raise UsageError(f"No utterance in {', '.join(map(str, files))}: write one a line.")
    if show is not None:
        _print_mistakes(marks, show, as_json=as_json)
    elif as_json:
        print_json(report(marks).as_json())
    else:
        out().print(_table(report(marks)))
        print_note(f"Over {count(len(marks), 'utterance', 'utterances')}, with 95% intervals.")


def _table(found: Report) -> Table:
    made = table("category", ">learnt", ">right", ">labels", ">found", ">silent")
    for name, some in found.categories.items():
        made.add_row(shortened(name, 14), *_cells(some))
    made.add_section()
    made.add_row("all", *_cells(found.all), style="bold")
    return made


def _cells(some: Figures) -> tuple[str, ...]:
    return (
        f"{some.precision.n if some.precision else 0:,}",
        _shown(some.precision),
        f"{some.recall.n if some.recall else 0:,}",
        _shown(some.recall),
        f"{some.silent.share:.2f}" if some.silent else "",
    )


def _shown(share: Share | None) -> str:
    if share is None:
        return ""
    low, high = share.ends
    return f"{share.share:.2f} ({low:.2f}-{high:.2f})"


def _print_mistakes(marks: Sequence[Mark], show: str, *, as_json: bool) -> None:
    for mark in marks:
        mistakes = mark.wrong if show == "wrong" else mark.missed
        if as_json and mistakes:
            print_json({"id": mark.utterance.id, "said": mark.utterance.said, show: mistakes})
        elif mistakes:
            print_line(f"{mark.utterance.id}: {shortened(mark.utterance.said)}")
            for one in mistakes:
                print_line(f"    {shortened(one)}")
