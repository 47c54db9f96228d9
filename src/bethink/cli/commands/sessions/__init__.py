"""Sessions: the conversations with a user."""

import click

from bethink.cli.app import Group


@click.group(
    cls=Group,
    package=__name__,
    lines={
        "list": "List conversations, the one last gone on with first.",
        "show": "Read a conversation.",
        "clear": "Remove what was said and worked on in sessions.",
    },
    examples=[
        "bethink sessions --user john",
        "bethink sessions show monday --user john",
        "bethink sessions clear monday --user john",
        "bethink sessions clear --before 2024-05-17 --user john",
    ],
)
def command() -> None:
    """Read conversations, and remove them.

    Without a command, they are listed.
    """
