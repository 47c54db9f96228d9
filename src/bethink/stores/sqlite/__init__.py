"""The embedded default: everything in one SQLite file, shared by any number of processes."""

from bethink.stores.sqlite.store import SQLiteStore

__all__ = ["SQLiteStore"]
