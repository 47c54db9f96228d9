"""Records as Redis keeps them, and back: the row that an index wants, and the rest of it."""

import json
import struct
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from bethink.errors import StoreError
from bethink.stores.base import Entry, Row
from bethink.times import from_micros, to_micros
from bethink.types import MemoryItem

_SIZES = struct.Struct("<4I")  # of an id, what is known of it, its terms and its vectors
_ROW = (
    "kind", "created_at", "expires_at", "importance", "session_id", "agent_id", "speaker",
    "superseded_by", "origin", "flagged", "metadata",
)  # fmt: skip
_REST = (
    "content", "data", "updated_at", "valid_from", "valid_to", "made", "sources", "pinned",
)  # fmt: skip


def written(entry: Entry) -> Iterator[Any]:
    """What the script that puts a record is told of it."""
    item = entry.item
    yield item.id
    yield item.version
    yield _json([_plain(getattr(item, name)) for name in _ROW])
    yield _json([_plain(getattr(item, name)) for name in _REST])
    yield entry.terms
    yield int(entry.vectors is None)
    yield entry.vectors or b""
    yield from _expiry(item.expires_at)


def _expiry(moment: datetime | None) -> tuple[int | str, ...]:
    """The millisecond, the microseconds beyond it, and when the server may drop the record."""
    if moment is None:
        return "", 0, ""
    ms, us = millis(moment)
    return ms, us, max(ms + (us > 0), 1)  # never before it has expired


def millis(moment: datetime) -> tuple[int, int]:
    """A time in milliseconds and microseconds: one number of microseconds is more than Lua's hold.

    (Its numbers are exact up to 2**53, and a memory may expire in the year 9999.)
    """
    return divmod(to_micros(moment), 1000)


def read_row(id_: bytes, row: bytes, terms: bytes, vectors: bytes) -> Row:
    name = id_.decode()
    return Row._make((name, *_parsed(name, row), terms, vectors))


def read_rows(packed: bytes) -> list[Row]:
    """The rows that a script has packed into one text: a client reads that far quicker."""
    found: list[tuple[str, bytes, bytes, bytes]] = []
    at = 0
    while at < len(packed):
        parts = []
        end = at + _SIZES.size
        for size in _SIZES.unpack_from(packed, at):
            parts.append(packed[end : end + size])
            end += size
        found.append((parts[0].decode(), parts[1], parts[2], parts[3]))
        at = end
    try:
        told = json.loads(b"[" + b",".join(row for _, row, _, _ in found) + b"]")
    except ValueError:
        told = [_parsed(name, row) for name, row, _, _ in found]  # which names the damaged one
    return [
        Row._make((name, *values, terms, vectors))
        for (name, _, terms, vectors), values in zip(found, told, strict=True)
    ]


def read_item(user_id: str, id_: str, found: Sequence[bytes | None]) -> MemoryItem | None:
    """The record in the fields of its hash; None if there is none."""
    row, rest, version, uses, last = found
    if row is None or rest is None or version is None:
        return None
    values = dict(zip((*_ROW, *_REST), (*_parsed(id_, row), *_parsed(id_, rest)), strict=True))
    for name in ("created_at", "expires_at", "updated_at", "valid_from", "valid_to"):
        values[name] = None if values[name] is None else from_micros(values[name])
    values["sources"] = tuple(values["sources"])
    return MemoryItem(
        id=id_,
        user_id=user_id,
        version=int(version),
        access_count=int(uses or 0),
        last_accessed=None if last is None else from_micros(int(last)),
        **values,
    )


def _plain(value: Any) -> Any:
    return to_micros(value) if isinstance(value, datetime) else value


def _json(values: Any) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _parsed(id_: str, text: bytes) -> list[Any]:
    try:
        values: list[Any] = json.loads(text)
    except ValueError as error:
        raise StoreError(f"Memory {id_} is damaged: {error}. Restore a backup.") from error
    return values
