import json
from collections.abc import Iterator, Sequence
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count, shortened, shown
from bethink.cli.screen import out, print_json, print_line, working
from bethink.learning import Remembered
from bethink.portable import as_json as record


@click.command(
    cls=Command,
    examples=[
        'bethink remember "We moved to Lyon. Always answer in French." --user john',
        "cat chat.jsonl | bethink remember - --user john --session monday",
        'bethink remember "I no longer work at Siemens" --user john --json',
    ],
)
@click.argument("messages", nargs=-1, required=True, metavar="TEXT...")
@click.option("--session", metavar="NAME", help="The conversation that it belongs to.")
@click.option("--agent", metavar="NAME", help="The agent that heard it.")
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    messages: Sequence[str],
    session: str | None,
    agent: str | None,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Keep what was said, and what is worth knowing of it.

    Each TEXT is something the user said; - reads messages from stdin, one a line: texts, or JSON
    objects with role and content. A message that is given twice is kept once.
    """
    heard = list(_messages(messages))
    if not heard:
        raise click.UsageError("There was nothing on stdin to remember.")
    with setup.memory(store, create=True) as memory, working("Reading"):
        found = memory.remember(heard, user_id=user, session_id=session, agent_id=agent)
    if as_json:
        print_json(_as_json(found))
        return
    kept = count(len(found.messages), "message", "messages")
    if found.learnt:
        out().print(_table(found))
    else:
        print_line(f"Kept {kept}; nothing in it is worth knowing by itself.")
    if found.forgotten:
        print_line(f"Forgot {count(len(found.forgotten), 'memory', 'memories')}, as you asked.")


def _messages(given: Sequence[str]) -> Iterator[Any]:
    for text in given:
        if text != "-":
            yield text
            continue
        with click.open_file("-", encoding="utf-8-sig") as stdin:
            yield from (_message(line.strip()) for line in stdin if line.strip())


def _message(line: str) -> Any:
    """A line of input: a JSON object is a message, and anything else the user's words."""
    if not line.startswith("{"):
        return line
    try:
        return json.loads(line)
    except ValueError:
        return line


def _table(found: Remembered) -> Table:
    made = Table.grid(padding=(0, 2))
    made.add_column(style="cyan", no_wrap=True)
    made.add_column()
    made.add_column(style="dim", no_wrap=True)
    for item in found.learnt:
        category = str(item.metadata.get("category", item.kind))
        made.add_row(category, Text(shortened(item.content)), shown(item.id))
    return made


def _as_json(found: Remembered) -> dict[str, Any]:
    return {
        "messages": [item.id for item in found.messages],
        "learnt": [record(item) for item in found.learnt],
        "forgotten": found.forgotten,
    }
