"""What tests of remote models share: a server that speaks for every provider, and quick retries."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from bethink.models.policy import Policy
from bethink.models.url import open_embedder, open_llm, open_reranker
from bethink.testing.providers import ProviderServer
from bethink.testing.providers.script import Script
from bethink.types import Message

QUICK = Policy(timeout=20, deadline=30, wait=0.001, longest_wait=0.005, jitter=0.001, failures=0)

TALKERS = ("anthropic", "openai", "nebius", "ollama")
EMBEDDERS = ("openai", "nebius", "ollama", "voyage", "cohere")
RERANKERS = ("voyage", "cohere")
_OPEN = {"text": open_llm, "embeddings": open_embedder, "reranking": open_reranker}


@pytest.fixture(scope="module")
def running() -> Iterator[ProviderServer]:
    with ProviderServer(dimension=16) as server:
        yield server


@pytest.fixture
def server(running: ProviderServer) -> ProviderServer:
    """The server, which has forgotten all that it was told before."""
    running.delay = running.most_in_flight = 0
    running.requests.clear()
    running._script = Script(16)
    return running


@pytest.fixture(scope="module")
def opened() -> Iterator[dict[str, Any]]:
    """Models that are open already: to make a client takes longer than most of these tests."""
    models: dict[str, Any] = {}
    yield models
    for model in models.values():
        model.close()


@pytest.fixture
def connect(server: ProviderServer, opened: dict[str, Any]) -> Callable[..., Any]:
    """Opens a provider's model at the server, or gives one that was opened just like that.

    ``vllm`` stands for those that have no name here. With `fresh`, nobody has used it before.
    """

    def connect(
        job: str, provider: str, *, model: str = "some-model", fresh: bool = False, **settings: Any
    ) -> Any:
        own = settings.pop("policy", {})
        settings.setdefault("base_url", server.url(provider))
        settings.setdefault("api_key", "a-key-for-tests")
        settings["policy"] = replace(QUICK, **own)
        scheme = "openai" if provider == "vllm" else provider
        key = f"{len(opened) if fresh else ''}{job}{scheme}{model}{sorted(settings.items())}"
        if key not in opened:
            opened[key] = _OPEN[job](f"{scheme}:{model}", **settings)
        return opened[key]

    return connect


class Side:
    """Calls a model's plain methods, or awaits their twins."""

    def __init__(self, runner: asyncio.Runner | None) -> None:
        self._runner = runner

    def __call__(self, model: Any, method: str, *args: Any, **settings: Any) -> Any:
        if self._runner is None:
            return getattr(model, method)(*args, **settings)
        return self._runner.run(getattr(model, f"a{method}")(*args, **settings))

    def say(self, llm: Any, text: str, **settings: Any) -> Any:
        return self(llm, "complete", [Message("user", text)], **settings)

    def pieces(self, llm: Any, text: str, **settings: Any) -> list[Any]:
        """All that a stream gives."""
        said = [Message("user", text)]
        if self._runner is None:
            return list(llm.stream(said, **settings))

        async def collect() -> list[Any]:
            return [piece async for piece in llm.astream(said, **settings)]

        return self._runner.run(collect())


@pytest.fixture(params=["sync", "async"])
def side(request: Any) -> Iterator[Side]:
    if request.param == "sync":
        yield Side(None)
        return
    with asyncio.Runner() as runner:
        yield Side(runner)
