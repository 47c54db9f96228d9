"""The tables of a Bethink file, how each version of them came about, and what must hold in them."""

import sqlite3
import time
from pathlib import Path

from bethink.errors import StoreError

APPLICATION_ID = 0x42544E4B
"""Marks the file as Bethink's in its header ("BTNK")."""

_FIRST = (
    """
    CREATE TABLE spaces (
        number INTEGER PRIMARY KEY,
        name   TEXT NOT NULL UNIQUE,
        in_use INTEGER NOT NULL
    )
    """,
    # AUTOINCREMENT never gives a number twice, so a generation, which is this number followed by
    # the count of changes, does not come back either when a user was cleared and starts anew.
    # `floor` is the change from which on deletions are on record.
    """
    CREATE TABLE users (
        number  INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL UNIQUE,
        floor   INTEGER NOT NULL
    )
    """,
    # Clustered by user, so that a user is loaded by reading neighbouring pages. `changed` counts
    # the user's changes; `vectors` are those of the space in use, and come last because most
    # reads do without them.
    """
    CREATE TABLE records (
        user          INTEGER NOT NULL,
        id            TEXT NOT NULL,
        changed       INTEGER NOT NULL,
        version       INTEGER NOT NULL,
        kind          TEXT NOT NULL,
        content       TEXT NOT NULL,
        created_at    INTEGER NOT NULL,
        updated_at    INTEGER,
        agent_id      TEXT,
        session_id    TEXT,
        speaker       TEXT,
        metadata      TEXT,
        data          TEXT,
        importance    REAL NOT NULL,
        valid_from    INTEGER,
        valid_to      INTEGER,
        expires_at    INTEGER,
        superseded_by TEXT,
        origin        TEXT NOT NULL,
        made          TEXT NOT NULL,
        sources       TEXT,
        flagged       INTEGER NOT NULL,
        pinned        INTEGER NOT NULL,
        terms         BLOB NOT NULL,
        vectors       BLOB NOT NULL,
        PRIMARY KEY (user, id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX records_changed ON records (user, changed)",
    "CREATE INDEX records_expiring ON records (expires_at) WHERE expires_at IS NOT NULL",
    # Vectors of a space that is being built beside the one in use.
    """
    CREATE TABLE vectors (
        space   INTEGER NOT NULL,
        user    INTEGER NOT NULL,
        id      TEXT NOT NULL,
        vectors BLOB NOT NULL,
        PRIMARY KEY (space, user, id)
    ) WITHOUT ROWID
    """,
    # One that is older than a record of the same id says nothing any more.
    """
    CREATE TABLE tombstones (
        user    INTEGER NOT NULL,
        id      TEXT NOT NULL,
        changed INTEGER NOT NULL,
        PRIMARY KEY (user, id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX tombstones_changed ON tombstones (user, changed)",
    """
    CREATE TABLE uses (
        user  INTEGER NOT NULL,
        id    TEXT NOT NULL,
        count INTEGER NOT NULL,
        last  INTEGER NOT NULL,
        PRIMARY KEY (user, id)
    ) WITHOUT ROWID
    """,
)

MIGRATIONS = (_FIRST,)
"""How each schema version is made from the one before; PRAGMA user_version counts them."""

CHECKS = {
    "Records of no user": (
        "SELECT count(*) FROM records WHERE user NOT IN (SELECT number FROM users)"
    ),
    "Tombstones of no user": (
        "SELECT count(*) FROM tombstones WHERE user NOT IN (SELECT number FROM users)"
    ),
    "Records older than their tombstone": (
        "SELECT count(*) FROM tombstones t JOIN records r USING (user, id) "
        "WHERE r.changed <= t.changed"
    ),
    "Vectors of no record": (
        "SELECT count(*) FROM vectors v WHERE NOT EXISTS "
        "(SELECT 1 FROM records r WHERE r.user = v.user AND r.id = v.id)"
    ),
    "Use counts of no record": (
        "SELECT count(*) FROM uses u WHERE NOT EXISTS "
        "(SELECT 1 FROM records r WHERE r.user = u.user AND r.id = u.id)"
    ),
    "Vector spaces in use at once": (
        "SELECT n FROM (SELECT count(*) AS n FROM spaces WHERE in_use) WHERE n > 1"
    ),
}
"""What may be wrong, each with the query that counts how often it is."""


def prepare(connection: sqlite3.Connection, path: Path, *, timeout: float) -> None:
    """Make a new file ours, bring an older one up to date, refuse anything else."""
    connection.execute("BEGIN")  # another process may be making the file at this moment
    version = _pragma(connection, "user_version")
    ours = _pragma(connection, "application_id") == APPLICATION_ID
    used = connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is not None
    connection.execute("COMMIT")
    if used and not ours:
        raise StoreError(
            f"{path} is an SQLite database, but not one of Bethink's. Choose another file."
        )
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer Bethink (schema {version}; this one knows "
            f"{len(MIGRATIONS)}). Upgrade: pip install --upgrade bethink"
        )
    if version < len(MIGRATIONS):
        connection.execute("PRAGMA page_size = 16384")  # no effect but on a new file
        _use_wal(connection, timeout)
        _migrate(connection)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Read again: another process may have done it while this one waited.
    for number in range(_pragma(connection, "user_version"), len(MIGRATIONS)):
        for statement in MIGRATIONS[number]:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number + 1}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("COMMIT")


def _use_wal(connection: sqlite3.Connection, timeout: float) -> None:
    """Switch to WAL. SQLite itself does not wait here while another process does the same."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return
