"""A second opinion on what was found: a reranker, for as long as there is time."""

import logging
import queue
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bethink.errors import ModelError, TextsRefused
from bethink.models.base import Reranker
from bethink.recall.factors import RERANKED
from bethink.types import Hit, Hits

POOL = 50
"""As many of the best are asked about."""
WEIGHT = 8.0
"""What a standard deviation of the reranker's opinion is worth: about as much as all arms."""

Opinion: TypeAlias = npt.NDArray[np.float64]

_log = logging.getLogger(__name__)


class Reranking:
    """Asks a reranker about the best hits, and goes on without it when it takes too long.

    Args:
        reranker: Who is asked.
        seconds: How long a search waits for the answer.
    """

    def __init__(self, reranker: Reranker, *, seconds: float) -> None:
        self.reranker = reranker
        self.seconds = seconds

    def pool(self, limit: int) -> int:
        """How many hits are needed to return so many."""
        return max(POOL, limit)

    def applied(self, query: str, hits: Sequence[Hit]) -> Hits:
        """The hits by both opinions; by the first alone, with the reason, if need be."""
        if len(hits) < 2:
            return Hits(hits)
        answer = self._asked(query, [hit.item.text for hit in hits[:POOL]])
        if isinstance(answer, str):
            _log.warning("Not reranked: %s", answer)
            return Hits(hits, degraded=answer)
        asked = [_moved(hit, by) for hit, by in zip(hits, _standardised(answer), strict=False)]
        asked.sort(key=lambda hit: -round(hit.score, 4))
        return Hits([*asked, *hits[POOL:]])

    def _asked(self, query: str, texts: list[str]) -> Opinion | str:
        """The reranker's scores, or in a sentence why there are none."""
        answers: queue.SimpleQueue[Opinion | str] = queue.SimpleQueue()

        def ask() -> None:
            answers.put(self._scores(query, texts))

        threading.Thread(target=ask, name="bethink-rerank", daemon=True).start()
        try:
            return answers.get(timeout=self.seconds)
        except queue.Empty:
            return f"{self.reranker.name} took longer than {self.seconds:g} seconds."

    def _scores(self, query: str, texts: list[str]) -> Opinion | str:
        try:
            scores = np.array(self._given(query, texts), np.float64)
        except ModelError as error:
            return str(error)
        # The reranker may be the caller's own and raise anything; a search goes on without it. The
        # words may name a key, and are left out of what is logged.
        except Exception as error:  # noqa: BLE001
            return f"{self.reranker.name} failed: {type(error).__name__}."
        if scores.shape != (len(texts),) or not np.isfinite(scores).all():
            return f"{self.reranker.name} did not give one number for each of {len(texts)} texts."
        return scores

    def _given(self, query: str, texts: list[str]) -> list[float]:
        try:
            return list(self.reranker.score(query, texts))
        except TextsRefused as error:  # the others were scored
            return list(error.vectors)


def _moved(hit: Hit, by: float) -> Hit:
    share = WEIGHT * by
    return replace(hit, score=hit.score + share, factors={**hit.factors, RERANKED: share})


def _standardised(scores: Opinion) -> list[float]:
    numbers = scores / (np.abs(scores).max() or 1.0)  # so that no square is too large
    spread = numbers.std()
    found: list[float] = ((numbers - numbers.mean()) / spread if spread else 0 * numbers).tolist()
    return found
