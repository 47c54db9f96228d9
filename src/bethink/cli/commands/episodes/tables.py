"""Episodes as tables."""

import json
from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from bethink import Episode, Hit, Step
from bethink.cli.phrases import ago, moment_in_full, shortened, shown, span
from bethink.cli.tables import lines, table, value_text
from bethink.kinds.episodic import episode_of, taught


def episodes_table(episodes: Sequence[Episode], now: datetime) -> Table:
    """Past tasks, one a row."""
    made = table("when", "task", "went", ">took")
    for episode in episodes:
        made.add_row(ago(episode.ended_at, now), _task(episode), went(episode), _took(episode))
    return made


def similar_table(hits: Sequence[Hit], now: datetime) -> Table:
    """The past tasks that a search found."""
    made = table(">relevance", "when", "task", "went")
    for hit in hits:
        episode = episode_of(hit.item)
        relevance = Text(f"{hit.relevance:.2f}", style="bold" if hit is hits[0] else "")
        made.add_row(relevance, ago(episode.ended_at, now), _task(episode), went(episode))
    return made


def episode_in_full(episode: Episode, now: datetime) -> Table:
    """Everything about a past task but for its steps."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(overflow="fold")
    made.add_row("task", Text(shown(episode.task), style="bold"))
    made.add_row("id", shown(episode.id))
    made.add_row("went", went(episode))
    made.add_row("outcome", shown(episode.outcome))
    if lesson := taught(episode):
        made.add_row("lesson", shown(lesson))
    if episode.metadata:
        made.add_row("metadata", shown(json.dumps(episode.metadata, ensure_ascii=False)))
    made.add_row("ended", moment_in_full(episode.ended_at, now))
    made.add_row("took", _took(episode))
    return made


def steps_table(steps: Sequence[Step]) -> Table:
    """What was thought, done and seen, in order."""
    made = table(">step", "thought", "action", "result")
    for number, step in enumerate(steps, start=1):
        cells = (step.thought, step.action, value_text(step.result))
        made.add_row(str(number), *(Text(shortened(cell)) for cell in cells))
    return made


def went(episode: Episode) -> Text:
    return Text("worked", style="green") if episode.success else Text("failed", style="red")


def _task(episode: Episode) -> Text:
    lesson = taught(episode)
    return lines(
        Text(shortened(episode.task)),
        Text(shortened(f"Lesson: {lesson}" if lesson else ""), style="cyan"),
        Text(shown(episode.id), style="dim"),
    )


def _took(episode: Episode) -> str:
    return span(episode.duration)
