"""A context on the screen: its text, and on a terminal the memories that its numbers stand for."""

import click
from rich.table import Table
from rich.text import Text

from bethink import Context
from bethink.cli.phrases import local_day, shown
from bethink.cli.screen import out
from bethink.cli.tables import table


def print_context(context: Context) -> None:
    console = out()
    if not console.is_terminal:
        click.echo(context.text)
        return
    console.print(Text(shown(context.text)))
    console.print()
    console.print(_sources(context))
    console.print(Text(f"{context.tokens:,} tokens", style="dim"))


def _sources(context: Context) -> Table:
    """Where each line comes from: how relevant that is, if a search found it, or else when."""
    relevance = {hit.item.id: f"{hit.relevance:.2f}" for hit in context.hits}
    made = table(">number", "kind", "id", ">relevance" if relevance else "date")
    for number, item in context.sources.items():
        learnt = local_day(item.updated_at or item.created_at)
        last = relevance.get(item.id, "") if relevance else learnt
        made.add_row(str(number), item.kind, Text(shown(item.id), style="dim"), last)
    return made
