"""What a point is: its id, its payload, its vectors, and how points are asked for.

A record is one point. Its payload is the whole of it, so that it comes back bit by bit; the
vectors of the point are made from the payload, and only help to find it. A record that is gone
leaves a point that says so, for those who have yet to hear of it.
"""

import json
import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from qdrant_client import models

from bethink.errors import StoreError
from bethink.stores.base import Row
from bethink.stores.qdrant.engine import TERMS, Payload
from bethink.times import from_micros, to_micros
from bethink.types import REVISION, MemoryItem, head_id

_BETHINK = UUID("6f0c2f4e-6a0c-4f0e-9d3b-62657468696e")
_VECTORS = "vectors_"  # followed by a slot: one key for each, so that one can be dropped everywhere
_TIMES = ("created_at", "updated_at", "valid_from", "valid_to", "expires_at")
_FIELDS = (
    "id", "content", "kind", "agent_id", "session_id", "speaker", "metadata", "data", "importance",
    "superseded_by", "origin", "made", "sources", "flagged", "pinned", "version", *_TIMES,
)  # fmt: skip


def point_id(*names: str) -> str:
    """The id of a point: of a user's record by both ids, of a user's head by the user's alone."""
    return str(uuid5(_BETHINK, json.dumps(names)))


@dataclass(frozen=True, slots=True)
class State:
    """What a commit made of a record; `item` is None where it is gone.

    `epoch` counts the lives of users, `stamp` a user's commits, and `changed` those that moved
    the generation. `vectors` are by slot, the number of a space.
    """

    id: str
    item: MemoryItem | None
    terms: bytes = b""
    vectors: Mapping[str, bytes] = field(default_factory=dict)
    epoch: int = 0
    stamp: int = 0
    changed: int = 0

    def payload(self, user_id: str) -> Payload:
        payload: Payload = {
            "sort": "gone",
            "user": user_id,
            "id": self.id,
            "epoch": self.epoch,
            "stamp": self.stamp,
            "changed": self.changed,
        }
        if self.item is not None:
            payload |= _kept(self.item)
            payload["terms"] = b64encode(self.terms).decode()
            for slot, blob in self.vectors.items():
                payload[_VECTORS + slot] = b64encode(blob).decode()
        return payload

    def row(self, slot: str | None) -> Row:
        item = self.item
        assert item is not None  # noqa: S101 (who is gone has no row)
        return Row(
            item.id,
            item.kind,
            to_micros(item.created_at),
            _micros(item.expires_at),
            item.importance,
            item.session_id,
            item.agent_id,
            item.speaker,
            item.superseded_by,
            item.origin,
            item.flagged,
            item.metadata,
            self.terms,
            self.vectors.get(slot or "", b""),
        )


