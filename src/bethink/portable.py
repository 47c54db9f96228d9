"""A user's memory as JSON Lines: a header, then one record a line.

Vectors stay behind: whoever loads the lines embeds them with a model of their own.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any

from bethink.errors import UsageError
from bethink.times import read_time
from bethink.types import REVISION, ROLES, Kind, MemoryItem, Metadata
from bethink.validate import (
    check_data,
    check_flag,
    check_importance,
    check_kind,
    check_made,
    check_metadata,
    check_name,
    check_optional_name,
    check_origin,
    check_sources,
    check_text,
)

FORMAT = "bethink-memory"
VERSION = 1

_FIELDS = tuple(field.name for field in fields(MemoryItem) if field.name != "user_id")
_TIMES = ("created_at", "updated_at", "valid_from", "valid_to", "expires_at", "last_accessed")
_NAMES = ("agent_id", "session_id", "speaker", "superseded_by")
_COUNTS = {"version": 1, "access_count": 0}
_KEPT: dict[Kind, set[str]] = {
    "fact": {"key", "value", "confidence", "source"},
    "episode": {"task", "outcome", "lesson", "started_at", "ended_at", "steps"},
    "message": {"role"},
    "summary": {"count", "through"},
    "working": {"run"},
}
"""What must be in the data of each kind, if there is any."""


def write(items: Iterable[MemoryItem], *, user_id: str, at: datetime) -> Iterator[str]:
    """Records as lines, without line ends."""
    yield _dumps(
        {"format": FORMAT, "version": VERSION, "user_id": user_id, "exported_at": at.isoformat()}
    )
    for item in items:
        yield _dumps(as_json(item))


def read(lines: Iterable[str], *, user_id: str) -> list[MemoryItem]:
    """Records of a user from lines. One bad line, and none is returned."""
    items: dict[str, MemoryItem] = {}
    header = True
    for number, line in enumerate(lines, start=1):
        try:
            if _is_blank(line):
                continue
            value = json.loads(line)
            if header:
                _check_header(value)
                header = False
                continue
            item = from_json(value, user_id=user_id)
        except (ValueError, RecursionError, UsageError) as error:
            raise UsageError(f"Line {number} cannot be loaded: {error}") from error
        if item.id in items:
            raise UsageError(f"Line {number} cannot be loaded: its id {item.id} stands twice.")
        items[item.id] = item
    return list(items.values())


def _is_blank(line: object) -> bool:
    if not isinstance(line, str):
        raise UsageError("It is not text.")
    return not line.strip()


def as_json(item: MemoryItem) -> dict[str, Any]:
    """A record as JSON values; what is not set is left out."""
    values = {name: getattr(item, name) for name in _FIELDS}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in values.items()
        if value is not None and value is not False and value not in ({}, ())
    }


def from_json(value: Any, *, user_id: str) -> MemoryItem:
    """The record in a JSON value, checked as if a caller had passed it."""
    if not isinstance(value, dict):
        raise UsageError("It is not a JSON object.")
    if unknown := sorted(set(value) - set(_FIELDS)):
        raise UsageError(f"There is no field {unknown[0]!r}.")
    checked: dict[str, Any] = {
        "id": _id(value.get("id"), value.get("superseded_by")),
        "user_id": user_id,
        "content": check_text(value.get("content"), name="content"),
        "kind": check_kind(value.get("kind", "semantic")),
        "metadata": check_metadata(value.get("metadata")),
        "data": check_data(value.get("data")),
        "importance": check_importance(value.get("importance", 0.5)),
        "origin": check_origin(value.get("origin", "user")),
        "made": check_made(value.get("made", "said")),
        "sources": check_sources(value.get("sources", [])),
        "flagged": check_flag(value.get("flagged", False), name="flagged"),
        "pinned": check_flag(value.get("pinned", False), name="pinned"),
    }
    checked |= {name: check_optional_name(value.get(name), name=name) for name in _NAMES}
    checked |= {name: read_time(value.get(name), name=name) for name in _TIMES}
    checked |= {name: _count(value.get(name, low), name, low) for name, low in _COUNTS.items()}
    if checked["created_at"] is None:
        raise UsageError("created_at is missing.")
    _check_kind_of(checked["kind"], checked["data"])
    return MemoryItem(**checked)


def _check_kind_of(kind: Kind, data: Metadata) -> None:
    """That what a kind of memory keeps beside the content is all there."""
    if data and (missing := _KEPT.get(kind, set()) - data.keys()):
        raise UsageError(f"The data of a {kind} has no {min(missing)!r}.")
    if kind == "message" and data and data["role"] not in ROLES:
        raise UsageError(f"There is no role {data['role']!r}.")


def _dumps(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _id(value: Any, superseded_by: Any) -> str:
    """An id, or, if it is of an earlier state, one made of the id that superseded it."""
    if not isinstance(value, str) or REVISION not in value:
        return check_name(value, name="id")
    head, _, version = value.partition(REVISION)
    if head != superseded_by or not version.isascii() or not version.isdecimal():
        raise UsageError(f"{value!r} cannot be an id: {REVISION} is for earlier states.")
    check_name(head, name="id")
    return value


def _check_header(value: Any) -> None:
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise UsageError(f'It is not the header of an export, {{"format": "{FORMAT}", …}}.')
    if value.get("version") != VERSION:
        raise UsageError(
            f"The export has version {value.get('version')!r}; this Bethink knows {VERSION}."
        )


def _count(value: Any, name: str, low: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value < 2**20:
        raise UsageError(f"{name} must be a whole number of at least {low}, below 2²⁰.")
    return value
