"""A remote reranker."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bethink.models.batches import Limits, batches
from bethink.models.failures import Unusable
from bethink.models.loop import arun, run
from bethink.models.remote import Client, Remote


class Scored(NamedTuple):
    scores: dict[int, float]
    """By the position of a text."""
    tokens: int


class RankingClient(Client, Protocol):
    async def score(self, query: str, texts: list[str]) -> Scored: ...


class RemoteReranker(Remote[RankingClient]):
    """Scores by asking a provider; in several requests where its limits ask for it."""

    limits: Limits

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return run(self._score(query, texts))

    async def ascore(self, query: str, texts: Sequence[str]) -> list[float]:
        return await arun(self._score(query, texts))

    async def _score(self, query: str, texts: Sequence[str]) -> list[float]:
        parts = [[texts[at] for at in rows] for rows in batches(texts, self.limits)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._request(query, part)) for part in parts]
        except ExceptionGroup as failed:
            error = failed.exceptions[0]
        else:
            return [score for task in tasks for score in task.result()]
        raise error

    async def _request(self, query: str, texts: list[str]) -> list[float]:
        client, calls = await self._client(), self._calls()

        async def ask() -> list[float]:
            answer = await client.score(query, texts)
            calls.spent(answer.tokens)
            if set(answer.scores) != set(range(len(texts))):
                raise Unusable(f"scored {len(answer.scores)} of {len(texts)} texts.")
            return [float(answer.scores[at]) for at in range(len(texts))]

        return await calls.call(ask)
