"""The file that a cache of vectors keeps them in."""

import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bethink.errors import StoreError, StoreUnavailable

T = TypeVar("T")

LEAST_BYTES = 256 * 1024
"""Less would hold little more than the tables themselves."""
_OURS = 0x42544856
"""Marks a file as a cache of vectors."""
_TABLE = """CREATE TABLE vectors (
    id INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, vector BLOB NOT NULL, used INTEGER NOT NULL
)"""
"""Ids grow with use: the first rows are those that were not used for the longest time. Dropped
together, they free whole pages."""
_OVERHEAD = 80
"""About what a row takes beside its vector."""
_OF_THE_LIMIT = 0.75
"""The rest of what the file may take is for the log beside it."""
_SHARE = 16
"""What is written at once, and the log, are this fraction of the file; so is what is kept free."""
_PAGES_OF_LOG = 1000
_AT_ONCE = 500
_REMEMBERED = 60
"""Seconds within which a second use is not written down."""
_OPENING, _KEEPING, _NOTING = 5.0, 0.5, 0.0
"""Seconds to wait for another process that writes: to make the file, to keep new vectors, and to
note that old ones were used."""


class VectorFile:
    """One process's connection, for one thread at a time.

    Whatever goes wrong after it was opened, nothing is raised: it is as if nothing were kept.
    """

    def __init__(self, path: Path, most_bytes: int) -> None:
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(
                path, timeout=_OPENING, isolation_level=None, check_same_thread=False
            )
            with self._closed_on_failure():
                self._open(path, most_bytes)
        except sqlite3.Error as error:
            if _is_busy(error):
                raise StoreUnavailable(f"{path} is busy: another process writes it.") from error
            raise StoreError(f"{path} cannot be used as a cache of vectors: {error}.") from error

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def get(self, keys: Sequence[bytes], dimension: int) -> dict[bytes, Any]:
        """The vectors that are there, by their keys."""
        found: dict[bytes, Any] = {}
        used: list[bytes] = []
        with self._lock:
            with suppress(sqlite3.Error):
                for part in _parts(list(dict.fromkeys(keys)), _AT_ONCE):
                    used += self._read(part, dimension, found)
            with suppress(sqlite3.Error):
                self._note(used)
        return found

    def put(self, vectors: Mapping[bytes, Any]) -> None:
        now = time.time_ns()
        rows = [(key, vector.astype("<f4").tobytes(), now) for key, vector in vectors.items()]
        longest = max((len(vector) for _, vector, _ in rows), default=1)
        at_once = self._pages * self._page // _SHARE // (longest + _OVERHEAD)
        with suppress(sqlite3.Error), self._lock:
            for part in _parts(rows, min(_AT_ONCE, at_once)) if at_once else ():
                self._insert(part)

    def _open(self, path: Path, most_bytes: int) -> None:
        if self._number("application_id") != _OURS:
            self._make(path)
        self._page = self._number("page_size")
        self._pages = int(most_bytes / self._page * _OF_THE_LIMIT)
        log = min(_PAGES_OF_LOG, self._pages // _SHARE)
        self._db.execute(f"PRAGMA max_page_count = {self._pages}")
        self._db.execute(f"PRAGMA wal_autocheckpoint = {log}")
        self._db.execute("PRAGMA synchronous = OFF")  # at worst, a text is embedded again

    def _make(self, path: Path) -> None:
        """Makes an empty file a cache, unless another process is quicker."""
        if self._number("page_count") and self._is_a_strangers():
            raise StoreError(
                f"{path} cannot be used as a cache of vectors: it is another database."
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        with self._writing(_OPENING):
            if self._number("application_id") != _OURS:
                self._db.execute(_TABLE)
                self._db.execute(f"PRAGMA application_id = {_OURS}")

    def _is_a_strangers(self) -> bool:
        self._db.execute("BEGIN")  # what is asked here is all seen at the same moment
        try:
            [tables] = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return bool(tables) and self._number("application_id") != _OURS
        finally:
            self._db.execute("COMMIT")

    def _read(
        self, keys: Sequence[bytes], dimension: int, found: dict[bytes, Any]
    ) -> Iterator[bytes]:
        """Adds to what was found; gives the keys whose use is worth noting."""
        marks = ", ".join("?" * len(keys))
        rows = self._db.execute(
            f"SELECT key, vector, used FROM vectors WHERE key IN ({marks})",  # noqa: S608
            keys,
        ).fetchall()
        found |= {
            key: np.frombuffer(vector, "<f4")
            for key, vector, _ in rows
            if len(vector) == 4 * dimension
        }
        before = time.time_ns() - _REMEMBERED * 10**9
        return (key for key, _, used in rows if used < before)

    def _note(self, keys: Sequence[bytes]) -> None:
        """Moves vectors to the end, where those are that were used last."""
        now = time.time_ns()
        for part in _parts(keys, _AT_ONCE):
            with self._writing(_NOTING):
                self._make_room(0)
                self._db.executemany(
                    "UPDATE vectors SET used = ?, id = (SELECT max(id) + 1 FROM vectors) "
                    "WHERE key = ?",
                    [(now, key) for key in part],
                )

    def _insert(self, rows: Sequence[tuple[bytes, bytes, int]]) -> None:
        with self._writing(_KEEPING):
            self._make_room(sum(len(vector) + _OVERHEAD for _, vector, _ in rows))
            self._db.executemany(
                "INSERT OR IGNORE INTO vectors (key, vector, used) VALUES (?, ?, ?)", rows
            )

    def _make_room(self, size: int) -> None:
        """Drops the oldest, if the file is nearly full: by its pages, which tell what is true."""
        most = self._pages * (_SHARE - 1) // _SHARE - 2 * size // self._page
        if self._used() <= most:
            return
        while (too_many := self._used() - most * (_SHARE - 1) // _SHARE) > 0:
            dropped = self._db.execute(
                "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY id LIMIT ?)",
                (max(1, too_many // 8),),
            )
            if not dropped.rowcount:
                return

    def _used(self) -> int:
        return self._number("page_count") - self._number("freelist_count")

    def _number(self, pragma: str) -> int:
        [found] = self._db.execute(f"PRAGMA {pragma}").fetchone()
        return int(found)

    @contextmanager
    def _writing(self, seconds: float) -> Iterator[None]:
        self._db.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # a full disk has ended it already
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._db.close()
            raise


def _is_busy(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    )


def _parts(values: Sequence[T], size: int) -> list[Sequence[T]]:
    return [values[at : at + size] for at in range(0, len(values), size)]
