from dataclasses import asdict
from datetime import datetime

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import print_json, print_line
from bethink.cli.tables import value_text
from bethink.errors import NotFound


@click.command(
    cls=Command,
    examples=[
        'bethink facts get "home city" --user john',
        'bethink facts get "home city" --user john --at 2022-01-01',
        'bethink facts get "home city" --user john --json',
    ],
)
@click.argument("key")
@options.looking_back
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    key: str,
    at: datetime | None,
    believed_at: datetime | None,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Print the value of a fact.

    Nothing but the value is printed, for scripts; a value that is no text, as JSON. With --json
    it is everything about the fact.
    """
    with setup.memory(store) as memory:
        facts = memory.for_user(user).factual.facts(at=at, believed_at=believed_at)
    fact = next((fact for fact in facts if fact.key == key), None)
    if fact is None:
        raise NotFound(f"{user} has no fact {key!r} that holds {'now' if at is None else 'then'}.")
    if as_json:
        print_json(asdict(fact))
    else:
        print_line(value_text(fact.value))
