"""Conversations and questions about them, read from a directory with two files.

``corpus.jsonl.gz`` holds one turn a line, in order::

    {"conv": "c1", "session": "s1", "turn": "s1:1", "speaker": "Ann",
     "time": "2024-05-17T12:00:00", "text": "I moved to Lisbon."}

and ``questions.jsonl.gz`` one question a line, with the turns that hold its answer::

    {"id": "q1", "conv": "c1", "question": "Where does Ann live?", "answer": "Lisbon",
     "evidence": ["s1:1"]}

A question may say more: its ``category``, the ``evidence_sessions`` if they are more than those of
the turns, when it is asked (``asked_at``), the session in which it is (``asked_in_session``), so
that only the ones before may answer it, and that nothing said answers it (``abstention``).
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
    sessions: tuple[str, ...] = ()
    """Those that hold the answer, if they are named."""
    category: str = ""
    asked_at: datetime | None = None
    asked_in: str | None = None
    abstention: bool = False


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
    return str(row["conv"]), Turn(
        id=str(row["turn"]),
        session=str(row["session"]),
        speaker=str(row["speaker"]),
        text=str(row["text"]),
        at=_time(row.get("time")),
    )


def _question(row: Mapping[str, Any]) -> tuple[str, Question]:
    return str(row["conv"]), Question(
        id=str(row["id"]),
        text=str(row["question"]),
        answer=_text(row.get("answer")) or "",
        evidence=tuple(map(str, row["evidence"])),
        sessions=tuple(map(str, row.get("evidence_sessions") or ())),
        category=_text(row.get("category")) or "",
        asked_at=_time(row.get("asked_at")),
        asked_in=_text(row.get("asked_in_session")),
        abstention=bool(row.get("abstention")),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _time(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)


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
