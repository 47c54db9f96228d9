"""Memories of one user: kept, found, changed, shared."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from bethink import Hit, Memory, MemoryItem
from bethink.cli.demonstration.stage import USER, Stage, Step
from bethink.cli.phrases import shortened
from bethink.cli.screen import working
from bethink.cli.tables import metadata_text, scores, table
from bethink.errors import BethinkError

KNOWN: list[dict[str, Any]] = [
    {"content": "Lives in Lisbon", "metadata": {"topic": "home"}},
    {"content": "Supports Arsenal", "metadata": {"topic": "sport"}},
    {"content": "Allergic to peanuts", "metadata": {"topic": "food"}, "importance": 1.0},
    {"content": "Loves a good ramen", "metadata": {"topic": "food"}},
    {"content": "Takes oat milk in his coffee", "metadata": {"topic": "food"}},
    {"content": "Works nights as a nurse", "metadata": {"topic": "work"}},
    {"content": "Booked flight BA117 for 3 June", "metadata": {"topic": "travel"}},
]
EXPIRY = timedelta(seconds=1)


def _remember(stage: Stage, memory: Memory) -> None:
    stage.heading("Remember")
    stage.say(f"What an agent knows about {USER.title()}, in one file, with no server and no key:")
    stage.code(f'memory = Memory("{stage.path.name}")\nmemory.add_many(known, user_id="{USER}")')
    stage.show(_known_table(memory.add_many(KNOWN, user_id=USER)))


def _find(stage: Stage, memory: Memory) -> None:
    stage.heading("Find by meaning and by words")
    _search(stage, memory, "which football team does he like?")
    stage.say("Arsenal has no word in common with the question: its meaning was enough.")
    stage.pause()
    _search(stage, memory, "BA117")
    stage.say("And here it is the words that say most.")


def _filter(stage: Stage, memory: Memory) -> None:
    stage.heading("Filter")
    _search(stage, memory, "what should I cook for him?", where={"topic": "food"})


def _share(stage: Stage, memory: Memory) -> None:
    stage.heading("Share the file with another process")
    stage.say("A second process opens the same file and adds something:")
    text = "Has a sister called Maya"
    stage.code(f'$ bethink add "{text}" --user {USER} --store {stage.path.name}')
    with working("Starting a second process"):
        answer = _add_elsewhere(text, stage.path)
    stage.code(answer, style="dim")
    stage.say("This process finds it at once:")
    _search(stage, memory, "does he have any siblings?", limit=2)


def _change(stage: Stage, memory: Memory) -> None:
    stage.heading("Change, and keep what it was")
    [home] = memory.get_user_memories(user_id=USER, where={"topic": "home"})
    stage.code(f'memory.update(id, user_id="{USER}", content="Lives in Berlin since March")')
    memory.update(home.id, user_id=USER, content="Lives in Berlin since March")
    stage.code(f'memory.history(id, user_id="{USER}")')
    stage.show(_history_table(memory.history(home.id, user_id=USER)))


def _expire(stage: Stage, memory: Memory) -> None:
    seconds = round(EXPIRY.total_seconds())
    stage.heading("Let it expire")
    stage.code(
        f'memory.add("The door code is 4411", user_id="{USER}",\n'
        f"           expires_in=timedelta(seconds={seconds}))"
    )
    item = memory.add("The door code is 4411", user_id=USER, expires_in=EXPIRY)
    stage.say(f"Now:            {_answer(memory.get(item.id, user_id=USER))}")
    time.sleep(EXPIRY.total_seconds())
    stage.say(f"{seconds} second later: {_answer(memory.get(item.id, user_id=USER))}")


def _keep_apart(stage: Stage, memory: Memory) -> None:
    stage.heading("Keep users apart")
    _search(stage, memory, "which football team does he like?", user="mary")


STEPS: Sequence[Step] = (
    _remember,
    _find,
    _filter,
    _share,
    _change,
    _expire,
    _keep_apart,
)


def _search(
    stage: Stage,
    memory: Memory,
    query: str,
    *,
    user: str = USER,
    limit: int = 3,
    where: dict[str, Any] | None = None,
) -> None:
    narrowed = "" if where is None else f",\n{'':14}where={json.dumps(where)}"
    stage.code(f'memory.search("{query}", user_id="{user}"{narrowed})')
    hits = memory.search(query, user_id=user, limit=limit, where=where)
    if hits:
        stage.show(_hits_table(hits))
    else:
        stage.say(f"{user.title()} has no memories, and sees none of {USER.title()}'s.")


def _add_elsewhere(text: str, path: Path) -> str:
    """What another process says when it has added a text."""
    arguments = ["add", text, "--user", USER, "--store", str(path)]
    done = subprocess.run(  # noqa: S603 (nothing here comes from outside)
        [sys.executable, "-m", "bethink.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BethinkError(f"The second process failed: {done.stderr.strip()}")
    return done.stdout.strip()


def _known_table(items: Sequence[MemoryItem]) -> Table:
    made = table("memory", "metadata", ">importance")
    for item in items:
        made.add_row(item.content, metadata_text(item.metadata), f"{item.importance:g}")
    return made


def _hits_table(hits: Sequence[Hit]) -> Table:
    made = table(">score", ">meaning", ">words", "memory")
    for hit in hits:
        style = "bold green" if hit is hits[0] else ""
        made.add_row(*scores(hit), Text(shortened(hit.item.content), style=style))
    return made


def _history_table(versions: Sequence[MemoryItem]) -> Table:
    made = table(">version", "memory")
    for item in versions:
        made.add_row(str(item.version), item.content)
    return made


def _answer(item: MemoryItem | None) -> str:
    return "nothing" if item is None else f"“{item.content}”"
