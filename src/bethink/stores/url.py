"""Where a name becomes a store: the one place that knows which URL means which.

A scheme is a row of a table, or an entry point in the group ``bethink.stores`` of any installed
package: its name is the scheme, and it leads to a class or function that is called with the whole
URL and the options. Nothing is imported before its scheme is asked for.
"""

import os
import re
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeAlias

from bethink.errors import UsageError
from bethink.stores.base import MemoryStore

Opener: TypeAlias = Callable[..., MemoryStore]

GROUP = "bethink.stores"
"""The group of entry points in which other packages name their schemes."""

_BUILT_IN: Mapping[str, str] = {
    "postgres": "bethink.stores.postgres:PostgresStore",
    "postgresql": "bethink.stores.postgres:PostgresStore",
    "qdrant": "bethink.stores.qdrant:QdrantStore",
    "qdrant+https": "bethink.stores.qdrant:QdrantStore",
    "redis": "bethink.stores.redis:RedisStore",
    "redis+cluster": "bethink.stores.redis:RedisStore",
    "rediss": "bethink.stores.redis:RedisStore",
    "rediss+cluster": "bethink.stores.redis:RedisStore",
    "sqlite": "bethink.stores.url:open_file",
}

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://(.*)", re.DOTALL)  # one letter is a Windows drive
_SECRET = re.compile(
    r"(?<=://):[^/?#]*@|((?<=://)[^/?#:@]+):[^/?#]*(?=@)|(?<=[?&])password=[^&]*&?"
)
_ADVICE = "Pass a file name such as agent.db, or :memory:."


def open_store(name: str | os.PathLike[str], **options: Any) -> MemoryStore:
    """The store that a path or URL names.

    ``agent.db`` and ``sqlite:///path/to/agent.db`` are files; ``:memory:`` lives in this process;
    any other scheme is a built-in store's or an installed package's.
    """
    scheme, _ = _split(name)
    if not options.get("durable"):  # what every store is unless told otherwise
        options.pop("durable", None)
    make = open_file if scheme is None else _opener(scheme)
    _check_options(f"for {scheme}:// URLs", make, options)
    return make(name, **options)


def open_file(name: str | os.PathLike[str], **options: Any) -> MemoryStore:
    """The store in a file, or in this process."""
    path = file_of(name)
    if path is None:
        return _ram(options)
    from bethink.stores.sqlite import SQLiteStore  # noqa: PLC0415 (loaded when used)

    _check_options("for sqlite:// URLs", SQLiteStore, options)
    return SQLiteStore(path, **options)


def file_of(name: str | os.PathLike[str]) -> Path | None:
    """The file that a name means, or None if it means a store that is not in one."""
    scheme, path = _split(name)
    if scheme not in (None, "sqlite"):
        _opener(scheme)  # one that nobody has is told of here
        return None
    if scheme:
        path = path.removeprefix("/")
    if path == ":memory:":
        return None
    try:
        return Path(path).expanduser()
    except RuntimeError as error:  # ~somebody who is not there
        raise UsageError(f"{error} Pass a file name such as agent.db.") from error


def without_password(name: str | os.PathLike[str]) -> str:
    """A name as it may be printed: without the password that a URL may hold."""
    return _SECRET.sub(lambda secret: secret[1] or "", str(name))


def _split(name: str | os.PathLike[str]) -> tuple[str | None, str]:
    """The scheme of a name, if it has one, and what follows."""
    text = os.fspath(name) if isinstance(name, str | os.PathLike) else ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise UsageError(f"{name!r} is not the name of a store. Pass a file name such as agent.db.")
    match = _SCHEME.fullmatch(text)
    return (match[1], match[2]) if match else (None, text)


def _opener(scheme: str) -> Opener:
    """What opens the URLs of a scheme. A built-in one is nobody else's to take."""
    if scheme in _BUILT_IN:
        built_in: Opener = resolve_name(_BUILT_IN[scheme])
        return built_in
    from importlib.metadata import entry_points  # noqa: PLC0415 (it reads what is installed)

    found = {point.value: point for point in entry_points(group=GROUP, name=scheme)}
    if not found:
        raise UsageError(f"There is no store for {scheme}:// URLs. {_ADVICE}")
    if len(found) > 1:  # which of them is meant is not ours to guess
        raise UsageError(
            f"{' and '.join(sorted(found))} both want {scheme}:// URLs. Uninstall one, or open "
            "the store by its class."
        )
    [point] = found.values()
    try:
        loaded: Opener = point.load()
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"The store for {scheme}:// URLs, {point.value}, cannot be loaded: {error}. "
            "Install its package anew."
        ) from error
    return loaded


def _check_options(which: str, make: Opener, options: Mapping[str, Any]) -> None:
    known = signature(make).parameters
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in known.values()):
        return  # it looks at them itself
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise UsageError(f"The store {which} has no option {', '.join(unknown)}.")


def _ram(options: Mapping[str, Any]) -> MemoryStore:
    from bethink.stores.ram import RAMStore  # noqa: PLC0415 (likewise)

    if options.get("durable"):
        raise UsageError("A store in memory cannot be durable. Pass a file name.")
    _check_options("in memory", RAMStore, options)
    return RAMStore()
