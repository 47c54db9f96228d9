"""How likely a memory has to do with a query at all: from 0 to 1, comparable between searches.

Scores compare the memories of one search; the best of them may still be beside the point. Four
things tell: how alike the two are, how many of the query's words the memory has (the rarer, the
more they count), how alike its session is, and how many of those words the user never said. Their
weights are round numbers near the logistic regression over questions that can be answered and
questions of other people, fitted on LongMemEval_S and RealMem with ``tools/weigh.py``.
"""

from collections.abc import Callable, Sequence

import numpy as np

from bethink.index.user import Rows, UserIndex
from bethink.recall.plan import Plan

ALIKE, WORDS, SESSION, UNSAID = 4.0, 4.0, 4.0, -4.0
NOTHING = -3.0
"""Where none of the four has anything to say."""
MUCH = 100
"""Of someone with so many memories, half is made of what they never said; of few, little."""

RELEVANT = 0.25
"""From here on a memory is worth showing to somebody."""


def relevances(
    index: UserIndex, plan: Plan, rows: Rows, cosines: Sequence[float], on: Callable[[float], float]
) -> list[float]:
    """The relevance of each row; `on` puts a cosine on the embedder's scale from 0 to 1."""
    held, unsaid = index.shares(plan.terms, rows)
    unsaid *= len(index) / (len(index) + MUCH)
    alike = np.array([on(cosine) for cosine in cosines])
    session = alike.copy()
    sessions = index.sessions_of(rows)
    if (sessions >= 0).any():
        meanings = index.session_meaning(plan.vector)
        for place in np.flatnonzero(sessions >= 0):
            session[place] = on(float(meanings[sessions[place]]))
    sums = NOTHING + ALIKE * alike + WORDS * held + SESSION * session + UNSAID * unsaid
    found: list[float] = (1 / (1 + np.exp(-sums))).tolist()
    return found
