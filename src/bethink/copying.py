"""From one store to another of any sort, while the first may be in use.

A round compares what both stores have of a user, record by record, and writes what differs. The
copy is done when a round has found nothing to write: so it is proved as it ends, and goes on where
it was stopped without keeping anything but the records themselves. Each batch is one `put`, which
is written whole or not at all.

What must never happen is that a memory of the target is lost to an older one. So what the target
has of a user and the source has not, be it a record, a later version or more uses, ends the copy
with a `Conflict`, unless the target is still as this copy left it (then the source has changed
its mind), or the caller said to replace it.
"""

import hashlib
import json
import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import TypeAlias
from uuid import uuid4

from bethink.errors import Conflict, StoreError, UsageError
from bethink.memory import Memory
from bethink.models.base import Embedder, model_in
from bethink.stores.base import Changes, Entry, MemoryStore, Row, Use
from bethink.times import Clock, to_micros, utc_now
from bethink.types import Hits, MemoryItem, head_id

Progress: TypeAlias = Callable[[int, float], None]
"""Told how many records this round has compared, and how far it is, from 0 to 1."""

_BATCH = 256
_ROUNDS = 5
_PAUSE = 0.2  # seconds between two looks at what is followed
_PROBE = "bethink copy: are these two the same?"
"""A user who is nobody's: there for a moment, to see whether two stores are one."""
_PROBED = timedelta(minutes=10)
_SAMPLED = 3  # users, and as many searches for each
_LARGE = 20_000  # records of a user who is not sampled
_HITS = 10
_NEAR = 0.01  # what two scores may differ by, as sums of floats in another order do


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy did, and what both stores have of its users now."""

    records: Mapping[str, int]
    """How many each user has, earlier states included."""
    written: int
    """How many records were written; some perhaps twice, where the source was in use."""
    removed: int
    """How many the source had no longer."""
    fingerprint: str
    """Of all that the target has of these users; the same wherever the same is kept."""
    searches: int = 0
    """How many sampled searches had the same hits in both."""


def copy(
    source: MemoryStore,
    target: MemoryStore,
    *,
    users: Collection[str] | None = None,
    reembed: bool = False,
    replace: bool = False,
    dry_run: bool = False,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
    clock: Clock = utc_now,
) -> Copied:
    """Copy users from one store to another, and see that both have the same in the end.

    Everything comes along: all kinds, earlier states, terms, vectors, use counts. What has expired
    stays behind. Called again after it was stopped, it goes on from there; called once more, it
    writes nothing.

    Args:
        source: Where the records are. It is only read.
        target: Where they are to be. A new store takes over the source's vector space.
        users: Only these; everyone, if not given.
        reembed: Leave the vectors behind if the target has those of another model.
        replace: Remove or overwrite what the target has of these users and the source has not.
        dry_run: Only count what would be written and removed.
        embedder: If it is the model of both stores, a few searches are compared as well.
        progress: Told how far it is.
        clock: What time it is. Tests pass their own.
    """
    run = _Copy(source, target, users, reembed=reembed, free=replace, dry=dry_run, clock=clock)
    run.progress = progress
    run.prepare()
    if dry_run:
        run.round(run.users())
    elif behind := run.agree(run.users()):
        raise _unsettled(behind)
    return run.copied(embedder)


def follow(
    source: MemoryStore,
    target: MemoryStore,
    *,
    users: Collection[str] | None = None,
    reembed: bool = False,
    replace: bool = False,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
    clock: Clock = utc_now,
    idle: float | None = None,
    stop: Callable[[], bool] = lambda: False,
    agreed: Callable[[Copied], object] = lambda _: None,
) -> Copied:
    """Copy, and then keep up with what is written to the source, deletions and clears included.

    It ends when `stop` says so, or when nothing has changed for `idle` seconds; all is compared
    once more before it returns. `agreed` is told each time that both have the same. The rest is
    as in `copy`.
    """
    run = _Copy(source, target, users, reembed=reembed, free=replace, dry=False, clock=clock)
    run.progress = progress
    run.prepare()
    late = run.agree(run.users())
    said, quiet = False, time.monotonic()
    pause = _PAUSE if idle is None else min(_PAUSE, idle / 2)
    while not stop():
        if behind := run.behind():
            run.round(behind, narrowed=True)
            late.update(dict.fromkeys(behind))
            said, quiet = False, time.monotonic()
            time.sleep(pause)  # a store that is always written to is not asked all the time
        elif late:
            late = run.agree(late)
        elif not said:
            agreed(run.copied(None))
            said = True
        elif idle is not None and time.monotonic() - quiet >= idle:
            break
        else:
            time.sleep(pause)
    if behind := run.agree(run.users()):  # with the use counts, which move no generation
        raise _unsettled(behind)
    return run.copied(embedder)


Users: TypeAlias = dict[str, None]
"""In the order in which they are looked at."""


class _Copy:
    def __init__(
        self,
        source: MemoryStore,
        target: MemoryStore,
        only: Collection[str] | None,
        *,
        reembed: bool,
        free: bool,
        dry: bool,
        clock: Clock,
    ) -> None:
        self.source, self.target, self.only = source, target, only
        self.reembed, self.free, self.dry, self.clock = reembed, free, dry, clock
        self.progress: Progress | None = None
        self.space, self.into = _spaces(source, target, reembed=reembed)
        self.written = self.removed = 0
        self.seen: dict[str, int] = {}
        """The generation of the source up to which a user was taken over."""
        self.left: dict[str, int] = {}
        """The generation at which this copy left a user in the target."""
        self.counts: dict[str, int] = {}
        self.prints: dict[str, bytes] = {}

    def prepare(self) -> None:
        """See that there are two stores, and that the target can take the records."""
        if self.source is self.target:
            raise _same()
        if not self.dry:
            if self.target.space() is None:
                self.target.switch(None, self.into)
            _check_apart(self.source, self.target, self.into)

    def users(self) -> Users:
        """Whom it is about: also those who were there a moment ago and are no longer."""
        there = self.source.users() if self.only is None else self.only
        return {user: None for user in (*there, *self.left) if user != _PROBE}

    def behind(self) -> Users:
        """Those of whom something has changed in the source."""
        users = self.users()
        return {u: None for u in users if self.source.generation(u) != self.seen.get(u, 0)}

    def agree(self, users: Users) -> Users:
        """Go over users until there is nothing left to write; gives those whom it ended without."""
        for _ in range(_ROUNDS):
            if not users:
                break
            users = self.round(users)
        return users

    def round(self, users: Users, *, narrowed: bool = False) -> Users:
        """Go over users once; gives those of whom something was to be written."""
        done = 0
        unlike: Users = {}
        for number, user_id in enumerate(users):
            compared = _Round(self, user_id, since=self.seen.get(user_id, 0) if narrowed else 0)
            for share in compared.bring():
                if self.progress:
                    self.progress(done + compared.records, (number + share) / len(users))
            done += compared.records
            if not compared.alike:
                unlike[user_id] = None
        return unlike

    def copied(self, embedder: Embedder | None) -> Copied:
        whole = hashlib.blake2b(digest_size=16)
        for user_id, found in sorted(self.prints.items()):
            whole.update(_digest([user_id]) + found)
        counts = {user_id: count for user_id, count in sorted(self.counts.items()) if count}
        return Copied(counts, self.written, self.removed, whole.hexdigest(), self._tried(embedder))

    def _tried(self, embedder: Embedder | None) -> int:
        """How many searches were made in both stores, with the same hits."""
        known = self.space == self.into and embedder and embedder.name == model_in(self.space)
        if embedder is None or self.dry or not known:
            return 0
        sizes = [user for user, count in self.counts.items() if 0 < count <= _LARGE]
        return sum(self._tried_by(user_id, embedder) for user_id in sizes[:_SAMPLED])

    def _tried_by(self, user_id: str, embedder: Embedder) -> int:
        ids = sorted(row.id for row in self.source.scan(user_id, space="").rows)
        some = self.source.get(user_id, ids[:: max(1, len(ids) // _SAMPLED)][:_SAMPLED])
        queries = [item.content[:200] for item in some if item.content.strip()]
        ours, theirs = (
            Memory(store, embedder=embedder, count_uses=False, clock=self.clock)
            for store in (self.source, self.target)
        )
        for query in queries:
            found = [
                memory.search(query, user_id=user_id, limit=_HITS) for memory in (ours, theirs)
            ]
            if not _alike(*found) and self._still(user_id):
                raise StoreError(
                    f"A search of {user_id} finds other memories in the copy, though the records "
                    "are the same. Look at both with `bethink check`."
                )
        return len(queries)

    def _still(self, user_id: str) -> bool:
        """Whether nothing has happened to a user since the last round."""
        now = self.source.generation(user_id), self.target.generation(user_id)
        return now == (self.seen[user_id], self.left[user_id])


class _Round:
    """One look at one user."""

    def __init__(self, run: _Copy, user_id: str, *, since: int) -> None:
        self.run, self.user_id = run, user_id
        self.source, self.target = run.source, run.target
        ours = run.left.get(user_id) == self.target.generation(user_id)
        self.free = run.free or ours
        self.since = since if ours else 0
        self.alike = True
        self.records = 0
        self.print = hashlib.blake2b(digest_size=16)

    def bring(self) -> Iterator[float]:
        """Give the target what the source has; tells after each batch how far it is."""
        run, user_id = self.run, self.user_id
        changes = self.source.scan(user_id, space=run.space, since=self.since)
        if self.source.space() != run.space:
            raise Conflict(
                "The store to copy from has changed to another embedding model meanwhile. "
                "Copy once more."
            )
        now = to_micros(run.clock())
        rows = {row.id: row for row in changes.rows if not _expired(row, now)}
        known = self._remove(changes, rows, now)
        ids = sorted(rows, key=lambda id_: (head_id(id_), id_))  # a record before its history
        for first in range(0, len(ids), _BATCH):
            self._batch(ids[first : first + _BATCH], rows, known, changes.generation)
            yield min(1.0, (first + _BATCH) / len(ids))
        run.seen[user_id] = changes.generation
        run.left[user_id] = self.target.generation(user_id)
        if changes.complete:
            run.counts[user_id] = self.records
            run.prints[user_id] = self.print.digest()

    def _remove(
        self, changes: Changes, rows: Mapping[str, Row], now: int
    ) -> Mapping[str, bytes] | None:
        """Remove what the source has no longer; gives the digests of what the target has.

        There are none where only what changed is looked at: all of that is written.
        """
        outlived = [row.id for row in changes.rows if row.id not in rows]
        if not changes.complete:
            self._delete([*changes.deleted, *outlived])
            return None
        there = self.target.scan(self.user_id, space=self.run.into).rows
        known = {row.id: self._digest(row) for row in there}
        live = {row.id for row in there if not _expired(row, now)}
        expired = live.intersection(outlived)
        gone = live - rows.keys() - expired
        if gone and not self.free:
            raise _ahead(self.user_id, gone, "the store to copy from has not")
        if rows:
            self._delete([*expired, *gone])
        elif live:
            self._clear(len(live))
        return known

    def _delete(self, ids: Sequence[str]) -> None:
        if ids and self.run.dry:
            self.run.removed += len(ids)
        elif ids and (count := self.target.delete(self.user_id, ids)):
            self.alike = False
            self.run.removed += count

    def _clear(self, count: int) -> None:
        """Remove all of a user of whom the source has nothing."""
        self.alike = False
        self.run.removed += count
        if not self.run.dry:
            self.target.clear(self.user_id)

    def _batch(
        self,
        ids: Sequence[str],
        rows: Mapping[str, Row],
        known: Mapping[str, bytes] | None,
        generation: int,
    ) -> None:
        found = self.source.get(self.user_id, ids)
        moved = self._moved(generation)  # of these, row and record may not be of one moment
        items = [] if moved is None else [item for item in found if item.id not in moved]
        self.alike &= len(items) == len(ids)
        self.records += len(items)
        there = self._there(items)
        entries = []
        for item in items:
            row, before = rows[item.id], there.get(item.id)
            digest = self._digest(row)
            self.print.update(digest + _digest(_plain(item)))
            same = before is not None and _unused(item) == _unused(before)
            if not same and before is not None and before.version >= item.version:
                self._check_free([item.id], "that differ from those of the store to copy from")
            if not same or known is None or known.get(item.id) != digest:
                entries.append(Entry(item, row.terms, self._vectors(item, row, before)))
        self._put(entries, there)
        self._touch(items, there)

    def _put(self, entries: Sequence[Entry], there: Mapping[str, MemoryItem]) -> None:
        if not entries:
            return
        self.alike = False
        self.run.written += len(entries)
        if not self.run.dry:
            ids = [entry.item.id for entry in entries]
            versions = {id_: there[id_].version if id_ in there else 0 for id_ in ids}
            self.target.put(self.user_id, entries, space=self.run.into, if_version=versions)

    def _touch(self, items: Sequence[MemoryItem], there: Mapping[str, MemoryItem]) -> None:
        """Count the uses that the target does not know of, so that both have as many."""
        uses: dict[str, Use] = {}
        for item in items:
            before = there.get(item.id)
            more = item.access_count - (before.access_count if before else 0)
            later = before is None or item.last_accessed != before.last_accessed
            if item.last_accessed and (more or later):
                uses[item.id] = Use(more, item.last_accessed)
        if uses:
            self.alike = False
            if not self.run.dry:
                self.target.touch(self.user_id, uses)

    def _there(self, items: Sequence[MemoryItem]) -> Mapping[str, MemoryItem]:
        """What the target has of these, without records that were used more often there.

        Uses can only be added, so those are removed, and written anew with all that they have.
        """
        found = self.target.get(self.user_id, [item.id for item in items])
        there = {item.id: item for item in found}
        over = {i.id for i in items if i.id in there and _used_more(there[i.id], i)}
        if not over:
            return there
        self._check_free(over, "that were used there")
        self._delete(sorted(over))
        return {id_: item for id_, item in there.items() if not {id_, head_id(id_)} & over}

    def _moved(self, generation: int) -> Collection[str] | None:
        """What has changed in the source since the scan; None if that cannot be told."""
        if self.source.generation(self.user_id) == generation:
            return ()
        since = self.source.scan(self.user_id, space=self.run.space, since=generation)
        if since.complete:
            return None
        return {*since.deleted, *(row.id for row in since.rows)}

    def _vectors(self, item: MemoryItem, row: Row, before: MemoryItem | None) -> bytes | None:
        """Those of the source; if its model is another one, those that the target made itself."""
        if self.run.space == self.run.into:
            return row.vectors
        return None if before is not None and before.text == item.text else b""

    def _digest(self, row: Row) -> bytes:
        vectors = row.vectors if self.run.space == self.run.into else b""
        return _digest([*row[:12], len(row.terms)], row.terms + vectors)

    def _check_free(self, ids: Collection[str], why: str) -> None:
        if not self.free:
            raise _ahead(self.user_id, ids, why)


def _spaces(source: MemoryStore, target: MemoryStore, *, reembed: bool) -> tuple[str, str]:
    """The vector spaces of both."""
    space, into = source.space(), target.space()
    if space is None:
        raise UsageError("The store to copy from is new: nothing was ever kept in it.")
    if into not in (None, space) and not reembed:
        raise UsageError(
            f"The store to copy from has vectors of {space}, the other has {into}. Leave them "
            "behind with --reembed (in Python, reembed=True), to be made anew; or give one of "
            "the two the other's model first, with `bethink reembed`."
        )
    return space, into or space


def _check_apart(source: MemoryStore, target: MemoryStore, space: str) -> None:
    """Refuse a store that is the other one by another name: one layer of it would be enough."""
    now, name = utc_now(), uuid4().hex
    probes = [
        MemoryItem(
            id=f"{name}-{kind}",
            user_id=_PROBE,
            content="",
            created_at=now,
            kind=kind,
            expires_at=now + _PROBED,
        )
        for kind in ("semantic", "message")
    ]
    try:
        target.put(_PROBE, [Entry(probe) for probe in probes], space=space)
        if source.get(_PROBE, [probe.id for probe in probes]):
            raise _same()
    finally:
        target.clear(_PROBE)  # with what an earlier copy may have left that was killed just here


def _alike(one: Hits, other: Hits) -> bool:
    """Whether two searches found the same, but for which of the last had no room any more."""
    scores = [{hit.item.id: hit.score for hit in hits} for hits in (one, other)]
    least = min((*scores[0].values(), *scores[1].values()), default=0.0)
    sure = {id_ for found in scores for id_, score in found.items() if score > least + _NEAR}
    return all(
        abs(scores[0].get(id_, math.inf) - scores[1].get(id_, -math.inf)) < _NEAR for id_ in sure
    )


def _expired(row: Row, now: int) -> bool:
    return row.expires_at is not None and row.expires_at <= now


def _unused(item: MemoryItem) -> MemoryItem:
    return replace(item, access_count=0, last_accessed=None)


def _used_more(one: MemoryItem, other: MemoryItem) -> bool:
    """Whether a record has uses that another has not."""
    if one.last_accessed is None:
        return False
    return (
        one.access_count > other.access_count
        or other.last_accessed is None
        or one.last_accessed > other.last_accessed
    )


_NAMES = tuple(field.name for field in fields(MemoryItem))


def _plain(item: MemoryItem) -> list[object]:
    """A record as JSON values, the same whichever time zone its times are given in."""
    values = (getattr(item, name) for name in _NAMES)
    return [to_micros(value) if isinstance(value, datetime) else value for value in values]


def _digest(told: Sequence[object], blob: bytes = b"") -> bytes:
    text = json.dumps(told, sort_keys=True).encode()
    return hashlib.blake2b(text + blob, digest_size=16).digest()


def _same() -> UsageError:
    return UsageError("Both are the same store. Copy to another one.")


def _ahead(user_id: str, ids: Collection[str], why: str) -> Conflict:
    return Conflict(
        f"The store to copy to has records of {user_id} {why}, such as {min(ids)}. If they are of "
        "no use any more, as when they were copied before and then removed or made anew, pass "
        "--replace (in Python, replace=True)."
    )


def _unsettled(users: Collection[str]) -> StoreError:
    return StoreError(
        f"What both stores have of {min(users)} still differs after {_ROUNDS} rounds. If it is "
        "being written to, copy again with --follow; if not, look at both with `bethink check`."
    )
