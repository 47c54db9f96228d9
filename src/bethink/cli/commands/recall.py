from datetime import datetime
from typing import Any

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.given import print_context
from bethink.cli.objects import context_object, hit_object
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import print_json, print_note
from bethink.recall.relevance import RELEVANT
from bethink.types import SEARCHED, Kind


@click.command(
    cls=Command,
    examples=[
        'bethink recall "what can he eat?" --user john',
        'bethink recall "plan his birthday" --user john --budget 200 --least 0.5',
        'bethink recall "where does he live?" --user john --at 2022-01-01 --kind fact',
        'bethink recall "dinner" --user john --json | jq -r .text',
    ],
)
@click.argument("query")
@options.budget(1000)
@options.limit(20)
@click.option(
    "--least",
    type=click.FloatRange(0, 1),
    default=RELEVANT,
    show_default=True,
    metavar="NUMBER",
    help="Leave out what is less relevant, from 0 to 1.",
)
@options.asked_at
@options.narrowing
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    query: str,
    budget: int,
    limit: int,
    least: float,
    at: datetime | None,
    kinds: tuple[Kind, ...],
    session: str | None,
    agent: str | None,
    where: dict[str, Any],
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Print what matters for a query, within a budget.

    The context for a prompt: whole memories, nothing twice, what was said in order of time, and
    facts as they are, or were at the time of --at. On a terminal, the memories that its numbers
    stand for are listed below. If nothing is relevant, nothing is printed.
    """
    with setup.memory(store) as memory:
        context = memory.recall(
            query,
            user_id=user,
            budget=budget,
            limit=limit,
            kinds=kinds or SEARCHED,
            agent_id=agent,
            session_id=session,
            where=where,
            at=at,
            least=least,
        )
    if as_json:
        hits = [hit_object(hit) for hit in context.hits]
        print_json({**context_object(context), "hits": hits})
    elif context:
        print_context(context)
    else:
        print_note(
            f"{user} has no memory with a relevance of {least:g} that fits into {budget:,} tokens; "
            "--least and --budget set both."
        )
    if context.hits.degraded:
        print_note(context.hits.degraded)
