"""What is asked of the tables. Nothing here waits for anyone who writes."""

from collections.abc import Sequence
from typing import NamedTuple

from bethink.stores.base import Changes
from bethink.stores.postgres.connections import Connection
from bethink.stores.postgres.rows import COLUMNS, LIGHT, item_of_row, light_rows
from bethink.stores.postgres.schema import CHECKS
from bethink.stores.postgres.spaces import Space, named, spaces
from bethink.types import MemoryItem

_ROOM = 1 << 32  # for changes of one user number; a generation is number * _ROOM + change

_GET = (
    f"SELECT {COLUMNS}, count, last FROM records r "  # noqa: S608
    "LEFT JOIN uses USING (owner, id) "
    "WHERE owner = (SELECT number FROM users WHERE user_id = %s) AND id = ANY(%s)"
)


class User(NamedTuple):
    number: int
    change: int
    floor: int

    @property
    def generation(self) -> int:
        return self.number * _ROOM + self.change

    def after(self, generation: int) -> int | None:
        """The change that a generation was; None if what came after it is not on record."""
        change = generation - self.number * _ROOM
        return change if self.floor <= change <= self.change else None


def user_of(connection: Connection, user_id: str, how: str = "") -> User | None:
    """A user, or None if there is nothing of that name."""
    row = connection.execute(
        f"SELECT number, change, floor FROM users WHERE user_id = %s {how}",  # noqa: S608
        [user_id],
    ).fetchone()
    return User._make(row) if row else None


def generation(connection: Connection, user_id: str) -> int:
    user = user_of(connection, user_id)
    return user.generation if user else 0


def space_in_use(connection: Connection) -> str | None:
    row = connection.execute("SELECT name FROM spaces WHERE in_use").fetchone()
    return row[0] if row else None


def get(connection: Connection, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
    rows = connection.execute(_GET, [user_id, list(ids)], binary=True).fetchall()
    found = {row[0]: item_of_row(user_id, row) for row in rows}
    return [found[id_] for id_ in ids if id_ in found]


def scan(connection: Connection, user_id: str, space: str, since: int) -> Changes:
    asked = connection.execute(
        "SELECT number, change, floor FROM users WHERE user_id = %s", [user_id]
    )
    known = spaces(connection)
    row = asked.fetchone()
    if row is None:
        return Changes(0, [], complete=True)
    user = User._make(row)
    after = user.after(since)
    query = scanned(named(known, space), narrowed=after is not None)
    values = {"owner": user.number, "after": after}
    rows = connection.execute(query, values, binary=True).fetchall()
    deleted = [] if after is None else _deleted(connection, user.number, after)
    return Changes(user.generation, light_rows(rows), deleted, after is None)


def scanned(space: Space | None, *, narrowed: bool) -> str:
    """Asks for a user's rows: all, or those of which something changed."""
    if space is None:  # nothing was ever kept in it
        query = f"SELECT {LIGHT}, NULL, NULL FROM records r WHERE owner = %(owner)s"  # noqa: S608
        return f"{query} AND changed > %(after)s" if narrowed else query
    query = (
        f"SELECT {LIGHT}, first, rest FROM records r "  # noqa: S608
        f"LEFT JOIN {space.table} v USING (owner, id) WHERE owner = %(owner)s"
    )
    if not narrowed:
        return query
    return (
        f"{query} AND id IN (SELECT id FROM records "  # noqa: S608
        "WHERE owner = %(owner)s AND changed > %(after)s UNION ALL "
        f"SELECT id FROM {space.table} WHERE owner = %(owner)s AND changed > %(after)s)"
    )


def _deleted(connection: Connection, owner: int, after: int) -> list[str]:
    rows = connection.execute(
        "SELECT id FROM tombstones t WHERE owner = %s AND changed > %s AND NOT EXISTS "
        "(SELECT 1 FROM records r WHERE r.owner = t.owner AND r.id = t.id)",
        [owner, after],
    )
    return [id_ for (id_,) in rows.fetchall()]


def users(connection: Connection) -> list[str]:
    rows = connection.execute(
        "SELECT user_id FROM users WHERE EXISTS (SELECT 1 FROM records WHERE owner = number)"
    )
    return sorted(user_id for (user_id,) in rows.fetchall())


def check(connection: Connection) -> list[str]:
    """What is wrong, in sentences."""
    known = spaces(connection)
    checks = {
        **CHECKS,
        **{
            f"Vectors of no record in {space.name}": (
                f"SELECT count(*) FROM {space.table} v WHERE NOT EXISTS "  # noqa: S608
                "(SELECT 1 FROM records r WHERE r.owner = v.owner AND r.id = v.id)"
            )
            for space in known
        },
    }
    asked = {what: connection.execute(query) for what, query in checks.items()}
    counts = {what: (answer.fetchone() or (0,))[0] for what, answer in asked.items()}
    return [f"{what}: {count}." for what, count in counts.items() if count]
