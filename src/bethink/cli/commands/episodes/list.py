from dataclasses import asdict

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.commands.episodes.tables import episodes_table
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json, print_note


@click.command(
    cls=Command,
    examples=[
        "bethink episodes list --user john",
        "bethink episodes --user john --json | jq -r .lesson",
    ],
)
@options.limit(10)
@options.shared
@pass_setup
def command(setup: Setup, *, limit: int, store: str, user: str, as_json: bool) -> None:
    """List past tasks, the newest first.

    Each with how it went, how long it took, and what it taught.
    """
    with setup.memory(store) as memory:
        episodes = memory.for_user(user).episodic.recent(limit + 1)
    listed = episodes[:limit]
    if as_json:
        for episode in listed:
            print_json(asdict(episode))
    elif listed:
        out().print(episodes_table(listed, setup.clock()))
    else:
        print_note(f"{user} has no past tasks.")
    if len(episodes) > limit:
        print_note("There are more; --limit shows them.")
