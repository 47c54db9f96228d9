"""Cohere: embeddings that tell queries from documents, and rerankers."""

import os
from typing import Any

from bethink.models.base import Prices
from bethink.models.batches import Limits
from bethink.models.embedding import Embedded, RemoteEmbedder
from bethink.models.extras import needed
from bethink.models.failures import Unusable
from bethink.models.keys import Key
from bethink.models.policy import Policy
from bethink.models.ranking import RemoteReranker, Scored
from bethink.models.remote import key_for

EXTRA = "cohere"
KEYS = ("CO_API_KEY", "COHERE_API_KEY")
URL = "CO_API_URL"
_TEXTS = 96
_WINDOW_OF_V3 = 512
_WINDOW = 128_000
RERANKING = Limits(texts=1000, tokens=4_000_000, window=4096)


def limits_of(model: str) -> Limits:
    window = _WINDOW_OF_V3 if "v3" in model or "v2" in model else _WINDOW
    return Limits(_TEXTS, _TEXTS * window, window)


class CohereEmbedder(RemoteEmbedder):
    """Embeds with Cohere.

    Args:
        model: As Cohere calls it, such as ``embed-v4.0``.
        api_key: Read from ``CO_API_KEY`` if not given.
        base_url: Another address that speaks the same language.
        dimension: Ask for vectors of this length, if the model can make others than its own.
        policy: How it is called.
        prices: What a million tokens cost.
    """

    extra, packages = EXTRA, ("cohere",)

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
        key = key_for("cohere", api_key, *KEYS)
        policy = policy or Policy()
        base_url = base_url or os.environ.get(URL)
        super().__init__(
            f"cohere:{model}",
            lambda: _Client(model, key, base_url, policy.timeout, dimension),
            key=key,
            policy=policy,
            prices=prices,
        )
        self.known_dimension = dimension
        self.limits = limits_of(model)


class CohereReranker(RemoteReranker):
    """Scores with Cohere, from 0 to 1.

    Args:
        model: As Cohere calls it, such as ``rerank-v3.5``.
        api_key: Read from ``CO_API_KEY`` if not given.
        base_url: Another address that speaks the same language.
        policy: How it is called.
        prices: What a million tokens cost.
    """

    extra, packages = EXTRA, ("cohere",)
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
        key = key_for("cohere", api_key, *KEYS)
        policy = policy or Policy()
        base_url = base_url or os.environ.get(URL)
        super().__init__(
            f"cohere:{model}",
            lambda: _Client(model, key, base_url, policy.timeout),
            key=key,
            policy=policy,
            prices=prices,
        )


class _Client:
    def __init__(
        self,
        model: str,
        key: Key,
        base_url: str | None,
        timeout: float,
        dimension: int | None = None,
    ) -> None:
        self._model = model
        self._settings = {} if dimension is None else {"output_dimension": dimension}
        self._cohere = needed("cohere", EXTRA).AsyncClientV2(
            api_key=key.reveal(), base_url=base_url, timeout=timeout, max_retries=0
        )

    async def close(self) -> None:
        await self._cohere.__aexit__(None, None, None)

    async def embed(self, texts: list[str], *, query: bool) -> Embedded:
        answer = await self._cohere.embed(
            model=self._model,
            texts=texts,
            input_type="search_query" if query else "search_document",
            embedding_types=["float"],
            truncate="NONE",
            **self._settings,
        )
        vectors = answer.embeddings.float_
        if vectors is None:
            raise Unusable("returned no vectors.")
        return Embedded(vectors, _tokens(answer))

    async def score(self, query: str, texts: list[str]) -> Scored:
        answer = await self._cohere.rerank(model=self._model, query=query, documents=texts)
        return Scored(
            {result.index: result.relevance_score for result in answer.results}, _tokens(answer)
        )


def _tokens(answer: Any) -> int:
    billed = answer.meta.billed_units if answer.meta else None
    return int((billed.input_tokens if billed else 0) or 0)
