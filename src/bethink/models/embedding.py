"""A remote embedder: many texts in few requests, side by side, each vector in its place."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from bethink.errors import ModelError, ModelRefused, TextsRefused, UsageError
from bethink.models.base import Vectors
from bethink.models.batches import Limits, batches, split
from bethink.models.failures import Unusable
from bethink.models.loop import arun, run
from bethink.models.remote import Client, Remote
from bethink.models.texts import checked_texts

MOST_REFUSED = 16
"""So many texts of one call may be refused before the rest is given up."""
HARMLESS = "hello"
_CERTAIN = 2


class Embedded(NamedTuple):
    vectors: Any
    """One list or row of numbers for each text."""
    tokens: int


class EmbeddingClient(Client, Protocol):
    async def embed(self, texts: list[str], *, query: bool) -> Embedded: ...


class RemoteEmbedder(Remote[EmbeddingClient]):
    """Embeds by asking a provider. `embed_queries` is for what is searched for.

    A text that the provider refuses is found by halving its request. All others are embedded, and
    then a `TextsRefused` names it and holds their vectors.
    """

    sound = True  # returns one unit vector for each text, or raises
    limits: Limits
    _dimension: int | None = None
    _answers = 0
    """How many answers had that dimension, if it was not given."""

    @property
    def known_dimension(self) -> int | None:
        return self._dimension

    @known_dimension.setter
    def known_dimension(self, given: int | None) -> None:
        if given is not None and given < 1:
            raise UsageError(f"dimension is {given}: give 1 or more, or leave it out.")
        self._dimension = given
        self._answers = _CERTAIN

    @property
    def dimension(self) -> int:
        if self.known_dimension is None:
            self.embed([HARMLESS])
        return self.known_dimension or 0

    @property
    def concurrency(self) -> int:
        return self._calls().policy.concurrency

    def split(self, text: str) -> list[str]:
        return split(text, self.limits.window)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return run(self._embed(texts, query=False))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return run(self._embed(texts, query=True))

    async def aembed(self, texts: Sequence[str]) -> Vectors:
        return await arun(self._embed(texts, query=False))

    async def aembed_queries(self, texts: Sequence[str]) -> Vectors:
        return await arun(self._embed(texts, query=True))

    async def _embed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        if not checked_texts(texts) and self.known_dimension is None:
            await self._embed([HARMLESS], query=query)
        job = _Job(self, texts, query=query)
        await job.run()
        return job.result()

    async def request(self, texts: list[str], *, query: bool) -> Vectors:
        """One request, as often as it takes."""
        client, calls = await self._client(), self._calls()

        async def ask() -> Vectors:
            answer = await client.embed(texts, query=query)
            calls.spent(answer.tokens)
            return self._checked(answer.vectors, len(texts))

        return await calls.call(ask)

    def _checked(self, answer: Any, count: int) -> Vectors:
        """One unit vector for each text, of the length that all vectors of this model have."""
        if len(answer) != count:
            raise Unusable(f"returned {len(answer)} vectors for {count} texts.")
        try:
            vectors = np.asarray(answer, np.float32)
        except (TypeError, ValueError):
            raise Unusable("returned vectors that are not all of one length.") from None
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise Unusable("returned something else than vectors.")
        self._check_dimension(vectors.shape[1])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise ModelError(f"{self.name} returned a vector that has no direction.")
        unit: Vectors = vectors / lengths
        return unit

    def _check_dimension(self, found: int) -> None:
        """Two answers make it certain. If the second differs from the first, who knows which is
        right? Then the first is forgotten as well, and the next call begins anew.
        """
        if self._dimension is None:
            self._dimension, self._answers = found, 0
        if found == self._dimension:
            self._answers += 1
            return
        said = f"{self.name} returned vectors of {found} numbers, not {self._dimension}"
        if self._answers >= _CERTAIN:
            raise ModelError(f"{said}.")
        self._dimension = None
        raise ModelError(f"{said} as in its first answer. Say which is right with `dimension`.")


class _Job:
    """One call that embeds texts: who fetches which part, and what has come."""

    def __init__(self, embedder: RemoteEmbedder, texts: Sequence[str], *, query: bool) -> None:
        self._embedder = embedder
        self._texts = texts
        self._query = query
        self._vectors: Vectors | None = None
        self._refused: dict[int, str] = {}
        self._harmless: asyncio.Future[Vectors] | None = None

    async def run(self) -> None:
        pending = batches(self._texts, self._embedder.limits)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._embedder.concurrency, len(self._texts))):
                    group.create_task(self._work(pending))
        except ExceptionGroup as failed:
            error = failed.exceptions[0]
        else:
            return
        raise error

    def result(self) -> Vectors:
        vectors = self._vectors
        if vectors is None:  # there were no texts, or not one of them passed
            dimension = self._embedder.known_dimension or 0
            vectors = np.zeros((len(self._texts), dimension), np.float32)
        if not self._refused:
            return vectors
        named = "; ".join(f"text {at}: {why}" for at, why in sorted(self._refused.items()))
        raise TextsRefused(
            f"{self._embedder.name} refused {len(self._refused)} of {len(self._texts)} texts. "
            f"{named}",
            refused=dict(sorted(self._refused.items())),
            vectors=vectors,
        )

    async def _work(self, pending: Iterator[range]) -> None:
        for rows in pending:
            await self._fill(rows)

    async def _fill(self, rows: range) -> None:
        texts = [self._texts[at] for at in rows]
        try:
            vectors = await self._embedder.request(texts, query=self._query)
        except ModelRefused as error:
            await self._isolate(rows, error)
            return
        if self._vectors is None:
            self._vectors = np.zeros((len(self._texts), vectors.shape[1]), np.float32)
        self._vectors[rows.start : rows.stop] = vectors

    async def _isolate(self, rows: range, error: ModelRefused) -> None:
        if len(rows) > 1:
            await self._check_that_others_pass(error)
            middle = rows.start + len(rows) // 2
            await self._fill(range(rows.start, middle))
            await self._fill(range(middle, rows.stop))
            return
        self._refused[rows.start] = str(error)
        if len(self._refused) > MOST_REFUSED:
            raise ModelRefused(f"More than {MOST_REFUSED} texts were refused. {error}") from None

    async def _check_that_others_pass(self, error: ModelRefused) -> None:
        """One request, before many: a model that refuses a greeting refuses every text."""
        if self._harmless is None:
            self._harmless = asyncio.ensure_future(
                self._embedder.request([HARMLESS], query=self._query)
            )
        try:
            await self._harmless
        except ModelRefused:
            raise error from None
