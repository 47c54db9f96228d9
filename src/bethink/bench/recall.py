"""How well a memory finds the turns of a conversation that hold the answers to questions.

Each conversation is put into a memory as one user's, and each question is a search. What is
measured, in words, is in ``docs/measuring.md``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from bethink.bench.data import Conversation, Question, Turn
from bethink.bench.measures import DEPTH, SESSIONS, measured
from bethink.bench.survey import Survey
from bethink.errors import UsageError
from bethink.memory import Memory
from bethink.types import KINDS, Hit
from bethink.validate import MAX_CONTENT, MAX_QUERY

_TOGETHER = 64
"""Turns that are kept at once: enough for the embedder, few enough for a bar that moves."""
_DEEPER = 4
_USUAL = 10
"""The hits that a search is timed with."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How one question was answered.

    `figures` is empty if it is not known which turns hold the answer. `relevance` is that of the
    best hit, and `foreign` that of the best hit for another conversation's question, asked in the
    place of this one if it can be answered. `tokens` is the length of the context for a prompt, of
    which `shown` is the share of the evidence that is in it, and `foreign_tokens` that of the other
    question's; a context of none is empty. Runs that were saved before these were measured have
    None in their places.
    """

    conversation: str
    id: str
    category: str
    figures: tuple[float, ...]
    answerable: bool
    relevance: float
    foreign: float | None
    milliseconds: float
    tokens: int | None = None
    shown: float | None = None
    foreign_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Memories:
    """Two doors to one store. Through `timed`, no vector comes from a cache."""

    memory: Memory
    timed: Memory


def measure(survey: Survey, memories: Memories, step: Callable[[int], object]) -> list[Answer]:
    """Every chosen question, answered. Tells after each step how many turns or questions it was."""
    found: list[Answer] = []
    for conversation in survey.conversations():
        _check_new(conversation.id, memories.memory)
        try:
            keep(conversation, memories.memory, step)
            found += _Asking(conversation, memories, survey).answers(step)
        finally:
            memories.memory.clear(user_id=conversation.id)
    return found


def _check_new(user_id: str, memory: Memory) -> None:
    if memory.get_user_memories(user_id=user_id, limit=1, kinds=KINDS):
        raise UsageError(
            f"The store has memories of {user_id!r} already, which would be found as well. "
            "Give a store that is empty."
        )


def keep(conversation: Conversation, memory: Memory, step: Callable[[int], object]) -> None:
    places = places_of(conversation)
    for start in range(0, len(conversation.turns), _TOGETHER):
        turns = conversation.turns[start : start + _TOGETHER]
        items = [_item(turn, places[turn.session]) for turn in turns if turn.text.strip()]
        memory.add_many(items, user_id=conversation.id, kind="message")
        step(len(turns))


def _item(turn: Turn, place: int) -> dict[str, Any]:
    return {
        "content": turn.text[:MAX_CONTENT],
        "speaker": turn.speaker or None,
        "session_id": turn.session,
        "created_at": None if turn.at is None else _aware(turn.at),
        "metadata": {"turn": turn.id, "place": place},
    }


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def places_of(conversation: Conversation) -> dict[str, int]:
    """Which session each is, counted from 0."""
    names = dict.fromkeys(turn.session for turn in conversation.turns)
    return {name: place for place, name in enumerate(names)}


class _Asking:
    """Asks the questions about one conversation."""

    def __init__(self, conversation: Conversation, memories: Memories, survey: Survey) -> None:
        self._conversation = conversation
        self._memories = memories
        self._survey = survey
        self._places = places_of(conversation)
        self._session = {turn.id: turn.session for turn in conversation.turns}

    def answers(self, step: Callable[[int], object]) -> list[Answer]:
        questions = self._conversation.questions
        self._time(questions[0])  # reads the index in, which is not to be timed
        found = []
        for question in questions:
            found.append(self._answer(question))
            step(1)
        return found

    def _answer(self, question: Question) -> Answer:
        held = set(question.sessions) or {self._session[turn] for turn in question.evidence}
        answerable = bool(held) and not question.abstention
        hits = self._ranking(question)
        tokens, inside = self._context(question.text, question)
        foreign, foreign_tokens = self._foreign(question) if answerable else (None, None)
        figures: tuple[float, ...] = ()
        shown: float | None = None
        if answerable and question.evidence:
            turns = [str(hit.item.metadata["turn"]) for hit in hits]
            ranked = list(dict.fromkeys(self._session[turn] for turn in turns))
            evidence = set(question.evidence)
            figures = measured(turns, evidence, ranked, held)
            shown = len(evidence & inside) / len(evidence)
        return Answer(
            self._conversation.id,
            question.id,
            question.category,
            figures,
            answerable,
            _best(hits),
            foreign,
            self._time(question),
            tokens,
            shown,
            foreign_tokens,
        )

    def _ranking(self, question: Question) -> list[Hit]:
        """Hits of as many sessions as are measured, or of all that there are."""
        there = len(self._places) if question.asked_in is None else self._places[question.asked_in]
        wanted, depth = min(there, max(SESSIONS)), DEPTH
        while True:
            hits = self._search(self._memories.memory, question.text, question, depth)
            if len(hits) < depth or len({hit.item.session_id for hit in hits}) >= wanted:
                return hits
            depth *= _DEEPER

    def _foreign(self, question: Question) -> tuple[float | None, int | None]:
        """The best relevance for another's question in the place of this one, and its context."""
        text = self._survey.foreign(self._conversation.id, question.id)
        if text is None:
            return None, None
        best = _best(self._search(self._memories.memory, text, question, _USUAL))
        return best, self._context(text, question)[0]

    def _context(self, text: str, place: Question) -> tuple[int, set[str]]:
        """How many tokens the context for a text takes, and the turns in it."""
        found = self._memories.memory.recall(
            text[:MAX_QUERY],
            user_id=self._conversation.id,
            where=self._before(place),
            at=moment_of(place),
        )
        return found.tokens, {str(item.metadata["turn"]) for item in found.sources.values()}

    def _time(self, question: Question) -> float:
        """How many milliseconds a search takes, its embedding included."""
        began = perf_counter()
        self._search(self._memories.timed, question.text, question, _USUAL)
        return 1000 * (perf_counter() - began)

    def _search(self, memory: Memory, text: str, place: Question, limit: int) -> list[Hit]:
        """Hits for a text that is asked when and where a question is."""
        return memory.search(
            text[:MAX_QUERY],
            user_id=self._conversation.id,
            limit=limit,
            where=self._before(place),
            at=moment_of(place),
        )

    def _before(self, question: Question) -> dict[str, Any] | None:
        """Lets only the sessions answer that come before the one in which it is asked."""
        if question.asked_in is None:
            return None
        return {"place": {"$lt": self._places[question.asked_in]}}


def moment_of(question: Question) -> datetime | None:
    return None if question.asked_at is None else _aware(question.asked_at)


def _best(hits: list[Hit]) -> float:
    return hits[0].relevance if hits else 0.0
