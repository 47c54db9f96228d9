from collections.abc import Sequence

import click
from rich.table import Table
from rich.text import Text

from bethink import Memory
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import memories, shortened, shown
from bethink.cli.screen import out, print_json, print_line, print_note
from bethink.cli.tables import lines, table
from bethink.errors import NotFound
from bethink.items import doubt
from bethink.portable import as_json as record
from bethink.types import MemoryItem


@click.command(
    cls=Command,
    examples=[
        "bethink quarantine --user john",
        "bethink quarantine --user john --release 0190163d-8694-739b-aea5-966c26f8ad91",
        "bethink quarantine --user john --forget 0190163d-8694-739b-aea5-966c26f8ad91",
        "bethink quarantine --user john --json | jq -r .reason",
    ],
)
@click.option("--release", multiple=True, metavar="ID", help="It is harmless: use it in prompts.")
@click.option("--forget", multiple=True, metavar="ID", help="Remove it.")
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    release: Sequence[str],
    forget: Sequence[str],
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """See what from outside reads like instructions.

    Such text is kept out of prompts until somebody has looked at it. Both options may be
    repeated. If one of the ids is not in quarantine, nothing is done.
    """
    with setup.memory(store) as memory:
        flagged = memory.quarantine(user_id=user)
        if release or forget:
            _require_all([*release, *forget], flagged, user)
            done = _settled(memory, release, forget, user)
        else:
            done = None
    if done is not None:
        _print_done(done, as_json=as_json)
    elif as_json:
        for item in flagged:
            print_json({"reason": _reason(item), "item": record(item)})
    elif flagged:
        out().print(_listed(flagged))
    else:
        print_note(f"Nothing of {user} is in quarantine.")


def _settled(
    memory: Memory, release: Sequence[str], forget: Sequence[str], user: str
) -> dict[str, int]:
    for item_id in release:
        memory.update(item_id, user_id=user, flagged=False)
    removed = memory.forget(forget, user_id=user) if forget else 0
    return {"released": len(release), "removed": removed}


def _print_done(done: dict[str, int], *, as_json: bool) -> None:
    if as_json:
        print_json(done)
        return
    for what, number in done.items():
        if number:
            print_line(f"{what.capitalize()} {memories(number)}.")


def _require_all(item_ids: Sequence[str], flagged: Sequence[MemoryItem], user: str) -> None:
    there = {item.id for item in flagged}
    for item_id in item_ids:
        if item_id not in there:
            raise NotFound(f"{item_id} of {user} is not in quarantine. Nothing was done.")


def _reason(item: MemoryItem) -> str:
    return doubt(item) or "It was flagged by hand."


def _listed(flagged: Sequence[MemoryItem]) -> Table:
    made = table("memory", "origin")
    for item in flagged:
        said, why = Text(shortened(item.content)), Text(_reason(item), style="yellow")
        made.add_row(lines(said, why, Text(shown(item.id), style="dim")), item.origin)
    return made
