from dataclasses import asdict

import click

from bethink import Episode, Memory
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.commands.episodes.tables import episode_in_full, steps_table
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json
from bethink.errors import NotFound
from bethink.kinds.episodic import episode_of


@click.command(
    cls=Command,
    examples=[
        "bethink episodes show episode-0190163d-8694-739b-aea5-966c26f8ad91 --user john",
        "bethink episodes show episode-0190163d-8694-739b-aea5-966c26f8ad91 \\",
        "    --user john --json",
    ],
)
@click.argument("episode_id", metavar="ID")
@options.shared
@pass_setup
def command(setup: Setup, *, episode_id: str, store: str, user: str, as_json: bool) -> None:
    """Show one past task in full, with its steps."""
    with setup.memory(store) as memory:
        episode = _episode(memory, user, episode_id)
    if as_json:
        print_json(asdict(episode))
        return
    console = out()
    console.print(episode_in_full(episode, setup.clock()))
    if episode.steps:
        console.print()
        console.print(steps_table(episode.steps))


def _episode(memory: Memory, user: str, episode_id: str) -> Episode:
    item = memory.get(episode_id, user_id=user)
    if item is None or item.kind != "episode":
        raise NotFound(f"{user} has no past task with the id {episode_id}.")
    return episode_of(item)
