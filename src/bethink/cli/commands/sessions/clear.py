from collections.abc import Sequence
from datetime import datetime

import click

from bethink import Memory
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.asking import confirm
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count, local_time
from bethink.cli.screen import print_json, print_line
from bethink.errors import NotFound


@click.command(
    cls=Command,
    examples=[
        "bethink sessions clear monday --user john",
        "bethink sessions clear --before 2024-05-17 --user john",
        "bethink sessions clear --all --user john --yes",
    ],
)
@click.argument("session_ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="All sessions of this user.")
@click.option(
    "--before",
    type=options.moment,
    metavar="DATE",
    help="Those last gone on with before then: 2024-05-17.",
)
@click.option("--yes", is_flag=True, help="With --all or --before: do not ask.")
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    session_ids: Sequence[str],
    everything: bool,
    before: datetime | None,
    yes: bool,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """Remove what was said and worked on in sessions.

    What was learnt in them stays. If one of the ids is unknown, nothing is removed.
    """
    if [bool(session_ids), everything, before is not None].count(True) != 1:
        raise click.UsageError("Pass the ids of sessions, --all or --before, one of the three.")
    with setup.memory(store) as memory:
        if session_ids:
            chosen = _known(memory, session_ids, user)
        else:
            chosen = _last_before(memory, before, user)
            if not yes:
                _confirm(len(chosen), before, user)
        removed = sum(memory.clear_session(name, user_id=user) for name in chosen)
    if as_json:
        print_json({"sessions": len(chosen), "removed": removed})
    else:
        print_line(f"Removed {_sessions(len(chosen))} of {user}.")


def _known(memory: Memory, session_ids: Sequence[str], user: str) -> Sequence[str]:
    there = {session.id for session in memory.sessions(user_id=user)}
    for name in session_ids:
        if name not in there:
            raise NotFound(f"{user} has no session with the id {name}. Nothing was removed.")
    return list(dict.fromkeys(session_ids))


def _last_before(memory: Memory, before: datetime | None, user: str) -> Sequence[str]:
    found = memory.sessions(user_id=user)
    return [session.id for session in found if before is None or session.last < before]


def _confirm(number: int, before: datetime | None, user: str) -> None:
    which = "" if before is None else f" from before {local_time(before)}"
    confirm(
        f"Remove {_sessions(number)} of {user}{which}?",
        f"This removes what was said in {_sessions(number)} of {user}{which}.",
    )


def _sessions(number: int) -> str:
    return count(number, "session", "sessions")
