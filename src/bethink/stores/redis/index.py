"""Candidates from an index that the server keeps, brought up to date when it is asked.

Nothing is kept for a user until candidates are first asked for. From then on, each time, what
has changed since is taken over in batches: read, made into commands, and applied by one script
that does so only if nobody else has moved the index meanwhile. Writers know nothing of it.
"""

import heapq
import struct
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bethink.stores.base import Probe, Row
from bethink.stores.redis import scripts
from bethink.stores.redis.codec import read_row, read_rows
from bethink.stores.redis.engines import Command, Engine, Gone, dimension, mark
from bethink.stores.redis.keys import UserKeys
from bethink.stores.redis.plain import compared, current, fits, parts_of, terms_of
from bethink.stores.redis.server import Server

_BATCH = 25  # records that one script takes over: nobody else is served meanwhile
_BUDGET = 0.5  # seconds that one question may spend on that; it must be answered, too
_TIME = 1 << 63  # added to times, so that their bytes sort like they do


class Index:
    """What finds candidates for a store, with the help of an engine."""

    def __init__(self, server: Server, engine: Engine) -> None:
        self._server = server
        self.engine = engine

    def candidates(self, keys: UserKeys, probe: Probe, space: str) -> list[Row] | None:
        """The rows that may answer; None while the index is too far behind."""
        try:
            if self.catch_up(keys, space, _BUDGET):
                return self._proposed(keys, probe, space)
        except Gone:
            return None
        return None

    def shed(self, keys: UserKeys) -> None:
        """Take a user's documents out of the query engine, a few at a time."""
        while self._server.run(scripts.SHED, keys.own, keys.records):
            continue

    def _proposed(self, keys: UserKeys, probe: Probe, space: str) -> list[Row]:
        rows = self._nearest(keys, probe, space)
        rows |= self._rarest(keys, probe, space, rows)
        near = [id_ for id_ in self._neighbours(keys, probe, rows.values()) if id_ not in rows]
        return [*rows.values(), *(self._rows(keys, space, near) if near else ())]

    # --- asking

    def _nearest(self, keys: UserKeys, probe: Probe, space: str) -> dict[str, Row]:
        ids = self.engine.nearest(keys, space, probe)
        rows = [row for row in self._rows(keys, space, ids) if fits(row, probe)]
        near = compared(rows, np.frombuffer(probe.vector, "<f4"), dimension(space))
        best = heapq.nlargest(probe.limit, near, key=lambda pair: pair[0])
        return {row.id: row for _, row in best}

    def _rarest(
        self, keys: UserKeys, probe: Probe, space: str, known: Mapping[str, Row]
    ) -> dict[str, Row]:
        counts = self.engine.counts(keys, space, list(dict.fromkeys(probe.terms)))
        rows: dict[str, Row] = {}
        for term in sorted((term for term in counts if counts[term]), key=counts.__getitem__):
            ids = self.engine.holding(keys, space, term, probe)
            new = [id_ for id_ in ids if id_ not in rows and id_ not in known]
            there = {row.id: row for row in self._rows(keys, space, new) if fits(row, probe)}
            rows |= there | {id_: known[id_] for id_ in ids if id_ in known}
            if len(rows) >= probe.limit:
                break
        return dict(list(rows.items())[: probe.limit])

    def _neighbours(self, keys: UserKeys, probe: Probe, rows: Iterable[Row]) -> list[str]:
        places = [place for row in rows if (place := _place(row))]
        if not places or not probe.reach:
            return []

        def ask(client: Any) -> Any:
            pipe = client.pipeline(transaction=False)
            for place in places:
                first, last = place[:8], _after(place[:8])
                pipe.zrangebylex(keys.said, b"(" + place, b"(" + last, start=0, num=probe.reach)
                pipe.zrevrangebylex(keys.said, b"(" + place, b"[" + first, start=0, num=probe.reach)
            return pipe.execute()

        found = self._server.read(ask)
        return list(dict.fromkeys(member[16:].decode() for some in found for member in some))

    def _rows(self, keys: UserKeys, space: str, ids: Sequence[str]) -> list[Row]:
        if not ids:
            return []
        found = self._server.run(scripts.ROWS, keys.own, keys.records, space, *ids)
        return [row for row in read_rows(found) if current(row)]

    # --- staying up to date

    def catch_up(self, keys: UserKeys, space: str, seconds: float) -> bool:
        """Take over what has changed, for so long; says whether that was all."""
        end = time.monotonic() + seconds
        name = f"{self.engine.name} {mark(space)}"
        self.engine.start(space)
        while True:
            answer = self._server.run(scripts.BEHIND, keys.own, keys.records, space, name, _BATCH)
            if answer[0] == b"none":
                return True
            if answer[0] == b"stale":
                self.shed(keys)
                self._server.run(scripts.FORGET, keys.own, keys.records)
                continue
            _, made_for, before, upto, changed, last = answer
            if before == upto:
                return True
            commands = [c for fields in changed for c in self._taken_over(keys, space, fields)]
            told = [part for command in commands for part in (len(command), *command)]
            done = self._server.run(
                scripts.FOLLOW, keys.own, keys.records, made_for, before, upto, name, *told
            )
            if done and last:
                return True
            if time.monotonic() > end:
                return False

    def _taken_over(self, keys: UserKeys, space: str, fields: Sequence[Any]) -> Iterator[Command]:
        """Commands that make the index know a record as it is now."""
        id_, row_, terms, vectors, known = fields
        name = id_.decode()
        if known is not None:
            place, parts, held = _unpacked(known, id_)
            yield from self.engine.remove(keys, space, name, parts, held)
            yield from ([("ZREM", keys.said, place)] if place else [])
            yield "HDEL", keys.index, b":" + id_
        row = None if row_ is None else read_row(id_, row_, terms, vectors)
        if row is None or not current(row):
            return
        yield from self.engine.add(keys, space, row)
        place = _place(row)
        yield from ([("ZADD", keys.said, 0, place)] if place else [])
        parts = max(len(parts_of(row, dimension(space))), 1)
        yield "HSET", keys.index, b":" + id_, _packed(place, parts, terms_of(row))


def _place(row: Row) -> bytes:
    """Where a message stands among all: by session, then time, then id; empty if it is none."""
    if row.kind != "message" or row.session_id is None:
        return b""
    session = bytes.fromhex(mark(row.session_id))
    session = bytes([session[0] & 0x7F]) + session[1:]  # so that there is always a next one
    return session + struct.pack(">Q", row.created_at + _TIME) + row.id.encode()


def _after(session: bytes) -> bytes:
    return (int.from_bytes(session, "big") + 1).to_bytes(8, "big")


def _packed(place: bytes, parts: int, terms: Sequence[int]) -> bytes:
    """What is known of a record in the index: a script reads the first number, too."""
    held = np.array(terms, "<u4").tobytes()
    return struct.pack("<HB", parts, bool(place)) + place[:16] + held


def _unpacked(known: bytes, id_: bytes) -> tuple[bytes, int, list[int]]:
    parts, said = struct.unpack_from("<HB", known)
    place = known[3:19] + id_ if said else b""
    held: list[int] = np.frombuffer(known[19 if said else 3 :], "<u4").tolist()
    return place, parts, held
