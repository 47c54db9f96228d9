"""A server, and the clients that are connected to it."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bethink.testing.providers import ProviderServer
from tests.testing.clients import Connection

Connect = Callable[..., Connection]


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer(dimension=16) as server:
        yield server


@pytest.fixture(params=["sync", "async"])
def runner(request: Any) -> Iterator[asyncio.Runner | None]:
    if request.param == "sync":
        yield None
        return
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def connect(server: ProviderServer, runner: asyncio.Runner | None) -> Iterator[Connect]:
    """Makes a client for a provider, closed at the end."""
    made: list[Connection] = []

    def connect(provider: str, *, key: str = "secret", timeout: float = 30) -> Connection:
        made.append(Connection(provider, server, runner, key=key, timeout=timeout))
        return made[-1]

    yield connect
    for connection in made:
        connection.close()
