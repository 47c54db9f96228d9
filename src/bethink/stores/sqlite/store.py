"""The store protocol in SQL."""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from bethink.errors import Conflict, StoreError
from bethink.stores.base import Changes, Entry, Use
from bethink.stores.sqlite.connections import Connections
from bethink.stores.sqlite.schema import CHECKS, prepare
from bethink.times import from_micros, to_micros
from bethink.types import MemoryItem

_COLUMNS = (
    "id, version, kind, content, created_at, agent_id, session_id, speaker, metadata, importance, "
    "valid_from, valid_to, expires_at, superseded_by"
)
_PUT = f"INSERT OR REPLACE INTO records (user, changed, terms, {_COLUMNS}) VALUES ({'?,' * 16}?)"
_GET = (
    f"SELECT {_COLUMNS}, "  # noqa: S608 (column names, no values)
    "(SELECT count FROM uses u WHERE u.user = r.user AND u.id = r.id), "
    "(SELECT last FROM uses u WHERE u.user = r.user AND u.id = r.id) "
    "FROM records r WHERE user = (SELECT number FROM users WHERE user_id = ?) AND id IN "
)
_SCAN = (
    f"SELECT {_COLUMNS}, terms FROM records "  # noqa: S608 (likewise)
    "WHERE user = ?"
)
_VECTORS = "SELECT id, vectors FROM vectors WHERE space = ? AND user = ?"

_ROOM = 1 << 32  # for changes of one user number; a generation is number * _ROOM + changes
_TOMBSTONES = 1000  # kept for each user; an index that is further behind reads everything
_BATCH = 500  # ids in one statement: SQLite limits its variables


