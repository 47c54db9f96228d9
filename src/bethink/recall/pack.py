"""What was found as text for a prompt: within a budget, the most useful first to get in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from bethink.types import Hits, MemoryItem

Count = Callable[[str], int]
"""How many tokens a text has."""

CUT = " […]"
"""Stands where something was cut off."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a prompt, how useful it is, and the memory it comes from."""

    text: str
    worth: float = 1.0
    item: MemoryItem | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a title, in the order in which they are to be read."""

    title: str
    lines: Sequence[Line]


class Context(str):
    """Text for a prompt that knows where it comes from. It is a string like any other.

    A line that comes from a memory ends in a number in brackets, and `sources` has the memory
    under that number. `hits` has those that a search found, best first, with their scores.
    """

    __slots__ = ("hits", "sources", "tokens")

    sources: dict[int, MemoryItem]
    tokens: int
    hits: Hits

    def __new__(
        cls, text: str, sources: dict[int, MemoryItem], tokens: int, hits: Hits | None = None
    ) -> Self:
        context = super().__new__(cls, text)
        context.sources = sources
        context.tokens = tokens
        context.hits = Hits() if hits is None else hits
        return context

    @property
    def text(self) -> str:
        return str.__str__(self)

    def __getnewargs__(  # type: ignore[override]
        self,
    ) -> tuple[str, dict[int, MemoryItem], int, Hits]:
        return self.text, self.sources, self.tokens, self.hits


def pack(sections: Sequence[Section], *, budget: int, count: Count) -> Context:
    """The most useful lines that fit into a budget of tokens, each under its title."""
    order = sorted(
        (
            (line.worth, s, n)
            for s, section in enumerate(sections)
            for n, line in enumerate(section.lines)
        ),
        key=lambda place: (-place[0], place[1], place[2]),
    )
    chosen: set[tuple[int, int]] = set()
    spent = 0
    for _, s, n in order:
        cost = count(_cited(sections[s].lines[n], {}))
        if not any(place[0] == s for place in chosen):
            cost += count(sections[s].title)
        if chosen:
            cost += count("\n\n")
        if spent + cost <= budget:
            chosen.add((s, n))
            spent += cost
    context = _written(sections, chosen, count)
    while context.tokens > budget and chosen:  # the parts of a text may count less than the whole
        chosen.remove(next((s, n) for _, s, n in reversed(order) if (s, n) in chosen))
        context = _written(sections, chosen, count)
    return context


def _written(sections: Sequence[Section], chosen: set[tuple[int, int]], count: Count) -> Context:
    sources: dict[int, MemoryItem] = {}
    parts = []
    for s, section in enumerate(sections):
        lines = [line for n, line in enumerate(section.lines) if (s, n) in chosen]
        if lines:
            cited = [_cited(line, sources) for line in lines]
            parts.append("\n".join([section.title, *cited] if section.title else cited))
    text = "\n\n".join(parts)
    return Context(text, sources, count(text))


def _cited(line: Line, sources: dict[int, MemoryItem]) -> str:
    if line.item is None:
        return line.text
    number = len(sources) + 1
    sources[number] = line.item
    return f"{line.text} [{number}]"


def cut(text: str, budget: int, count: Count) -> str:
    """As much of the start of a text as a budget allows, marked if it is not all of it."""
    if count(text) <= budget:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle].rstrip() + CUT) <= budget:
            low = middle
        else:
            high = middle - 1
    short = text[:low].rstrip() + CUT
    return short if count(short) <= budget else "…"
