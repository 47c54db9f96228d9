from contextlib import closing

import click
from rich.progress import Progress

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count
from bethink.cli.screen import err, print_json, print_line
from bethink.models.base import space_of
from bethink.models.url import open_embedder
from bethink.reembed import reembed


@click.command(
    cls=Command,
    examples=["bethink reembed", "bethink reembed --store agent.db --embedder voyage:voyage-3.5"],
)
@click.option(
    "--embedder",
    "name",
    metavar="NAME",
    help="A provider's model, such as voyage:voyage-3.5, instead of the built-in one.",
)
@options.store
@options.as_json
@pass_setup
def command(setup: Setup, *, name: str | None, store: str, as_json: bool) -> None:
    """Embed everything anew with another model.

    With the built-in one, or with a provider's. Searches go on with the old vectors until all new
    ones are there. Stopped half-way, it goes on from there when called again.
    """
    embedder = open_embedder(name) if name else setup.built_in()
    console = err()
    with (
        closing(setup.store(store)) as opened,
        Progress(console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task("Embedding", total=None)
        made = reembed(
            opened,
            embedder,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    if as_json:
        print_json({"embedded": made, "embedder": space_of(embedder)})
    elif made == 0:
        print_line(f"Every memory already has its vectors of {embedder.name}.")
    else:
        print_line(f"Embedded {count(made, 'memory', 'memories')} with {embedder.name}.")
