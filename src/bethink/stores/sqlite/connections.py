"""Connections to one SQLite file: shared by threads, kept apart by forks, errors in sentences."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bethink.errors import StoreError, StoreUnavailable, UsageError

_ADVICE = {
    "SQLITE_FULL": "could not be written: the disk is full. Nothing of this call was stored.",
    "SQLITE_READONLY": (
        "cannot be written. Check that you may write the file and the directory it lies in."
    ),
    "SQLITE_CANTOPEN": (
        "cannot be opened. Check that its directory exists and that you may write there."
    ),
    "SQLITE_NOTADB": "is not a database. Choose another file.",
    "SQLITE_CORRUPT": (
        "is damaged. Restore a backup; `bethink check` says more, `bethink export` may save some."
    ),
    "SQLITE_IOERR": (
        "could not be read or written. Check the disk, its free space and its file size limit."
    ),
}

_inherited: list[list[sqlite3.Connection]] = []
"""A parent process's connections, kept from being closed on this side of a fork."""


class Connections:
    """A pool of connections. A call borrows one, so no two threads ever use the same."""

    def __init__(self, path: Path, *, durable: bool, timeout: float) -> None:
        self._path = path
        self._durable = durable
        self._timeout = timeout
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._idle: list[sqlite3.Connection] = []

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection for one call; each statement sees the newest committed state."""
        connection = self._take()
        try:
            yield connection
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error
        finally:
            self._give(connection)

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A connection whose statements all see the same state."""
        with self.read() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction, committed at the end or rolled back whole.

        Threads of this process queue here, which is fairer and cheaper than SQLite's polling.
        """
        with self.read() as connection, self._writing:
            connection.execute("BEGIN IMMEDIATE")
            try:
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
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> sqlite3.Connection:
        if self._closed:
            raise UsageError("This memory is closed. Open it again to use it.")
        if self._pid != os.getpid():  # SQLite connections must not cross a fork
            _inherited.append(self._idle)
            self._start()
        with self._lock:
            if self._idle:
                return self._idle.pop()
        try:
            return self._connect()
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=self._timeout, isolation_level=None, check_same_thread=False
        )
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
        return connection

    def _give(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()


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
