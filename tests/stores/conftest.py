"""Servers that tests of stores share: each is started once, when the first test wants it."""

from collections.abc import Iterator
from itertools import count

import pytest

from bethink.testing.postgres import PostgresServer

_schemas = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.fixture
def schema() -> str:
    """A name that no other test uses."""
    return f"test {next(_schemas)}"  # with a space, which must not matter
