"""The store protocol on top of PostgreSQL."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TypeVar

from bethink.errors import StoreUnavailable, UsageError
from bethink.stores.base import Changes, Entry, Probe, Row, Use
from bethink.stores.postgres import candidates, reading, spaces, writing
from bethink.stores.postgres.connections import Connection, Connections
from bethink.stores.postgres.replica import Replica
from bethink.stores.postgres.schema import prepare
from bethink.times import to_micros
from bethink.types import MemoryItem

_NAME_BYTES = 63  # PostgreSQL cuts longer names off
_MOST_PARTITIONS = 1024
_REPLICA_TIMEOUT = 2.0  # seconds

T = TypeVar("T")


class PostgresStore:
    """Keeps records in a schema of a PostgreSQL database that has pgvector.

    Any number of processes and machines may share it. Reading waits for nobody; of those who
    write, only those who write of the same user wait for each other.

    Args:
        url: Such as ``postgresql://user:password@host:5432/database``.
        schema: Where the tables are. It is made if it is not there.
        partitions: In how many parts a new schema keeps its records, by user; a schema that is
            there already stays as it was made.
        pool_size: How many connections this handle may have at once.
        timeout: Seconds to wait for a free connection, or for a server that is coming up again.
        statement_timeout: Seconds that one statement may take.
        durable: Flush each write to the disk even where the server is told not to.
        replica: The URL of a copy of the server, to spare the primary what takes longest: reading
            a user whole, and proposing candidates. It may lag: it is believed only where it is
            as far as the primary, which is asked that each time.
    """

    def __init__(
        self,
        url: str,
        *,
        schema: str = "bethink",
        partitions: int | None = None,
        pool_size: int = 10,
        timeout: float = 10.0,
        statement_timeout: float = 30.0,
        durable: bool = False,
        replica: str | None = None,
    ) -> None:
        _check_options(schema, partitions, pool_size, timeout, statement_timeout)
        self._schema = schema
        connect = partial(
            Connections, schema=schema, size=pool_size, statement_timeout=statement_timeout
        )
        self._connections = connect(url, timeout=timeout, durable=durable)
        # Its place is taken at once by the primary, so there is no use in waiting for it.
        self._replica = (
            Replica(connect(replica, timeout=min(timeout, _REPLICA_TIMEOUT), durable=False))
            if replica
            else None
        )
        try:
            self._partitions = prepare(self._connections, schema, partitions)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"PostgresStore({self._connections.server!r}, schema={self._schema!r})"

    def space(self) -> str | None:
        return self._connections.read(reading.space_in_use)

    def switch(self, old: str | None, new: str) -> None:
        self._connections.write(lambda c: writing.switch(c, old, new, self._partitions))
        with suppress(StoreUnavailable):  # someone is still reading: the next switch does it
            self._connections.write(spaces.drop_tables_of_none)

    def put(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        space: str,
        if_version: Mapping[str, int] | None = None,
    ) -> None:
        self._connections.write(lambda c: writing.put(c, user_id, entries, space, if_version or {}))

    def attach(self, user_id: str, vectors: Mapping[str, tuple[int, bytes]], *, space: str) -> int:
        while True:
            count = self._connections.write(lambda c: writing.attach(c, user_id, vectors, space))
            if count is not None:
                return count
            self._connections.write(lambda c: spaces.add(c, space, self._partitions))

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        return self._connections.read(lambda c: reading.get(c, user_id, ids))

    def scan(self, user_id: str, *, space: str, since: int = 0) -> Changes:
        return self._read_much(user_id, space, lambda c: reading.scan(c, user_id, space, since))

    def candidates(self, user_id: str, probe: Probe, *, space: str) -> list[Row]:
        """The records that may answer: see `bethink.stores.base.Proposing`.

        Vectors of more than 4,000 numbers are not indexed: there, words alone propose.
        """
        return self._read_much(
            user_id, space, lambda c: candidates.propose(c, user_id, probe, space)
        )

    def _read_much(self, user_id: str, space: str, work: Callable[[Connection], T]) -> T:
        """What is much to read: from the replica, if there is one and it is as far."""
        if self._replica is not None:
            generation = self.generation(user_id)
            answer = self._replica.ask(user_id, space, generation, work)
            if answer is not None:
                return answer
        return self._connections.snapshot(work)

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        listed = list(ids)
        return self._connections.write(lambda c: writing.delete(c, user_id, listed))

    def clear(self, user_id: str) -> int:
        return self._connections.write(lambda c: writing.clear(c, user_id))

    def touch(self, user_id: str, uses: Mapping[str, Use]) -> None:
        self._connections.write(lambda c: writing.touch(c, user_id, uses))

    def sweep(self, now: datetime) -> int:
        moment = to_micros(now)
        users = self._connections.read(lambda c: writing.unswept(c, moment))
        return sum(self._swept(user_id, moment) for user_id in users)

    def _swept(self, user_id: str, moment: int) -> int:
        return self._connections.write(lambda c: writing.sweep(c, user_id, moment))

    def generation(self, user_id: str) -> int:
        return self._connections.read(lambda c: reading.generation(c, user_id))

    def users(self) -> list[str]:
        return self._connections.read(reading.users)

    def check(self) -> list[str]:
        """What is wrong with the tables, in sentences; nothing where all of it agrees."""
        return self._connections.snapshot(reading.check)

    def close(self) -> None:
        self._connections.close()
        if self._replica is not None:
            self._replica.close()


def _check_options(
    schema: str, partitions: int | None, pool_size: int, timeout: float, statement_timeout: float
) -> None:
    if not isinstance(schema, str) or not 0 < len(schema.encode()) <= _NAME_BYTES or "\0" in schema:
        raise UsageError(f"schema must be a name of 1 to {_NAME_BYTES} bytes, not {schema!r}.")
    if partitions is not None and not 0 <= partitions <= _MOST_PARTITIONS:
        raise UsageError(f"partitions must be 0 to {_MOST_PARTITIONS}, not {partitions!r}.")
    if pool_size < 1:
        raise UsageError(f"pool_size must be 1 or more, not {pool_size!r}.")
    if not (timeout > 0 and statement_timeout > 0):
        raise UsageError("timeout and statement_timeout must be more than 0 seconds.")
