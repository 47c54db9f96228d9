"""Vectors that were made before, in a file: the same text is never paid for twice."""

import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from bethink.errors import StoreError, UsageError
from bethink.models.base import Embedder, Vectors
from bethink.models.local import PerProcess

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    key BLOB PRIMARY KEY, vector BLOB NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON vectors (used);
CREATE TABLE IF NOT EXISTS total (bytes INTEGER NOT NULL);
INSERT INTO total SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM total);
CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON vectors
    BEGIN UPDATE total SET bytes = bytes + length(new.vector) + {overhead}; END;
CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON vectors
    BEGIN UPDATE total SET bytes = bytes - length(old.vector) - {overhead}; END;
"""
_OVERHEAD = 80
"""About what a row takes in the file beside its vector."""
_KEPT = 0.9
"""What share of the limit is left after the oldest were dropped."""
_REMEMBERED = 60
"""Seconds within which a second use is not written down."""
_WAIT = 5.0
"""Seconds to wait for another process that writes."""
_AT_ONCE = 500


class CachedEmbedder:
    """An embedder that looks into a file first.

    A vector is found by the embedder's name and dimension, by whether it is a query's, and by its
    text, of which only a hash is kept. The file never holds more than about `most_bytes`: what
    was not used for the longest time goes. Any number of threads and processes may share it. It is
    a cache: if it cannot be read or written, texts are embedded as if it were not there.

    Args:
        embedder: Whose vectors are kept.
        path: The file, made if it is not there.
        most_bytes: How large it may become.
    """

    sound = True  # what was kept was a unit vector

    def __init__(
        self, embedder: Embedder, path: str | Path, *, most_bytes: int = 256 * 1024 * 1024
    ) -> None:
        if most_bytes < 1:
            raise UsageError(f"most_bytes is {most_bytes}: give 1 or more.")
        self.embedder = embedder
        self._file = PerProcess(lambda: _File(Path(path), most_bytes))
        self._file()  # a file that is no cache is found out now

    def __repr__(self) -> str:
        return f"CachedEmbedder({self.embedder!r})"

    @property
    def name(self) -> str:
        return self.embedder.name

    @property
    def dimension(self) -> int:
        return self.embedder.dimension

    def split(self, text: str) -> list[str]:
        return self.embedder.split(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._through("document", texts, self.embedder.embed)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        embed = getattr(self.embedder, "embed_queries", None)
        if embed is None:
            return self.embed(texts)
        return self._through("query", texts, embed)

    def close(self) -> None:
        self._file().close()

    def _through(
        self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]
    ) -> Vectors:
        dimension = self.dimension
        keys = [_key(self.name, dimension, kind, text) for text in texts]
        found = self._file().get(keys, dimension)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = dict(zip(missing, embed(list(missing.values())), strict=True))
            self._file().put(made)
            found |= made
        vectors = np.empty((len(texts), dimension), np.float32)
        for at, key in enumerate(keys):
            vectors[at] = found[key]
        return vectors


def _key(name: str, dimension: int, kind: str, text: str) -> bytes:
    parts = "\0".join((name, str(dimension), kind, text))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=20).digest()


class _File:
    """One process's connection, for one thread at a time."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(
                path, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = OFF")  # at worst, a text is embedded again
            self._db.executescript(_SCHEMA.format(overhead=_OVERHEAD))
        except sqlite3.Error as error:
            raise StoreError(f"{path} cannot be used as a cache of vectors: {error}.") from error

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def get(self, keys: Sequence[bytes], dimension: int) -> dict[bytes, Any]:
        found: dict[bytes, Any] = {}
        with suppress(sqlite3.Error), self._lock:
            for part in _parts(list(dict.fromkeys(keys))):
                found |= self._read(part, dimension)
        return found

    def put(self, vectors: dict[bytes, Any]) -> None:
        now = time.time_ns()
        rows = [(key, vector.astype("<f4").tobytes(), now) for key, vector in vectors.items()]
        with suppress(sqlite3.Error), self._lock:
            self._write("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)

    def _read(self, keys: Sequence[bytes], dimension: int) -> dict[bytes, Any]:
        marks = ", ".join("?" * len(keys))
        rows = self._db.execute(
            f"SELECT key, vector, used FROM vectors WHERE key IN ({marks})",  # noqa: S608
            keys,
        ).fetchall()
        now = time.time_ns()
        stale = [(now, key) for key, _, used in rows if now - used > _REMEMBERED * 10**9]
        if stale:
            self._write("UPDATE vectors SET used = ? WHERE key = ?", stale)
        return {
            key: np.frombuffer(vector, "<f4")
            for key, vector, _ in rows
            if len(vector) == 4 * dimension
        }

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany(statement, rows)
            self._shrink()
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def _shrink(self) -> None:
        [size] = self._db.execute("SELECT bytes FROM total").fetchone()
        if size <= self._most:
            return
        too_many = size - int(self._most * _KEPT)
        oldest = self._db.execute("SELECT key, length(vector) FROM vectors ORDER BY used")
        dropped = []
        for key, length in oldest:
            dropped.append((key,))
            too_many -= length + _OVERHEAD
            if too_many <= 0:
                break
        self._db.executemany("DELETE FROM vectors WHERE key = ?", dropped)


def _parts(keys: Sequence[bytes]) -> list[Sequence[bytes]]:
    return [keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE)]
