from typing import TextIO

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count
from bethink.cli.screen import print_json, print_line, working


@click.command(
    cls=Command,
    examples=[
        "bethink load john.jsonl --user john",
        "bethink export --user john | bethink load - --user copy --store other.db",
    ],
)
@click.argument("file", type=click.File(encoding="utf-8-sig"))
@options.shared
@pass_setup
def command(setup: Setup, *, file: TextIO, store: str, user: str, as_json: bool) -> None:
    """Read what export wrote.

    The user may be another than the one it was exported from. Loading the same file twice
    changes nothing, and if a line is wrong, nothing is loaded. - reads from stdin.
    """
    with setup.memory(store, create=True) as memory, working("Embedding"):
        loaded = memory.load(file, user_id=user)
    if as_json:
        print_json({"loaded": loaded})
    else:
        print_line(f"Loaded {count(loaded, 'record', 'records')} for {user}.")