class SQLiteStore:
    """Keeps records in one file, in WAL mode. Threads and processes may share it freely.

    What a call has returned from survives a killed process. With `durable=True` it survives a
    power cut as well, at the price of a disk flush for each write.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, durable: bool = False, timeout: float = 30.0
    ) -> None:
        self.path = Path(path)
        self._connections = Connections(self.path, durable=durable, timeout=timeout)
        with self._connections.read() as connection:
            prepare(connection, self.path, timeout=timeout)

    def space(self) -> str | None:
        with self._connections.read() as connection:
            name: str | None = _one(connection, "SELECT name FROM spaces WHERE in_use")
            return name

    def switch(self, old: str | None, new: str) -> None:
        with self._connections.write() as connection:
            _check_space(connection, old)
            number = _space_number(connection, new)
            connection.execute("UPDATE spaces SET in_use = (number = ?)", [number])
            connection.execute("DELETE FROM vectors WHERE space <> ?", [number])
            connection.execute("DELETE FROM spaces WHERE number <> ?", [number])
            # Every index must read everything again: nothing before this change is on record.
            connection.execute("UPDATE users SET changes = changes + 1, floor = changes + 1")

    def put(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        space: str,
        if_version: Mapping[str, int] | None = None,
    ) -> None:
        with self._connections.write() as connection:
            in_use = _check_space(connection, space)
            user = _user_number(connection, user_id)
            _check_versions(connection, user, if_version or {})
            if not entries:
                return
            user = user or _new_user(connection, user_id)
            changed = _count_change(connection, user)
            keys = [(user, entry.item.id) for entry in entries]
            connection.executemany("DELETE FROM tombstones WHERE user = ? AND id = ?", keys)
            _drop_vectors(connection, [(user, e.item.id) for e in entries if e.vectors is not None])
            connection.executemany(
                _PUT, ((user, changed, entry.terms, *_row(entry.item)) for entry in entries)
            )
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                ((in_use, user, e.item.id, e.vectors) for e in entries if e.vectors),
            )

    def attach(
        self, user_id: str, vectors: Mapping[str, tuple[int, bytes]], *, space: str
    ) -> int:
        with self._connections.write() as connection:
            user = _user_number(connection, user_id)
            versions = _versions(connection, user, vectors)
            fitting = {
                id_: blob
                for id_, (version, blob) in vectors.items()
                if versions.get(id_) == version
            }
            if user is None or not fitting:
                return 0
            number = _space_number(connection, space)
            changed = _count_change(connection, user)
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                ((number, user, id_, blob) for id_, blob in fitting.items()),
            )
            connection.executemany(
                "UPDATE records SET changed = ? WHERE user = ? AND id = ?",
                ((changed, user, id_) for id_ in fitting),
            )
            return len(fitting)

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        found: dict[str, MemoryItem] = {}
        with self._connections.read() as connection:
            for some in _batches(ids):
                rows = connection.execute(_GET + _marks(some), [user_id, *some])
                found.update((row[0], _item(user_id, row)) for row in rows)
        return [found[id_] for id_ in ids if id_ in found]

    def scan(self, user_id: str, *, space: str, since: int = 0) -> Changes:
        with self._connections.snapshot() as connection:
            row = connection.execute(
                "SELECT number, changes, floor FROM users WHERE user_id = ?", [user_id]
            ).fetchone()
            if row is None:
                return Changes(0, [], complete=True)
            user, changes, floor = row
            after = since - user * _ROOM  # negative where it is an earlier user number's
            complete = after < floor
            if complete:
                after = -1
            return Changes(
                user * _ROOM + changes,
                _entries(connection, user_id, user, space, after),
                [] if complete else _deleted(connection, user, after),
                complete,
            )

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        with self._connections.write() as connection:
            user = _user_number(connection, user_id)
            return _delete(connection, user, ids) if user else 0

    def clear(self, user_id: str) -> int:
        with self._connections.write() as connection:
            user = _user_number(connection, user_id)
            if user is None:
                return 0
            count = connection.execute("DELETE FROM records WHERE user = ?", [user]).rowcount
            connection.execute(
                "DELETE FROM vectors WHERE space IN (SELECT number FROM spaces) AND user = ?",
                [user],
            )
            connection.execute("DELETE FROM tombstones WHERE user = ?", [user])
            connection.execute("DELETE FROM uses WHERE user = ?", [user])
            connection.execute("DELETE FROM users WHERE number = ?", [user])
            return count

    def touch(self, user_id: str, uses: Mapping[str, Use]) -> None:
        with self._connections.write() as connection:
            user = _user_number(connection, user_id)
            connection.executemany(
                "INSERT INTO uses SELECT user, id, ?, ? FROM records WHERE user = ? AND id = ? "
                "ON CONFLICT DO UPDATE SET "
                "count = count + excluded.count, last = max(last, excluded.last)",
                ((use.count, to_micros(use.last), user, id_) for id_, use in uses.items()),
            )

    def sweep(self, now: datetime) -> int:
        with self._connections.write() as connection:
            expired: dict[int, list[str]] = {}
            for user, id_ in connection.execute(
                "SELECT user, id FROM records WHERE expires_at <= ?", [to_micros(now)]
            ):
                expired.setdefault(user, []).append(id_)
            count = sum(_delete(connection, user, ids) for user, ids in expired.items())
            _drop_old_tombstones(connection)
            return count

    def generation(self, user_id: str) -> int:
        with self._connections.read() as connection:
            query = f"SELECT number * {_ROOM} + changes FROM users WHERE user_id = ?"  # noqa: S608
            return _one(connection, query, [user_id]) or 0

    def users(self) -> list[str]:
        with self._connections.read() as connection:
            rows = connection.execute(
                "SELECT user_id FROM users "
                "WHERE EXISTS (SELECT 1 FROM records WHERE user = number)"
            )
            return sorted(user_id for (user_id,) in rows)

    def check(self) -> list[str]:
        """What is wrong with the file, in sentences; nothing where all of it agrees."""
        with self._connections.snapshot() as connection:
            rows = connection.execute("PRAGMA integrity_check")
            found = [f"SQLite says: {line}." for (line,) in rows if line != "ok"]
            for sentence, query in CHECKS.items():
                if count := _one(connection, query):
                    found.append(f"{count} {sentence}.")
            return found

    def close(self) -> None:
        self._connections.close()


def _one(connection: sqlite3.Connection, query: str, values: Sequence[object] = ()) -> Any:
    row = connection.execute(query, values).fetchone()
    return row[0] if row else None


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(ids)
    while some := list(islice(iterator, _BATCH)):
        yield some


def _marks(values: Sequence[object]) -> str:
    return f"({','.join('?' * len(values))})"


def _row(item: MemoryItem) -> tuple[object, ...]:
    """A record in the order of _COLUMNS."""
    return (
        item.id,
        item.version,
        item.kind,
        item.content,
        to_micros(item.created_at),
        item.agent_id,
        item.session_id,
        item.speaker,
        json.dumps(item.metadata, ensure_ascii=False) if item.metadata else None,
        item.importance,
        item.valid_from and to_micros(item.valid_from),
        item.valid_to and to_micros(item.valid_to),
        item.expires_at and to_micros(item.expires_at),
        item.superseded_by,
    )


def _item(user_id: str, row: Sequence[Any], *, used: bool = True) -> MemoryItem:
    """The record in a row of _COLUMNS, followed by its use counts if it was `used`."""
    return MemoryItem(
        id=row[0],
        user_id=user_id,
        version=row[1],
        kind=row[2],
        content=row[3],
        created_at=from_micros(row[4]),
        agent_id=row[5],
        session_id=row[6],
        speaker=row[7],
        metadata=json.loads(row[8]) if row[8] else {},
        importance=row[9],
        valid_from=None if row[10] is None else from_micros(row[10]),
        valid_to=None if row[11] is None else from_micros(row[11]),
        expires_at=None if row[12] is None else from_micros(row[12]),
        superseded_by=row[13],
        access_count=(row[14] or 0) if used else 0,
        last_accessed=from_micros(row[15]) if used and row[15] is not None else None,
    )


def _entries(
    connection: sqlite3.Connection, user_id: str, user: int, space: str, after: int
) -> list[Entry]:
    """Records changed after a change, with their vectors in a space.

    Two passes in the order of the tables: a join would look up each vector on its own.
    """
    number = _one(connection, "SELECT number FROM spaces WHERE name = ?", [space])
    if after < 0:
        rows = connection.execute(_SCAN, [user]).fetchall()
        vectors = dict(connection.execute(_VECTORS, [number, user]))
    else:
        rows = connection.execute(_SCAN + " AND changed > ?", [user, after]).fetchall()
        vectors = {}
        for some in _batches(row[0] for row in rows):
            query = f"{_VECTORS} AND id IN {_marks(some)}"
            vectors.update(connection.execute(query, [number, user, *some]))
    return [
        Entry(_item(user_id, row, used=False), row[14], vectors.get(row[0], b"")) for row in rows
    ]


def _deleted(connection: sqlite3.Connection, user: int, after: int) -> list[str]:
    rows = connection.execute(
        "SELECT id FROM tombstones WHERE user = ? AND changed > ?", [user, after]
    )
    return [id_ for (id_,) in rows]


def _user_number(connection: sqlite3.Connection, user_id: str) -> int | None:
    number: int | None = _one(connection, "SELECT number FROM users WHERE user_id = ?", [user_id])
    return number


def _new_user(connection: sqlite3.Connection, user_id: str) -> int:
    cursor = connection.execute(
        "INSERT INTO users (user_id, changes, floor) VALUES (?, 0, 0)", [user_id]
    )
    number = cursor.lastrowid
    if number is None:  # pragma: no cover (an INSERT that succeeds has a row)
        raise StoreError("SQLite gave no number to a new user.")
    return number


def _count_change(connection: sqlite3.Connection, user: int) -> int:
    connection.execute("UPDATE users SET changes = changes + 1 WHERE number = ?", [user])
    changes: int = _one(connection, "SELECT changes FROM users WHERE number = ?", [user])
    return changes


def _check_space(connection: sqlite3.Connection, expected: str | None) -> int | None:
    """The number of the space in use, which must be the expected one."""
    row = connection.execute("SELECT number, name FROM spaces WHERE in_use").fetchone()
    number, name = row or (None, None)
    if name != expected:
        raise Conflict(f"The vector space in use is {name}, not {expected}.")
    return number


def _space_number(connection: sqlite3.Connection, name: str) -> int:
    connection.execute("INSERT OR IGNORE INTO spaces (name, in_use) VALUES (?, 0)", [name])
    number: int = _one(connection, "SELECT number FROM spaces WHERE name = ?", [name])
    return number


def _versions(
    connection: sqlite3.Connection, user: int | None, ids: Iterable[str]
) -> dict[str, int]:
    found: dict[str, int] = {}
    for some in _batches(ids):
        query = f"SELECT id, version FROM records WHERE user = ? AND id IN {_marks(some)}"  # noqa: S608
        found.update(connection.execute(query, [user, *some]).fetchall())
    return found


def _check_versions(
    connection: sqlite3.Connection, user: int | None, expected: Mapping[str, int]
) -> None:
    there = _versions(connection, user, expected)
    for id_, version in expected.items():
        if there.get(id_, 0) != version:
            raise Conflict(f"Memory {id_} is at version {there.get(id_, 0)}, not {version}.")


def _drop_vectors(connection: sqlite3.Connection, keys: Sequence[tuple[int, str]]) -> None:
    for (space,) in connection.execute("SELECT number FROM spaces").fetchall():
        connection.executemany(
            f"DELETE FROM vectors WHERE space = {space} AND user = ? AND id = ?",  # noqa: S608
            keys,
        )


def _delete(connection: sqlite3.Connection, user: int, ids: Iterable[str]) -> int:
    keys = [(user, id_) for id_ in _versions(connection, user, ids)]
    if keys:
        changed = _count_change(connection, user)
        connection.executemany("DELETE FROM records WHERE user = ? AND id = ?", keys)
        connection.executemany("DELETE FROM uses WHERE user = ? AND id = ?", keys)
        _drop_vectors(connection, keys)
        connection.executemany(
            f"INSERT OR REPLACE INTO tombstones VALUES (?, ?, {changed})",  # noqa: S608
            keys,
        )
    return len(keys)


def _drop_old_tombstones(connection: sqlite3.Connection) -> None:
    """Keep the newest of each user; from before them, deletions are no longer on record."""
    crowded = connection.execute(
        "SELECT user FROM tombstones GROUP BY user HAVING count(*) > ?", [_TOMBSTONES]
    ).fetchall()
    for (user,) in crowded:
        floor = _one(
            connection,
            "SELECT changed FROM tombstones WHERE user = ? ORDER BY changed DESC LIMIT 1 OFFSET ?",
            [user, _TOMBSTONES],
        )
        connection.execute(
            "DELETE FROM tombstones WHERE user = ? AND changed <= ?", [user, floor]
        )
        connection.execute("UPDATE users SET floor = ? WHERE number = ?", [floor, user])
