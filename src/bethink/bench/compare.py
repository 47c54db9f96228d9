"""Two runs on the same questions: is the second better than the first by more than chance?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bethink.bench.chance import interval_of_means
from bethink.bench.measures import shaped
from bethink.bench.recall import Answer
from bethink.bench.report import Ends, by_category
from bethink.bench.saved import Run
from bethink.errors import UsageError


@dataclass(frozen=True, slots=True)
class Differences:
    """The means of both runs, what the second has more, and the 95% paired interval of that."""

    n: int
    first: tuple[float, ...]
    second: tuple[float, ...]
    more: tuple[float, ...]
    ends: tuple[Ends, ...]

    def as_json(self) -> dict[str, Any]:
        rows = zip(self.first, self.second, self.more, self.ends, strict=True)
        names = ("a", "b", "difference", "interval")
        return {"n": self.n, **shaped(dict(zip(names, row, strict=True)) for row in rows)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`unpaired` counts the questions that were measured in one of the runs only."""

    set: str
    all: Differences
    categories: Mapping[str, Differences]
    unpaired: int

    def as_json(self) -> dict[str, Any]:
        named = {name: found.as_json() for name, found in self.categories.items()}
        return {"set": self.set, **self.all.as_json(), "categories": named}


def compare(first: Run, second: Run) -> Comparison:
    """What the second run has more than the first, over the questions that both measured."""
    if first.set != second.set:
        raise UsageError(
            f"One run is about {first.set!r} and the other about {second.set!r}: "
            "compare two runs on the same data."
        )
    before, after = _measured(first), _measured(second)
    both = [key for key in before if key in after]
    if not both:
        raise UsageError("The two runs have no question in common.")
    grouped = by_category([before[key] for key in both])
    return Comparison(
        first.set,
        _differences([before[key] for key in both], after),
        {name: _differences(some, after) for name, some in grouped.items()},
        len(before.keys() ^ after.keys()),
    )


def _measured(run: Run) -> dict[tuple[str, str], Answer]:
    return {_key(answer): answer for answer in run.answers if answer.figures}


def _differences(before: Sequence[Answer], after: Mapping[tuple[str, str], Answer]) -> Differences:
    first = np.array([answer.figures for answer in before])
    second = np.array([after[_key(answer)].figures for answer in before])
    return Differences(
        len(before),
        tuple(first.mean(axis=0).tolist()),
        tuple(second.mean(axis=0).tolist()),
        tuple((second - first).mean(axis=0).tolist()),
        tuple(interval_of_means(second - first)),
    )


def _key(answer: Answer) -> tuple[str, str]:
    return answer.conversation, answer.id
