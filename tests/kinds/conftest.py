"""A memory that needs no model and no file."""

import pytest

from bethink import Memory


@pytest.fixture
def ram(clock, quick):
    """A memory in this process."""
    with Memory(embedder=quick, clock=clock) as memory:
        yield memory
