"""A remote reranker."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bethink.errors import ModelRefused, TextsRefused
from bethink.models.batches import Limits, batches, tokens_in
from bethink.models.embedding import HARMLESS, MOST_REFUSED
from bethink.models.failures import Unusable
from bethink.models.loop import arun, run
from bethink.models.remote import Client, Remote
from bethink.models.texts import checked_texts


class Scored(NamedTuple):
    scores: dict[int, float]
    """By the position of a text."""
    tokens: int


class RankingClient(Client, Protocol):
    async def score(self, query: str, texts: list[str]) -> Scored: ...


class RemoteReranker(Remote[RankingClient]):
    """Scores by asking a provider; in several requests where its limits ask for it.

    A text that the provider refuses is found by halving its request. All others are scored, and
    then a `TextsRefused` names it and holds their scores as its `vectors`.
    """

    limits: Limits

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return run(self._score(query, texts))

    async def ascore(self, query: str, texts: Sequence[str]) -> list[float]:
        return await arun(self._score(query, texts))

    async def _score(self, query: str, texts: Sequence[str]) -> list[float]:
        job = _Job(self, query, checked_texts(texts))
        # A provider reads the query anew for each text, and counts it as often.
        parts = list(batches(texts, self.limits, beside=tokens_in(query)))
        try:
            async with asyncio.TaskGroup() as group:
                for rows in parts:
                    group.create_task(job.fill(rows))
        except ExceptionGroup as failed:
            error = failed.exceptions[0]
        else:
            return job.result()
        raise error

    async def request(self, query: str, texts: list[str]) -> list[float]:
        """One request, as often as it takes."""
        client, calls = await self._client(), self._calls()

        async def ask() -> list[float]:
            answer = await client.score(query, texts)
            calls.spent(answer.tokens)
            if set(answer.scores) != set(range(len(texts))):
                raise Unusable(f"scored {len(answer.scores)} of {len(texts)} texts.")
            return [float(answer.scores[at]) for at in range(len(texts))]

        return await calls.call(ask)


class _Job:
    """One call that scores texts: what has come, and what was refused."""

    def __init__(self, reranker: RemoteReranker, query: str, texts: Sequence[str]) -> None:
        self._reranker = reranker
        self._query = query
        self._texts = texts
        self._scores = [0.0] * len(texts)
        self._refused: dict[int, str] = {}
        self._harmless: asyncio.Future[list[float]] | None = None

    async def fill(self, rows: range) -> None:
        texts = [self._texts[at] for at in rows]
        try:
            self._scores[rows.start : rows.stop] = await self._reranker.request(self._query, texts)
        except ModelRefused as error:
            await self._isolate(rows, error)

    def result(self) -> list[float]:
        if not self._refused:
            return self._scores
        refused = dict(sorted(self._refused.items()))
        named = "; ".join(f"text {at}: {why}" for at, why in refused.items())
        raise TextsRefused(
            f"{self._reranker.name} refused {len(refused)} of {len(self._texts)} texts. {named}",
            refused=refused,
            vectors=self._scores,
        )

    async def _isolate(self, rows: range, error: ModelRefused) -> None:
        await self._check_the_query(error)
        if len(rows) > 1:
            middle = rows.start + len(rows) // 2
            await self.fill(range(rows.start, middle))
            await self.fill(range(middle, rows.stop))
            return
        self._refused[rows.start] = str(error)
        if len(self._refused) > MOST_REFUSED:
            raise ModelRefused(f"More than {MOST_REFUSED} texts were refused. {error}") from None

    async def _check_the_query(self, error: ModelRefused) -> None:
        """One request, before many: if a greeting is refused as well, it is not for the texts."""
        if self._harmless is None:
            self._harmless = asyncio.ensure_future(self._reranker.request(self._query, [HARMLESS]))
        try:
            await self._harmless
        except ModelRefused:
            raise error from None
