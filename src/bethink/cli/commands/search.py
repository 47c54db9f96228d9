from typing import Any

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json, print_note
from bethink.cli.tables import hits_table
from bethink.portable import as_json as record
from bethink.types import SEARCHED, Hit, Kind


@click.command(
    cls=Command,
    examples=[
        'bethink search "which football team does he like?" --user john',
        'bethink search "what can he eat?" --user john --where topic=food --limit 3',
        'bethink search "health" --user john --min-importance 0.8',
        'bethink search "football" --user john --json | jq -r .item.content',
    ],
)
@click.argument("query")
@options.limit(10)
@click.option(
    "--min-importance",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="NUMBER",
    help="Only as important as this.",
)
@options.narrowing
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    query: str,
    limit: int,
    min_importance: float,
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
    others, in standard deviations; it is the sum of what its meaning and its words say.
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
        )
    if as_json:
        for hit in hits:
            print_json(_as_json(hit))
    elif hits:
        out().print(hits_table(hits, setup.clock()))
    else:
        print_note(f"{user} has no memory that fits.")


def _as_json(hit: Hit) -> dict[str, Any]:
    return {
        "score": hit.score,
        "relevance": hit.relevance,
        "arms": dict(hit.arms),
        "factors": dict(hit.factors),
        "item": record(hit.item),
    }
