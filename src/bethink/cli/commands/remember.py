import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count, memories, shortened, shown
from bethink.cli.screen import out, print_json, print_line, working
from bethink.index.user import Selection
from bethink.learning import Remembered
from bethink.portable import as_json as record
from bethink.validate import check_user


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
        before = set(memory.records.ids(check_user(user), Selection(("message",))))
        found = memory.remember(heard, user_id=user, session_id=session, agent_id=agent)
    if as_json:
        print_json(_as_json(found, before))
    else:
        _print(found, before)


def _print(found: Remembered, before: Collection[str]) -> None:
    known = sum(item.id in before for item in found.messages)
    if found.learnt:
        out().print(_table(found))
    elif new := len(found.messages) - known:
        print_line(f"Kept {_said(new)}; nothing in it is worth knowing by itself.")
    if known:
        print_line(f"{_said(known)} {'was' if known == 1 else 'were'} known already.")
    if found.forgotten:
        messages = {*before, *(item.id for item in found.messages)}
        gone = sum(id_ not in messages for id_ in found.forgotten)
        print_line(
            f"Forgot {memories(gone) if gone else _said(len(found.forgotten))}, as you asked."
        )


def _said(number: int) -> str:
    return count(number, "message", "messages")


def _messages(given: Sequence[str]) -> Iterator[Any]:
    for text in given:
        if text != "-":
            yield text
            continue
        with click.open_file("-", encoding="utf-8-sig") as stdin:
            for number, line in enumerate(stdin, 1):
                if line.strip():
                    yield _message(line.strip(), number)


def _message(line: str, number: int) -> Any:
    """A line of input: a JSON object is a message, and what is no JSON is the user's words."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        if line.startswith("{"):
            raise click.UsageError(
                f"Line {number} begins like a JSON object and is none. Put each object on one line."
            ) from None
        return line
    if isinstance(read, list | str):
        raise click.UsageError(
            f"Line {number} is JSON, but no object. Put one object or plain text on each line."
        )
    return read if isinstance(read, dict) else line  # a number is what the user said


def _table(found: Remembered) -> Table:
    made = Table.grid(padding=(0, 2))
    made.add_column(style="cyan", no_wrap=True)
    made.add_column()
    made.add_column(style="dim", no_wrap=True)
    for item in found.learnt:
        category = str(item.metadata.get("category", item.kind))
        made.add_row(category, Text(shortened(item.content)), shown(item.id))
    return made


def _as_json(found: Remembered, before: Collection[str]) -> dict[str, Any]:
    ids = [item.id for item in found.messages]
    return {
        "messages": ids,
        "known": [id_ for id_ in ids if id_ in before],
        "learnt": [record(item) for item in found.learnt],
        "forgotten": found.forgotten,
    }
