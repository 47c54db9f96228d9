"""One score from all arms and factors: their sum."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bethink.index.user import Rows, Scores, UserIndex
from bethink.recall.arms import ARMS, Arms, arms_of
from bethink.recall.factors import FACTORS, factors_of
from bethink.recall.plan import Plan
from bethink.recall.weights import WEIGHTS, Weights


@dataclass(frozen=True, slots=True)
class Scored:
    """What every arm and factor says of every row that was searched."""

    rows: Rows
    arms: Arms
    factors: Arms
    total: Scores
    dense: Scores
    """Each row's cosine with the query."""

    def place_of(self, row: int | None) -> int | None:
        """Where a row stands among these; None if it was not searched."""
        if row is None:
            return None
        places = np.flatnonzero(self.rows == row)
        return int(places[0]) if len(places) else None

    def ranks(self, place: int) -> dict[str, int]:
        """The rank of a row in each arm and factor that has something to say; 1 is the first."""
        return {
            name: 1 + int((scores > scores[place]).sum())
            for name, scores in (self.arms | self.factors).items()
        }

    def found(self, place: int) -> "Found":
        return Found(
            int(self.rows[place]),
            float(self.total[place]),
            _said(self.arms, ARMS, place),
            _said(self.factors, FACTORS, place),
            float(self.dense[place]),
        )


@dataclass(frozen=True, slots=True)
class Found:
    """A row that a search found, with what each arm and factor says of it."""

    row: int
    score: float
    arms: Mapping[str, float]
    factors: Mapping[str, float]
    cosine: float
    """Of its own vector with the query's."""


def _said(scores: Arms, names: tuple[str, ...], place: int) -> dict[str, float]:
    return {name: float(scores[name][place]) if name in scores else 0.0 for name in names}


def scored(index: UserIndex, rows: Rows, plan: Plan, weights: Weights = WEIGHTS) -> Scored:
    """Every row with its score."""
    if not len(rows):
        return Scored(rows, {}, {}, np.zeros(0, np.float32), np.zeros(0, np.float32))
    dense = index.dense(plan.vector, rows)
    arms = arms_of(index, rows, plan, weights, dense)
    factors = factors_of(index, rows, plan, weights)
    total = np.sum([*arms.values(), *factors.values()], axis=0)
    return Scored(rows, arms, factors, total, dense[rows])


def search(
    index: UserIndex, rows: Rows, plan: Plan, *, limit: int, weights: Weights = WEIGHTS
) -> list[Found]:
    """The best of these rows, best first."""
    all_ = scored(index, rows, plan, weights)
    return [all_.found(place) for place in best(index, rows, all_.total, limit)]


def best(index: UserIndex, rows: Rows, total: Scores, limit: int) -> list[int]:
    """Places of the best totals. Ties go to the newer memory, so every process agrees on them.

    Sums of floating-point numbers depend on their order in the last digits, so totals that
    differ by less than that count as ties.
    """
    pool = min(len(total), 2 * limit + 50)
    if pool < len(total):
        places = np.argpartition(-total, pool - 1)[:pool]
    else:
        places = np.arange(len(total))
    keys = index.keys(rows[places])
    rounded = np.round(total[places].astype(np.float64), 4).tolist()
    order = sorted(range(pool), key=lambda n: (rounded[n], keys[n]), reverse=True)
    return [int(places[n]) for n in order[:limit]]
