from datetime import datetime
from typing import Any

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.objects import hit_object
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json, print_note
from bethink.cli.tables import arms_tables, hits_table, numbered_table
from bethink.types import SEARCHED, Hits, Kind


@click.command(
    cls=Command,
    examples=[
        'bethink search "which football team does he like?" --user john',
        'bethink search "what can he eat?" --user john --where topic=food --limit 3',
        'bethink search "health" --user john --min-importance 0.8 --explain',
        'bethink search "football" --user john --json | jq -r .item.content',
    ],
)
@click.argument("query")
@options.limit(10)
@click.option("--explain", is_flag=True, help="Show all that each score is made of.")
@options.min_importance
@options.asked_at
@options.narrowing
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    query: str,
    limit: int,
    explain: bool,
    min_importance: float,
    at: datetime | None,
    kinds: tuple[Kind, ...],
    session: str | None,
    agent: str | None,
    where: dict[str, Any],
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Find memories by meaning and by words.

    Prints the best matches, best first. A score says how far a memory stands out from the
    others, in standard deviations. Most of it is what its meaning and its words say; --explain
    shows the rest.
    """
    with setup.memory(store) as memory:
        hits = memory.search(
            query,
            user_id=user,
            limit=limit,
            kinds=kinds or SEARCHED,
            agent_id=agent,
            session_id=session,
            min_importance=min_importance,
            where=where,
            at=at,
            explain=explain,
        )
    if as_json:
        for hit in hits:
            print_json(hit_object(hit))
    elif explain and hits:
        _print_explained(hits, setup.clock())
    elif hits:
        out().print(hits_table(hits, setup.clock()))
    else:
        print_note(f"{user} has no memory that fits.")
    if hits.degraded:
        print_note(hits.degraded)


def _print_explained(hits: Hits, now: datetime) -> None:
    """The hits by number, and below them what each number's score is made of."""
    console = out()
    console.print(numbered_table(hits, now))
    for some in arms_tables(hits, console.width):
        console.print()
        console.print(some)
