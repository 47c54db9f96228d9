"""Reading from a copy of the server that lags behind, without ever going back in time."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from bethink.errors import StoreError
from bethink.stores.postgres import reading
from bethink.stores.postgres.connections import Connection, Connections

T = TypeVar("T")

_log = logging.getLogger(__name__)
_REST = 5.0  # seconds in which a replica that failed is not asked again


class Replica:
    """A copy that is asked first, and believed only where it is as far as the primary.

    How far that is, the caller has just been told by the primary: a generation is one row by its
    key. What the copy then says is newer than the question, so it is as good as the primary's word.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._resting = 0.0

    def ask(
        self, user_id: str, space: str, generation: int, work: Callable[[Connection], T]
    ) -> T | None:
        """What it answers; None if it is not as far as this generation, or cannot be asked.

        Nor is it asked about a space that is not in use: what is added there moves no generation.
        """

        def fresh(connection: Connection) -> T | None:
            there = reading.generation(connection, user_id)
            if there < generation or reading.space_in_use(connection) != space:
                return None
            return work(connection)

        if not generation or time.monotonic() < self._resting:
            return None
        try:
            return self._connections.snapshot(fresh)
        except StoreError as error:
            self._resting = time.monotonic() + _REST
            _log.warning("The replica is left alone for %g seconds: %s", _REST, error)
            return None

    def close(self) -> None:
        self._connections.close()
