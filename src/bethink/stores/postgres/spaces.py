"""Vector spaces: one table for each, so that its vectors have one type and can be indexed.

What a record has in a space is kept as its first vector, in pgvector's type for half-precision
numbers, and the bytes of the rest. What does not fit that type is all rest.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from bethink.errors import Conflict
from bethink.stores.postgres.connections import Connection, Half
from bethink.stores.postgres.schema import by_owner, partitioned

MOST_NUMBERS = 4000
"""In a vector that can be indexed."""

_HEAD = np.dtype(">u2")  # a halfvec travels as its dimension, a zero and its numbers, big end first
_KEPT = np.dtype("<u2")
_NOT_FINITE = 0x7C00  # the bits of a half-precision number that is infinite or none, set together


class Space(NamedTuple):
    number: int
    name: str
    in_use: bool

    @property
    def table(self) -> str:
        return f"vectors_{self.number}"

    @property
    def dimension(self) -> int:
        return dimension_of(self.name)


def dimension_of(name: str) -> int:
    """How many numbers the vectors of a space have; 0 if they are too many to be indexed."""
    written = name.rpartition("/")[2]
    number = int(written) if written.isdecimal() else 0
    return number if number <= MOST_NUMBERS else 0


# --- vectors in two parts


def split(blob: bytes, dimension: int) -> tuple[Half | None, bytes]:
    """Vectors as they are kept: the first, if it can be indexed, and the rest."""
    size = 2 * dimension
    if not dimension or len(blob) < size:
        return None, blob
    bits = np.frombuffer(blob[:size], _KEPT)
    if ((bits & _NOT_FINITE) == _NOT_FINITE).any():
        return None, blob
    return _half(bits), blob[size:]


def _half(bits: "np.ndarray[tuple[int, ...], np.dtype[np.uint16]]") -> Half:
    return Half(np.concatenate([[len(bits), 0], bits]).astype(_HEAD).tobytes())


def joined(parts: Sequence[tuple[bytes | None, bytes | None]]) -> list[bytes]:
    """What `split` took apart, of many records at once; nothing where nothing is kept."""
    heads = [b"" if first is None else first[4:] for first, _ in parts]
    turned = np.frombuffer(b"".join(heads), _HEAD).astype(_KEPT).tobytes()
    ends = accumulate(map(len, heads))
    return [
        turned[end - len(head) : end] + (rest or b"")
        for head, end, (_, rest) in zip(heads, ends, parts, strict=True)
    ]


def query_half(vector: bytes, dimension: int) -> Half | None:
    """A query's vector in the same type, if it has the numbers that the space's have."""
    numbers = np.frombuffer(vector, "<f4").astype("<f2")
    if not dimension or len(numbers) != dimension or not np.isfinite(numbers).all():
        return None
    return _half(numbers.view(_KEPT))


# --- which there are


def spaces(connection: Connection) -> list[Space]:
    found = connection.execute("SELECT number, name, in_use FROM spaces").fetchall()
    return [Space._make(row) for row in found]


def check_in_use(known: Sequence[Space], expected: str | None) -> None:
    name = next((space.name for space in known if space.in_use), None)
    if name != expected:
        raise Conflict(f"The vector space in use is {name}, not {expected}.")


def named(known: Sequence[Space], name: str) -> Space | None:
    return next((space for space in known if space.name == name), None)


def add(connection: Connection, name: str, partitions: int) -> Space:
    """The space of that name, made if there is none. Whoever makes one is alone in doing so."""
    connection.execute("LOCK TABLE spaces IN SHARE ROW EXCLUSIVE MODE")
    if space := named(spaces(connection), name):
        return space
    row = connection.execute(
        "INSERT INTO spaces (name, in_use) VALUES (%s, false) RETURNING number, name, in_use",
        [name],
    ).fetchone()
    space = Space._make(row or ())
    for statement in _statements(space, partitions):
        connection.execute(statement)
    return space


def _statements(space: Space, partitions: int) -> list[str]:
    table, dimension = space.table, space.dimension
    made = [
        f"""
        CREATE TABLE {table} (
            owner   bigint NOT NULL,
            id      text COLLATE "C" NOT NULL,
            changed bigint NOT NULL,
            first   halfvec{f"({dimension})" if dimension else ""},
            rest    bytea NOT NULL,
            PRIMARY KEY (owner, id)
        ) {by_owner(partitions)}
        """,
        *partitioned(table, partitions),
        f"CREATE INDEX {table}_changed ON {table} (owner, changed)",
    ]
    if dimension:
        made.append(f"CREATE INDEX {table}_near ON {table} USING hnsw (first halfvec_ip_ops)")
    return made


def drop_tables_of_none(connection: Connection) -> None:
    """Drop the vectors of spaces that are no more.

    It waits for those who are reading them, and not for long: what it leaves, the next one drops.
    """
    connection.execute("SET LOCAL lock_timeout = '2s'")
    gone = connection.execute(
        r"SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
        r"WHERE nspname = current_schema() AND relkind IN ('r', 'p') "
        r"AND relname ~ '^vectors_[0-9]+$' "
        r"AND relname NOT IN (SELECT 'vectors_' || number FROM spaces)"
    ).fetchall()
    for (table,) in gone:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
