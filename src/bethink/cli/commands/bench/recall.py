from pathlib import Path
from typing import Literal

import click
from rich.progress import Progress

from bethink.bench.compare import Comparison, compare
from bethink.bench.recall import Answer, Memories, measure
from bethink.bench.report import Abstention, Contexts, Report, report
from bethink.bench.saved import Run, load, save
from bethink.bench.survey import survey
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.commands.bench.memories import opened
from bethink.cli.commands.bench.tables import (
    categories_table,
    compared_categories_table,
    comparison_table,
    report_table,
)
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count
from bethink.cli.screen import err, out, print_json, print_line, print_note
from bethink.errors import UsageError

_FILE = click.Path(dir_okay=False, path_type=Path)
_SAVED = click.Path(dir_okay=False, exists=True, path_type=Path)
_DATA_SET = click.Path(file_okay=False, exists=True, path_type=Path)


@click.command(
    cls=Command,
    examples=[
        "bethink bench recall locomo",
        "bethink bench recall locomo --limit-questions 100",
        "bethink bench recall locomo --save before.jsonl --json",
        "bethink bench recall --compare before.jsonl after.jsonl",
    ],
)
@click.argument("directory", metavar="[DIR]", type=_DATA_SET, required=False)
@click.option(
    "--limit-questions",
    "limit",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Ask only so many, drawn at random, always the same.",
)
@click.option(
    "--store", metavar="FILE", help="Where the turns are put; otherwise into a temporary file."
)
@click.option(
    "--index",
    type=click.Choice(["memory", "engine"]),
    default="memory",
    help="Look in memory, or only at what the store's own engine proposes.",
)
@click.option("--no-cache", is_flag=True, help="Embed everything anew, and keep no vectors.")
@click.option("--save", "file", type=_FILE, metavar="FILE", help="Write each question's figures.")
@click.option(
    "--compare",
    "saved",
    type=(_SAVED, _SAVED),
    metavar="A B",
    help="Compare two files that --save wrote.",
)
@options.as_json
@pass_setup
def command(
    setup: Setup,
    *,
    directory: Path | None,
    limit: int | None,
    store: str | None,
    index: Literal["memory", "engine"],
    no_cache: bool,
    file: Path | None,
    saved: tuple[Path, Path] | None,
    as_json: bool,
) -> None:
    """Measure how well what answers a question is found.

    Puts each conversation of a data set into a memory, asks its questions, and says where the
    turns that hold the answers came. With --compare, says what the second run has more than the
    first.
    """
    if saved is not None and directory is None:
        _print_comparison(compare(load(saved[0]), load(saved[1])), as_json=as_json)
        return
    if saved is not None or directory is None:
        raise UsageError("Give the directory of a data set, or --compare and two files.")
    if file is not None and not file.absolute().parent.is_dir():
        raise UsageError(f"There is no directory {file.absolute().parent} to save {file.name} in.")
    name = directory.resolve().name
    with opened(setup, store, index, cache=not no_cache) as memories:
        answers = _measured(memories, directory, limit)
    if file is not None:
        save(Run(name, tuple(answers)), file)
    found = report(name, answers)
    if found is None:
        raise UsageError(
            f"No question in {directory} can be measured: none names the turns that hold its "
            "answer."
        )
    _print_report(found, as_json=as_json)


def _measured(memories: Memories, directory: Path, limit: int | None) -> list[Answer]:
    asked = survey(directory, limit=limit)
    console = err()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("Measuring", total=asked.steps)
        return measure(asked, memories, lambda steps: progress.advance(task, steps))


def _print_report(found: Report, *, as_json: bool) -> None:
    if as_json:
        print_json(found.as_json())
        return
    out().print(report_table(found))
    if found.categories:
        out().print("", categories_table(found.categories), sep="\n")
    print_line(f"\nA search took {found.p50:.1f} ms (p50), {found.p95:.1f} ms (p95).")
    if found.contexts is not None:
        _print_contexts(found.contexts)
    if found.abstention is not None:
        _print_abstention(found.abstention)
    print_note(f"Means over {count(found.all.n, 'question', 'questions')} of {found.set}.")


def _print_contexts(found: Contexts) -> None:
    print_line(
        f"A context has {found.mean:.0f} tokens (mean), {found.p95:.0f} (p95), "
        f"and {found.evidence:.1%} of the evidence."
    )


def _print_abstention(found: Abstention) -> None:
    low, high = found.ends
    asked = count(found.n, "question", "questions")
    print_line(
        f"Of {asked}, {found.answered:.1%} have a context; "
        f"of as many of other users, {1 - found.declined:.1%}."
    )
    print_line(f"Relevance tells these apart: AUROC {found.auroc:.3f} ({low:.3f} to {high:.3f}).")
    if found.unanswerable_auroc is not None and found.unanswerable_declined is not None:
        share = f"{1 - found.unanswerable_declined:.1%}"
        print_line(
            f"Of {found.unanswerable:,} without evidence or to abstain from, {share} have one; "
            f"AUROC {found.unanswerable_auroc:.3f}."
        )


def _print_comparison(found: Comparison, *, as_json: bool) -> None:
    if as_json:
        print_json(found.as_json())
        return
    out().print(comparison_table(found))
    if found.categories:
        out().print("", compared_categories_table(found), sep="\n")
    print_note(f"B less A, over {count(found.all.n, 'question', 'questions')} of {found.set}.")
    if found.unpaired:
        asked = count(found.unpaired, "question", "questions")
        print_note(f"Left out: {asked} that only one of the runs measured.")
