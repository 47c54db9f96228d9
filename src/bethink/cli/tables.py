"""Memories as tables that fit 80 columns and show every id in full."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from rich import box
from rich.table import Table
from rich.text import Text

from bethink.cli.phrases import ago, count, local_time, moment_in_full, shortened, shown, span
from bethink.types import Hit, MemoryItem, Metadata

_NARROW = ("when", "since", "expires")


def table(*headings: str) -> Table:
    """An empty table. A column whose heading starts with > is one of numbers."""
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    for heading in headings:
        numbers = heading.startswith(">")
        made.add_column(
            heading.removeprefix(">"),
            justify="right" if numbers else "left",
            no_wrap=numbers or heading in _NARROW,
        )
    return made


def memories_table(items: Sequence[MemoryItem], now: datetime) -> Table:
    """What is known, one memory a row."""
    made = table("memory", ">importance", "when")
    for item in items:
        made.add_row(_memory(item), f"{item.importance:g}", _when(item, now))
    return made


def hits_table(hits: Sequence[Hit], now: datetime) -> Table:
    """What a search found, with what made each score."""
    made = table(">score", ">meaning", ">words", "memory", "when")
    for hit in hits:
        made.add_row(*scores(hit), _memory(hit.item), _when(hit.item, now))
    return made


def versions_table(versions: Sequence[MemoryItem]) -> Table:
    """The states of one memory, oldest first."""
    made = table(">version", "memory", ">importance", "since", "expires")
    for item in versions:
        now = item is versions[-1]
        made.add_row(
            Text(f"{item.version}, now" if now else f"{item.version}"),
            lines(Text(shortened(item.content)), metadata_text(item.metadata)),
            f"{item.importance:g}",
            local_time(item.updated_at or item.created_at),
            "never" if item.expires_at is None else local_time(item.expires_at),
            style="bold" if now else "",
        )
    return made


def memory_in_full(item: MemoryItem, now: datetime) -> Table:
    """Everything about one memory."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in _described(item, now).items():
        if value:
            made.add_row(name, value)
    return made


def _described(item: MemoryItem, now: datetime) -> dict[str, str | Text | None]:
    times = {
        "created": item.created_at,
        "changed": item.updated_at,
        "valid from": item.valid_from,
        "valid to": item.valid_to,
        "expires": item.expires_at,
    }
    return {
        "content": Text(shown(item.content), style="bold"),
        "id": shown(item.id),
        "kind": item.kind,
        "importance": f"{item.importance:g}",
        "metadata": shown(json.dumps(item.metadata, ensure_ascii=False)) if item.metadata else None,
        "speaker": item.speaker and shown(item.speaker),
        "session": item.session_id and shown(item.session_id),
        "agent": item.agent_id and shown(item.agent_id),
        **{name: moment_in_full(time, now) for name, time in times.items() if time},
        "used": _used(item, now),
        "origin": None if item.origin == "user" else item.origin,
        "flagged": "it reads like instructions" if item.flagged else None,
        "pinned": "never pruned" if item.pinned else None,
        "version": str(item.version),
    }


def _used(item: MemoryItem, now: datetime) -> str | None:
    if item.last_accessed is None:
        return None
    return f"{count(item.access_count, 'time', 'times')}, last {ago(item.last_accessed, now)}"


def scores(hit: Hit) -> Iterable[Text]:
    """The score and its two sources, each summed over the arms that a conversation widens."""
    style = "bold" if hit.score > 0 else "dim"
    yield Text(f"{_rounded(hit.score):.1f}", style=style)
    for source in ("meaning", "words"):
        yield Text(f"{_rounded(_sum_of(hit.arms, source)):+.1f}", style="dim")


def _sum_of(arms: Mapping[str, float], source: str) -> float:
    return sum(score for name, score in arms.items() if name.startswith(source))


def _rounded(score: float) -> float:
    return round(score, 1) + 0.0  # turns -0.0 into 0.0


def _memory(item: MemoryItem) -> Text:
    said = f"{item.speaker}: {item.content}" if item.speaker else item.content
    return lines(
        Text(shortened(said)), metadata_text(item.metadata), Text(shown(item.id), style="dim")
    )


def metadata_text(metadata: Metadata) -> Text:
    pairs = (f"{key}={value_text(value)}" for key, value in metadata.items())
    return Text(shortened("  ".join(pairs), 120), style="cyan")


def value_text(value: object) -> str:
    """A JSON value as people write it: a text without quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _when(item: MemoryItem, now: datetime) -> Text:
    return lines(Text(ago(item.updated_at or item.created_at, now)), _expiry(item, now))


def _expiry(item: MemoryItem, now: datetime) -> Text:
    left = "" if item.expires_at is None else f"{span(item.expires_at - now)} left"
    return Text(left, style="yellow")


def lines(*some: Text) -> Text:
    """Some lines in one cell, without the empty ones."""
    return Text("\n").join(line for line in some if line)
