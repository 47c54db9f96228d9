"""From what a caller says about a memory to a record."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from bethink import validate
from bethink.entries import check_vector
from bethink.errors import UsageError
from bethink.ids import new_id
from bethink.learn.suspicion import suspicious
from bethink.models.base import Vectors
from bethink.types import OUTSIDE, Changed, Fields, MemoryItem


def _named(check: Callable[..., Any], name: str) -> Callable[[Any], Any]:
    return lambda value: check(value, name=name)


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "content": _named(validate.check_text, "content"),
    "kind": validate.check_kind,
    "agent_id": _named(validate.check_optional_name, "agent_id"),
    "session_id": _named(validate.check_optional_name, "session_id"),
    "speaker": _named(validate.check_optional_name, "speaker"),
    "metadata": validate.check_metadata,
    "importance": validate.check_importance,
    "created_at": _named(validate.check_time, "created_at"),
    "valid_from": _named(validate.check_time, "valid_from"),
    "valid_to": _named(validate.check_time, "valid_to"),
    "origin": validate.check_origin,
    "sources": validate.check_sources,
    "flagged": _named(validate.check_flag, "flagged"),
    "pinned": _named(validate.check_flag, "pinned"),
}
"""How each field of a record is checked; the expiry, which has two names, is not among them."""
_FIELDS = {"content", *Fields.__annotations__}
_EXPIRY = {"expires_at", "expires_in"}


def _checked(said: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The fields of a record from what a caller said about it."""
    values = {name: _CHECKS[name](value) for name, value in said.items() if name in _CHECKS}
    if said.keys() & _EXPIRY:
        values["expires_at"] = validate.check_expiry(
            said.get("expires_at"), said.get("expires_in"), now=now
        )
    return values


def make_item(
    item: str | Mapping[str, Any], shared: Fields, user_id: str, now: datetime, dimension: int
) -> tuple[MemoryItem, Vectors | None]:
    """A new record from what a caller passed, and its vector if that was passed too."""
    own = item if isinstance(item, Mapping) else {"content": item}
    said: dict[str, Any] = {"content": None, **shared, **own}
    if own.keys() & _EXPIRY:  # an item's own word on it overrides the shared one
        said = {name: said[name] for name in said if name in own or name not in _EXPIRY}
    if not said.keys() <= _FIELDS:
        unknown = min(map(str, said.keys() - _FIELDS))
        raise UsageError(f"A memory has no {unknown!r}. Put your own fields into metadata.")
    values = _checked(said, now)
    if values.get("created_at") is None:
        values["created_at"] = now
    embedding = said.get("embedding")
    vector = None if embedding is None else check_vector(embedding, dimension)[None]
    return screened(MemoryItem(id=new_id(now), user_id=user_id, **values)), vector


def screened(item: MemoryItem) -> MemoryItem:
    """A record, flagged if it is from outside and reads like instructions to a model.

    What a user or an assistant says is never flagged.
    """
    if item.origin not in OUTSIDE:
        return item
    return replace(item, flagged=doubt(item) is not None)


def doubt(item: MemoryItem) -> str | None:
    """Why what a record says, or the name of who says it, reads like instructions to a model."""
    return suspicious(item.content) or suspicious(item.speaker or "")


def check_changes(said: Changed, now: datetime) -> dict[str, Any]:
    """The new values of a record's fields."""
    if unknown := said.keys() - Changed.__annotations__.keys():
        raise UsageError(f"{min(unknown)!r} of a memory cannot be changed.")
    if not said:
        raise UsageError(f"Nothing to change. Pass one of {', '.join(Changed.__annotations__)}.")
    return _checked(said, now)
