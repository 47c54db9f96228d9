"""The driver's errors as Bethink's, saying what to do and never a password."""

import psycopg
from psycopg import errors

from bethink.errors import StoreError, StoreUnavailable

_ENDS = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.IdleInTransactionSessionTimeout,
    errors.IdleSessionTimeout,
)
"""What a server says last on a connection, and is heard before the connection is found closed."""

_AGAIN = (
    *_ENDS,
    errors.CannotConnectNow,
    errors.DeadlockDetected,
    errors.LockNotAvailable,
    errors.SerializationFailure,
    errors.TooManyConnections,
)
_ADVICE: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.DiskFull, "has no room left on its disk. Nothing of this call was stored."),
    (errors.OutOfMemory, "has no memory left. Nothing of this call was stored."),
    (
        errors.ReadOnlySqlTransaction,
        "can only be read, as a replica can. Give the primary's URL, and this one as replica=…",
    ),
    (
        errors.InsufficientPrivilege,
        "does not let this role do that. The schema and all in it must belong to the role.",
    ),
    (
        errors.UndefinedTable,
        "has lost tables of this memory. Restore a backup, or choose another schema.",
    ),
)


class Stalled(psycopg.OperationalError):
    """No answer came in time; the connection is closed."""


def lost(connection: "psycopg.Connection[tuple[object, ...]]", error: psycopg.Error) -> bool:
    """Whether nothing can be asked over this connection any more.

    An error without a state is not the server's word but the driver's, who has lost track of it.
    """
    strayed = isinstance(error, psycopg.OperationalError) and error.sqlstate is None
    return connection.closed or strayed or isinstance(error, _ENDS)


def worth_repeating(error: psycopg.Error) -> bool:
    """Whether nothing has been changed, and the same call may succeed at once.

    A table may be missing because a space was dropped between two statements.
    """
    return isinstance(
        error, errors.SerializationFailure | errors.DeadlockDetected | errors.UndefinedTable
    )


def translated(error: psycopg.Error, server: str) -> StoreError:
    if isinstance(error, Stalled | errors.QueryCanceled):
        return StoreUnavailable(
            f"{server} took too long to answer. Try again, or give it a longer statement_timeout."
        )
    if isinstance(error, _AGAIN):
        return StoreUnavailable(f"{server} is busy or restarting just now. Try again.")
    for kind, advice in _ADVICE:
        if isinstance(error, kind):
            return StoreError(f"{server} {advice}")
    if isinstance(error, psycopg.OperationalError):
        return StoreUnavailable(f"The connection to {server} was lost. Try again.")
    return StoreError(f"{server}: {_first_line(error)}.")


def not_connected(error: psycopg.Error, server: str) -> StoreError:
    """Why there is no connection.

    The state that a server gives is lost in connecting; whether it asked for a password is not,
    and one that did was there, so that waiting will hardly help.
    """
    pgconn = error.pgconn
    if pgconn is not None and (pgconn.used_password or pgconn.needs_password):
        return StoreError(
            f"{server} did not let this user in. Check user, password and database in the URL: "
            f"{_first_line(error)}."
        )
    return StoreUnavailable(
        f"{server} cannot be reached. Check that it runs and that the URL is right: "
        f"{_first_line(error)}."
    )


def unknown(server: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"The connection to {server} was lost while this call was being stored: whether it was is "
        "not known. Repeating it is safe, since records are written by their ids."
    )


def _first_line(error: psycopg.Error) -> str:
    said = str(error).strip().splitlines() or [type(error).__name__]
    return said[0].rstrip(".")
