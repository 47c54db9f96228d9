from dataclasses import asdict
from typing import Any

import click

from bethink import Hit
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.commands.episodes.tables import similar_table
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json, print_note
from bethink.kinds.episodic import episode_of


@click.command(
    cls=Command,
    examples=[
        'bethink episodes search "book a table for four" --user john',
        'bethink episodes search "book a table for four" --user john --failed --limit 3',
        'bethink episodes search "deploy" --user john --json | jq -r .episode.lesson',
    ],
)
@click.argument("query")
@click.option(
    "--worked/--failed", "success", default=None, help="Only those that did, or did not, succeed."
)
@options.limit(5)
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    query: str,
    success: bool | None,
    limit: int,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Find past tasks like this one.

    The most alike come first, failures included. A relevance of 0 is that of texts which have
    nothing to do with each other, 1 that of the same text.
    """
    with setup.memory(store) as memory:
        hits = memory.for_user(user).episodic.similar(query, limit, success=success)
    if as_json:
        for hit in hits:
            print_json(_as_json(hit))
    elif hits:
        out().print(similar_table(hits, setup.clock()))
    else:
        print_note(f"{user} has no past task that fits.")


def _as_json(hit: Hit) -> dict[str, Any]:
    return {
        "score": hit.score,
        "relevance": hit.relevance,
        "episode": asdict(episode_of(hit.item)),
    }
