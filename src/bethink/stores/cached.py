"""A Redis server in front of another store, so that a user is loaded without asking that store.

What is kept there is what a whole scan of a user answers: rows, without any text. It is as good
as the generation that it was read at, which the store behind is asked for each time. So it does
not matter who else writes there, nor whether the cache is lost, and a record itself, whose use
counts move no generation, is always read from the store.
"""

import json
import struct
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any

from bethink.errors import MissingExtra, UsageError
from bethink.forks import Forkable
from bethink.stores.base import Changes, Entry, MemoryStore, Row, Use
from bethink.types import MemoryItem

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ModuleNotFoundError as missing:
    if missing.name != "redis":
        raise
    raise MissingExtra("redis", "redis") from None

_VERSION = b"bethink cache 1\n"
_LOST = (redis.exceptions.RedisError, OSError)
_REST = 1.0  # seconds for which a cache that failed is left alone
_BEHIND = 64  # changes that are rather read again than written to the cache each time


class Cached(Forkable):
    """A store whose whole scans are answered by a cache where that is as good.

    Args:
        store: Where everything is kept. Every write goes there, and only there.
        cache: A Redis URL, or a client of the driver's (without ``decode_responses``). It may
            lose or throw away whatever it likes.
        name: What the store holds, such as "production": stores of the same name share what is
            cached. Choose another when data behind it are replaced, as by restoring a backup.
        seconds: For how long a user who is not asked for stays in the cache.
        timeout: How many seconds to wait for the cache before doing without it.
    """

    def __init__(
        self,
        store: MemoryStore,
        cache: Any,
        *,
        name: str,
        seconds: int = 86_400,
        timeout: float = 0.5,
    ) -> None:
        if not name:
            raise UsageError("name must say what the store holds, such as 'production'.")
        self._store = store
        self._name = name
        self._seconds = seconds
        self._resting_until = 0.0
        self._url = cache if isinstance(cache, str) else None
        self._timeout = timeout
        self._cache = cache
        self._after_fork_in_child()
        self._follow_forks()
        for ability in ("candidates", "check"):  # which only some stores have
            if hasattr(store, ability):
                setattr(self, ability, getattr(store, ability))

    def __repr__(self) -> str:
        return f"Cached({self._store!r}, name={self._name!r})"

    def scan(self, user_id: str, *, space: str, since: int = 0) -> Changes:
        if since:
            return self._store.scan(user_id, space=space, since=since)
        key = self._key(user_id, space)
        kept = _unpacked(self._ask("get", key))
        if kept is not None and self._store.generation(user_id) == kept.generation:
            return kept
        since = kept.generation if kept is not None else 0
        changes = self._store.scan(user_id, space=space, since=since)
        whole = _merged(kept, changes) if kept is not None and not changes.complete else changes
        if changes.complete or len(changes.rows) + len(changes.deleted) > _BEHIND:
            self._keep(user_id, space, whole)
        return whole

    def space(self) -> str | None:
        return self._store.space()

    def switch(self, old: str | None, new: str) -> None:
        self._store.switch(old, new)

    def put(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        space: str,
        if_version: Mapping[str, int] | None = None,
    ) -> None:
        self._store.put(user_id, entries, space=space, if_version=if_version)

    def attach(self, user_id: str, vectors: Mapping[str, tuple[int, bytes]], *, space: str) -> int:
        return self._store.attach(user_id, vectors, space=space)

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        return self._store.get(user_id, ids)

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        count = self._store.delete(user_id, ids)
        self._drop(user_id)
        return count

    def clear(self, user_id: str) -> int:
        """As the protocol says; a cache that cannot be reached forgets the user in its own time."""
        count = self._store.clear(user_id)
        self._drop(user_id)
        return count

    def touch(self, user_id: str, uses: Mapping[str, Use]) -> None:
        self._store.touch(user_id, uses)

    def sweep(self, now: datetime) -> int:
        return self._store.sweep(now)

    def generation(self, user_id: str) -> int:
        return self._store.generation(user_id)

    def users(self) -> list[str]:
        return self._store.users()

    def close(self) -> None:
        self._store.close()
        if self._url is not None:
            try:
                self._cache.close()
            except _LOST:
                return  # there was nothing left to close

    def _after_fork_in_child(self) -> None:
        # A thread of the parent may have held any lock of the old client: none of it is used.
        if self._url is not None:
            self._cache = _client(self._url, self._timeout)

    # --- the cache

    def _keep(self, user_id: str, space: str, changes: Changes) -> None:
        """Keep a whole scan, if it is still right and of the space in use.

        Vectors of another space may change while the generation stays.
        """
        now = self._store.space(), self._store.generation(user_id)
        if changes.generation and now == (space, changes.generation):
            self._ask("set", self._key(user_id, space), _packed(changes), ex=self._seconds)

    def _drop(self, user_id: str) -> None:
        space = self._store.space()
        if space is not None:
            self._ask("unlink", self._key(user_id, space))

    def _key(self, user_id: str, space: str) -> str:
        told = json.dumps([self._name, user_id, space]).encode()
        return f"bethink.cache:{blake2b(told, digest_size=16).hexdigest()}"

    def _ask(self, command: str, *args: Any, **options: Any) -> Any:
        """What the cache says; None, and for a moment no more questions, if it says nothing."""
        if time.monotonic() < self._resting_until:
            return None
        try:
            return getattr(self._cache, command)(*args, **options)
        except _LOST:
            self._resting_until = time.monotonic() + _REST
            return None


def _client(url: str, timeout: float) -> Any:
    try:
        pool = redis.BlockingConnectionPool.from_url(
            url,
            timeout=timeout,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            max_connections=16,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
    except ValueError:  # its text may hold a part of the password
        raise UsageError(
            "That is not the URL of a cache. Pass one such as redis://localhost:6379/0."
        ) from None
    return redis.Redis.from_pool(pool)


def _merged(kept: Changes, changes: Changes) -> Changes:
    """What was kept, with what has changed since."""
    rows = {row.id: row for row in kept.rows}
    rows.update((row.id, row) for row in changes.rows)
    for id_ in changes.deleted:
        rows.pop(id_, None)
    return Changes(changes.generation, list(rows.values()), complete=True)


def _packed(changes: Changes) -> bytes:
    """A whole scan in bytes: what JSON can say of it, and then all terms and vectors."""
    told = [[*row[:12], len(row.terms), len(row.vectors)] for row in changes.rows]
    head = json.dumps([changes.generation, told], ensure_ascii=False).encode()
    blobs = b"".join(blob for row in changes.rows for blob in (row.terms, row.vectors))
    body = struct.pack("<Q", len(head)) + head + blobs
    return _VERSION + blake2b(body, digest_size=16).digest() + body


def _unpacked(packed: Any) -> Changes | None:
    """The scan in bytes; None if they are not a whole one of ours."""
    start = len(_VERSION) + 16
    if not isinstance(packed, bytes) or not packed.startswith(_VERSION):
        return None
    body = packed[start:]
    if blake2b(body, digest_size=16).digest() != packed[len(_VERSION) : start]:
        return None
    end = 8 + struct.unpack_from("<Q", body)[0]
    generation, told = json.loads(body[8:end])
    rows = []
    for *fields, terms, vectors in told:
        middle, last = end + terms, end + terms + vectors
        rows.append(Row._make((*fields, body[end:middle], body[middle:last])))
        end = last
    return Changes(generation, rows, complete=True)
