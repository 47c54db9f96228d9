"""Where a name becomes a store: the one place that knows which URL means which."""

import os
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from bethink.errors import UsageError
from bethink.stores.base import MemoryStore

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://(.*)", re.DOTALL)  # one letter is a Windows drive
_SECRET = re.compile(r"((?<=://)[^/?#:@]*):[^/?#]*(?=@)|(?<=[?&])password=[^&]*&?")

_SERVERS: Mapping[str, tuple[str, str]] = {
    "postgres": ("bethink.stores.postgres", "PostgresStore"),
    "postgresql": ("bethink.stores.postgres", "PostgresStore"),
}
"""Stores that are reached by URL: the module and the class of each, loaded when used."""


def open_store(name: str | os.PathLike[str], **options: Any) -> MemoryStore:
    """The store that a path or URL names.

    ``agent.db`` and ``sqlite:///path/to/agent.db`` are files; ``:memory:`` lives in this process;
    ``postgresql://user@host/database`` is a server.
    """
    path = file_of(name)
    if path is None and (server := _SERVERS.get(_scheme(name))):
        module, store = server
        opened: MemoryStore = getattr(import_module(module), store)(name, **options)
        return opened
    if path is None:
        return _ram(options)
    from bethink.stores.sqlite import SQLiteStore  # noqa: PLC0415 (loaded when used)

    return SQLiteStore(path, **options)


def file_of(name: str | os.PathLike[str]) -> Path | None:
    """The file that a name means, or None if it means a store that is not in one."""
    text = os.fspath(name) if isinstance(name, str | os.PathLike) else ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise UsageError(f"{name!r} is not the name of a store. Pass a file name such as agent.db.")
    match = _SCHEME.fullmatch(text)
    if match and match[1] in _SERVERS:
        return None
    if match and match[1] != "sqlite":
        raise UsageError(
            f"There is no store for {match[1]}:// URLs. "
            "Pass a file name such as agent.db, or :memory:."
        )
    path = match[2].removeprefix("/") if match else text
    if path == ":memory:":
        return None
    try:
        return Path(path).expanduser()
    except RuntimeError as error:  # ~somebody who is not there
        raise UsageError(f"{error} Pass a file name such as agent.db.") from error


def _scheme(name: str | os.PathLike[str]) -> str:
    match = _SCHEME.fullmatch(str(name))
    return match[1] if match else ""


def without_password(name: str | os.PathLike[str]) -> str:
    """A name as it may be printed: without the password that a URL may hold."""
    return _SECRET.sub(lambda secret: secret[1] or "", str(name))


def _ram(options: Mapping[str, Any]) -> MemoryStore:
    from bethink.stores.ram import RAMStore  # noqa: PLC0415 (likewise)

    if options.get("durable"):
        raise UsageError("A store in memory cannot be durable. Pass a file name.")
    return RAMStore()
