"""What is measured of a ranking, and of how sure it is."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.float64]

TURNS = (5, 10, 20)
SESSIONS = (1, 5, 10)
DEPTH = 100
"""How far down a ranking the first turn of the evidence is looked for."""
_GAINS = 10

NAMES: tuple[tuple[str, ...], ...] = (
    *(("turn_recall", str(k)) for k in TURNS),
    *(("session_any", str(k)) for k in SESSIONS),
    *(("session_all", str(k)) for k in SESSIONS),
    ("mrr",),
    ("ndcg",),
)
"""Where each figure of a question stands in JSON, in the order of the figures."""


def measured(
    turns: Sequence[str], evidence: set[str], ranked: Sequence[str], held: set[str]
) -> tuple[float, ...]:
    """The figures of a question: its ranking of turns and of sessions, each with what is wanted."""
    return (
        *(len(evidence.intersection(turns[:k])) / len(evidence) for k in TURNS),
        *(float(not held.isdisjoint(ranked[:k])) for k in SESSIONS),
        *(float(held.issubset(ranked[:k])) for k in SESSIONS),
        _reciprocal_rank(turns[:DEPTH], evidence),
        _gain(turns[:_GAINS], evidence),
    )


def shaped(values: Iterable[Any]) -> dict[str, Any]:
    """One value for each figure, as they stand in JSON."""
    made: dict[str, Any] = {}
    for (name, *k), value in zip(NAMES, values, strict=True):
        if k:
            made.setdefault(name, {})[k[0]] = value
        else:
            made[name] = value
    return made


def flattened(made: Any) -> list[Any]:
    """What `shaped` was made of."""
    return [made[name][k[0]] if k else made[name] for name, *k in NAMES]


def auroc(higher: Numbers, lower: Numbers) -> float:
    """How often a number of the first is above one of the second; ties count half."""
    lower = np.sort(lower)
    below, upto = (np.searchsorted(lower, higher, side) for side in ("left", "right"))
    return float((below + upto).mean() / (2 * len(lower)))


def _reciprocal_rank(turns: Sequence[str], evidence: set[str]) -> float:
    return next((1 / rank for rank, turn in enumerate(turns, 1) if turn in evidence), 0.0)


def _gain(turns: Sequence[str], evidence: set[str]) -> float:
    """The discounted gain, as a share of the best that could be."""
    found = sum(_discount(rank) for rank, turn in enumerate(turns) if turn in evidence)
    return found / sum(map(_discount, range(min(len(evidence), _GAINS))))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)
