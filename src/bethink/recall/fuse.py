"""The arms of a search, and one score from them: the sum of their standardised scores."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bethink.index.user import Rows, Scores, UserIndex
from bethink.text import Hashes

ARMS = ("meaning", "meaning nearby", "words", "words before", "words around")
"""The memory's own vector and text, and both again with its neighbours in the conversation."""


@dataclass(frozen=True, slots=True)
class Found:
    """A row that a search found, with what each arm says of it."""

    row: int
    score: float
    arms: Mapping[str, float]
    cosine: float
    """Of its own vector with the query's."""


def search(
    index: UserIndex,
    rows: Rows,
    *,
    vector: npt.NDArray[np.float32],
    terms: Hashes,
    limit: int,
) -> list[Found]:
    """The best of these rows, best first."""
    if not len(rows):
        return []
    dense = index.dense(vector, rows)
    arms = _arms(index, rows, dense, terms)
    total = np.sum(list(arms.values()), axis=0)
    return [
        Found(
            int(rows[n]),
            float(total[n]),
            {name: float(arms[name][n]) for name in ARMS},
            float(dense[rows[n]]),
        )
        for n in _best(index, rows, total, limit)
    ]


def _arms(index: UserIndex, rows: Rows, dense: Scores, terms: Hashes) -> dict[str, Scores]:
    """Each arm's standardised scores of these rows."""
    meaning = _standardised(dense[rows])
    words = _standardised(index.lexical(terms, reach=0)[rows])
    if not index.linked:  # without neighbours the wider arms say the same as the narrow ones
        return dict(zip(ARMS, [meaning, meaning, words, words, words], strict=True))
    nearby = _standardised(index.near(dense)[rows])
    before = _standardised(index.lexical(terms, reach=1)[rows])
    around = _standardised(index.lexical(terms, reach=2)[rows])
    return dict(zip(ARMS, [meaning, nearby, words, before, around], strict=True))


def _standardised(scores: Scores) -> Scores:
    """In standard deviations from the mean, which makes different arms comparable."""
    spread = scores.std()
    return (scores - scores.mean()) / spread if spread > 1e-6 else np.zeros_like(scores)


def _best(index: UserIndex, rows: Rows, total: Scores, limit: int) -> list[int]:
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
