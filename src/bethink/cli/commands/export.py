from pathlib import Path

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count
from bethink.cli.screen import print_note


@click.command(
    cls=Command,
    examples=[
        "bethink export --user john > john.jsonl",
        "bethink export --user john -o john.jsonl",
        "bethink export --user john | bethink load - --user copy --store other.db",
    ],
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to this file instead of stdout.",
)
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    output: Path | None,
    store: str,
    user: str,
    as_json: bool,  # noqa: ARG001
) -> None:
    """Write a user's memory as JSON Lines.

    All that is kept is in it, histories included, but for the vectors. With or without --json,
    the lines are the only thing on stdout.
    """
    with setup.memory(store) as memory:
        lines = memory.export(user_id=user)
        written = -1  # the first line is a header
        with click.open_file("-" if output is None else str(output), "wb") as file:
            for line in lines:
                file.write(f"{line}\n".encode())
                written += 1
            file.flush()
    print_note(f"Exported {count(written, 'record', 'records')} of {user}.")
