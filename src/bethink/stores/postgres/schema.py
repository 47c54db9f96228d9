"""The tables of a memory, how each version of them came about, and what must hold in them."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import psycopg
from psycopg import sql

from bethink.errors import StoreError
from bethink.stores.postgres.connections import Connection, Connections

PGVECTOR = (0, 8)
"""Since then a filtered search by vector goes on until it has found enough."""

Step: TypeAlias = Callable[[int], Sequence[str]]
"""From the number of partitions to the statements that make a version of the next."""


def partitioned(table: str, partitions: int) -> list[str]:
    """What follows a table's columns, and the statements that make its parts.

    Each user's rows lie in one part, and an index of a part is as small as the part.
    """
    return [
        f"CREATE TABLE {table}_p{n} PARTITION OF {table} "
        f"FOR VALUES WITH (MODULUS {partitions}, REMAINDER {n})"
        for n in range(partitions)
    ]


def by_owner(partitions: int) -> str:
    return "PARTITION BY HASH (owner)" if partitions else ""


def _first(partitions: int) -> Sequence[str]:
    return (
        "CREATE TABLE bethink (version integer NOT NULL, partitions integer NOT NULL)",
        """
        CREATE TABLE spaces (
            number    integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name      text COLLATE "C" NOT NULL UNIQUE,
            in_use    boolean NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX spaces_in_use ON spaces (in_use) WHERE in_use",
        # An identity never gives a number twice, so a generation, which is this number followed
        # by the count of changes, does not come back either when a user was cleared and starts
        # anew. `floor` is the change from which on deletions are on record. Whoever writes
        # anything of a user holds the lock of this row: that puts the changes in their order.
        """
        CREATE TABLE users (
            number  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            user_id text COLLATE "C" NOT NULL UNIQUE,
            change  bigint NOT NULL,
            floor   bigint NOT NULL
        ) WITH (fillfactor = 70)
        """,
        # `metadata` and `data` are json and not jsonb, which would give back 1e23 as another
        # number. `words` are the terms of what may be found, each after the number of its user,
        # so that the index tells one user's from another's.
        f"""
        CREATE TABLE records (
            owner         bigint NOT NULL,
            id            text COLLATE "C" NOT NULL,
            changed       bigint NOT NULL,
            version       integer NOT NULL,
            kind          text COLLATE "C" NOT NULL,
            content       text NOT NULL,
            created_at    bigint NOT NULL,
            updated_at    bigint,
            agent_id      text COLLATE "C",
            session_id    text COLLATE "C",
            speaker       text,
            metadata      json,
            data          json,
            importance    double precision NOT NULL,
            valid_from    bigint,
            valid_to      bigint,
            expires_at    bigint,
            superseded_by text COLLATE "C",
            origin        text COLLATE "C" NOT NULL,
            made          text COLLATE "C" NOT NULL,
            sources       text[] NOT NULL,
            flagged       boolean NOT NULL,
            pinned        boolean NOT NULL,
            terms         bytea NOT NULL,
            words         bigint[],
            PRIMARY KEY (owner, id)
        ) {by_owner(partitions)}
        """,
        *partitioned("records", partitions),
        "CREATE INDEX records_changed ON records (owner, changed)",
        "CREATE INDEX records_expiring ON records (expires_at) WHERE expires_at IS NOT NULL",
        """
        CREATE INDEX records_session ON records (owner, session_id, created_at, id)
        WHERE session_id IS NOT NULL
        """,
        "CREATE INDEX records_kind ON records (owner, kind)",
        """
        CREATE INDEX records_words ON records USING gin (words)
        WITH (fastupdate = off) WHERE words IS NOT NULL
        """,
        # Nothing here asks it; it is for those who look into the database themselves.
        """
        CREATE INDEX records_metadata ON records USING gin ((metadata::jsonb) jsonb_path_ops)
        WHERE metadata IS NOT NULL
        """,
        # One that is older than a record of the same id says nothing any more.
        """
        CREATE TABLE tombstones (
            owner   bigint NOT NULL,
            id      text COLLATE "C" NOT NULL,
            changed bigint NOT NULL,
            PRIMARY KEY (owner, id)
        )
        """,
        "CREATE INDEX tombstones_changed ON tombstones (owner, changed)",
        """
        CREATE TABLE uses (
            owner bigint NOT NULL,
            id    text COLLATE "C" NOT NULL,
            count bigint NOT NULL,
            last  bigint NOT NULL,
            PRIMARY KEY (owner, id)
        ) WITH (fillfactor = 70)
        """,
    )


MIGRATIONS: tuple[Step, ...] = (_first,)
"""How each schema version is made from the one before; the table `bethink` counts them."""

