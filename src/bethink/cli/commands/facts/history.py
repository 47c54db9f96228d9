from dataclasses import asdict

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.commands.facts.tables import statements_table
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json
from bethink.errors import NotFound


@click.command(
    cls=Command,
    examples=[
        'bethink facts history "home city" --user john',
        'bethink facts history "home city" --user john --json',
    ],
)
@click.argument("key")
@options.shared
@pass_setup
def command(setup: Setup, *, key: str, store: str, user: str, as_json: bool) -> None:
    """Show every statement of a fact.

    They come in the order in which they hold. A statement that another one of the same time
    took the place of is shown as corrected.
    """
    with setup.memory(store) as memory:
        statements = memory.for_user(user).factual.history(key)
    if not statements:
        raise NotFound(f"{user} has no fact {key!r}.")
    if as_json:
        for fact in statements:
            print_json(asdict(fact))
    else:
        out().print(statements_table(statements, setup.clock()))
