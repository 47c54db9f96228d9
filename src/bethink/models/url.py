"""The one door: from a name such as ``voyage:voyage-3.5`` to a model.

A name is a provider, a colon and what that provider calls its model; for a model on this machine,
the path of its directory. Everything else, such as a key, a `base_url`, a `policy` or `prices`, is
passed on to the provider's class.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any, Literal, TypeAlias, get_args

from bethink.errors import UsageError
from bethink.models.base import LLM, Embedder, Reranker
from bethink.models.extras import installed

Job: TypeAlias = Literal["text", "embeddings", "reranking"]
JOBS: tuple[Job, ...] = get_args(Job)


@dataclass(frozen=True, slots=True)
class Provider:
    """What a provider can do, and what it needs.

    `classes` names the class for each job, `models` one model of it to try. `variables` are those
    that its key is read from, the usual one first; where there are none, it needs no key.
    """

    name: str
    module: str
    classes: Mapping[Job, str]
    models: Mapping[Job, str]
    extra: str
    packages: tuple[str, ...]
    variables: tuple[str, ...] = ()
    has_default: bool = False
    """Whether it knows which model is meant where none is named."""

    @property
    def installed(self) -> bool:
        return installed(*self.packages)

    @property
    def remote(self) -> bool:
        return "stamina" in self.packages

    @property
    def configured(self) -> bool:
        """Whether it could be used now: a key is set, or none is needed."""
        return not self.variables or any(map(os.environ.get, self.variables))

    def open(self, job: Job, model: str, settings: Mapping[str, Any]) -> Any:
        if job not in self.classes:
            raise UsageError(f"{self.name} offers {_listed(self.classes)}, but no {job}.")
        module = import_module(f"bethink.models.{self.module}")
        make = getattr(module, self.classes[job])
        _, *known = signature(make).parameters  # the first is the model
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise UsageError(f"{self.name} has no setting {', '.join(unknown)}.")
        return make(model, **settings)


PROVIDERS: Mapping[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            "anthropic",
            "anthropic",
            {"text": "AnthropicLLM"},
            {"text": "claude-haiku-4-5"},
            extra="anthropic",
            packages=("anthropic", "stamina"),
            variables=("ANTHROPIC_API_KEY",),
        ),
        Provider(
            "openai",
            "openai",
            {"text": "OpenAILLM", "embeddings": "OpenAIEmbedder"},
            {"text": "gpt-5-mini", "embeddings": "text-embedding-3-small"},
            extra="openai",
            packages=("openai", "stamina"),
            variables=("OPENAI_API_KEY",),
        ),
        Provider(
            "nebius",
            "openai",
            {"text": "NebiusLLM", "embeddings": "NebiusEmbedder"},
            {"text": "Qwen/Qwen3-30B-A3B-Instruct-2507", "embeddings": "Qwen/Qwen3-Embedding-8B"},
            extra="openai",
            packages=("openai", "stamina"),
            variables=("NEBIUS_API_KEY",),
        ),
        Provider(
            "ollama",
            "ollama",
            {"text": "OllamaLLM", "embeddings": "OllamaEmbedder"},
            {"text": "qwen3", "embeddings": "nomic-embed-text"},
            extra="ollama",
            packages=("ollama", "stamina"),
        ),
        Provider(
            "voyage",
            "voyage",
            {"embeddings": "VoyageEmbedder", "reranking": "VoyageReranker"},
            {"embeddings": "voyage-3.5", "reranking": "rerank-2.5"},
            extra="voyage",
            packages=("voyageai", "stamina"),
            variables=("VOYAGE_API_KEY",),
        ),
        Provider(
            "cohere",
            "cohere",
            {"embeddings": "CohereEmbedder", "reranking": "CohereReranker"},
            {"embeddings": "embed-v4.0", "reranking": "rerank-v3.5"},
            extra="cohere",
            packages=("cohere", "stamina"),
            variables=("CO_API_KEY", "COHERE_API_KEY"),
        ),
        Provider(
            "onnx",
            "onnx",
            {"embeddings": "OnnxEmbedder", "reranking": "OnnxReranker"},
            {},
            extra="",
            packages=("onnxruntime", "tokenizers"),
        ),
        Provider(
            "sentence",
            "sentence",
            {"embeddings": "SentenceEmbedder"},
            {},
            extra="sentence",
            packages=("sentence_transformers",),
        ),
        Provider(
            "model2vec",
            "static",
            {"embeddings": "Model2VecEmbedder"},
            {},
            extra="model2vec",
            packages=("model2vec",),
        ),
        Provider(
            "wordllama",
            "static",
            {"embeddings": "WordLlamaEmbedder"},
            {"embeddings": ""},
            extra="wordllama",
            packages=("wordllama",),
            has_default=True,
        ),
    )
}


def open_embedder(name: str, /, **settings: Any) -> Embedder:
    """The embedder of that name, such as ``voyage:voyage-3.5``."""
    embedder: Embedder = _open("embeddings", name, settings)
    return embedder


def open_llm(name: str, /, **settings: Any) -> LLM:
    """The language model of that name, such as ``anthropic:claude-haiku-4-5``."""
    llm: LLM = _open("text", name, settings)
    return llm


def open_reranker(name: str, /, **settings: Any) -> Reranker:
    """The reranker of that name, such as ``cohere:rerank-v3.5``."""
    reranker: Reranker = _open("reranking", name, settings)
    return reranker


def provider_of(name: str) -> tuple[Provider, str]:
    """The provider in the name of a model, and what it calls the model."""
    if not isinstance(name, str):
        raise UsageError(
            f"The name of a model is of type {type(name).__name__}: give a text, such as "
            "voyage:voyage-3.5."
        )
    provider, _, model = name.partition(":")
    if provider not in PROVIDERS:
        raise UsageError(
            f"{name!r} names no model: give a provider, a colon and its model, such as "
            f"voyage:voyage-3.5. The providers are {', '.join(PROVIDERS)}."
        )
    return PROVIDERS[provider], model


def _open(job: Job, name: str, settings: Mapping[str, Any]) -> Any:
    provider, model = provider_of(name)
    if not model and not provider.has_default:
        example = provider.models.get(job, "/path/of/a/model")
        raise UsageError(f"Which model? Give its name, such as {provider.name}:{example}.")
    return provider.open(job, model, settings)


def _listed(jobs: Mapping[Job, str]) -> str:
    return " and ".join(jobs)
