import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

FACTS = (
    "I adopted a puppy called Biscuit.",
    "My brother Tomas moved to Lisbon.",
    "I'm allergic to walnuts.",
    "We booked a cabin near Tahoe.",
)
SMALL_TALK = "Wow, that sounds great! Thanks for telling me. How are you doing today?"


def write_lines(file: Path, rows: Sequence[dict[str, Any]]) -> None:
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(f"{json.dumps(row)}\n" for row in rows)


def session(name: str, texts: Sequence[str], conv: str = "c1") -> list[dict[str, Any]]:
    return [
        {
            "conv": conv,
            "session": name,
            "turn": f"{name}:{number}",
            "speaker": ("Ann", "Ben")[number % 2],
            "time": "2024-05-17T12:00:00",
            "text": text,
        }
        for number, text in enumerate(texts)
    ]


TURNS = [
    *session("s1", [text for fact in FACTS for text in (fact, SMALL_TALK)] + [SMALL_TALK] * 10),
    *session("s2", [SMALL_TALK] * 4),
]
QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "conv": "c1", "question": "Who is Biscuit?", "answer": "a puppy", "evidence": ["s1:0"]},
    {"id": "q2", "conv": "c1", "question": "Where is Tomas?", "answer": "Lisbon", "evidence": ["s1:2"]},
    {"id": "q3", "conv": "c1", "question": "When was it?", "answer": 2024, "evidence": ["s1:2"]},
    {"id": "q4", "conv": "c1", "question": "And now?", "answer": "doing great", "evidence": ["s2:0"]},
    {"id": "q5", "conv": "c1", "question": "Which car?", "answer": None, "evidence": []},
]  # fmt: skip


@pytest.fixture
def data_set(tmp_path: Path) -> Path:
    """A conversation of two sessions. Of five questions, the first two can be measured."""
    write_lines(tmp_path / "corpus.jsonl.gz", TURNS)
    write_lines(tmp_path / "questions.jsonl.gz", QUESTIONS)
    return tmp_path


ASKED_TURNS = [
    *session("a1", ["The red key is under the mat.", "Good to know!"], "ann"),
    *session("a2", ["We sold the old piano.", "To whom?", "To Marta, from the choir."], "ann"),
    *session("a3", ["The red key is now in the drawer.", "Fine."], "ann"),
    *session("b1", ["Oslo was cold in April.", "I can imagine."], "bob"),
    *session("b2", ["My sister plays the cello."], "bob"),
]
ASKED: list[dict[str, Any]] = [
    {"id": "key", "conv": "ann", "question": "Where is the red key now, in the drawer?", "category": "things", "evidence": ["a3:0"]},
    {"id": "early", "conv": "ann", "question": "Where is the red key now, in the drawer?", "category": "things", "evidence": ["a1:0"], "asked_in_session": "a3"},
    {"id": "piano", "conv": "ann", "question": "Who bought the old piano?", "category": "people", "evidence": ["a2:0", "a2:2"]},
    {"id": "none", "conv": "ann", "question": "Which car?", "category": "things", "evidence": [], "abstention": False},
    {"id": "false", "conv": "ann", "question": "Where is the blue key?", "category": "things", "evidence": ["a1:0"], "abstention": True},
    {"id": "oslo", "conv": "bob", "question": "Was Oslo cold in April?", "category": "places", "evidence": ["b1:0"], "evidence_sessions": ["b1", "b2"]},
]  # fmt: skip


@pytest.fixture
def asked_set(tmp_path: Path) -> Path:
    """Two conversations, of three sessions and of two, with four questions that are measured."""
    directory = tmp_path / "small"
    directory.mkdir()
    write_lines(directory / "corpus.jsonl.gz", ASKED_TURNS)
    write_lines(directory / "questions.jsonl.gz", ASKED)
    return directory
