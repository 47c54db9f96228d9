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
        'bethink context "where shall we have dinner?" --user john',
        'bethink context "plan his birthday" --user john --budget 300 --limit 5',
        'bethink context "dinner" --user john --json | jq -r .text',
    ],
)
@click.argument("query")
@options.budget(1000)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    metavar="NUMBER",
    help="How many memories of each kind at most.",
)
@click.option(
    "--session", metavar="NAME", help="For this session, whose latest messages are left out."
)
@click.option("--task", metavar="NAME", help="With the working memory of this task of the session.")
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    query: str,
    budget: int,
    limit: int,
    session: str | None,
    task: str | None,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """See what an agent would be given.

    Prints the text that `get_relevant_context` puts into a prompt. On a terminal, the memories
    that its numbers stand for are listed below. Nothing is changed: no memory counts as used.
    """
    with setup.memory(store, count_uses=False) as memory:
        system = memory.for_user(user, session_id=session, task_id=task)
        context = system.get_relevant_context(query, max_semantic_results=limit, budget=budget)
    if as_json:
        print_json(context_object(context))
    elif context:
        print_context(context)
    else:
        print_note(f"{user} has no memory that fits.")
