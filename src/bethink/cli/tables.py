"""Memories as tables that fit 80 columns and show every id in full."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from rich import box
from rich.table import Table
from rich.text import Text

from bethink.cli.phrases import ago, count, local_time, moment_in_full, shortened, shown, span
from bethink.recall.explain import shares
from bethink.types import Hit, MemoryItem, Metadata

_NARROW = ("when", "since", "expires", "part")


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
        made.add_row(memory_text(item), f"{item.importance:g}", _when(item, now))
    return made


def hits_table(hits: Sequence[Hit], now: datetime) -> Table:
    """What a search found, with what made each score."""
    made = table(">score", ">meaning", ">words", "memory", "when")
    for hit in hits:
        made.add_row(*scores(hit), memory_text(hit.item), _when(hit.item, now))
    return made


def numbered_table(hits: Sequence[Hit], now: datetime) -> Table:
    """What a search found, by number."""
    made = table(">#", ">score", ">relevance", "memory", "when")
    for number, hit in enumerate(hits, 1):
        score, *_ = scores(hit)
        relevance = Text(f"{hit.relevance:.2f}", style="dim")
        made.add_row(str(number), score, relevance, memory_text(hit.item), _when(hit.item, now))
    return made


def arms_tables(hits: Sequence[Hit], width: int) -> Iterator[Table]:
    """What the scores of hits are made of, where they differ; each with as many as it has room."""
    said = [{name: _share(share) for name, share in shares(hit).items()} for hit in hits]
    names = [name for name in said[0] if len({one.get(name, "") for one in said}) > 1]
    longest = max((len(share) for one in said for share in one.values()), default=0)
    room = max(1, (width - max(map(len, names), default=0)) // (longest + 2))
    for first in range(0, len(hits) if names else 0, room):
        some = said[first : first + room]
        made = table("part", *(f">{number}" for number in range(first + 1, first + 1 + len(some))))
        made.padding = (0, 1, 0, 0)
        for name in names:
            made.add_row(name, *(one.get(name, "") for one in some))
        yield made


def shares_table(hit: Hit, rank: int | None, hits: Sequence[Hit]) -> Table:
    """What a memory's score is made of, beside the last and the best of those returned."""
    others = {"last": hits[-1:], "best": hits[:1]} if len(hits) > 1 else {"best": hits}
    made = table("part", ">this one", ">rank", *(f">{name}" for name in others))
    compared = [hit, *(one for some in others.values() for one in some)]
    said = [shares(one) for one in compared]
    for name in dict.fromkeys(name for one in said for name in one):
        mine, *rest = (_share(one.get(name, 0.0)) for one in said)
        if mine or any(rest):
            made.add_row(name, mine, str((hit.ranks or {}).get(name, "") if mine else ""), *rest)
    made.add_section()
    mine, *rest = (f"{_rounded(one.score):.1f}" for one in compared)
    made.add_row("score", mine, str(rank), *rest, style="bold")
    mine, *rest = (f"{one.relevance:.2f}" for one in compared)
    made.add_row("relevance", mine, "", *rest)
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
        "version": str(item.version),
    }


def _used(item: MemoryItem, now: datetime) -> str | None:
    if item.last_accessed is None:
        return None
    return f"{count(item.access_count, 'time', 'times')}, last {ago(item.last_accessed, now)}"


def scores(hit: Hit) -> Iterable[Text]:
    """The score and its two main sources, each summed over the arms that look further."""
    style = "bold" if hit.score > 0 else "dim"
    yield Text(f"{_rounded(hit.score):.1f}", style=style)
    for source in ("meaning", "words"):
        yield Text(_signed(_sum_of(hit.arms, source)), style="dim")


def _sum_of(arms: Mapping[str, float], source: str) -> float:
    return sum(score for name, score in arms.items() if source in name)


def _share(share: float) -> str:
    """A share of a score, if there is one."""
    return _signed(share) if _rounded(share) else ""


def _signed(share: float) -> str:
    return f"{_rounded(share):+.1f}"


def _rounded(score: float) -> float:
    return round(score, 1) + 0.0  # turns -0.0 into 0.0


def memory_text(item: MemoryItem) -> Text:
    """A memory on one line, its metadata, and its id."""
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
