import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from types import FrameType
from typing import Any

import click
from rich.progress import Progress

from bethink import MemoryStore
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count
from bethink.cli.screen import err, print_json, print_line, print_note
from bethink.copying import Copied, copy, follow
from bethink.errors import UsageError
from bethink.models.base import model_in
from bethink.stores.ram import RAMStore
from bethink.stores.url import file_of, without_password


@click.command(
    cls=Command,
    examples=[
        "bethink copy agent.db backup.db",
        "bethink copy agent.db postgresql://me@host/agents",
        "bethink copy agent.db redis://host:6379/0 --user john --dry-run",
        "bethink copy agent.db postgresql://me@host/agents --follow",
    ],
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--user", "users", multiple=True, metavar="NAME", help="Only this one; repeatable.")
@click.option("--follow", "following", is_flag=True, help="Keep up with what is written meanwhile.")
@click.option(
    "--until-idle",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="With --follow: until nothing has changed for so long.",
)
@click.option("--reembed", is_flag=True, help="Leave vectors behind that TO cannot use.")
@click.option("--replace", is_flag=True, help="Remove what TO has of a user and FROM has not.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@options.as_json
@pass_setup
def command(
    setup: Setup,
    *,
    source: str,
    target: str,
    users: tuple[str, ...],
    following: bool,
    until_idle: float | None,
    reembed: bool,
    replace: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Copy memories to another store, of any sort.

    Everything comes along, vectors and use counts included, and is compared in the end. Stopped
    half-way, it goes on from there when called again.

    With --follow it goes on until it is interrupted, and says when both agree: a service can be
    moved without stopping it first.
    """
    if (dry_run and following) or (until_idle is not None and not following):
        raise UsageError("--dry-run goes without --follow, and --until-idle with it.")
    _check_files(source, target)
    with (
        closing(setup.store(source)) as here,
        closing(_target(setup, target, dry_run=dry_run)) as there,
        _progress(hidden=following) as progress,
    ):
        told = partial(_print, name=without_password(target), dry_run=dry_run, as_json=as_json)
        shared: dict[str, Any] = {
            "users": users or None,
            "reembed": reembed,
            "replace": replace,
            "embedder": setup.model(here),
            "progress": progress,
            "clock": setup.clock,
        }
        if following:
            with _interrupt() as stop:
                done = follow(here, there, **shared, idle=until_idle, stop=stop, agreed=told)
        else:
            done = copy(here, there, **shared, dry_run=dry_run)
        space, into = here.space(), there.space()
    told(done)
    if not dry_run and space != into and not as_json:
        print_note(
            f"What was copied has no vectors of {model_in(into or '')} yet: searches make them as "
            "they come upon it, and `bethink reembed` makes all at once."
        )


def _check_files(source: str, target: str) -> None:
    """Refuse one file by two names before it is opened twice."""
    files = [file_of(source), file_of(target)]
    there = [file for file in files if file is not None and file.exists()]
    if source == target or (len(there) == 2 and there[0].samefile(there[1])):
        raise UsageError("Both are the same store. Copy to another one.")


def _target(setup: Setup, name: str, *, dry_run: bool) -> MemoryStore:
    """The store to copy to; a file that is not there yet is not made only to look at it."""
    path = file_of(name)
    if dry_run and path is not None and not path.exists():
        return RAMStore()
    return setup.store(name, create=True)


@contextmanager
def _progress(*, hidden: bool) -> Iterator[Callable[[int, float], None]]:
    console = err()
    shown = console.is_terminal and not hidden
    with Progress(console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task("Copying", total=1.0)
        yield lambda done, part: progress.update(
            task, completed=part, description=f"Copying ({done:,} records)"
        )


@contextmanager
def _interrupt() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed: it ends the following in good order, and again, at once."""
    pressed = False

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            signal.default_int_handler(number, frame)
        pressed = True

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _print(done: Copied, *, name: str, dry_run: bool, as_json: bool) -> None:
    records, users = sum(done.records.values()), len(done.records)
    if as_json:
        print_json(
            {
                "users": dict(done.records),
                "records": records,
                "written": done.written,
                "removed": done.removed,
                "searches": done.searches,
                "fingerprint": done.fingerprint,
                "agree": not dry_run,
            }
        )
        return
    kept = f"{count(records, 'record', 'records')} of {count(users, 'user', 'users')}"
    if dry_run:
        print_line(f"Of {kept}, {done.written:,} would be written, {done.removed:,} removed.")
        return
    searches = f", {count(done.searches, 'search', 'searches')} as well" if done.searches else ""
    print_line(
        f"{name} agrees: {kept}{searches}; {done.written:,} were written, {done.removed:,} removed."
    )
