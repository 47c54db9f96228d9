"""Episodes: tasks that are over, and how they went."""

import click

from bethink.cli.app import Group


@click.group(
    cls=Group,
    package=__name__,
    lines={
        "list": "List past tasks, the newest first.",
        "show": "Show one past task in full, with its steps.",
        "search": "Find past tasks like this one.",
    },
    examples=[
        "bethink episodes --user john",
        'bethink episodes search "book a table" --failed --user john',
        "bethink episodes show episode-0190163d-8694-739b-aea5-966c26f8ad91 --user john",
    ],
)
def command() -> None:
    """Look back on tasks, and how they went.

    Without a command, the last ones are listed.
    """
