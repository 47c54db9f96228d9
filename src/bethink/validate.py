"""The door: everything that callers pass in is checked here, before anything is done with it.

Each mistake is a `UsageError` that names the argument and says what to pass instead.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from bethink.errors import UsageError
from bethink.times import as_utc
from bethink.types import JSON, KINDS, ORIGINS, WAYS, Kind, Made, Metadata, Origin

MAX_CONTENT = 100_000
"""Characters in one memory. Longer documents are better kept in pieces."""
MAX_METADATA = 65_536
"""Characters in the JSON of one memory's metadata."""
MAX_DATA = 10_000_000
"""Characters in the JSON of what a kind of memory keeps beside the content."""
MAX_DEPTH = 32
"""Levels of lists and dictionaries in metadata."""
MAX_QUERY = 10_000
"""Characters in one query."""
MAX_NAME = 256
"""Characters in the id of a user, an agent, a session or a memory, and in a speaker's name."""

_CENTURY = timedelta(days=36_525)
_UNWANTED = re.compile("[\x00\ud800-\udfff]")


def check_text(value: object, *, name: str, limit: int = MAX_CONTENT) -> str:
    """Text that can be kept everywhere: not empty, not too long, encodable."""
    if not isinstance(value, str):
        raise UsageError(f"{name} must be a string, not {type(value).__name__}.")
    if not value.strip():
        raise UsageError(f"{name} is empty. Pass some text.")
    if len(value) > limit:
        raise UsageError(
            f"{name} has {len(value):,} characters; the limit is {limit:,}. Use shorter pieces."
        )
    if bad := _UNWANTED.search(value):
        what = "a NUL character" if bad.group() == "\0" else "half a surrogate pair"
        raise UsageError(f"{name} has {what} at position {bad.start()}. Remove it.")
    return value


def check_name(value: object, *, name: str) -> str:
    """The id of a user, an agent, a session or a memory."""
    if value is None:
        raise UsageError(f"{name} is missing.")
    return check_text(value, name=name, limit=MAX_NAME)


def check_optional_name(value: object, *, name: str) -> str | None:
    return None if value is None else check_name(value, name=name)


def check_user(user_id: object) -> str:
    """No user, no query."""
    if user_id is None or user_id == "":
        raise UsageError("user_id is missing. Every memory belongs to someone: pass user_id=….")
    return check_name(user_id, name="user_id")


def check_kind(kind: object) -> Kind:
    if kind not in KINDS:
        raise UsageError(f"There is no kind {kind!r}; the kinds are {', '.join(KINDS)}.")
    return kind


def check_kinds(kinds: Iterable[object]) -> tuple[Kind, ...]:
    if isinstance(kinds, str):
        kinds = [kinds]
    return tuple(check_kind(kind) for kind in check_many(kinds, name="kinds"))


def check_origin(origin: object) -> Origin:
    if origin not in ORIGINS:
        raise UsageError(f"There is no origin {origin!r}; the origins are {', '.join(ORIGINS)}.")
    return origin


def check_made(made: object) -> Made:
    if made not in WAYS:
        raise UsageError(f"A memory is made in one of these ways: {', '.join(WAYS)}; not {made!r}.")
    return made


def check_sources(sources: object) -> tuple[str, ...]:
    """The ids of the messages that a memory was read from."""
    listed = check_many(cast("Iterable[Any]", sources), name="sources")
    return tuple(check_name(id_, name="a source") for id_ in listed)


def check_flag(value: object, *, name: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{name} must be True or False, not {value!r}.")
    return value


def check_span(value: object, *, name: str, least: timedelta = timedelta(0)) -> timedelta:
    """A length of time, of up to a century."""
    if not isinstance(value, timedelta) or not least <= value <= _CENTURY:
        at_least = "zero" if not least else str(least)
        raise UsageError(f"{name} must be a timedelta of at least {at_least}, not {value!r}.")
    return value


def check_many(values: Iterable[Any], *, name: str) -> list[Any]:
    """All of several values; a text alone is not several."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise UsageError(f"{name} must be a list, not {type(values).__name__}.")
    return list(values)


def check_importance(value: object, *, name: str = "importance") -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:  # type: ignore[operator]  # also false for NaN
        raise UsageError(f"{name} must be a number from 0 to 1, not {value!r}.")
    return float(value)  # type: ignore[arg-type]


def check_limit(limit: object, *, name: str = "limit") -> int:
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise UsageError(f"{name} must be a whole number of at least 1, not {limit!r}.")
    return limit


def check_metadata(value: object) -> Metadata:
    """A copy of the metadata, as JSON will give it back."""
    return _check_object(value, name="metadata", limit=MAX_METADATA)


def check_data(value: object) -> Metadata:
    """A copy of what a kind of memory keeps beside the content."""
    # Callers' values lie some levels deep in it.
    return _check_object(value, name="data", limit=MAX_DATA, depth=MAX_DEPTH + 8)


def _check_object(value: object, *, name: str, limit: int, depth: int = MAX_DEPTH) -> Metadata:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"{name} must be a dictionary, not {type(value).__name__}.")
    copy = check_json(dict(value), name=name, limit=limit, depth=depth)
    return cast("Metadata", copy)


def check_json(
    value: object, *, name: str, limit: int = MAX_METADATA, depth: int = MAX_DEPTH
) -> JSON:
    """A copy of a value, as JSON will give it back."""
    _check_inside(value, name, depth)
    try:
        written = json.dumps(value, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be JSON: {error}.") from error
    if len(written) > limit:
        raise UsageError(
            f"{name} takes {len(written):,} characters as JSON; the limit is {limit:,}."
        )
    copy: JSON = json.loads(written)
    return copy


def _check_inside(value: object, name: str, depth: int) -> None:
    """What `json.dumps` would accept but not give back the same, or could not be kept."""
    if depth == 0:
        raise UsageError(f"{name} is nested more than {MAX_DEPTH} levels deep.")
    if isinstance(value, str) and _UNWANTED.search(value):
        raise UsageError(f"{name} has a NUL character or half a surrogate pair. Remove it.")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise UsageError(f"{name} has the key {key!r}; keys must be strings.")
            _check_inside(key, name, depth)
            _check_inside(inner, name, depth - 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_inside(inner, name, depth - 1)


def check_time(value: datetime | None, *, name: str) -> datetime | None:
    return None if value is None else as_utc(value, name=name)


def check_expiry(
    expires_at: datetime | None, expires_in: timedelta | None, *, now: datetime
) -> datetime | None:
    """When a memory must be gone, from either way of saying so."""
    if expires_at is not None and expires_in is not None:
        raise UsageError("Pass expires_at or expires_in, not both.")
    if expires_in is not None:
        if not isinstance(expires_in, timedelta):
            raise UsageError(f"expires_in must be a timedelta, not {type(expires_in).__name__}.")
        expires_at = _later(now, expires_in)
    moment = check_time(expires_at, name="expires_at")
    if moment is not None and moment <= now:
        raise UsageError(f"The memory would expire in the past, at {moment.isoformat()}.")
    return moment


def _later(now: datetime, delay: timedelta) -> datetime:
    try:
        return now + delay
    except OverflowError as error:
        raise UsageError(f"expires_in is too long: {delay}.") from error


def check_ids(ids: str | Sequence[str]) -> list[str]:
    """One id or several."""
    listed = [ids] if isinstance(ids, str) else check_many(ids, name="ids")
    return [check_name(id_, name="id") for id_ in listed]
