from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import memories, shortened, shown
from bethink.cli.screen import out, print_json, print_note, working
from bethink.portable import as_json as record
from bethink.types import Kind, MemoryItem, Origin


@click.command(
    cls=Command,
    examples=[
        'bethink add "Supports Arsenal" "Lives in London" --user john',
        'bethink add "Eats no nuts" --user john --importance 1 --metadata topic=food',
        'bethink add "The door code is 4411" --user john --expires-in 2h',
        'printf "Likes tea\\nLikes cake\\n" | bethink add - --user john',
    ],
)
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@options.importance
@options.metadata
@click.option("--expires-in", type=options.duration, metavar="TIME", help="Such as 30m, 2h, 7d.")
@click.option("--session", metavar="NAME", help="The session that it comes from.")
@click.option("--agent", metavar="NAME", help="The agent that learnt it.")
@options.kind
@options.origin
@click.option("--pinned", is_flag=True, help="Never prune it.")
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    texts: Sequence[str],
    importance: float | None,
    metadata: dict[str, Any],
    expires_in: timedelta | None,
    session: str | None,
    agent: str | None,
    kind: Kind,
    origin: Origin,
    pinned: bool,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Keep texts, exactly as they are.

    Each TEXT becomes one memory; - reads them from stdin, one a line. If one of them cannot be
    kept, none is.
    """
    wanted = list(_lines(texts))
    if not wanted:
        raise click.UsageError("There was nothing on stdin to add.")
    with setup.memory(store, create=True) as memory, working("Embedding"):
        items = memory.add_many(
            wanted,
            user_id=user,
            importance=0.5 if importance is None else importance,
            metadata=metadata,
            expires_in=expires_in,
            session_id=session,
            agent_id=agent,
            kind=kind,
            origin=origin,
            pinned=pinned,
        )
    if as_json:
        for item in items:
            print_json(record(item))
    else:
        out().print(_added(items))
    if flagged := sum(item.flagged for item in items):
        print_note(f"{memories(flagged)} flagged: see `bethink quarantine`.")


def _lines(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        if text == "-":
            with click.open_file("-", encoding="utf-8-sig") as stdin:
                yield from (line.rstrip("\r\n") for line in stdin if line.strip())
        else:
            yield text


def _added(items: Sequence[MemoryItem]) -> Table:
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(no_wrap=True)
    for item in items:
        made.add_row(shown(item.id), Text(shortened(item.content)))
    return made
