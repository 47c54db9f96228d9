"""Contexts as they are printed: the text, and on a terminal the memories behind its numbers."""

import click
from rich.table import Table
from rich.text import Text

from bethink import Context
from bethink.cli.phrases import local_day, shown
from bethink.cli.screen import out, print_json, print_note
from bethink.cli.tables import table
from bethink.portable import as_json as record


def print_context(context: Context, user: str, *, as_json: bool) -> None:
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
