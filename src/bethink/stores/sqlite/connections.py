"""Connections to one SQLite file: shared by threads, none across a fork, errors in sentences."""

import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bethink.errors import StoreError, StoreUnavailable, UsageError
from bethink.forks import Forkable

_ADVICE = {
    "SQLITE_FULL": "could not be written: the disk is full. Nothing of this call was stored.",
    "SQLITE_READONLY": (
        "cannot be written. Check that you may write the file and the directory it lies in."
    ),
    "SQLITE_CANTOPEN": (
        "cannot be opened. Check that it is still there, that its directory exists and that you "
        "may write there."
    ),
    "SQLITE_NOTADB": "is not a database. Choose another file.",
    "SQLITE_CORRUPT": (
        "is damaged. Restore a backup; `bethink check` says more, `bethink export` may save some."
    ),
    "SQLITE_IOERR": (
        "could not be read or written. Check the disk, its free space and its file size limit."
    ),
}


class _Connection(sqlite3.Connection):
    """One that can be told apart from being collected."""

    __slots__ = ("__weakref__",)


class Connections(Forkable):
    """A pool of connections. A call borrows one, so no two threads ever use the same.

    SQLite keeps its locks by process, so that a child must inherit no open connection: before a
    fork the pool waits for what it has lent and closes everything.
    """

    def __init__(self, path: Path, *, durable: bool, timeout: float) -> None:
        self._path = path
        self._durable = durable
        self._timeout = timeout
        self._mode = "rwc"
        self._closed = False
        self._start()
        self._follow_forks()

    def _start(self) -> None:
        self._pool = threading.Condition()
        self._writing = threading.Lock()
        self._idle: list[_Connection] = []
        # Weak, so that one lost to an interrupt does not count for ever.
        self._lent: weakref.WeakSet[_Connection] = weakref.WeakSet()
        self._forking = False

    def keep_to_this_file(self) -> None:
        """From now on the file must be there: never make another if it was deleted."""
        self._mode = "rw"

    @contextmanager
    def read(self) -> Iterator[_Connection]:
        """A connection for one call; each statement sees the newest committed state."""
        connection = self._take()
        try:
            yield connection
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error
        finally:
            self._give(connection)

    @contextmanager
    def snapshot(self) -> Iterator[_Connection]:
        """A connection whose statements all see the same state."""
        with self.read() as connection:
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[_Connection]:
        """A transaction, committed at the end or rolled back whole.

        Threads of this process queue here, which is fairer and cheaper than SQLite's polling.
        """
        with self.read() as connection, self._writing:
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def insert(self, statement: str, row: Sequence[object]) -> bool:
        """Run one writing statement, its own transaction; says whether no constraint was broken.

        The same as a `read` with a statement in it, but for the microseconds: this is the way
        that nearly every memory takes.
        """
        connection = self._take()
        try:
            connection.execute(statement, row)
        except sqlite3.IntegrityError:
            return False
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error
        finally:
            self._give(connection)
        return True

    def close(self) -> None:
        with self._pool:
            self._closed = True
            self._close_idle()

    def _close_idle(self) -> None:
        for connection in self._idle:
            connection.close()
        self._idle.clear()

    def _take(self) -> _Connection:
        with self._pool:
            if self._forking:
                self._pool.wait_for(lambda: not self._forking)
            if self._closed:
                raise UsageError("This memory is closed. Open it again to use it.")
            connection = self._idle.pop() if self._idle else self._connect()
            self._lent.add(connection)
            return connection

    def _give(self, connection: _Connection) -> None:
        with self._pool:
            self._lent.discard(connection)
            self._pool.notify_all()
            if self._closed or connection.in_transaction:
                connection.close()  # an interrupted transaction ends with its connection
            else:
                self._idle.append(connection)

    def _connect(self) -> _Connection:
        try:
            connection = sqlite3.connect(
                f"{self._path.absolute().as_uri()}?mode={self._mode}",
                uri=True,
                timeout=self._timeout,
                isolation_level=None,
                check_same_thread=False,
                factory=_Connection,
            )
            connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error
        return connection

    def _before_fork(self) -> None:
        self._pool.acquire()
        self._forking = True
        self._pool.wait_for(lambda: not list(self._lent), self._timeout)
        self._close_idle()

    def _after_fork_in_parent(self) -> None:
        self._forking = False
        self._pool.notify_all()
        self._pool.release()

    def _after_fork_in_child(self) -> None:
        self._start()


def _translated(error: sqlite3.Error, path: Path) -> StoreError:
    """SQLite's error as Bethink's, saying what to do."""
    name: str = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreUnavailable(
            f"{path} is locked by another process. Try again, or give it a longer timeout."
        )
    for start, advice in _ADVICE.items():
        if name.startswith(start):
            return StoreError(f"{path} {advice}")
    return StoreError(f"{path}: {error}.")
