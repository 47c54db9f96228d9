"""From the answers to figures: means with their intervals, in all and by category."""

from collections.abc import Iterable, Mapping, Sequence
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
class Contexts:
    """How long the contexts of the measured questions are, and their share of the evidence."""

    mean: float
    p95: float
    evidence: float
    ends: Ends


@dataclass(frozen=True, slots=True)
class Abstention:
    """How well questions that can be answered are told from others.

    The others are as many questions about other conversations; and, where there are some, the
    questions of the set that nothing said answers. They are told by the best hit's relevance, and
    by whether there is a context: `answered` is the share of the first that have one, `declined`
    the share of the others that have none.
    """

    n: int
    auroc: float
    ends: Ends
    answered: float
    declined: float
    unanswerable: int
    unanswerable_auroc: float | None
    unanswerable_declined: float | None


@dataclass(frozen=True, slots=True)
class Report:
    set: str
    all: Figures
    categories: Mapping[str, Figures]
    p50: float
    p95: float
    contexts: Contexts | None
    abstention: Abstention | None

    def as_json(self) -> dict[str, Any]:
        made = {"set": self.set, **_means(self.all)}
        made["latency_ms"] = {"p50": self.p50, "p95": self.p95}
        made["categories"] = {name: _means(some) for name, some in self.categories.items()}
        made["intervals"] = {
            **shaped(self.all.ends),
            "categories": {name: shaped(some.ends) for name, some in self.categories.items()},
        }
        made["context"] = self.contexts and _contexts_json(self.contexts)
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
        _contexts(measured),
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


def _contexts(answers: Sequence[Answer]) -> Contexts | None:
    known = [answer for answer in answers if answer.shown is not None]
    if not known:
        return None
    tokens, shown = np.array([(one.tokens, one.shown) for one in known], np.float64).T
    [ends] = interval_of_means(shown[:, None])
    p95 = float(np.percentile(tokens, 95))
    return Contexts(float(tokens.mean()), p95, float(shown.mean()), ends)


def _abstention(answers: Sequence[Answer]) -> Abstention | None:
    asked = [one for one in answers if one.foreign is not None]
    if not asked:
        return None
    own, foreign = np.array([(one.relevance, one.foreign) for one in asked], np.float64).T
    low, high = interval(lambda drawn: auroc(own[drawn], foreign[drawn]), len(asked)).tolist()
    others = [answer for answer in answers if not answer.answerable]
    relevance = np.array([answer.relevance for answer in others])
    return Abstention(
        n=len(asked),
        auroc=auroc(own, foreign),
        ends=(low, high),
        answered=1 - _empty(one.tokens for one in asked),
        declined=_empty(one.foreign_tokens for one in asked),
        unanswerable=len(others),
        unanswerable_auroc=auroc(own, relevance) if others else None,
        unanswerable_declined=_empty(one.tokens for one in others) if others else None,
    )


def _empty(tokens: Iterable[int | None]) -> float:
    """The share of contexts that are empty."""
    return float(np.mean([not length for length in tokens]))


def _means(some: Figures) -> dict[str, Any]:
    return {"n": some.n, **shaped(some.means)}


def _contexts_json(found: Contexts) -> dict[str, Any]:
    return {
        "tokens": {"mean": found.mean, "p95": found.p95},
        "evidence": found.evidence,
        "interval": found.ends,
    }


def _abstention_json(found: Abstention) -> dict[str, Any]:
    return {
        "n": found.n,
        "auroc": found.auroc,
        "interval": found.ends,
        "answered": found.answered,
        "declined": found.declined,
        "unanswerable": {
            "n": found.unanswerable,
            "auroc": found.unanswerable_auroc,
            "declined": found.unanswerable_declined,
        },
    }
