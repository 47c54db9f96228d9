"""What was found as lines for a prompt: what holds now, nothing twice, with what it answers."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from bethink.finding import Asked, Beside
from bethink.kinds.episodic import episode_of, told
from bethink.kinds.factual import FactualMemory
from bethink.learn.repeats import same_words
from bethink.models.tokens import count_tokens
from bethink.recall.pack import Context, Line, Section, cut, pack
from bethink.recall.quote import attributed, from_outside
from bethink.text import words
from bethink.types import Hit, Hits, Kind, MemoryItem

if TYPE_CHECKING:
    from bethink.memory import Memory

TITLES: dict[Kind, str] = {
    "fact": "## Facts",
    "semantic": "## What is known",
    "episode": "## Similar tasks",
    "message": "## Said before",
}
_LONGEST = 120  # tokens of one memory in a prompt
_BESIDE = 0.5  # of a hit's worth is that of a message it needs to be understood
_FEW = 8  # words: so short a message says little without the one before it
_QUESTION = re.compile(r"[?？]\W*$")


def recall(memory: "Memory", user_id: str, asked: Asked, *, budget: int, least: float) -> Context:
    """The context for a query, within a budget of tokens; empty if nothing found is relevant."""
    found, beside = memory.records.finding.search_beside(user_id, asked)
    relevant = [hit for hit in found if hit.relevance >= least]
    hits = list(distinct(holding(relevant, memory, user_id, asked.at)))
    worth: Worth = {hit.item.id: 1 / place for place, hit in enumerate(hits, 1)}
    sections = []
    for kind, title in TITLES.items():
        items = [hit.item for hit in hits if hit.item.kind == kind]
        if kind == "message":
            items, worth = _in_company(items, worth, memory, user_id, beside)
        sections.append(Section(title, [Line(line(one), worth[one.id], one) for one in items]))
    context = pack(sections, budget=budget, count=count_tokens)
    shown = {item.id for item in context.sources.values()}
    given = Hits((hit for hit in hits if hit.item.id in shown), found.degraded)
    context.hits = memory.records.counted(user_id, given)
    return context


def holding(
    hits: Iterable[Hit], memory: "Memory", user_id: str, at: datetime | None = None
) -> Iterator[Hit]:
    """What of this holds at a moment, or now: of a fact, what is so instead of what will be.

    What is so instead may be flagged where what will be is not; it stays out.
    """
    hits = list(hits)
    now = at or memory.records.now()
    facts = FactualMemory(memory=memory, user_id=user_id)
    stated = facts.holding([hit.item for hit in hits if hit.item.kind == "fact"], at)
    for hit in hits:
        item = stated.get(hit.item.id, hit.item)
        if holds(item, now) and not item.flagged:
            yield replace(hit, item=item)


def holds(item: MemoryItem, now: datetime) -> bool:
    """Whether a memory has begun to be so by a moment, and has not ceased."""
    return (item.valid_from or now) <= now and (item.valid_to is None or item.valid_to > now)


def distinct(hits: Iterable[Hit]) -> Iterator[Hit]:
    """All but those that say what a better one says, in almost the same words."""
    new = first_time()
    yield from (hit for hit in hits if new(hit.item.content))


def first_time() -> Callable[[str], bool]:
    """Tells of one text after the other whether it says anything that none before it said."""
    seen: set[tuple[str, ...]] = set()

    def new(text: str) -> bool:
        said = same_words(text)
        if said in seen:
            return False
        seen.add(said)
        return True

    return new


def line(item: MemoryItem) -> str:
    """A memory on one line of a prompt, cut if it is long; one from outside is a quotation."""
    day = f"{item.created_at:%Y-%m-%d} " if item.kind == "message" else ""
    if from_outside(item):
        return f"- {day}{said(item)}"
    if item.kind == "episode":
        text = told(episode_of(item))
    else:
        text = item.text if item.kind == "message" else item.content
    return f"- {short(day + text)}"


def said(item: MemoryItem) -> str:
    """Who says it, and what, on one line; what comes from outside is quoted."""
    if from_outside(item):
        return attributed(replace(item, content=short(item.content)))
    return short(item.text)


def short(text: str) -> str:
    """A text on one line, cut if it is long."""
    return cut(" ".join(text.split()), _LONGEST, count_tokens)


Worth: TypeAlias = Mapping[str, float]


def _in_company(
    said: Sequence[MemoryItem],
    worth: Worth,
    memory: "Memory",
    user_id: str,
    beside: Beside,
) -> tuple[list[MemoryItem], Worth]:
    """Messages and those that they need to be understood, in order of time, with their worth."""
    pairs = [beside.get(item.id, (None, None)) for item in said]
    ids = {id_ for pair in pairs for id_ in pair if id_}
    near = {item.id: item for item in memory.records.get(user_id, list(ids))}
    all_ = {item.id: item for item in said}
    new = first_time()
    for item in said:
        new(item.content)
    grown = dict(worth)
    for item, pair in zip(said, pairs, strict=True):
        before, after = (near.get(id_ or "") for id_ in pair)
        for other in _needed(item, before, after):
            if new(other.content):
                all_[other.id] = other
                grown[other.id] = _BESIDE * worth[item.id]
    return sorted(all_.values(), key=lambda item: (item.created_at, item.id)), grown


def _needed(
    item: MemoryItem, before: MemoryItem | None, after: MemoryItem | None
) -> Iterator[MemoryItem]:
    """The question that a message answers, what a few words refer to, the answer to a question."""
    asked_before = before and _QUESTION.search(before.content)
    if before and (asked_before or len(words(item.content)) < _FEW):
        yield before
    if after and _QUESTION.search(item.content):
        yield after
