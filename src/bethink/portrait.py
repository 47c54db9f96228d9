"""The essentials about a user: facts that hold, and what matters most of the rest."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from bethink.contexts import TITLES, first_time, holds, line
from bethink.index.user import Selection
from bethink.kinds.factual import FactualMemory
from bethink.learn.consolidate import importance_now
from bethink.models.tokens import count_tokens
from bethink.recall.pack import Context, Line, Section, pack
from bethink.text import words
from bethink.types import MemoryItem

if TYPE_CHECKING:
    from bethink.memory import Memory

TITLE = "## About the user"

_ESSENTIAL = tuple(
    frozenset(group.split())
    for group in (
        "name pronouns nickname",
        "age birthday born",
        "home city address country residence",
        "work job employer role company profession occupation",
        "partner wife husband spouse children family siblings mother father son daughter",
        "health allergies allergy allergic diet medication condition",
        "pets pet dog cat",
        "language languages",
    )
)
"""Words in the keys of facts that say who somebody is, the most telling first."""
_WORTHY = 0.4  # the least importance by now of what is not pinned
_MOST = 200  # memories, of which only so many fit into any prompt


def profile(memory: "Memory", user_id: str, budget: int) -> Context:
    """The essentials about a user, within a budget of tokens; each line cites its record."""
    new = first_time()
    facts = [fact for fact in current_facts(memory, user_id) if new(fact.content)]
    known = [item for item in _valued(memory, user_id) if new(item.content)]
    sections = [
        Section(TITLE, [Line(line(one), 4 - _rank(one) / 10, one) for one in facts]),
        Section(
            TITLES["semantic"], [Line(line(one), 2 - n / _MOST, one) for n, one in enumerate(known)]
        ),
    ]
    return pack(sections, budget=budget, count=count_tokens)


def essentials(
    memory: "Memory", user_id: str, *, budget: int, without: Collection[MemoryItem]
) -> Section:
    """Who the user is, in a few facts that stand nowhere else in a prompt."""
    new = first_time()
    for item in without:
        new(item.content)
    lines: list[Line] = []
    for fact in current_facts(memory, user_id):
        text = line(fact)
        cost = count_tokens(f"\n{text} [99]") + (0 if lines else count_tokens(TITLE))
        if _essential(fact) and cost <= budget and new(fact.content):
            lines.append(Line(text, 0.9, fact))
            budget -= cost
    return Section(TITLE, lines)


def current_facts(memory: "Memory", user_id: str) -> list[MemoryItem]:
    """The facts that hold now, those first that say who the user is, then the most important."""
    records, now = memory.records, memory.records.now()
    heads = records.get(user_id, records.ids(user_id, Selection(("fact",), flagged=False))[-_MOST:])
    held = FactualMemory(memory=memory, user_id=user_id).holding(heads)
    stated = [
        held.get(head.id, head) for head in heads if "key" not in head.data or head.id in held
    ]
    return sorted(
        (fact for fact in stated if holds(fact, now) and not fact.flagged),
        key=lambda fact: (_rank(fact), -fact.importance, fact.content),
    )


def _valued(memory: "Memory", user_id: str) -> Iterator[MemoryItem]:
    """What is pinned, and then what is important by now, the most important first."""
    now = memory.records.now()
    items = memory.records.select(user_id, Selection(("semantic",), flagged=False))
    true = [
        (not item.pinned, -importance_now(item, now), item.id, item)
        for item in items
        if holds(item, now)
    ]
    for unpinned, minus, _, item in sorted(true)[:_MOST]:
        if not unpinned or -minus >= _WORTHY:
            yield item


def _essential(fact: MemoryItem) -> bool:
    return _rank(fact) < len(_ESSENTIAL)


def _rank(fact: MemoryItem) -> int:
    """Where a fact stands among those that say who somebody is."""
    said = set(words(str(fact.data.get("key", fact.content.partition(":")[0]))))
    places = (place for place, group in enumerate(_ESSENTIAL) if said & group)
    return next(places, len(_ESSENTIAL))
