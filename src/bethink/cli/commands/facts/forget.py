import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import print_json, print_line
from bethink.errors import NotFound


@click.command(
    cls=Command,
    examples=[
        'bethink facts forget "home city" --user john',
        'bethink facts forget "home city" --user john --json',
    ],
)
@click.argument("key")
@options.shared
@pass_setup
def command(setup: Setup, *, key: str, store: str, user: str, as_json: bool) -> None:
    """Remove a fact, with its history."""
    with setup.memory(store) as memory:
        there = memory.for_user(user).factual.forget_fact(key)
    if not there:
        raise NotFound(f"{user} has no fact {key!r}.")
    if as_json:
        print_json({"removed": 1})
    else:
        print_line(f"Removed the fact {key!r} of {user}.")
