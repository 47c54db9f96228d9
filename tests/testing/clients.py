"""The official clients of the providers, sync and async, with retries switched off."""

import inspect
from collections.abc import Awaitable
from typing import Any

import anthropic
import cohere
import ollama
import openai
import voyageai
from voyageai.api_resources import api_requestor

from bethink.testing.providers import ProviderServer

EMBEDDING = ("openai", "nebius", "voyage", "cohere", "ollama")
CHATTING = ("openai", "nebius", "anthropic", "ollama")
RERANKING = ("voyage", "cohere")
ALL = ("openai", "nebius", "anthropic", "voyage", "cohere", "ollama")
KEYED = tuple(name for name in ALL if name != "ollama")

_CLASSES: dict[str, tuple[Any, Any]] = {
    "openai": (openai.OpenAI, openai.AsyncOpenAI),
    "nebius": (openai.OpenAI, openai.AsyncOpenAI),
    "anthropic": (anthropic.Anthropic, anthropic.AsyncAnthropic),
    "voyage": (voyageai.Client, voyageai.AsyncClient),  # type: ignore[attr-defined]
    "cohere": (cohere.ClientV2, cohere.AsyncClientV2),
    "ollama": (ollama.Client, ollama.AsyncClient),
}


async def waited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


class Connection:
    """A client, called in the same way whether it is sync or async."""

    def __init__(
        self, provider: str, server: ProviderServer, runner: Any, *, key: str, timeout: float
    ) -> None:
        self.provider, self.runner = provider, runner
        make = _CLASSES[provider][runner is not None]
        url = server.url(provider)
        if provider == "ollama":
            self.client = make(url, timeout=timeout)
        else:
            self.client = make(base_url=url, api_key=key, timeout=timeout, max_retries=0)

    def run(self, result: Any) -> Any:
        """The result, awaited where it must be."""
        return self.runner.run(waited(result)) if inspect.isawaitable(result) else result

    def parts(self, result: Any) -> list[Any]:
        """All that a stream brings."""
        return list(self.each(result))

    def each(self, result: Any) -> Any:
        stream = self.run(result)
        if not hasattr(stream, "__aiter__"):
            yield from stream
            return
        steps = aiter(stream)
        while True:
            try:
                yield self.runner.run(waited(anext(steps)))
            except StopAsyncIteration:
                return

    def close(self) -> None:
        if self.provider == "voyage":
            session = vars(api_requestor._thread_context).pop("session", None)
            if session is not None:
                session.close()
        elif self.provider == "cohere":
            http = self.client._client_wrapper.httpx_client.httpx_client
            self.run(http.aclose() if self.runner else http.close())
        else:
            self.run(self.client.close())

    # --- what all of them can do

    def chat(self, text: str = "Is there tea?", **options: Any) -> Any:
        """What a completion says."""
        answer = self.ask([{"role": "user", "content": text}], **options)
        if self.provider == "anthropic":
            return "".join(block.text for block in answer.content if block.type == "text")
        if self.provider == "ollama":
            return answer.message.content
        return answer.choices[0].message.content

    def ask(self, messages: Any, *, model: str = "chat-model", **options: Any) -> Any:
        if self.provider == "anthropic":
            create, needed = self.client.messages.create, {"max_tokens": 100}
        elif self.provider == "ollama":
            create, needed = self.client.chat, {}
        else:
            create, needed = self.client.chat.completions.create, {}
        return self.run(create(model=model, messages=messages, **needed, **options))

    def stream(self, text: str = "Is there tea?", **options: Any) -> Any:
        """The parts of a completion, one by one."""
        return self.each(self.ask([{"role": "user", "content": text}], stream=True, **options))

    def streamed_text(self, part: Any) -> str:
        if self.provider == "anthropic":
            return part.delta.text if part.type == "content_block_delta" else ""
        if self.provider == "ollama":
            return part.message.content or ""
        return "".join(choice.delta.content or "" for choice in part.choices)

    def embed(self, texts: list[str], *, dimension: int | None = None, model: str = "m") -> Any:
        """The vectors of texts."""
        size = {} if dimension is None else {_DIMENSION[self.provider]: dimension}
        if self.provider == "voyage":
            return self.run(self.client.embed(texts, model=model, **size)).embeddings
        if self.provider == "ollama":
            return self.run(self.client.embed(model=model, input=texts, **size)).embeddings
        if self.provider == "cohere":
            purpose = {"input_type": "search_document", "embedding_types": ["float"]}
            answer = self.run(self.client.embed(model=model, texts=texts, **purpose, **size))
            return answer.embeddings.float_
        answer = self.run(self.client.embeddings.create(model=model, input=texts, **size))
        return [one.embedding for one in answer.data]

    def rerank(self, query: str, documents: list[str], most: int | None = None) -> Any:
        """The positions of the documents and their scores."""
        top = {} if most is None else {"top_k" if self.provider == "voyage" else "top_n": most}
        call = self.client.rerank(query=query, documents=documents, model="m", **top)
        return [(one.index, one.relevance_score) for one in self.run(call).results]

    def anything(self) -> Any:
        """The provider's plainest request."""
        if self.provider in EMBEDDING:
            return self.embed(["tea"])
        return self.chat()


_DIMENSION = {
    "openai": "dimensions",
    "nebius": "dimensions",
    "ollama": "dimensions",
    "voyage": "output_dimension",
    "cohere": "output_dimension",
}


def status(error: Any) -> int:
    code: int = error.http_status if hasattr(error, "http_status") else error.status_code
    return code


def headers(error: Any) -> Any:
    return error.response.headers if hasattr(error, "response") else error.headers


ERRORS: dict[str, type[Exception]] = {
    "openai": openai.APIStatusError,
    "nebius": openai.APIStatusError,
    "anthropic": anthropic.APIStatusError,
    "voyage": voyageai.error.VoyageError,
    "cohere": cohere.core.ApiError,
    "ollama": ollama.ResponseError,
}
