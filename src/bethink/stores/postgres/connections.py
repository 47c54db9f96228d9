"""Connections to one server: bounded, shared by threads, none across a fork, renewed when lost.

A call is a function of a connection, so that it can be begun again on another one where the first
was lost. The driver's own pool is not used: it connects in threads of its own, which a fork would
lose, keeps the reason of a failure to itself, and waits twice as long after each.
"""

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias, TypeVar

import psycopg
from psycopg.adapt import Buffer, Dumper
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format, PipelineStatus, TransactionStatus

from bethink.errors import StoreUnavailable, UsageError
from bethink.forks import Forkable
from bethink.stores.postgres.failures import (
    Stalled,
    lost,
    not_connected,
    translated,
    unknown,
    worth_repeating,
)

T = TypeVar("T")

_GRACE = 2.0  # seconds that the network may add to a statement's time limit
_ATTEMPTS = 4  # at one call: a server that is going down closes one connection after the other
_PAUSE = 0.05  # between attempts to reach a server that is coming up

_WANTED: Mapping[str, Any] = {
    "fallback_application_name": "bethink",
    # A connection that the network has forgotten is found out while it is idle.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
"""What the driver is told where the URL says nothing."""

_CONFIGURE = """
SELECT set_config('search_path', concat_ws(', ', quote_ident(%(schema)s), (
           SELECT quote_ident(nspname) FROM pg_extension
           JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector')), false),
       set_config('statement_timeout', %(limit)s, false),
       set_config('idle_in_transaction_session_timeout', %(limit)s, false),
       set_config('jit', 'off', false)
"""


class Half(bytes):
    """A vector as pgvector's type `halfvec` travels: see `spaces`."""

    __slots__ = ()


class _HalfDumper(Dumper):
    format = Format.BINARY  # of the type that the statement wants there

    def dump(self, obj: Half) -> Buffer | None:
        return obj


class _Patient(psycopg.Connection[Any]):
    """A connection that does not wait for ever, whatever becomes of the network."""

    patience: float | None = None

    def wait(
        self,
        gen: Generator[Any, Any, Any],
        interval: float = 0.1,
        timeout: float | None = None,
    ) -> Any:
        limit = self.patience if timeout is None else timeout
        started = time.monotonic()
        try:
            return super().wait(gen, interval, limit)
        except psycopg.OperationalError as error:
            if limit is None or time.monotonic() - started < limit:
                raise
            self.pgconn.finish()  # whatever comes now is the answer to something else
            raise Stalled("No answer came in time.") from error


Connection: TypeAlias = psycopg.Connection[Any]


class Connections(Forkable):
    """A pool of connections. A call borrows one, so no two threads ever use the same.

    Args:
        url: Of the server.
        schema: Where names are looked for.
        size: How many connections there may be at once.
        timeout: How long to wait for a free one, and for a server that is coming up.
        statement_timeout: How long one statement may take.
        durable: Whether each write is flushed to the disk, whatever the server is told.
    """

    def __init__(
        self,
        url: str,
        *,
        schema: str,
        size: int,
        timeout: float,
        statement_timeout: float,
        durable: bool,
    ) -> None:
        self._url = url
        given = _parts(url)
        self.server = _described(given)
        wanted = {"connect_timeout": max(1, round(timeout)), **_WANTED}
        self._defaults: dict[str, Any] = {
            name: value for name, value in wanted.items() if name not in given
        }
        self._schema = schema
        self._size = size
        self._timeout = timeout
        self._statement_timeout = statement_timeout
        self._durable = durable
        self._closed = False
        self._met = False
        """Whether the server has ever answered: then it is worth waiting for."""
        self._start()
        self._follow_forks()

    def _start(self) -> None:
        self._lock = threading.RLock()
        self._resting = threading.Condition(self._lock)
        """For a fork, which waits until nothing is lent."""
        self._queue: deque[threading.Condition] = deque()
        """Those who wait for a connection, in the order in which they came."""
        self._idle: list[_Patient] = []
        # Weak, so that one lost to an interrupt does not count for ever.
        self._lent: weakref.WeakSet[_Patient] = weakref.WeakSet()
        self._connecting = 0
        self._forking = False

    # --- calls

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run one statement, which sees the newest committed state."""
        return self._run(work)

    def snapshot(self, work: Callable[[Connection], T]) -> T:
        """Run statements that all see the same state."""

        def transaction(connection: Connection) -> T:
            with connection.pipeline():
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                result = work(connection)
                connection.execute("COMMIT")
            return result

        return self._run(transaction)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run statements of which all or none have an effect.

        They travel together, up to the next whose result is looked at.
        """

        def transaction(connection: Connection) -> T:
            ending = False
            try:
                with connection.pipeline():
                    connection.execute("BEGIN")
                    result = work(connection)
                    ending = True
                    connection.execute("COMMIT")
            except psycopg.Error as error:
                if ending and lost(connection, error):
                    raise unknown(self.server) from error
                raise
            return result

        return self._run(transaction)

    def _run(self, work: Callable[[Connection], T]) -> T:
        """Begin again where the connection was lost before anything was changed."""
        for attempt in range(1, _ATTEMPTS + 1):
            with self._borrowed() as connection:
                try:
                    return work(connection)
                except psycopg.Error as error:
                    gone = lost(connection, error) and not isinstance(error, Stalled)
                    again = gone or (worth_repeating(error) and attempt == 1)
                    if attempt == _ATTEMPTS or not again:
                        raise translated(error, self.server) from error
            if gone:
                self._drop_idle()  # a server that was restarted has closed all of them
        raise AssertionError  # the last attempt has returned or raised

    # --- lending

    @contextmanager
    def _borrowed(self) -> Iterator[_Patient]:
        connection = self._take()
        try:
            yield connection
        finally:
            self._give(connection)

    def _take(self) -> _Patient:
        deadline = time.monotonic() + self._timeout
        with self._lock:
            if self._queue or not self._available():
                self._wait_in_line()
            if self._closed:
                raise UsageError("This memory is closed. Open it again to use it.")
            if self._idle:
                connection = self._idle.pop()
                self._lent.add(connection)
                return connection
            self._connecting += 1
        return self._new(deadline)

    def _available(self) -> bool:
        room = len(self._lent) + self._connecting < self._size
        return self._closed or (not self._forking and (bool(self._idle) or room))

    def _wait_in_line(self) -> None:
        """Wait for one's turn: a thread that takes one after the other must not starve the rest."""
        turn = threading.Condition(self._lock)
        self._queue.append(turn)
        try:
            if not turn.wait_for(
                lambda: self._queue[0] is turn and self._available(), self._timeout
            ):
                raise StoreUnavailable(
                    f"All {self._size} connections to {self.server} are in use. Try again, or "
                    "give it a larger pool_size."
                )
        finally:
            self._queue.remove(turn)
            self._call_next()

    def _call_next(self) -> None:
        if self._queue:
            self._queue[0].notify()

    def _new(self, deadline: float) -> _Patient:
        connection = None
        try:
            connection = self._connect(deadline)
        finally:
            with self._lock:
                self._connecting -= 1
                if connection is not None:
                    self._lent.add(connection)
                self._resting.notify_all()
                self._call_next()
        return connection

    def _give(self, connection: _Patient) -> None:
        usable = _at_rest(connection)
        with self._lock:
            self._lent.discard(connection)
            if usable and not self._closed:
                self._idle.append(connection)
            else:
                connection.close()
            self._resting.notify_all()
            self._call_next()

    def _drop_idle(self) -> None:
        with self._lock:
            for connection in self._idle:
                connection.close()
            self._idle.clear()

    # --- connecting

    def _connect(self, deadline: float) -> _Patient:
        """A new connection; one that has been there before is waited for while it restarts."""
        while True:
            try:
                connection = self._dial()
            except psycopg.Error as error:
                if not self._met or time.monotonic() + _PAUSE > deadline:
                    raise not_connected(error, self.server) from error
                time.sleep(_PAUSE)
            else:
                self._met = True
                return connection

    def _dial(self) -> _Patient:
        connection = _Patient.connect(
            self._url, autocommit=True, client_encoding="utf8", **self._defaults
        )
        connection.patience = self._statement_timeout + _GRACE
        connection.adapters.register_dumper(Half, _HalfDumper)
        try:
            self.configure(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def configure(self, connection: Connection) -> None:
        """Settle where names are looked for and how long anything may take."""
        limit = str(round(self._statement_timeout * 1000))
        connection.execute(_CONFIGURE, {"schema": self._schema, "limit": limit})
        if self._durable:
            connection.execute("SET synchronous_commit = on")

    # --- the end, and forks

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._drop_idle()
            self._call_next()  # who calls the one after

    def _before_fork(self) -> None:
        self._lock.acquire()
        self._forking = True
        self._resting.wait_for(lambda: not list(self._lent) and not self._connecting, self._timeout)
        self._drop_idle()

    def _after_fork_in_parent(self) -> None:
        self._forking = False
        self._call_next()
        self._lock.release()

    def _after_fork_in_child(self) -> None:
        self._start()


def _parts(url: str) -> dict[str, Any]:
    try:
        return dict(conninfo_to_dict(url))
    except psycopg.Error:
        # Not chained: the driver's sentence may hold the password.
        raise UsageError(
            "The URL of the PostgreSQL server cannot be read. "
            "Pass one such as postgresql://user:password@host:5432/database."
        ) from None


def _described(parts: Mapping[str, Any]) -> str:
    """A server's name for errors and reprs: never with its password."""
    user = f"{parts['user']}@" if parts.get("user") else ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{user}{parts.get('host') or ''}{port}/{parts.get('dbname') or ''}"


def _at_rest(connection: _Patient) -> bool:
    """Bring a connection back to where another call may begin, if that can be done."""
    pgconn = connection.pgconn
    if pgconn.pipeline_status != PipelineStatus.OFF:
        return False
    if pgconn.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK")
    return not connection.closed and pgconn.transaction_status == TransactionStatus.IDLE
