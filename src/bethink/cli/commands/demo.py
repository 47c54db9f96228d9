import click

from bethink.cli.app import Command
from bethink.cli.demonstration import demonstrate
from bethink.cli.screen import out

_PAUSE = 0.9


@click.command(cls=Command, examples=["bethink demo", "bethink demo --fast"])
@click.option("--fast", is_flag=True, help="Leave no time to read.")
def command(*, fast: bool) -> None:
    """Watch it work, in about 20 seconds.

    Everything happens in a temporary file, with the model that runs on this machine.
    """
    console = out()
    demonstrate(console, pause=_PAUSE if console.is_terminal and not fast else 0)
