import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.given import print_context
from bethink.cli.objects import context_object
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import print_json, print_note


@click.command(
    cls=Command,
    examples=[
        "bethink profile --user john",
        "bethink profile --user john --budget 100",
        "bethink profile --user john --json | jq -r .text",
    ],
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    default=300,
    show_default=True,
    metavar="TOKENS",
    help="How long it may be.",
)
@options.shared
@pass_setup
def command(setup: Setup, *, budget: int, store: str, user: str, as_json: bool) -> None:
    """See the essentials about a user.

    The facts that hold now, what is pinned, and what is most important by now. On a terminal, the
    memories that the numbers stand for are listed below.
    """
    with setup.memory(store, count_uses=False) as memory:
        context = memory.profile(user_id=user, budget=budget)
    if as_json:
        print_json(context_object(context))
    elif context:
        print_context(context)
    else:
        print_note(f"{user} has no memory that fits.")
