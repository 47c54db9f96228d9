from dataclasses import asdict
from datetime import datetime

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.commands.facts.tables import facts_table
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json, print_note


@click.command(
    cls=Command,
    examples=[
        "bethink facts list --user john",
        "bethink facts --user john --json | jq .value",
        "bethink facts list --user john --at 2022-01-01",
        "bethink facts list --user john --believed-at 2024-05-17T12:30",
    ],
)
@options.looking_back
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    at: datetime | None,
    believed_at: datetime | None,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """List all that holds now.

    Or all that held at another time, by what is known now or was known at another.
    """
    with setup.memory(store) as memory:
        facts = memory.for_user(user).factual.facts(at=at, believed_at=believed_at)
    if as_json:
        for fact in facts:
            print_json(asdict(fact))
    elif facts:
        out().print(facts_table(facts))
    else:
        print_note(f"No fact about {user} holds {'now' if at is None else 'then'}.")
