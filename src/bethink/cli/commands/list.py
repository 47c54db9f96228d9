from typing import Any

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json, print_note
from bethink.cli.tables import memories_table
from bethink.portable import as_json as record
from bethink.types import KNOWN, Kind


@click.command(
    cls=Command,
    examples=[
        "bethink list --user john",
        "bethink list --user john --where topic=food",
        "bethink list --user john --kind message --limit 100 --json",
    ],
)
@options.limit(20)
@options.narrowing
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    limit: int,
    kinds: tuple[Kind, ...],
    session: str | None,
    agent: str | None,
    where: dict[str, Any],
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """List what is known, the newest first.

    Leaves out what was said (--kind message) and what working memory holds (--kind working).
    """
    with setup.memory(store) as memory:
        items = memory.get_user_memories(
            user_id=user,
            limit=limit + 1,
            kinds=kinds or KNOWN,
            agent_id=agent,
            session_id=session,
            where=where,
        )
    listed = items[:limit]
    if as_json:
        for item in listed:
            print_json(record(item))
    elif listed:
        out().print(memories_table(listed, setup.clock()))
    else:
        print_note(f"{user} has no memory that fits.")
    if len(items) > limit:
        print_note("There are more; --limit shows them.")
