"""Prompts made of memory: the most useful first, each line traceable to the memory behind it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from bethink.contexts import TITLES, holding, line, said
from bethink.errors import UsageError
from bethink.index.user import Selection
from bethink.kinds.working import described
from bethink.models.tokens import count_tokens
from bethink.portrait import essentials
from bethink.recall.pack import Context, Line, Section, cut, pack
from bethink.types import Kind
from bethink.validate import MAX_QUERY, check_limit, check_text

if TYPE_CHECKING:
    from bethink.system import AgentMemorySystem

_HISTORY = 6  # messages of this session
_SPARE: dict[Kind, int] = {"fact": 30}  # some found may not hold any more
_SHARE = 8  # the part of a budget that is spent on who the user is at most: an eighth
_FIRST = 100.0  # is worth more than anything else


def create_memory_aware_prompt(
    memory: "AgentMemorySystem", task: str, *, include_history: bool = True, budget: int = 1500
) -> Context:
    """A prompt for a task with all that memory has to say about it, within a budget of tokens.

    It opens with the task, which is cut but never left out; of the rest, the most useful gets in
    first. Each line ends in a number under which the prompt's `sources` has the memory it comes
    from.
    """
    if not hasattr(memory, "get_relevant_context"):
        raise UsageError(f"memory must be an AgentMemorySystem, not {type(memory).__name__}.")
    task = check_text(task, name="task")
    budget = check_limit(budget, name="budget")
    opening = Line(cut(f"Current task: {task}", budget, count_tokens), _FIRST)
    sections = [Section("", [opening]), *context_for(memory, task, limit=5, budget=budget)]
    if include_history:
        sections.append(_history(memory, task))
    return pack(sections, budget=budget, count=count_tokens)


def context_for(
    memory: "AgentMemorySystem", query: str, *, limit: int, budget: int
) -> list[Section]:
    """What every kind of memory has to say about a query; at most `limit` memories of each.

    It opens with who the user is, as far as that is not found anyway.
    """
    state = memory.working.state()
    if state.task == query:  # which the prompt opens with
        state = replace(state, task="")
    found = list(_found(memory, query_of(check_text(query, name="query")), limit))
    items = [line.item for section in found for line in section.lines if line.item]
    share = budget // _SHARE
    about = essentials(memory.memory, memory.user_id, budget=share, without=items)
    return [about, *described(state, budget // 2, count_tokens), *found]


def query_of(text: str) -> str:
    """As much of a text as a search can be asked with."""
    return " ".join(text.split())[:MAX_QUERY]


def _found(memory: "AgentMemorySystem", query: str, limit: int) -> Iterator[Section]:
    records, user_id = memory.memory.records, memory.user_id
    vector = records.embed(query)
    shown = set(memory.conversation.uncovered_ids())
    for kind, title in TITLES.items():
        wanted = limit + _SPARE.get(kind, 0) + (len(shown) if kind == "message" else 0)
        chosen = Selection((kind,), flagged=False)
        hits = records.search(user_id, query, chosen, limit=wanted, vector=vector)
        so = holding(hits, memory.memory, user_id)
        useful = [hit for hit in so if hit.item.id not in shown][:limit]
        yield Section(title, [Line(line(hit.item), 1 + hit.relevance, hit.item) for hit in useful])


def _history(memory: "AgentMemorySystem", task: str) -> Section:
    """The last messages of this session but for the task, the newest as the most useful."""
    items = memory.conversation.get_last_items(_HISTORY)
    lines = [
        Line(said(item), 3 - place / _HISTORY, item)
        for place, item in enumerate(reversed(items))
        if item.content != task and not item.flagged
    ]
    return Section("## Conversation", lines[::-1])
