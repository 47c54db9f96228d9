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
from bethink.stores.base import Changes, Entry, Row, Use
from bethink.stores.sqlite.connections import Connections
from bethink.stores.sqlite.schema import CHECKS, prepare
from bethink.times import from_micros, to_micros
from bethink.types import REVISION, MemoryItem, Metadata

_COLUMNS = (
    "id, content, created_at, kind, agent_id, session_id, speaker, metadata, data, importance, "
    "updated_at, valid_from, valid_to, expires_at, superseded_by, origin, made, "
    "sources, flagged, pinned, version"
)
_MARKS = ",".join("?" * 21)  # one for each of _COLUMNS
_REPLACED = ", ".join(
    f"{name} = excluded.{name}" for name in ["changed", *_COLUMNS.split(", ")[1:], "terms"]
)

_CHANGE = (
    "max(floor, ifnull((SELECT max(changed) FROM records WHERE user = number), 0), "
    "ifnull((SELECT max(changed) FROM tombstones WHERE user = number), 0))"
)
"""The newest change of a row of users: two look-ups in indexes, and no counter to write."""

_ADD = (
    # ?1 is the user, ?2 the space; where one is not as expected, NULL is refused as a number.
    f"INSERT INTO records (user, changed, {_COLUMNS}, terms, vectors) VALUES ("  # noqa: S608
    "(SELECT number FROM users WHERE user_id = ?1 "
    "AND EXISTS (SELECT 1 FROM spaces WHERE in_use AND name = ?2)), "
    f"(SELECT {_CHANGE} + 1 FROM users WHERE user_id = ?1), "
    f"{', '.join(f'?{n}' for n in range(3, 26))})"
)
_PUT = (
    f"INSERT INTO records (user, changed, {_COLUMNS}, terms, vectors) "  # noqa: S608
    f"VALUES (?, ?, {_MARKS}, ?, ifnull(?, x'')) ON CONFLICT DO UPDATE SET {_REPLACED}, "
    "vectors = iif(?, vectors, excluded.vectors)"
)
_GET = (
    f"SELECT {_COLUMNS}, "  # noqa: S608
    "(SELECT count FROM uses u WHERE u.user = r.user AND u.id = r.id), "
    "(SELECT last FROM uses u WHERE u.user = r.user AND u.id = r.id) "
    "FROM records r WHERE user = (SELECT number FROM users WHERE user_id = ?) AND id IN "
)
_ROW = (
    "id, kind, created_at, expires_at, importance, session_id, agent_id, speaker, superseded_by, "
    "origin, flagged, metadata, terms"
)
_SCAN = f"SELECT {_ROW}, vectors FROM records WHERE user = ?1"  # noqa: S608
_SCAN_OTHER_SPACE = (
    f"SELECT {_ROW}, ifnull((SELECT v.vectors FROM vectors v "  # noqa: S608
    "WHERE space = ?2 AND v.user = r.user AND v.id = r.id), x'') FROM records r WHERE user = ?1"
)

