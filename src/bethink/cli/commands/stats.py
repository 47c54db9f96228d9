from collections import Counter
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from bethink import MemoryStore
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count, memories, shown, size
from bethink.cli.screen import out, print_json, print_line, print_note
from bethink.cli.tables import table
from bethink.models.base import model_in
from bethink.stores.url import file_of, without_password
from bethink.times import to_micros
from bethink.types import KINDS, REVISION

_SHOWN = 20
_ANY_SPACE = ""  # vectors are not counted, so none are read


@click.command(
    cls=Command,
    examples=[
        "bethink stats",
        "bethink stats --user john",
        "bethink stats --store agent.db --json",
    ],
)
@options.store
@click.option("--user", metavar="NAME", help="Only this user (BETHINK_USER is not read here).")
@options.as_json
@pass_setup
def command(setup: Setup, *, store: str, user: str | None, as_json: bool) -> None:
    """Count users and memories.

    Memories that have expired and earlier versions of others are not counted.
    """
    with closing(setup.store(store)) as opened:
        users = opened.users() if user is None else [user]
        counted = {name: _count(opened, name, setup.clock()) for name in users}
        space = opened.space()
    facts = {"store": without_password(store), "bytes": _bytes(file_of(store)), "embedder": space}
    if as_json:
        print_json({**facts, "users": {name: dict(kinds) for name, kinds in counted.items()}})
    else:
        _print(facts, counted)


def _count(store: MemoryStore, user: str, now: datetime) -> Counter[str]:
    rows = [row for row in store.scan(user, space=_ANY_SPACE).rows if REVISION not in row.id]
    moment = to_micros(now)
    return Counter(r.kind for r in rows if r.expires_at is None or r.expires_at > moment)


def _bytes(path: Path | None) -> int | None:
    """What the file takes on disk, with the log that belongs to it."""
    if path is None:
        return None
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _print(facts: dict[str, Any], counted: dict[str, Counter[str]]) -> None:
    kept = sum(kinds.total() for kinds in counted.values())
    print_line(f"{memories(kept)} of {count(len(counted), 'user', 'users')} in {facts['store']}")
    if facts["embedder"] is not None:
        vectors = f"{facts['embedder'].rpartition('/')[2]} numbers a vector"
        print_line(f"Embedded with {model_in(facts['embedder'])}, {vectors}", style="dim")
    if facts["bytes"] is not None:
        print_line(f"{size(facts['bytes'])} on disk", style="dim")
    if counted:
        _print_users(counted)


def _print_users(counted: dict[str, Counter[str]]) -> None:
    kinds = [kind for kind in KINDS if any(kind in found for found in counted.values())]
    made = table("user", *(f">{kind}" for kind in kinds), ">memories")
    largest = sorted(counted.items(), key=lambda pair: -pair[1].total())
    for name, found in largest[:_SHOWN]:
        numbers = (found[kind] for kind in kinds)
        made.add_row(Text(shown(name)), *(f"{n:,}" for n in numbers), f"{found.total():,}")
    out().print(made)
    if len(counted) > _SHOWN:
        print_note(f"The {_SHOWN} users with the most. --json prints all {len(counted):,}.")
