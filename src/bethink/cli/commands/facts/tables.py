"""Facts as tables."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from rich.table import Table
from rich.text import Text

from bethink import Fact
from bethink.cli.phrases import ago, day_or_time, shortened
from bethink.cli.tables import table, value_text


def facts_table(facts: Sequence[Fact]) -> Table:
    """Facts, one a row."""
    ends = any(fact.valid_to for fact in facts)
    made = table("key", "value", "since", *(["until"] if ends else []), ">confidence", "source")
    for fact in facts:
        made.add_row(
            Text(shortened(fact.key)),
            Text(shortened(value_text(fact.value)), style="bold"),
            day_or_time(fact.valid_from),
            *([_end(fact.valid_to)] if ends else []),
            f"{fact.confidence:g}",
            Text(shortened(fact.source or "")),
        )
    return made


def statements_table(statements: Sequence[Fact], now: datetime) -> Table:
    """The statements of one fact, in the order in which they hold."""
    made = table("value", "since", "until", "recorded", ">confidence", "source")
    for column in made.columns:
        column.no_wrap = False  # two times in full are wide
    for fact, end in zip(statements, ends(statements), strict=True):
        holds = fact.valid_from <= now and (end is None or end > now)
        made.add_row(
            Text(shortened(value_text(fact.value))),
            day_or_time(fact.valid_from),
            "corrected" if end == fact.valid_from else _end(end),
            ago(fact.recorded_at, now),
            f"{fact.confidence:g}",
            Text(shortened(fact.source or "")),
            style="bold" if holds else "",
        )
    return made


def ends(statements: Sequence[Fact]) -> Iterator[datetime | None]:
    """When each statement ceases to hold: at its own end, or when the next one begins."""
    for fact, following in pairwise(statements):
        begins = following.valid_from
        yield begins if fact.valid_to is None else min(fact.valid_to, begins)
    yield statements[-1].valid_to


def _end(moment: datetime | None) -> str:
    return "" if moment is None else day_or_time(moment)
