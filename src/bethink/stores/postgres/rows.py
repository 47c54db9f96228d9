"""Records as rows of the table `records`, and back."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from bethink.stores.base import Entry, Row
from bethink.stores.postgres.spaces import joined
from bethink.times import from_micros, to_micros
from bethink.types import REVISION, MemoryItem, Metadata

COLUMNS = (
    "id, content, created_at, kind, agent_id, session_id, speaker, metadata, data, importance, "
    "updated_at, valid_from, valid_to, expires_at, superseded_by, origin, made, "
    "sources, flagged, pinned, version"
)
"""What a record is made of, in the order of `row_of_item`."""

LIGHT = (
    "r.id, kind, created_at, expires_at, importance, session_id, agent_id, speaker, "
    "superseded_by, origin, flagged, metadata, terms"
)
"""What an index holds of it; its vectors come after, in two parts."""

_NAMES = COLUMNS.split(", ")
_TERM = np.dtype([("term", "<u4"), ("count", "u1")])  # as packed by `bethink.text`


def row_of_item(item: MemoryItem) -> tuple[object, ...]:
    return (
        item.id,
        item.content,
        to_micros(item.created_at),
        item.kind,
        item.agent_id,
        item.session_id,
        item.speaker,
        _written(item.metadata),
        _written(item.data),
        item.importance,
        item.updated_at and to_micros(item.updated_at),
        item.valid_from and to_micros(item.valid_from),
        item.valid_to and to_micros(item.valid_to),
        item.expires_at and to_micros(item.expires_at),
        item.superseded_by,
        item.origin,
        item.made,
        list(item.sources),
        item.flagged,
        item.pinned,
        item.version,
    )


def item_of_row(user_id: str, row: Sequence[Any]) -> MemoryItem:
    """The record in a row of COLUMNS and its use counts."""
    values = dict(zip(_NAMES, row, strict=False))
    for name in ("created_at", "updated_at", "valid_from", "valid_to", "expires_at"):
        values[name] = _time(values[name])
    for name in ("metadata", "data"):
        values[name] = values[name] or {}
    values["sources"] = tuple(values["sources"])
    count, last = row[len(_NAMES) :]
    return MemoryItem(**values, user_id=user_id, access_count=count or 0, last_accessed=_time(last))


def light_rows(rows: Sequence[Sequence[Any]]) -> list[Row]:
    """What an index holds, from rows of LIGHT and the two parts of their vectors."""
    vectors = joined([(row[-2], row[-1]) for row in rows])
    return [
        Row._make((*row[:-4], row[-4] or {}, row[-3], blob))
        for row, blob in zip(rows, vectors, strict=True)
    ]


def words_of(owner: int, entry: Entry) -> list[int] | None:
    """A record's terms as `records.words` keeps them; none of what is no longer current."""
    item = entry.item
    if item.superseded_by is not None or REVISION in item.id or len(entry.terms) % _TERM.itemsize:
        return None
    return user_terms(owner, np.frombuffer(entry.terms, _TERM)["term"].tolist()) or None


def user_terms(owner: int, terms: Sequence[int]) -> list[int]:
    """Terms as those of one user."""
    return [owner << 32 | term for term in terms]


def _time(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _written(values: Metadata) -> str | None:
    return json.dumps(values, ensure_ascii=False) if values else None
