"""Learning asks models too: the same server speaks for every provider."""

from tests.models.conftest import connect, opened, running, server

__all__ = ["connect", "opened", "running", "server"]