def state_of(payload: Payload) -> State:
    """The state that a payload is of."""
    item = None
    vectors: dict[str, bytes] = {}
    try:
        if payload["sort"] == "record":
            item = _item(payload)
            vectors = {
                key.removeprefix(_VECTORS): b64decode(blob)
                for key, blob in payload.items()
                if key.startswith(_VECTORS)
            }
        return State(
            payload["id"],
            item,
            b64decode(payload.get("terms", "")),
            vectors,
            payload["epoch"],
            payload["stamp"],
            payload["changed"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"Memory {payload.get('id')} is damaged: {error!r}.") from error


def used(state: State, count: int, last: datetime) -> State:
    """A record that was returned so often more."""
    item = state.item
    assert item is not None  # noqa: S101 (who is gone is not used)
    return replace(
        state,
        item=replace(
            item,
            access_count=item.access_count + count,
            last_accessed=max(item.last_accessed or last, last),
        ),
    )


def _kept(item: MemoryItem) -> Payload:
    """A record in a payload: as text, whole, and once more what points are asked for by."""
    values = {name: getattr(item, name) for name in _FIELDS}
    for name in _TIMES:
        values[name] = _micros(values[name])
    kept: Payload = {
        "sort": "record",
        "record": json.dumps(values, ensure_ascii=False),
        "uses": [item.access_count, _micros(item.last_accessed)],
        "kind": item.kind,
        "created": values["created_at"],
        "current": item.superseded_by is None,
    }
    known = {
        "session": item.session_id,
        "agent": item.agent_id,
        "expires": values["expires_at"],
        "earlier_of": head_id(item.id) if REVISION in item.id else None,
    }
    return kept | {key: value for key, value in known.items() if value is not None}


def _item(payload: Payload) -> MemoryItem:
    values = json.loads(payload["record"])
    for name in _TIMES:
        values[name] = _time(values[name])
    values["sources"] = tuple(values["sources"])
    count, last = payload["uses"]
    return MemoryItem(
        **values, user_id=payload["user"], access_count=count, last_accessed=_time(last)
    )


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _time(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


# --- vectors


def dense_name(slot: str) -> str:
    return f"dense_{slot}"


def dimension_of(space: str) -> int | None:
    """How many numbers the vectors of a space have, if its name says so."""
    number = space.rpartition("/")[2]
    return int(number) if number.isascii() and number.isdecimal() and int(number) else None


def point_of(state: State, user_id: str, slots: Mapping[str, str]) -> models.PointStruct:
    """The point for a state. `slots` are the spaces that points may have vectors in, by name."""
    vectors: dict[str, Any] = {}
    if state.item is not None:
        terms = sparse(state.terms)
        if terms:
            vectors[TERMS] = _sparse(terms, terms.values())
        for space, slot in slots.items():
            dense = _mean(state.vectors.get(slot, b""), dimension_of(space))
            if dense is not None:
                vectors[dense_name(slot)] = dense
    return models.PointStruct(
        id=point_id(user_id, state.id), payload=state.payload(user_id), vector=vectors
    )


def sparse(terms: bytes) -> dict[int, int]:
    """Packed terms and how often each occurs; nothing where they are packed in another way."""
    return {} if len(terms) % 5 else dict(struct.iter_unpack("<IB", terms))


def sparse_query(terms: Sequence[int]) -> models.SparseVector:
    distinct = dict.fromkeys(map(int, terms))
    return _sparse(distinct, [1] * len(distinct))


def _sparse(indices: Iterable[int], values: Iterable[int]) -> models.SparseVector:
    return models.SparseVector(indices=list(indices), values=list(map(float, values)))


def _mean(blob: bytes, dimension: int | None) -> list[float] | None:
    """One vector for all that a record has; None where they do not fit the index."""
    if not blob or dimension is None or len(blob) % (2 * dimension):
        return None
    mean = np.frombuffer(blob, "<f2").astype(np.float64).reshape(-1, dimension).mean(axis=0)
    return mean.tolist() if np.isfinite(mean).all() else None


# --- asking


def points(*must: models.Condition) -> models.Filter:
    """Points that fit all of these."""
    return models.Filter(must=list(must))


def of(user_id: str, *sorts: str) -> list[models.Condition]:
    """Points of a user, and of one of these sorts if any is given."""
    conditions = [is_(user=user_id)]
    return [*conditions, among("sort", sorts)] if sorts else conditions


def is_(**values: str | int | bool) -> models.Condition:
    [(key, value)] = values.items()
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


def among(key: str, values: Iterable[str]) -> models.Condition:
    return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))


def within(key: str, **bounds: int) -> models.Condition:
    """`gt`, `gte`, `lt` or `lte` a number."""
    return models.FieldCondition(key=key, range=models.Range(**bounds))


def older(epoch: int, stamp: int) -> models.Filter:
    """Points that an earlier commit wrote: one that comes late changes nothing that is newer."""
    return models.Filter(
        should=[
            points(within("epoch", lt=epoch)),
            points(is_(epoch=epoch), within("stamp", lt=stamp)),
        ]
    )
