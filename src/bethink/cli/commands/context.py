import click
from rich.table import Table
from rich.text import Text

from bethink import Context
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import local_day, shown
from bethink.cli.screen import out, print_json, print_note
from bethink.cli.tables import table
from bethink.portable import as_json as record


@click.command(
    cls=Command,
    examples=[
        'bethink context "where shall we have dinner?" --user john',
        'bethink context "plan his birthday" --user john --budget 300 --limit 5',
        'bethink context "dinner" --user john --json | jq -r .text',
    ],
)
@click.argument("query")
@click.option(
    "--budget",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="TOKENS",
    help="How long it may be.",
)
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
        sources = {number: record(item) for number, item in context.sources.items()}
        print_json({"text": context.text, "tokens": context.tokens, "sources": sources})
    elif context:
        _print(context)
    else:
        print_note(f"{user} has no memory that fits.")


def _print(context: Context) -> None:
    console = out()
    if not console.is_terminal:
        click.echo(context.text)
        return
    console.print(Text(shown(context.text)))
    console.print()
    console.print(_sources(context))
    console.print(Text(f"{context.tokens:,} tokens", style="dim"))


def _sources(context: Context) -> Table:
    made = table(">number", "kind", "id", "date")
    for number, item in context.sources.items():
        learnt = item.updated_at or item.created_at
        made.add_row(str(number), item.kind, Text(shown(item.id), style="dim"), local_day(learnt))
    return made
