"""What tests share: a clock that stands still, and an embedder that needs no model."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from bethink import FunctionEmbedder, Memory
from tests.homes import Homes

# Whether a machine is busy is no property of what is tested.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

START = datetime(2024, 5, 17, 12, tzinfo=UTC)


class Clock:
    """Tells the time that a test sets."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, time: timedelta) -> None:
        self.now += time


def letters(texts: list[str]) -> list[list[float]]:
    """Vectors by the letters in a text: alike spellings are near, and it takes no time at all."""
    vectors = np.full((len(texts), 16), 0.01)
    for vector, text in zip(vectors, texts, strict=True):
        for word in text.lower().split():
            vector[crc32(word[:4].encode()) % 16] += 1
    return vectors.tolist()


@pytest.fixture(scope="session")
def servers() -> Iterator[Homes]:
    """Where stores of every sort can live; a server is started when the first wants it."""
    with Homes() as homes:
        yield homes


@pytest.fixture
def homes(servers: Homes, tmp_path: Path) -> Iterator[Homes]:
    """Places for new stores, which are closed when the test ends."""
    with servers.beneath(tmp_path):
        yield servers


@pytest.fixture(scope="session")
def forker() -> Iterator[Any]:
    from tests.movers import Forker  # noqa: PLC0415 (which imports this)

    forker = Forker()
    yield forker
    forker.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def quick() -> FunctionEmbedder:
    """An embedder for tests that are not about meaning."""
    return FunctionEmbedder(letters, name="letters", dimension=16)


@pytest.fixture
def memory(tmp_path: Path, clock: Clock, quick: FunctionEmbedder) -> Iterator[Memory]:
    with Memory(tmp_path / "agent.db", embedder=quick, clock=clock) as memory:
        yield memory


@pytest.fixture
def reopen(tmp_path: Path, clock: Clock, quick: FunctionEmbedder) -> Iterator[Callable[[], Memory]]:
    """One more handle on the file of `memory`."""
    opened: list[Memory] = []

    def open_again() -> Memory:
        opened.append(Memory(tmp_path / "agent.db", embedder=quick, clock=clock))
        return opened[-1]

    yield open_again
    for memory in opened:
        memory.close()
