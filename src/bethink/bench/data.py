"""Conversations and questions about them, read from a directory with two files.

``corpus.jsonl.gz`` holds one turn a line, in order::

    {"conv": "c1", "session": "s1", "turn": "s1:1", "speaker": "Ann",
     "time": "2024-05-17T12:00:00", "text": "I moved to Lisbon."}

and ``questions.jsonl.gz`` one question a line, with the turns that hold its answer::

    {"id": "q1", "conv": "c1", "question": "Where does Ann live?", "answer": "Lisbon",
     "evidence": ["s1:1"]}
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from bethink.errors import UsageError

T = TypeVar("T")
Reader: TypeAlias = Callable[[Mapping[str, Any]], tuple[str, T]]
"""From a line of JSON to the name of its conversation and what it says."""

CORPUS = "corpus.jsonl.gz"
QUESTIONS = "questions.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Turn:
    id: str
    session: str
    speaker: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Question:
    """`answer` is empty where there is none to be found; `evidence` holds the ids of turns."""

    id: str
    text: str
    answer: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    def sessions(self) -> list[tuple[Turn, ...]]:
        """The turns of each session, in order."""
        return [tuple(turns) for _, turns in groupby(self.turns, key=lambda turn: turn.session)]


def conversations(directory: Path) -> Iterator[Conversation]:
    """Every conversation of a data set with its questions, one at a time."""
    asked = _questions(directory / QUESTIONS)
    seen: set[str] = set()
    rows = _rows(directory / CORPUS, _turn)
    for name, found in groupby(rows, key=lambda pair: pair[0]):
        if name in seen:
            raise UsageError(
                f"{directory / CORPUS} has turns of {name!r} in two places: keep them together."
            )
        seen.add(name)
        yield Conversation(name, tuple(turn for _, turn in found), tuple(asked.pop(name, ())))
    if asked:
        raise UsageError(f"{directory / QUESTIONS} asks about {min(asked)!r}, which nobody said.")


def asked_about(directory: Path) -> int:
    """How many conversations there are questions about."""
    return len(_questions(directory / QUESTIONS))


def _questions(file: Path) -> dict[str, list[Question]]:
    found: dict[str, list[Question]] = defaultdict(list)
    for name, question in _rows(file, _question):
        found[name].append(question)
    return found


def _turn(row: Mapping[str, Any]) -> tuple[str, Turn]:
    time = row.get("time")
    return row["conv"], Turn(
        id=row["turn"],
        session=row["session"],
        speaker=str(row["speaker"]),
        text=str(row["text"]),
        at=None if time is None else datetime.fromisoformat(time),
    )


def _question(row: Mapping[str, Any]) -> tuple[str, Question]:
    answer = row["answer"]
    return row["conv"], Question(
        id=row["id"],
        text=str(row["question"]),
        answer="" if answer is None else str(answer),
        evidence=tuple(row["evidence"]),
    )


def _rows(file: Path, read: Reader[T]) -> Iterator[tuple[str, T]]:
    """What each line of a file says. A line that says something else is named."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                yield _parsed(line, read, f"Line {number} of {file}")
    except FileNotFoundError as error:
        raise UsageError(
            f"There is no {file}: give a directory with {CORPUS} and {QUESTIONS}."
        ) from error
    except (EOFError, gzip.BadGzipFile) as error:
        raise UsageError(f"{file} is not a complete gzip file.") from error


def _parsed(line: str, read: Reader[T], where: str) -> tuple[str, T]:
    try:
        return read(json.loads(line))
    except KeyError as error:
        raise UsageError(f"{where} has no {error.args[0]!r}.") from error
    except (TypeError, ValueError) as error:
        raise UsageError(f"{where} cannot be read: {error}.") from error
