from datetime import datetime
from typing import Any

import click
from rich.text import Text

from bethink import Explanation, NotFound
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.objects import hit_object
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import shown
from bethink.cli.screen import out, print_json, print_note
from bethink.cli.tables import memory_text, shares_table
from bethink.portable import as_json as record
from bethink.types import SEARCHED, Kind


@click.command(
    cls=Command,
    examples=[
        'bethink why "football" 0190163d-8694-739b-aea5-966c26f8ad91 --user john',
        'bethink why "food" 0190163d-8694-739b-aea5-966c26f8ad91 --user john --limit 3',
        'bethink why "food" 0190163d-8694-739b-aea5-966c26f8ad91 --user john --json',
    ],
)
@click.argument("query")
@click.argument("item_id", metavar="ID")
@options.limit(10, "How many the search returns at most.")
@options.min_importance
@options.asked_at
@options.narrowing
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    query: str,
    item_id: str,
    limit: int,
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
    """See why a search returns a memory, or does not.

    Prints what the memory's score is made of and its rank in each part, beside the last and the
    best that the same search returns, and says in sentences what decided. Nothing is changed: no
    memory counts as used.
    """
    with setup.memory(store) as memory:
        try:
            told = memory.explain(
                query,
                item_id,
                user_id=user,
                limit=limit,
                kinds=kinds or SEARCHED,
                agent_id=agent,
                session_id=session,
                min_importance=min_importance,
                where=where,
                at=at,
            )
        except NotFound as error:
            raise NotFound(f"{user} has no memory with the id {item_id}.") from error
    if as_json:
        print_json(_object(told))
    else:
        _print(told)


def _object(told: Explanation) -> dict[str, Any]:
    return {
        "returned": told.returned,
        "rank": told.rank,
        "searched": told.searched,
        "reasons": told.reasons,
        "item": record(told.item),
        "hit": told.hit and hit_object(told.hit),
        "hits": [hit_object(hit) for hit in told.hits],
    }


def _print(told: Explanation) -> None:
    console = out()
    console.print(memory_text(told.item))
    if told.hit is not None:
        console.print()
        console.print(shares_table(told.hit, told.rank, told.hits))
        console.print()
    for reason in told.reasons:
        console.print(Text(shown(reason)))
    if told.hits.degraded:
        print_note(told.hits.degraded)