CHECKS = {
    "Records of no user": (
        "SELECT count(*) FROM records WHERE owner NOT IN (SELECT number FROM users)"
    ),
    "Records ahead of their user": (
        "SELECT count(*) FROM records r JOIN users u ON number = owner WHERE changed > change"
    ),
    "Tombstones of no user": (
        "SELECT count(*) FROM tombstones WHERE owner NOT IN (SELECT number FROM users)"
    ),
    "Records older than their tombstone": (
        "SELECT count(*) FROM tombstones t JOIN records r USING (owner, id) "
        "WHERE r.changed <= t.changed"
    ),
    "Use counts of no record": (
        "SELECT count(*) FROM uses u WHERE NOT EXISTS "
        "(SELECT 1 FROM records r WHERE r.owner = u.owner AND r.id = u.id)"
    ),
}
"""What may be wrong, each with the query that counts how often it is."""


def prepare(connections: Connections, schema: str, partitions: int | None) -> int:
    """Make a new schema, bring an older one up to date, refuse anything else.

    Says how many partitions it has. Processes that open a new one at once wait for the first.
    """

    def work(connection: Connection) -> int:
        _check_encoding(connection, connections.server)
        version, found = _about(connection, schema)
        if version < len(MIGRATIONS):
            found = _migrate(connections, connection, schema, partitions or 0)
        elif version > len(MIGRATIONS):
            raise StoreError(
                f"The schema {schema} was written by a newer Bethink (schema {version}; this one "
                f"knows {len(MIGRATIONS)}). Upgrade: pip install --upgrade bethink"
            )
        _check_pgvector(connection, connections.server)
        if partitions is not None and found != partitions:
            raise StoreError(
                f"The schema {schema} was made with partitions={found}, and that cannot be changed."
                " Leave partitions out, or choose another schema."
            )
        return found

    return connections.read(work)


def _about(connection: Connection, schema: str) -> tuple[int, int]:
    """The version of the schema and its partitions; 0 where there is none yet."""
    there = connection.execute(
        "SELECT to_regclass(format('%%I.bethink', %s::text)) IS NOT NULL", [schema]
    ).fetchone()
    if not there or not there[0]:
        return 0, 0
    row = connection.execute("SELECT version, partitions FROM bethink").fetchone()
    return (row[0], row[1]) if row else (0, 0)


def _migrate(connections: Connections, connection: Connection, schema: str, partitions: int) -> int:
    with connection.transaction():
        # One at a time in the whole database: an extension has no schema of its own.
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('bethink', 0))")
        _create_extension(connections, connection)
        _create_schema(connection, schema)
        version, found = _about(connection, schema)  # another process may have been quicker
        partitions = found if version else partitions
        for step in MIGRATIONS[version:]:
            for statement in step(partitions):
                connection.execute(statement)
        connection.execute("DELETE FROM bethink")
        connection.execute("INSERT INTO bethink VALUES (%s, %s)", [len(MIGRATIONS), partitions])
    return partitions


def _create_extension(connections: Connections, connection: Connection) -> None:
    if _pgvector(connection) is None:
        try:
            with connection.transaction():
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        except psycopg.Error as error:
            raise StoreError(
                f"{connections.server} has no pgvector in this database. Install pgvector "
                f"{_dotted(PGVECTOR)} or newer on the server and run, as a superuser, "
                "CREATE EXTENSION vector"
            ) from error
    _check_pgvector(connection, connections.server)
    connections.configure(connection)


def _create_schema(connection: Connection, schema: str) -> None:
    """Make the schema, if it is not there; one that holds something else is left alone."""
    there = connection.execute(
        "SELECT oid FROM pg_namespace WHERE nspname = %s", [schema]
    ).fetchone()
    if there is None:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
        return
    tables = connection.execute(
        "SELECT count(*), coalesce(bool_or(relname = 'bethink'), false) FROM pg_class "
        "WHERE relnamespace = %s AND relkind IN ('r', 'p')",
        there,
    ).fetchone()
    if tables is not None and tables[0] and not tables[1]:
        raise StoreError(
            f"The schema {schema} holds tables that are not Bethink's. Choose another: schema=…"
        )


def _check_encoding(connection: Connection, server: str) -> None:
    encoding = connection.pgconn.parameter_status(b"server_encoding")
    if encoding != b"UTF8":
        raise StoreError(
            f"The database at {server} cannot keep every text: its encoding is not UTF8. "
            "Choose one that was created with ENCODING 'UTF8'."
        )


def _check_pgvector(connection: Connection, server: str) -> None:
    version = _pgvector(connection)
    if version is None or version < PGVECTOR:
        raise StoreError(
            f"{server} has pgvector {_dotted(version or (0,))}, which is too old. Install "
            f"{_dotted(PGVECTOR)} or newer and run ALTER EXTENSION vector UPDATE"
        )


def _pgvector(connection: Connection) -> tuple[int, ...] | None:
    row = connection.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    ).fetchone()
    return tuple(int(part) for part in row[0].split(".") if part.isdigit()) if row else None


def _dotted(version: Sequence[int]) -> str:
    return ".".join(map(str, version))
