"""Everything in PostgreSQL with pgvector: one database for any number of processes and machines."""

from bethink.errors import MissingExtra

try:
    import psycopg  # noqa: F401 (looked for here, so that what is missing is said in a sentence)
except ImportError:  # it is not there, or without the library that it is a wrapper of
    raise MissingExtra("psycopg", "postgres") from None

from bethink.stores.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
