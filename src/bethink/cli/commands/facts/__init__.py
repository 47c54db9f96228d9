"""Facts: what is so by key, and what was so."""

import click

from bethink.cli.app import Group


@click.group(
    cls=Group,
    package=__name__,
    lines={
        "list": "List all that holds now.",
        "get": "Print the value of a fact.",
        "set": "State a fact; what was so becomes its history.",
        "history": "Show every statement of a fact.",
        "forget": "Remove a fact, with its history.",
    },
    examples=[
        "bethink facts --user john",
        'bethink facts set "home city" Lisbon --user john --from 2019-09-01',
        'bethink facts set "home city" Berlin --user john --source "his e-mail"',
        'bethink facts get "home city" --user john --at 2022-01-01',
        'bethink facts history "home city" --user john',
    ],
)
def command() -> None:
    """State facts, and ask what was so.

    A fact has a key, such as "home city", and one value at a time. Without a command, all that
    holds now is listed.
    """
