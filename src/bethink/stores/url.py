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

_SERVERS = {
    "redis": ("redis", "RedisStore"),
    "rediss": ("redis", "RedisStore"),
    "redis+cluster": ("redis", "RedisStore"),
    "rediss+cluster": ("redis", "RedisStore"),
}
"""Which module of this package and which class of it a server's URL means."""


def open_store(name: str | os.PathLike[str], **options: Any) -> MemoryStore:
    """The store that a path or URL names.

    ``agent.db`` and ``sqlite:///path/to/agent.db`` are files; ``:memory:`` lives in this process;
    ``redis://localhost`` is a server.
    """
    path = file_of(name)
    if path is None:
        return _server(str(name), options) if _scheme(name) in _SERVERS else _ram(options)
    from bethink.stores.sqlite import SQLiteStore  # noqa: PLC0415 (loaded when used)

    return SQLiteStore(path, **options)


def file_of(name: str | os.PathLike[str]) -> Path | None:
    """The file that a name means, or None if it means a store that is not in one."""
    text = os.fspath(name) if isinstance(name, str | os.PathLike) else ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise UsageError(f"{name!r} is not the name of a store. Pass a file name such as agent.db.")
    match = _SCHEME.fullmatch(text)
    if _scheme(text) in _SERVERS:
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


def address(name: str | os.PathLike[str]) -> str:
    """A name as others may see it: without the password, and without options."""
    text = os.fspath(name)
    if _scheme(text) not in _SERVERS:
        return text
    scheme, _, rest = text.partition("://")
    return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"


def _scheme(name: str | os.PathLike[str]) -> str | None:
    match = _SCHEME.fullmatch(os.fspath(name))
    return match[1] if match else None


def _server(url: str, options: Mapping[str, Any]) -> MemoryStore:
    module, name = _SERVERS[_scheme(url) or ""]
    options = dict(options)
    if options.pop("durable", False):
        raise UsageError("How durable a server is, its own settings say. Leave durable out.")
    opened: MemoryStore = getattr(import_module(f"bethink.stores.{module}"), name)(url, **options)
    return opened


def _ram(options: Mapping[str, Any]) -> MemoryStore:
    from bethink.stores.ram import RAMStore  # noqa: PLC0415 (likewise)

    if options.get("durable"):
        raise UsageError("A store in memory cannot be durable. Pass a file name.")
    return RAMStore()
