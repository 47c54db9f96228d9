from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

import click
from rich.table import Table
from rich.text import Text

from bethink import Memory, Session
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import ago, shortened, shown
from bethink.cli.screen import out, print_json, print_note
from bethink.cli.tables import lines, table
from bethink.index.user import Selection
from bethink.kinds.messages import read_message

_FIRST_FEW = 10  # messages among which the user's first is looked for


@click.command(
    cls=Command,
    examples=[
        "bethink sessions list --user john",
        "bethink sessions --user john --limit 100 --json",
    ],
)
@options.limit(20)
@options.shared
@pass_setup
def command(setup: Setup, *, limit: int, store: str, user: str, as_json: bool) -> None:
    """List conversations, the one last gone on with first.

    Each is shown with how it began: the first thing that the user said.
    """
    with setup.memory(store) as memory:
        found = memory.sessions(user_id=user)
        listed = [(session, _opening(memory, user, session.id)) for session in found[:limit]]
    if as_json:
        for session, opening in listed:
            print_json({**asdict(session), "opening": opening})
    elif listed:
        out().print(_table(listed, setup.clock()))
    else:
        print_note(f"{user} has no sessions.")
    if len(found) > limit:
        print_note("There are more; --limit shows them.")


def _opening(memory: Memory, user: str, session_id: str) -> str | None:
    """The first thing that the user said in a session, or whoever spoke first."""
    selection = Selection(("message",), session_id=session_id)
    ids = memory.records.ids(user, selection)[:_FIRST_FEW]
    messages = [read_message(item) for item in memory.records.get(user, ids)]
    first = next((message for message in messages if message.role == "user"), None)
    spoken = first or next(iter(messages), None)
    return None if spoken is None else spoken.content


def _table(listed: Sequence[tuple[Session, str | None]], now: datetime) -> Table:
    made = table("session", ">messages", "begun", "last")
    for session, opening in listed:
        made.add_row(
            lines(Text(shortened(opening or "", 120)), Text(shown(session.id), style="dim")),
            f"{session.messages:,}",
            Text(ago(session.first, now), no_wrap=True),
            Text(ago(session.last, now), no_wrap=True),
        )
    return made
