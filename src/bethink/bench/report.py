"""From the answers to figures: means with their intervals, in all and by category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bethink.bench.chance import interval, interval_of_means
from bethink.bench.measures import auroc, shaped
from bethink.bench.recall import Answer

Ends: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over questions, one for each measure, with their 95% intervals."""

    n: int
    means: tuple[float, ...]
    ends: tuple[Ends, ...]


@dataclass(frozen=True, slots=True)
class Abstention:
    """How well the best hit's relevance tells questions that can be answered from others.

    The others are as many questions about other conversations; and, where there are some, the
    questions of the set that nothing said answers.
    """

    n: int
    auroc: float
    ends: Ends
    unanswerable: int
    unanswerable_auroc: float | None


@dataclass(frozen=True, slots=True)
class Report:
    set: str
    all: Figures
    categories: Mapping[str, Figures]
    p50: float
    p95: float
    abstention: Abstention | None

    def as_json(self) -> dict[str, Any]:
        made = {"set": self.set, **_means(self.all)}
        made["latency_ms"] = {"p50": self.p50, "p95": self.p95}
        made["categories"] = {name: _means(some) for name, some in self.categories.items()}
        made["intervals"] = {
            **shaped(self.all.ends),
            "categories": {name: shaped(some.ends) for name, some in self.categories.items()},
        }
        made["abstention"] = self.abstention and _abstention_json(self.abstention)
        return made


def report(name: str, answers: Sequence[Answer]) -> Report | None:
    """All figures of a data set, or None if there is no question to measure."""
    measured = [answer for answer in answers if answer.figures]
    if not measured:
        return None
    p50, p95 = np.percentile([answer.milliseconds for answer in answers], (50, 95)).tolist()
    return Report(
        name,
        _figures(measured),
        {name: _figures(some) for name, some in by_category(measured).items()},
        p50,
        p95,
        _abstention(answers),
    )


def by_category(answers: Sequence[Answer]) -> dict[str, list[Answer]]:
    """The answers of each category that has a name, in the order of the names."""
    found: dict[str, list[Answer]] = {}
    for answer in answers:
        found.setdefault(answer.category, []).append(answer)
    return {name: found[name] for name in sorted(found) if name}


def _figures(answers: Sequence[Answer]) -> Figures:
    values = np.array([answer.figures for answer in answers])
    means = tuple(values.mean(axis=0).tolist())
    return Figures(len(answers), means, tuple(interval_of_means(values)))


def _abstention(answers: Sequence[Answer]) -> Abstention | None:
    pairs = np.array(
        [(one.relevance, one.foreign) for one in answers if one.foreign is not None], np.float64
    )
    if not len(pairs):
        return None
    own, foreign = pairs.T
    low, high = interval(lambda drawn: auroc(own[drawn], foreign[drawn]), len(pairs)).tolist()
    others = np.array([answer.relevance for answer in answers if not answer.answerable])
    return Abstention(
        len(pairs),
        auroc(own, foreign),
        (low, high),
        len(others),
        auroc(own, others) if len(others) else None,
    )


def _means(some: Figures) -> dict[str, Any]:
    return {"n": some.n, **shaped(some.means)}


def _abstention_json(found: Abstention) -> dict[str, Any]:
    return {
        "n": found.n,
        "auroc": found.auroc,
        "interval": found.ends,
        "unanswerable": {"n": found.unanswerable, "auroc": found.unanswerable_auroc},
    }