_ROOM = 1 << 32  # for changes of one user number; a generation is number * _ROOM + change
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
        self._connections.keep_to_this_file()

    def space(self) -> str | None:
        with self._connections.read() as connection:
            name: str | None = _one(connection, "SELECT name FROM spaces WHERE in_use")
            return name

    def switch(self, old: str | None, new: str) -> None:
        with self._connections.write() as connection:
            _, in_use = _space_in_use(connection)
            if in_use != new:
                _check_space(connection, old)
            number = _space_number(connection, new)
            connection.execute("UPDATE spaces SET in_use = (number = ?)", [number])
            if in_use != new:
                connection.execute(
                    "UPDATE records SET vectors = ifnull((SELECT v.vectors FROM vectors v "
                    "WHERE space = ? AND v.user = records.user AND v.id = records.id), x'')",
                    [number],
                )
            connection.execute("DELETE FROM vectors")
            connection.execute("DELETE FROM spaces WHERE NOT in_use")
            # Every index must read everything again: nothing before this change is on record.
            connection.execute(f"UPDATE users SET floor = {_CHANGE} + 1")  # noqa: S608

    def put(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        space: str,
        if_version: Mapping[str, int] | None = None,
    ) -> None:
        if len(entries) == 1 and not if_version:
            # The quick way, if this is a new record of a user and in a space that are there.
            [entry] = entries
            row = (user_id, space, *_row(entry.item), entry.terms, entry.vectors or b"")
            if self._connections.insert(_ADD, row):
                return
        with self._connections.write() as connection:
            _check_space(connection, space)
            user, change = _user(connection, user_id)
            _check_versions(connection, user, if_version or {})
            if not entries:
                return
            if user is None:
                user, change = _new_user(connection, user_id), 0
            _drop_built(connection, [(user, e.item.id) for e in entries if e.vectors is not None])
            connection.executemany(
                _PUT,
                (
                    (user, change + 1, *_row(e.item), e.terms, e.vectors, e.vectors is None)
                    for e in entries
                ),
            )

    def attach(self, user_id: str, vectors: Mapping[str, tuple[int, bytes]], *, space: str) -> int:
        with self._connections.write() as connection:
            user, change = _user(connection, user_id)
            versions = _versions(connection, user, vectors)
            fitting = {
                id_: blob
                for id_, (version, blob) in vectors.items()
                if versions.get(id_) == version
            }
            if not fitting:
                return 0
            number = _space_number(connection, space)
            if number == _space_in_use(connection)[0]:
                query = f"UPDATE records SET vectors = ?, changed = {change + 1} WHERE user = ? AND id = ?"  # noqa: S608,E501
            else:
                query = f"INSERT OR REPLACE INTO vectors VALUES ({number}, ?2, ?3, ?1)"  # noqa: S608
            connection.executemany(query, ((blob, user, id_) for id_, blob in fitting.items()))
            return len(fitting)

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        found: dict[str, MemoryItem] = {}
        with self._connections.read() as connection:
            for some in _batches(ids):
                # All at once: a half-read statement would hold the connection to its snapshot.
                rows = connection.execute(_GET + _marks(some), [user_id, *some]).fetchall()
                found.update((row[0], _item(user_id, row)) for row in rows)
        return [found[id_] for id_ in ids if id_ in found]

    def scan(self, user_id: str, *, space: str, since: int = 0) -> Changes:
        with self._connections.snapshot() as connection:
            user, change = _user(connection, user_id)
            if user is None:
                return Changes(0, [], complete=True)
            floor = _one(connection, "SELECT floor FROM users WHERE number = ?", [user])
            after = since - user * _ROOM  # negative where it is an earlier user number's
            complete = not floor <= after <= change
            narrowed = "" if complete else f" AND changed > {after}"
            if space == _space_in_use(connection)[1]:
                found = connection.execute(_SCAN + narrowed, [user])
            else:
                number = _one(connection, "SELECT number FROM spaces WHERE name = ?", [space])
                found = connection.execute(_SCAN_OTHER_SPACE + narrowed, [user, number])
            rows = [
                Row._make((*row[:10], bool(row[10]), _read(row[0], row[11]), *row[12:]))
                for row in found
            ]
            deleted = [] if complete else _deleted(connection, user, after)
            return Changes(user * _ROOM + change, rows, deleted, complete)

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        with self._connections.write() as connection:
            user, change = _user(connection, user_id)
            return _delete(connection, user, change + 1, ids)

    def clear(self, user_id: str) -> int:
        with self._connections.write() as connection:
            user, _ = _user(connection, user_id)
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
            user, _ = _user(connection, user_id)
            connection.executemany(
                "INSERT INTO uses SELECT user, id, ?, ? FROM records WHERE user = ? AND id = ? "
                "ON CONFLICT DO UPDATE SET "
                "count = count + excluded.count, last = max(last, excluded.last)",
                ((use.count, to_micros(use.last), user, id_) for id_, use in uses.items()),
            )

    def sweep(self, now: datetime) -> int:
        with self._connections.write() as connection:
            expired: dict[str, list[str]] = {}
            for user_id, id_ in connection.execute(
                "SELECT user_id, id FROM records JOIN users ON number = user WHERE expires_at <= ?",
                [to_micros(now)],
            ):
                expired.setdefault(user_id, []).append(id_)
            count = 0
            for user_id, ids in expired.items():
                user, change = _user(connection, user_id)
                count += _delete(connection, user, change + 1, ids)
            _drop_old_tombstones(connection)
            return count

    def generation(self, user_id: str) -> int:
        with self._connections.read() as connection:
            user, change = _user(connection, user_id)
            return 0 if user is None else user * _ROOM + change

    def users(self) -> list[str]:
        with self._connections.read() as connection:
            rows = connection.execute(
                "SELECT user_id FROM users WHERE EXISTS (SELECT 1 FROM records WHERE user = number)"
            )
            return sorted(user_id for (user_id,) in rows.fetchall())

    def check(self) -> list[str]:
        """What is wrong with the file, in sentences; nothing where all of it agrees."""
        with self._connections.snapshot() as connection:
            try:
                rows = connection.execute("PRAGMA integrity_check").fetchall()
            except sqlite3.DatabaseError as error:
                rows = [(str(error),)]
            found = [f"SQLite says: {line.splitlines()[-1]}." for (line,) in rows if line != "ok"]
            if not found:  # in a damaged file the rest means nothing
                counts = {what: _one(connection, query) for what, query in CHECKS.items()}
                found = [f"{what}: {count}." for what, count in counts.items() if count]
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
        item.content,
        to_micros(item.created_at),
        item.kind,
        item.agent_id,
        item.session_id,
        item.speaker,
        _written(item.metadata),
        _written(item.data),
        item.importance,
        item.updated_at and to_micros(item.updated_at),
        item.valid_from and to_micros(item.valid_from),
        item.valid_to and to_micros(item.valid_to),
        item.expires_at and to_micros(item.expires_at),
        item.superseded_by,
        item.origin,
        item.made,
        json.dumps(item.sources, ensure_ascii=False) if item.sources else None,
        item.flagged,
        item.pinned,
        item.version,
    )


