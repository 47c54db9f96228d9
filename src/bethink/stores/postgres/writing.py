"""What changes the tables. Whoever writes anything of a user locks the user's row first.

That gives changes their order and rules out deadlocks: nobody waits for a second lock while
holding one that others wait for. Each function is one transaction.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from bethink.errors import Conflict
from bethink.stores.base import Entry, Use
from bethink.stores.postgres.connections import Connection
from bethink.stores.postgres.reading import User, user_of
from bethink.stores.postgres.rows import COLUMNS, row_of_item, words_of
from bethink.stores.postgres.spaces import Space, add, check_in_use, named, spaces, split
from bethink.times import to_micros
from bethink.types import REVISION

_REPLACED = ", ".join(
    f"{name} = excluded.{name}" for name in ["changed", *COLUMNS.split(", ")[1:], "terms", "words"]
)
_PUT = (
    f"INSERT INTO records (owner, changed, {COLUMNS}, terms, words) "  # noqa: S608
    f"VALUES ({', '.join(['%s'] * 25)}) ON CONFLICT (owner, id) DO UPDATE SET {_REPLACED}"
)
_LOCK = "FOR UPDATE"
_TOMBSTONES = 1000  # kept for each user; an index that is further behind reads everything


def put(
    connection: Connection,
    user_id: str,
    entries: Sequence[Entry],
    space: str,
    if_version: Mapping[str, int],
) -> None:
    if not entries:
        check_in_use(spaces(connection), space)
        _check_versions(connection, user_of(connection, user_id), if_version)
        return
    moved = connection.execute(
        "UPDATE users SET change = change + 1 WHERE user_id = %s RETURNING number, change, floor",
        [user_id],
    )
    known = spaces(connection)  # as they stay: whoever switches waits for this to end
    check_in_use(known, space)
    row = moved.fetchone()
    user = User._make(row) if row else _new_user(connection, user_id)
    _check_versions(connection, user, if_version)
    folded = _folded(entries)
    _many(
        connection,
        _PUT,
        [
            (user.number, user.change, *row_of_item(e.item), e.terms, words_of(user.number, e))
            for e in folded
        ],
    )
    _put_vectors(connection, user, folded, known)


def _new_user(connection: Connection, user_id: str) -> User:
    """A user at the first change, or at the next if another process was quicker.

    Only for those who are not there, since each attempt uses up a number.
    """
    row = connection.execute(
        "INSERT INTO users (user_id, change, floor) VALUES (%s, 1, 0) "
        "ON CONFLICT (user_id) DO UPDATE SET change = users.change + 1 "
        "RETURNING number, change, floor",
        [user_id],
    ).fetchone()
    return User._make(row or ())


def _folded(entries: Sequence[Entry]) -> list[Entry]:
    """Of entries with the same id the last, with the vectors that it has left as they were."""
    last: dict[str, Entry] = {}
    for entry in entries:
        before = last.get(entry.item.id)
        kept = entry.vectors is None and before is not None
        last[entry.item.id] = entry._replace(vectors=before.vectors) if kept and before else entry
    return list(last.values())


def _put_vectors(
    connection: Connection, user: User, entries: Sequence[Entry], known: Sequence[Space]
) -> None:
    """Keep the vectors of records in the space in use and drop those that they have elsewhere."""
    for space in known:
        new = {e.item.id: e.vectors for e in entries if e.vectors and space.in_use}
        old = [e.item.id for e in entries if e.vectors is not None and e.item.id not in new]
        if old:
            connection.execute(
                f"DELETE FROM {space.table} WHERE owner = %s AND id = ANY(%s)",  # noqa: S608
                [user.number, old],
            )
        _keep_vectors(connection, user, space, new)


def _keep_vectors(
    connection: Connection, user: User, space: Space, blobs: Mapping[str, bytes]
) -> None:
    _many(
        connection,
        f"INSERT INTO {space.table} VALUES (%s, %s, %s, %s, %s) "  # noqa: S608
        "ON CONFLICT (owner, id) DO UPDATE SET "
        "changed = excluded.changed, first = excluded.first, rest = excluded.rest",
        [
            (user.number, id_, user.change, *split(blob, space.dimension))
            for id_, blob in blobs.items()
        ],
    )


def attach(
    connection: Connection, user_id: str, vectors: Mapping[str, tuple[int, bytes]], name: str
) -> int | None:
    """How many got vectors; None if there is no such space yet."""
    user = user_of(connection, user_id, _LOCK)
    space = named(spaces(connection), name)
    versions = _versions(connection, user, vectors)
    fitting = {
        id_: blob for id_, (version, blob) in vectors.items() if versions.get(id_) == version
    }
    if user is None or not fitting:
        return 0
    if space is None:
        return None
    if space.in_use:
        user = _moved(connection, user)
    _keep_vectors(connection, user, space, fitting)
    return len(fitting)


def switch(connection: Connection, old: str | None, new: str, partitions: int) -> None:
    # Nobody writes meanwhile, not even of a user who is not there yet; everyone may read.
    connection.execute("LOCK TABLE users IN EXCLUSIVE MODE")
    known = spaces(connection)
    if not any(space.in_use and space.name == new for space in known):
        check_in_use(known, old)
    space = add(connection, new, partitions)
    connection.execute("DELETE FROM spaces WHERE number <> %s", [space.number])
    connection.execute("UPDATE spaces SET in_use = true")
    # Every index must read everything again: nothing before this change is on record.
    connection.execute("UPDATE users SET change = change + 1, floor = change + 1")


def delete(connection: Connection, user_id: str, ids: Iterable[str]) -> int:
    user = user_of(connection, user_id, _LOCK)
    return _delete(connection, user, list(ids))


def _delete(connection: Connection, user: User | None, ids: Sequence[str]) -> int:
    """Remove records and their earlier states; says how many of the former there were."""
    there = list(_versions(connection, user, ids))
    if user is None or not there:
        return 0
    user = _moved(connection, user)
    gone = list({*there, *_earlier_states(connection, user, there)})
    connection.execute(
        "INSERT INTO tombstones SELECT %s, id, %s FROM unnest(%s::text[]) id "
        "ON CONFLICT (owner, id) DO UPDATE SET changed = excluded.changed",
        [user.number, user.change, gone],
    )
    for table in _tables(connection):
        connection.execute(
            f"DELETE FROM {table} WHERE owner = %s AND id = ANY(%s)",  # noqa: S608
            [user.number, gone],
        )
    return len(there)


def _tables(connection: Connection) -> list[str]:
    """Where something is kept of a record."""
    return ["records", "uses", *(space.table for space in spaces(connection))]


def _earlier_states(connection: Connection, user: User, ids: Sequence[str]) -> list[str]:
    after = chr(ord(REVISION) + 1)
    rows = connection.execute(
        "SELECT r.id FROM unnest(%s::text[]) named CROSS JOIN LATERAL (SELECT id FROM records "
        "WHERE owner = %s AND id > named || %s AND id < named || %s) r",
        [list(ids), user.number, REVISION, after],
    )
    return list(chain.from_iterable(rows.fetchall()))


def clear(connection: Connection, user_id: str) -> int:
    user = user_of(connection, user_id, _LOCK)
    if user is None:
        return 0
    gone = connection.execute(
        "WITH gone AS (DELETE FROM records WHERE owner = %s RETURNING 1) SELECT count(*) FROM gone",
        [user.number],
    )
    for table in [*_tables(connection)[1:], "tombstones"]:
        connection.execute(f"DELETE FROM {table} WHERE owner = %s", [user.number])  # noqa: S608
    connection.execute("DELETE FROM users WHERE number = %s", [user.number])
    [count] = gone.fetchone() or (0,)
    return int(count)


def touch(connection: Connection, user_id: str, uses: Mapping[str, Use]) -> None:
    user = user_of(connection, user_id, _LOCK)
    if user is not None and uses:
        connection.execute(
            "INSERT INTO uses SELECT owner, id, t.count, t.last "
            "FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) t(id, count, last) "
            "JOIN records USING (id) WHERE owner = %s ON CONFLICT (owner, id) DO UPDATE SET "
            "count = uses.count + excluded.count, last = greatest(uses.last, excluded.last)",
            [
                list(uses),
                [use.count for use in uses.values()],
                [to_micros(use.last) for use in uses.values()],
                user.number,
            ],
        )


# --- sweeping


def unswept(connection: Connection, now: int) -> list[str]:
    """The users of whom something has expired, or more deletions are on record than need be."""
    rows = connection.execute(
        "SELECT user_id FROM users WHERE number IN (SELECT owner FROM records "
        "WHERE expires_at <= %s UNION ALL "
        "SELECT owner FROM tombstones GROUP BY owner HAVING count(*) > %s)",
        [now, _TOMBSTONES],
    )
    return list(chain.from_iterable(rows.fetchall()))


def sweep(connection: Connection, user_id: str, now: int) -> int:
    """Remove what has expired of one user; says how many records."""
    user = user_of(connection, user_id, _LOCK)
    if user is None:
        return 0
    expired = connection.execute(
        "SELECT id FROM records WHERE owner = %s AND expires_at <= %s", [user.number, now]
    ).fetchall()
    count = _delete(connection, user, list(chain.from_iterable(expired)))
    _drop_old_tombstones(connection, user)
    return count


def _drop_old_tombstones(connection: Connection, user: User) -> None:
    """Keep the newest; from before them, deletions are no longer on record."""
    row = connection.execute(
        "SELECT changed FROM tombstones WHERE owner = %s ORDER BY changed DESC LIMIT 1 OFFSET %s",
        [user.number, _TOMBSTONES],
    ).fetchone()
    if row is not None:
        connection.execute(
            "DELETE FROM tombstones WHERE owner = %s AND changed <= %s", [user.number, row[0]]
        )
        connection.execute(
            "UPDATE users SET floor = greatest(floor, %s) WHERE number = %s", [row[0], user.number]
        )


# --- what several have in common


def _many(connection: Connection, statement: str, rows: Sequence[Sequence[object]]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def _moved(connection: Connection, user: User) -> User:
    """A user at the next change."""
    connection.execute("UPDATE users SET change = change + 1 WHERE number = %s", [user.number])
    return user._replace(change=user.change + 1)


def _versions(connection: Connection, user: User | None, ids: Iterable[str]) -> dict[str, int]:
    wanted = list(ids)
    if user is None or not wanted:
        return {}
    rows = connection.execute(
        "SELECT id, version FROM records WHERE owner = %s AND id = ANY(%s)", [user.number, wanted]
    )
    return dict(rows.fetchall())


def _check_versions(connection: Connection, user: User | None, expected: Mapping[str, int]) -> None:
    there = _versions(connection, user, expected)
    for id_, version in expected.items():
        if there.get(id_, 0) != version:
            raise Conflict(f"Memory {id_} is at version {there.get(id_, 0)}, not {version}.")
