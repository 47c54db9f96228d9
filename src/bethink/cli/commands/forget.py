from collections.abc import Sequence

import click

from bethink import Memory
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.asking import confirm
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import memories
from bethink.cli.screen import print_json, print_line
from bethink.errors import NotFound
from bethink.types import KINDS


@click.command(
    cls=Command,
    examples=[
        "bethink forget 0190163d-8694-739b-aea5-966c26f8ad91 --user john",
        "bethink forget --all --user john",
        "bethink forget --all --user john --yes --json",
    ],
)
@click.argument("item_ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="All that is kept of this user.")
@click.option("--yes", is_flag=True, help="With --all: do not ask.")
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    item_ids: Sequence[str],
    everything: bool,
    yes: bool,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Remove memories, with their histories.

    If one of the ids is unknown, nothing is removed.
    """
    if everything == bool(item_ids):
        raise click.UsageError("Pass the ids of memories, or --all, one of the two.")
    with setup.memory(store) as memory:
        if everything:
            _confirm(memory, user, yes=yes)
            removed = memory.clear(user_id=user)
        else:
            _require_all(memory, item_ids, user)
            removed = memory.forget(item_ids, user_id=user)
    if as_json:
        print_json({"removed": removed})
    else:
        print_line(f"Removed {memories(removed)} of {user}.")


def _confirm(memory: Memory, user: str, *, yes: bool) -> None:
    if yes:
        return
    there = memories(len(memory.get_user_memories(user_id=user, kinds=KINDS)))
    confirm(f"Remove all {there} of {user}?", f"This removes all that is kept of {user}.")


def _require_all(memory: Memory, item_ids: Sequence[str], user: str) -> None:
    for item_id in item_ids:
        if memory.get(item_id, user_id=user) is None:
            raise NotFound(f"{user} has no memory with the id {item_id}. Nothing was removed.")
