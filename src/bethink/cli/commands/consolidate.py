from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from bethink import Consolidation
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import local_day, memories, shortened, shown
from bethink.cli.screen import out, print_json, print_line, print_note
from bethink.cli.tables import lines, table
from bethink.portable import as_json as record
from bethink.tidy import Restored
from bethink.types import MemoryItem

_MOST_FADED = 10  # of those that stay, the least important


@click.command(
    cls=Command,
    examples=[
        "bethink consolidate --user john --dry-run",
        "bethink consolidate --user john",
        "bethink consolidate --user john --older-than 26w --below 0.1",
        "bethink consolidate --user john --undo",
    ],
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--undo", is_flag=True, help="Bring back what was merged or pruned.")
@click.option(
    "--older-than",
    type=options.duration,
    default="30d",
    show_default=True,
    metavar="TIME",
    help="Prune only what was left alone for so long.",
)
@click.option(
    "--below",
    type=click.FloatRange(0, 1),
    default=0.15,
    show_default=True,
    metavar="NUMBER",
    help="Prune only what is less important by now.",
)
@click.option(
    "--grace",
    type=options.duration,
    default="30d",
    show_default=True,
    metavar="TIME",
    help="For how long it can be undone.",
)
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    dry_run: bool,
    undo: bool,
    older_than: timedelta,
    below: float,
    grace: timedelta,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Merge what is said twice, prune what is stale.

    Only what was learnt (--kind semantic) is looked at. What is pinned, new, used lately or of an
    importance of 0.75 is never pruned.
    """
    if undo and dry_run:
        raise click.UsageError("Pass --dry-run or --undo, one of the two.")
    with setup.memory(store) as memory:
        if undo:
            back = memory.undo_consolidation(user_id=user)
        else:
            report = memory.consolidate(
                user_id=user, dry_run=dry_run, older_than=older_than, below=below, grace=grace
            )
    if undo:
        _print_back(back, user, as_json=as_json)
    elif as_json:
        for line in _as_json(report):
            print_json(line)
    else:
        _print(report, setup.clock())


def _print_back(back: Restored, user: str, *, as_json: bool) -> None:
    if as_json:
        for item in back:
            print_json(record(item))
    elif back:
        print_line(f"Brought back {memories(len(back))} of {user}.")
    else:
        print_note(f"{user} has nothing that could be brought back.")
    for item in back.left_out:
        print_note(f"Left out, since the opposite is known by now: {shortened(item.content)}")


def _as_json(report: Consolidation) -> Iterator[dict[str, Any]]:
    for merge in report.merged:
        yield {
            "what": "merged",
            "survivor": record(merge.survivor),
            "absorbed": [record(item) for item in merge.absorbed],
            "why": merge.why,
        }
    for pruning in report.pruned:
        yield {"what": "pruned", "item": record(pruning.item), "why": pruning.why}
    for decay in report.decayed:
        yield {"what": "decayed", "item": record(decay.item), "importance": decay.importance}
    yield {"what": "counts", **report.counts, "dry_run": report.dry_run, "until": report.until}


def _print(report: Consolidation, now: datetime) -> None:
    if report.merged or report.pruned or report.decayed:
        out().print(_table(report))
    if len(report.decayed) > _MOST_FADED:
        print_note(f"Others have faded too: {len(report.decayed):,} in all. --json lists them.")
    counts = report.counts
    gone = counts["absorbed"] + counts["pruned"]
    would = "would be " if report.dry_run else ""
    print_line(
        f"Of {memories(counts['looked_at'])}, {counts['absorbed']:,} {would}merged into others, "
        f"{counts['pruned']:,} {would}pruned."
    )
    if gone and not report.dry_run and report.until > now:
        print_note(f"Until {local_day(report.until)}, --undo brings them back.")


def _table(report: Consolidation) -> Table:
    made = table("what", "memory")
    for merge in report.merged:
        others = [Text(f"← {shortened(item.content)}") for item in merge.absorbed]
        made.add_row("merged", lines(_named(merge.survivor), *others, _reason(merge.why)))
    for pruning in report.pruned:
        made.add_row("pruned", lines(_named(pruning.item), _reason(pruning.why)))
    for decay in report.decayed[:_MOST_FADED]:
        why = (
            f"Its importance was {decay.item.importance:.2f} and is {decay.importance:.2f} by now."
        )
        made.add_row("faded", lines(_named(decay.item), _reason(why)))
    return made


def _named(item: MemoryItem) -> Text:
    return lines(Text(shortened(item.content)), Text(shown(item.id), style="dim"))


def _reason(why: str) -> Text:
    return Text(why, style="cyan")
