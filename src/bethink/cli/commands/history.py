import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json
from bethink.cli.tables import versions_table
from bethink.portable import as_json as record


@click.command(
    cls=Command,
    examples=[
        "bethink history 0190163d-8694-739b-aea5-966c26f8ad91 --user john",
        "bethink history 0190163d-8694-739b-aea5-966c26f8ad91 --user john --json",
    ],
)
@click.argument("item_id", metavar="ID")
@options.shared
@pass_setup
def command(setup: Setup, *, item_id: str, store: str, user: str, as_json: bool) -> None:
    """Show every state that a memory was in.

    The oldest comes first; the last is how it is now.
    """
    with setup.memory(store) as memory:
        versions = memory.history(item_id, user_id=user)
    if as_json:
        for item in versions:
            print_json(record(item))
    else:
        out().print(versions_table(versions))
