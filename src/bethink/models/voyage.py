"""Voyage: embeddings that tell queries from documents, and rerankers."""

import json
from collections.abc import Mapping
from typing import Any

from bethink.models.base import Prices
from bethink.models.batches import Limits
from bethink.models.embedding import Embedded, RemoteEmbedder
from bethink.models.extras import needed
from bethink.models.failures import StatusError
from bethink.models.keys import Key
from bethink.models.policy import Policy
from bethink.models.ranking import RemoteReranker, Scored
from bethink.models.remote import key_for

EXTRA = "voyage"
KEY = "VOYAGE_API_KEY"
_TEXTS = 1000
_WINDOW = 32_000
_TOKENS: Mapping[str, int] = {"lite": 1_000_000, "large": 120_000, "3.5": 320_000, "4": 320_000}
"""How many tokens a request may hold, by a part of the model's name."""
_FEWEST_TOKENS = 120_000
RERANKING = Limits(texts=1000, tokens=600_000, window=16_000)


def limits_of(model: str) -> Limits:
    found = (tokens for part, tokens in _TOKENS.items() if part in model)
    return Limits(_TEXTS, next(found, _FEWEST_TOKENS), _WINDOW)


class VoyageEmbedder(RemoteEmbedder):
    """Embeds with Voyage.

    Args:
        model: As Voyage calls it, such as ``voyage-3.5``.
        api_key: Read from ``VOYAGE_API_KEY`` if not given.
        base_url: Another address that speaks the same language.
        dimension: Ask for vectors of this length, if the model can make others than its own.
        policy: How it is called.
        prices: What a million tokens cost.
    """

    extra, packages = EXTRA, ("voyageai",)

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        dimension: int | None = None,
        policy: Policy | None = None,
        prices: Prices | None = None,
    ) -> None:
        key = key_for("voyage", api_key, KEY)
        policy = policy or Policy()
        super().__init__(
            f"voyage:{model}",
            lambda: _Client(model, key, base_url, policy.timeout, dimension),
            key=key,
            policy=policy,
            prices=prices,
        )
        self.known_dimension = dimension
        self.limits = limits_of(model)


class VoyageReranker(RemoteReranker):
    """Scores with Voyage, from 0 to 1.

    Args:
        model: As Voyage calls it, such as ``rerank-2.5``.
        api_key: Read from ``VOYAGE_API_KEY`` if not given.
        base_url: Another address that speaks the same language.
        policy: How it is called.
        prices: What a million tokens cost.
    """

    extra, packages = EXTRA, ("voyageai",)
    limits = RERANKING

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        policy: Policy | None = None,
        prices: Prices | None = None,
    ) -> None:
        key = key_for("voyage", api_key, KEY)
        policy = policy or Policy()
        super().__init__(
            f"voyage:{model}",
            lambda: _Client(model, key, base_url, policy.timeout),
            key=key,
            policy=policy,
            prices=prices,
        )


class _Client:
    """Keeps one connection open; left to itself, the client makes one for each request."""

    def __init__(
        self,
        model: str,
        key: Key,
        base_url: str | None,
        timeout: float,
        dimension: int | None = None,
    ) -> None:
        self._model = model
        self._dimension = dimension
        self._package = needed("voyageai", EXTRA)
        self._voyage = self._package.AsyncClient(
            api_key=key.reveal(), base_url=base_url, timeout=timeout, max_retries=0
        )
        self._session: Any = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def embed(self, texts: list[str], *, query: bool) -> Embedded:
        self._connect()
        answer = await self._voyage.embed(
            texts,
            model=self._model,
            input_type="query" if query else "document",
            truncation=False,
            output_dimension=self._dimension,
        )
        return Embedded(answer.embeddings, answer.total_tokens)

    async def score(self, query: str, texts: list[str]) -> Scored:
        self._connect()
        answer = await self._voyage.rerank(query, texts, model=self._model)
        return Scored(
            {result.index: result.relevance_score for result in answer.results},
            answer.total_tokens,
        )

    def _connect(self) -> None:
        if self._session is None:
            aiohttp = needed("aiohttp", EXTRA)
            self._session = aiohttp.ClientSession(raise_for_status=_refuse)
        self._package.aiosession.set(self._session)


async def _refuse(response: Any) -> None:
    """Looks at an answer before the client does, which would print that its body is cut, and
    would take a status that it does not know, such as 529, for success.
    """
    body = await response.text()
    if response.status >= 400:
        try:
            said = json.loads(body)
        except ValueError:
            said = body
        raise StatusError(response.status, response.headers, said)
