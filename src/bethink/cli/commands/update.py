from datetime import timedelta
from typing import Any

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json, working
from bethink.cli.tables import memory_in_full
from bethink.portable import as_json as record
from bethink.types import Changed


def _duration_or_never(value: str) -> timedelta:
    return timedelta.max if value == "never" else options.duration(value)


@click.command(
    cls=Command,
    examples=[
        "bethink update 0190163d-8694-739b-aea5-966c26f8ad91 --user john \\",
        '    --content "Lives in Paris"',
        "bethink update 0190163d-8694-739b-aea5-966c26f8ad91 --user john \\",
        "    --importance 0.9 --expires-in never",
    ],
)
@click.argument("item_id", metavar="ID")
@click.option("--content", metavar="TEXT", help="The new text.")
@options.importance
@options.metadata
@click.option(
    "--expires-in", type=_duration_or_never, metavar="TIME", help="Such as 30m, 2h, 7d, or never."
)
@click.option("--pinned/--not-pinned", default=None, help="Never prune it; or do, when it is old.")
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    item_id: str,
    content: str | None,
    importance: float | None,
    metadata: dict[str, Any],
    expires_in: timedelta | None,
    pinned: bool | None,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Change a memory and keep what it was.

    What is not named stays. --metadata replaces all of the metadata.
    """
    changed = _changed(content, importance, metadata, expires_in)
    if pinned is not None:
        changed["pinned"] = pinned
    if not changed:
        raise click.UsageError(
            "Nothing to change. Pass --content, --importance, --metadata, --expires-in or --pinned."
        )
    with setup.memory(store) as memory, working("Embedding"):
        item = memory.update(item_id, user_id=user, **changed)
    if as_json:
        print_json(record(item))
    else:
        out().print(memory_in_full(item, setup.clock()))


def _changed(
    content: str | None,
    importance: float | None,
    metadata: dict[str, Any],
    expires_in: timedelta | None,
) -> Changed:
    changed = Changed()
    if content is not None:
        changed["content"] = content
    if importance is not None:
        changed["importance"] = importance
    if metadata:
        changed["metadata"] = metadata
    if expires_in == timedelta.max:
        changed["expires_at"] = None
    elif expires_in is not None:
        changed["expires_in"] = expires_in
    return changed
