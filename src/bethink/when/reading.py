"""What some words were read as, and which one is meant of the things that come again."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from bethink.when.days import Grain, Span, midnight
from bethink.when.words import Page

Which: TypeAlias = Literal["past", "future", "last", "this", "next"]


@dataclass(frozen=True, slots=True)
class Turns:
    """Something that comes again every year, or every week."""

    make: Callable[[int], Span]
    """Of a year; of a week counted from this one."""
    name: Callable[[int], str]
    grain: Grain
    preposition: str
    weekly: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    span: Span
    grain: Grain
    name: str
    """What a calendar calls it, such as ``2026-11-20`` or ``spring 2026``."""
    preposition: str
    """The one that its name has in a sentence; none where the name begins with its own."""
    stop: int
    """The token behind the words."""
    fixed: bool = False
    """Whether the words say it to anyone, whenever they are read."""
    turns: Turns | None = None
    turn: int = 0

    def until(self, stop: int) -> "Reading":
        return replace(self, stop=stop)


def take(turns: Turns, turn: int, stop: int, *, fixed: bool = False) -> Reading:
    """One of the things that come again."""
    return Reading(
        turns.make(turn),
        turns.grain,
        turns.name(turn),
        turns.preposition,
        stop,
        fixed=fixed,
        turns=turns,
        turn=turn,
    )


def pick(page: Page, turns: Turns, stop: int, which: Which | None = None) -> Reading | None:
    """The one that is meant, as `bethink.when` says; none within reach is None."""
    which = which or page.prefer
    if turns.weekly and which in ("past", "future"):  # nobody calls today Friday
        which = "last" if which == "past" else "next"
    here = 0 if turns.weekly else page.now.year
    if which == "this" and not turns.weekly:
        # A winter belongs to the year in which it begins; in spring it is still this winter.
        late = turns.make(here).start.month == 12 and turns.grain == "season"
        return take(turns, here - (late and page.now.month < 7), stop)
    today = midnight(page.now)
    if which in ("past", "last"):
        edge = 1 if which == "last" else 0  # it is over, or at least begun
        order = range(here + 1, here - 9, -1)
        return _first(turns, order, lambda span: span[edge] <= today, stop)
    edge = 0 if which == "next" else 1
    return _first(turns, range(here - 1, here + 9), lambda span: span[edge] > today, stop)


def _first(
    turns: Turns, order: Iterable[int], fits: Callable[[Span], bool], stop: int
) -> Reading | None:
    for turn in order:
        try:
            if fits(turns.make(turn)):
                return take(turns, turn, stop)
        except (ValueError, OverflowError):  # no 29 February in this year, or no such year
            continue
    return None


def settle(page: Page, first: Reading, last: Reading) -> tuple[Reading, Reading] | None:
    """Both ends of a range, each next to the other: from November to February is four months."""
    moved: Reading | None
    if first.turns and not first.fixed and (last.fixed or page.prefer == "past"):
        near = last.turn if first.turns.weekly else last.span.start.year
        order: Iterable[int] = range(near, near - 9, -1)
        moved = _first(first.turns, order, lambda span: span.start <= last.span.start, first.stop)
        first = moved or first
    elif last.turns and not last.fixed:
        near = first.turn if last.turns.weekly else first.span.start.year
        order = range(near, near + 9)
        moved = _first(last.turns, order, lambda span: span.start >= first.span.start, last.stop)
        last = moved or last
    return (first, last) if first.span.start < last.span.end else None