def _item(user_id: str, row: Sequence[Any]) -> MemoryItem:
    """The record in a row of _COLUMNS and its use counts."""
    values = dict(zip(_COLUMNS.split(", "), row, strict=False))
    for name in ("created_at", "updated_at", "valid_from", "valid_to", "expires_at"):
        values[name] = _time(values[name])
    for name in ("metadata", "data"):
        values[name] = _read(row[0], values[name])
    values["sources"] = tuple(json.loads(values["sources"] or "[]"))
    for name in ("flagged", "pinned"):
        values[name] = bool(values[name])
    return MemoryItem(
        **values, user_id=user_id, access_count=row[21] or 0, last_accessed=_time(row[22])
    )


def _time(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _written(values: Metadata) -> str | None:
    return json.dumps(values, ensure_ascii=False) if values else None


def _read(id_: str, written: str | None) -> Metadata:
    if written is None:
        return {}
    try:
        values: Metadata = json.loads(written)
    except ValueError as error:
        raise StoreError(f"The metadata of memory {id_} is damaged: {error}.") from error
    return values


def _deleted(connection: sqlite3.Connection, user: int, after: int) -> list[str]:
    rows = connection.execute(
        "SELECT id FROM tombstones t WHERE user = ? AND changed > ? AND NOT EXISTS "
        "(SELECT 1 FROM records r WHERE r.user = t.user AND r.id = t.id)",
        [user, after],
    )
    return [id_ for (id_,) in rows]


def _user(connection: sqlite3.Connection, user_id: str) -> tuple[int | None, int]:
    """A user's number and newest change; None and 0 for a user with nothing."""
    row = connection.execute(
        f"SELECT number, {_CHANGE} FROM users WHERE user_id = ?",  # noqa: S608
        [user_id],
    ).fetchone()
    return row or (None, 0)


def _new_user(connection: sqlite3.Connection, user_id: str) -> int:
    connection.execute("INSERT INTO users (user_id, floor) VALUES (?, 0)", [user_id])
    number: int = _one(connection, "SELECT number FROM users WHERE user_id = ?", [user_id])
    return number


def _space_in_use(connection: sqlite3.Connection) -> tuple[int | None, str | None]:
    row = connection.execute("SELECT number, name FROM spaces WHERE in_use").fetchone()
    return row or (None, None)


def _check_space(connection: sqlite3.Connection, expected: str | None) -> None:
    _, name = _space_in_use(connection)
    if name != expected:
        raise Conflict(f"The vector space in use is {name}, not {expected}.")


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


def _drop_built(connection: sqlite3.Connection, keys: Sequence[tuple[int, str]]) -> None:
    """Drop vectors of spaces that are being built."""
    for (space,) in connection.execute("SELECT number FROM spaces WHERE NOT in_use").fetchall():
        connection.executemany(
            f"DELETE FROM vectors WHERE space = {space} AND user = ? AND id = ?",  # noqa: S608
            keys,
        )


def _delete(
    connection: sqlite3.Connection, user: int | None, change: int, ids: Iterable[str]
) -> int:
    """Remove records and their earlier states; says how many of the former there were."""
    named = list(_versions(connection, user, ids))
    if user is None or not named:
        return 0
    keys = [(user, id_) for id_ in {*named, *_earlier_states(connection, user, named)}]
    connection.executemany("DELETE FROM records WHERE user = ? AND id = ?", keys)
    connection.executemany("DELETE FROM uses WHERE user = ? AND id = ?", keys)
    _drop_built(connection, keys)
    connection.executemany(
        f"INSERT OR REPLACE INTO tombstones VALUES (?, ?, {change})",  # noqa: S608
        keys,
    )
    return len(named)


def _earlier_states(connection: sqlite3.Connection, user: int, ids: Iterable[str]) -> Iterator[str]:
    after = chr(ord(REVISION) + 1)
    for id_ in ids:
        rows = connection.execute(
            "SELECT id FROM records WHERE user = ? AND id > ? AND id < ?",
            [user, id_ + REVISION, id_ + after],
        )
        yield from (earlier for (earlier,) in rows)


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
        connection.execute("DELETE FROM tombstones WHERE user = ? AND changed <= ?", [user, floor])
        connection.execute("UPDATE users SET floor = ? WHERE number = ?", [floor, user])
