"""What a data set asks, known and checked before anything is measured."""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bethink.bench.data import Conversation, Question, conversations
from bethink.errors import UsageError

SEED = 5


@dataclass(frozen=True, slots=True)
class Survey:
    """The questions about each conversation, and how many turns each one has.

    `chosen` holds the questions to ask, each with its conversation; all, unless it was limited.
    """

    directory: Path
    questions: Mapping[str, tuple[Question, ...]]
    turns: Mapping[str, int]
    chosen: frozenset[tuple[str, str]]

    @property
    def steps(self) -> int:
        """Turns to keep and questions to ask."""
        return len(self.chosen) + sum(
            self.turns[name] for name in {name for name, _ in self.chosen}
        )

    def conversations(self) -> Iterator[Conversation]:
        """The conversations with the chosen questions, one at a time."""
        for found in conversations(self.directory):
            asked = tuple(one for one in found.questions if (found.id, one.id) in self.chosen)
            if asked:
                yield replace(found, questions=asked)

    def foreign(self, conversation: str, question: str) -> str | None:
        """A question about another conversation: the same one for the same question, always."""
        others = [name for name, asked in self.questions.items() if asked and name != conversation]
        if not others:
            return None
        chance = random.Random(f"{SEED} {conversation} {question}")  # noqa: S311
        return chance.choice(self.questions[chance.choice(others)]).text


def survey(directory: Path, *, limit: int | None = None) -> Survey:
    """Read a data set once and check it. With a limit, that many questions are chosen."""
    questions: dict[str, tuple[Question, ...]] = {}
    turns: dict[str, int] = {}
    for conversation in conversations(directory):
        _check(conversation)
        questions[conversation.id] = conversation.questions
        turns[conversation.id] = len(conversation.turns)
    keys = [(name, one.id) for name, asked in questions.items() for one in asked]
    if limit is not None and limit < len(keys):
        keys = random.Random(SEED).sample(keys, limit)  # noqa: S311
    return Survey(directory, questions, turns, frozenset(keys))


def _check(conversation: Conversation) -> None:
    """Everything has a name of its own, and nothing is asked for that is not there."""
    where = f"of conversation {conversation.id!r}"
    turns = {turn.id for turn in conversation.turns}
    sessions = {turn.session for turn in conversation.turns}
    _once((turn.id for turn in conversation.turns), f"turn {where}")
    _once((question.id for question in conversation.questions), f"question {where}")
    for question in conversation.questions:
        asked = f"Question {question.id!r} {where}"
        _there(question.evidence, turns, f"{asked} names the turn")
        _there(question.sessions, sessions, f"{asked} names the session")
        if question.asked_in is not None:
            _there([question.asked_in], sessions, f"{asked} names the session")


def _once(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UsageError(f"{name!r} is the name of more than one {what}.")
        seen.add(name)


def _there(names: Iterable[str], known: set[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"{what} {name!r}, which is not in it.")
