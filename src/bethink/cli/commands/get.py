import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json
from bethink.cli.tables import memory_in_full
from bethink.errors import NotFound
from bethink.portable import as_json as record


@click.command(
    cls=Command,
    examples=[
        "bethink get 0190163d-8694-739b-aea5-966c26f8ad91 --user john",
        "bethink get 0190163d-8694-739b-aea5-966c26f8ad91 --user john --json",
    ],
)
@click.argument("item_id", metavar="ID")
@options.shared
@pass_setup
def command(setup: Setup, *, item_id: str, store: str, user: str, as_json: bool) -> None:
    """Show one memory in full."""
    with setup.memory(store) as memory:
        item = memory.get(item_id, user_id=user)
    if item is None:
        raise NotFound(f"{user} has no memory with the id {item_id}.")
    if as_json:
        print_json(record(item))
    else:
        out().print(memory_in_full(item, setup.clock()))
