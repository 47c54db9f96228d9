"""Small, bounded preferences that hold whatever is asked: a factor moves a memory among its like.

Each is a number of standard deviations, added to what the arms say.
"""

import math

import numpy as np

from bethink.index.user import Rows, UserIndex
from bethink.recall.arms import Arms
from bethink.recall.plan import Plan
from bethink.recall.weights import Weights

FACTORS = ("importance", "recent", "outside", "used")
RERANKED = "reranker"
"""One more, and not a small one, where a reranker was asked."""

_HALF_LIFE = 30 * 86_400 * 1_000_000  # thirty days, in microseconds
_OFTEN = 50  # uses after which more make no difference


def factors_of(index: UserIndex, rows: Rows, plan: Plan, weights: Weights) -> Arms:
    """All factors but the use, which only the records know."""
    age = np.maximum(plan.at - index.created(rows), 0)
    halves = np.exp2(-age / _HALF_LIFE).astype(np.float32)
    outside = index.outside(rows).astype(np.float32)
    return {
        "importance": weights.importance * (2 * index.importance(rows) - 1),
        "recent": weights.recent * halves,
        "outside": -weights.outside * outside,
    }


def used(count: int, weights: Weights) -> float:
    """What having been useful before is worth."""
    return weights.used * min(1.0, math.log1p(count) / math.log1p(_OFTEN))
