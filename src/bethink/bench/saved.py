"""Answers in a file, one a line, so that two runs can be compared question by question."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bethink.bench.measures import flattened, shaped
from bethink.bench.recall import Answer
from bethink.errors import UsageError


@dataclass(frozen=True, slots=True)
class Run:
    """The answers that were saved, and the name of the data set they are about."""

    set: str
    answers: tuple[Answer, ...]


def save(run: Run, file: Path) -> None:
    with file.open("w", encoding="utf-8") as lines:
        for answer in run.answers:
            row = {"set": run.set, **asdict(answer)}
            row["figures"] = shaped(answer.figures) if answer.figures else None
            lines.write(f"{json.dumps(row, ensure_ascii=False)}\n")


def load(file: Path) -> Run:
    """What `save` wrote."""
    with file.open(encoding="utf-8") as lines:
        read = list(_read(lines, file))
    names = {name for name, _ in read}
    if len(names) != 1:
        raise UsageError(f"{file} holds the answers of {len(names)} data sets, not of one.")
    return Run(names.pop(), tuple(answer for _, answer in read))


def _read(lines: Iterable[str], file: Path) -> Iterator[tuple[str, Answer]]:
    for number, line in enumerate(lines, 1):
        try:
            yield _answer(json.loads(line))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                f"Line {number} of {file} is not an answer that `bethink bench recall --save` "
                "wrote."
            ) from error


def _answer(row: dict[str, Any]) -> tuple[str, Answer]:
    said = {**row}
    name, figures = said.pop("set"), said.pop("figures")
    flat = () if figures is None else tuple(map(float, flattened(figures)))
    return str(name), Answer(figures=flat, **said)
