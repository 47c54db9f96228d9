"""How far a figure might lie from itself, had other questions of the kind been asked."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bethink.bench.measures import Numbers

DRAWS = 2000
SEED = 5
_ENDS = (2.5, 97.5)

Drawn: TypeAlias = npt.NDArray[np.int64]
"""The places of as many questions as there are, some of them twice and some not at all."""


def interval(figure: Callable[[Drawn], Any], questions: int) -> Numbers:
    """The lower and the upper end of the 95% bootstrap interval, in rows."""
    chance = np.random.default_rng(SEED)
    found = [figure(chance.integers(questions, size=questions)) for _ in range(DRAWS)]
    ends: Numbers = np.percentile(np.array(found, np.float64), _ENDS, axis=0)
    return ends


def interval_of_means(values: Numbers) -> list[tuple[float, float]]:
    """The same for the mean of each column, where each row is a question."""
    low, high = interval(lambda drawn: values[drawn].mean(axis=0), len(values))
    return list(zip(low.tolist(), high.tolist(), strict=True))
