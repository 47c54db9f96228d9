"""The store protocol in Redis."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Literal

from bethink.errors import Conflict, StoreError, StoreUnavailable, UsageError
from bethink.stores.base import Changes, Entry, Probe, Row, Use
from bethink.stores.redis import scripts
from bethink.stores.redis.codec import millis, read_item, read_row, read_rows, written
from bethink.stores.redis.engines import dimension, engine_of
from bethink.stores.redis.index import Index
from bethink.stores.redis.keys import UserKeys, store_keys, user_keys
from bethink.stores.redis.plain import Look
from bethink.stores.redis.server import Server
from bethink.times import to_micros
from bethink.types import MemoryItem

_SCHEMA = 1
_ROOM = 1 << 53  # for changes of one user number; a generation is number * _ROOM + change
_PAGE = 1000  # records that one script reads: nobody else is served meanwhile
_BATCH = 1000  # commands that are sent at once
_TRIES = 20  # of a call that others keep getting in the way of


class RedisStore:
    """Keeps records in a Redis server or cluster. Threads, processes and machines may share it.

    What a call has returned from survives what the server's own persistence survives. Records
    that expire are dropped by the server itself.

    Args:
        url: ``redis://``, ``rediss://`` (with TLS), ``redis+cluster://`` or
            ``rediss+cluster://``, with user name and password, port and database as usual.
        prefix: What its keys begin with: stores with different ones may share a server.
        timeout: How many seconds to wait for a connection or an answer.
        connections: How many calls may be under way at once, and so how many connections there
            are at most, to each node of a cluster.
        allow_eviction: Take a server that throws data away when it is full.
        replicas: How many replicas must have a write before the call returns.
        engine: What finds candidates: "search" for the query engine, "sets" for vector sets,
            "none" to look at every record; the best that the server has, if not given.
    """

    def __init__(
        self,
        url: str,
        *,
        prefix: str = "bethink",
        timeout: float = 5.0,
        connections: int = 32,
        allow_eviction: bool = False,
        replicas: int = 0,
        engine: Literal["search", "sets", "none"] | None = None,
    ) -> None:
        if not prefix or set(prefix) & set("{}"):
            raise UsageError("prefix must be a text without braces, such as 'bethink'.")
        self._prefix = prefix
        self._store = store_keys(prefix)
        self._server = Server(url, timeout=timeout, connections=connections, replicas=replicas)
        try:
            self._prepare(allow_eviction=allow_eviction)
            found = engine_of(self._server, prefix, engine)
            self._index = Index(self._server, found) if found is not None else None
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"RedisStore({self._server.address!r}, prefix={self._prefix!r})"

    def space(self) -> str | None:
        return self._space()[0]

    def switch(self, old: str | None, new: str) -> None:
        """As the protocol says, user by user: no two of them need lie on one node.

        1. The store's own mark changes over, if `old` or `new` is in use, and gets a new epoch.
        2. Then each user's: vectors of other spaces go, and the generation moves.

        If it ends in between, `space` answers `new` already. A user who was not reached is
        changed over by the next write in `new`, or by calling `switch` again; until then, vectors
        that a late writer adds to the old space are seen by nobody who reads the new one. An
        earlier switch that is still under way cannot undo a later one: its epoch is lower.
        """
        fits, told = self._server.run(scripts.SWITCH, self._store, old or "", new)
        if not fits:
            raise Conflict(f"The vector space in use is {_text(told)}, not {old}.")
        if self._index is not None:
            self._index.engine.reset()
        for user_id in self._registered():
            self._move(user_keys(self._prefix, user_id), new, int(told))

    def put(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        space: str,
        if_version: Mapping[str, int] | None = None,
    ) -> None:
        keys = user_keys(self._prefix, user_id)
        expected = if_version or {}
        told: list[Any] = [len(expected), len(entries)]
        told += (part for pair in expected.items() for part in pair)
        told += (part for entry in entries for part in written(entry))
        place: tuple[str, str] = ("", "")
        for _ in range(_TRIES):
            answer = self._run(scripts.PUT, keys, space, *place, *told)
            if answer[0] == b"done":
                return
            if answer[0] == b"version":
                id_, there = answer[1].decode(), int(answer[2])
                raise Conflict(f"Memory {id_} is at version {there}, not {expected[id_]}.")
            if answer[0] == b"space":
                self._move_if_behind(keys, space)
            else:
                place = self._enter(user_id, space, register=bool(entries))
        raise _crowded()

    def attach(self, user_id: str, vectors: Mapping[str, tuple[int, bytes]], *, space: str) -> int:
        keys = user_keys(self._prefix, user_id)
        told = [part for id_, (version, blob) in vectors.items() for part in (id_, version, blob)]
        sure = 0
        for _ in range(_TRIES):
            answer = self._run(scripts.ATTACH, keys, space, sure, *told)
            if answer[0] == b"done":
                return int(answer[1])
            # It is not the space that this user is in. Is that because it is not in use?
            in_use, epoch = self._space()
            if in_use == space:
                self._move(keys, space, epoch)
            sure = int(in_use != space)
        raise _crowded()

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        found = self._run(scripts.GET, user_keys(self._prefix, user_id), *ids) if ids else []
        items = (read_item(user_id, id_, fields) for id_, fields in zip(ids, found, strict=True))
        return [item for item in items if item is not None]

    def scan(self, user_id: str, *, space: str, since: int = 0) -> Changes:
        keys = user_keys(self._prefix, user_id)
        number, after = divmod(since, _ROOM)
        changes = self._changes(keys, space, str(number), after) if number else None
        for _ in range(_TRIES):
            if changes is not None:
                return changes
            changes = self._changes(keys, space, "", 0)
        raise _crowded()

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        named = list(dict.fromkeys(ids))
        keys = user_keys(self._prefix, user_id)
        return int(self._run(scripts.DELETE, keys, *named)) if named else 0

    def clear(self, user_id: str) -> int:
        number = self._server.read(lambda client: client.hget(self._store[1], user_id)) or b"0"
        return self._forget(user_id, number)

    def touch(self, user_id: str, uses: Mapping[str, Use]) -> None:
        told = [part for id_, use in uses.items() for part in (id_, use.count, to_micros(use.last))]
        self._run(scripts.TOUCH, user_keys(self._prefix, user_id), *told)

    def sweep(self, now: datetime) -> int:
        """As the protocol says. What the server had dropped by itself is not counted."""
        ms, us = millis(now)
        users = self._registered()
        keys = {user_id: user_keys(self._prefix, user_id) for user_id in users}
        there = self._each(users, lambda pipe, user: pipe.exists(keys[user].meta))
        due = self._each(users, lambda pipe, user: pipe.zcount(keys[user].expiring, "-inf", ms))
        for user_id in (user for user in users if not there[user]):
            # A call to clear or to put ended half-way: only the name is left.
            self._forget(user_id, users[user_id])
        return sum(
            int(self._run(scripts.SWEEP, keys[user_id], ms, us))
            for user_id in users
            if due[user_id]
        )

    def generation(self, user_id: str) -> int:
        meta = user_keys(self._prefix, user_id).meta
        number, change = self._server.read(lambda client: client.hmget(meta, "number", "change"))
        return 0 if change is None else int(number) * _ROOM + int(change)

    def users(self) -> list[str]:
        names = self._registered()
        counts = self._each(
            names, lambda pipe, name: pipe.zcard(user_keys(self._prefix, name).changes)
        )
        return sorted(name for name in names if counts[name])

    def candidates(self, user_id: str, probe: Probe, *, space: str) -> list[Row]:
        """As the protocol says.

        The server's index of a user is begun when this is first asked, and brought up to date
        at each later call, for half a second at most. Until it is whole, or where there is none,
        every record is looked at: slower, and as right.
        """
        keys = user_keys(self._prefix, user_id)
        if self._index is not None:
            found = self._index.candidates(keys, probe, space)
            if found is not None:
                return found
        ids = self._look(keys, probe, space)
        return read_rows(self._run(scripts.ROWS, keys, space, *ids)) if ids else []

    def index(self, user_id: str) -> None:
        """Make the index that a user's candidates come from now, however long it takes."""
        space = self.space()
        if self._index is not None and space is not None:
            while not self._index.catch_up(user_keys(self._prefix, user_id), space, 60):
                continue

    def check(self) -> list[str]:
        """What is wrong with the marks beside the records, in sentences."""
        said = (
            "Records newer than the newest change",
            "Records with a tombstone",
            "Expiry times of no record",
            "Users whose changes are all off the record",
        )
        total = [0] * len(said)
        for user_id in self._registered():
            found = self._run(scripts.CHECK, user_keys(self._prefix, user_id))
            total = [a + b for a, b in zip(total, found, strict=True)]
        return [f"{what}: {count}." for what, count in zip(said, total, strict=True) if count]

    def close(self) -> None:
        self._server.close()

    # --- the parts

    def _prepare(self, *, allow_eviction: bool) -> None:
        """Refuse a server that would lose memories or that a newer Bethink has written to."""
        address = self._server.address
        for info in self._infos():
            if info.get("redis_mode") == "cluster" and not self._server.cluster:
                raise UsageError(
                    f"{address} is a part of a cluster. Pass its URL as redis+cluster://…"
                )
            policy = info.get("maxmemory_policy", "noeviction")
            if policy != "noeviction" and not allow_eviction:
                raise StoreError(
                    f"{address} throws data away when its memory is full (maxmemory-policy is "
                    f"{policy}), and with it memories. Set it to noeviction, or pass "
                    "allow_eviction=True if they may be lost."
                )
        meta = self._store[0]
        self._server.write(lambda client: client.hsetnx(meta, "schema", _SCHEMA))
        schema = int(self._server.read(lambda client: client.hget(meta, "schema")))
        if schema > _SCHEMA:
            raise StoreError(
                f"{address} was written by a newer Bethink (schema {schema}; this one knows "
                f"{_SCHEMA}). Upgrade: pip install --upgrade bethink"
            )

    def _infos(self) -> list[Mapping[str, Any]]:
        """What each node says of itself."""
        if not self._server.cluster:
            return [self._server.read(lambda client: client.info())]
        found = self._server.read(lambda client: client.info(target_nodes="primaries"))
        return [found] if "redis_mode" in found else list(found.values())

    def _run(self, script: scripts.Script, keys: UserKeys, *args: Any) -> Any:
        return self._server.run(script, keys.own, keys.records, *args)

    def _space(self) -> tuple[str | None, int]:
        """The space in use, and the number of the switch to it."""
        meta = self._store[0]
        space, epoch = self._server.read(lambda client: client.hmget(meta, "space", "epoch"))
        return _text(space), int(epoch or 0)

    def _move(self, keys: UserKeys, space: str, epoch: int) -> None:
        self._run(scripts.MOVE, keys, space, epoch)

    def _move_if_behind(self, keys: UserKeys, space: str) -> None:
        """Finish for one user what a switch has begun, if that is what is in the way."""
        in_use, epoch = self._space()
        if in_use != space:
            raise Conflict(f"The vector space in use is {in_use}, not {space}.")
        self._move(keys, space, epoch)

    def _enter(self, user_id: str, space: str, *, register: bool) -> tuple[str, str]:
        """A new user's number and epoch.

        The name is kept before the first record is, so that no switch passes the user over.
        """
        if not register:
            in_use, epoch = self._space()
            if in_use != space:
                raise Conflict(f"The vector space in use is {in_use}, not {space}.")
            return "0", str(epoch)
        fits, *told = self._server.run(scripts.ENTER, self._store, user_id, space)
        if not fits:
            raise Conflict(f"The vector space in use is {_text(told[0])}, not {space}.")
        return told[0].decode(), told[1].decode()

    def _forget(self, user_id: str, number: bytes) -> int:
        """Remove a user, and then the name unless the user came back meanwhile."""
        keys = user_keys(self._prefix, user_id)
        if self._index is not None:
            self._index.shed(keys)
        count, last = self._run(scripts.CLEAR, keys, number)
        self._server.run(scripts.LEAVE, self._store, user_id, last)
        return int(count)

    def _registered(self) -> dict[str, bytes]:
        """Every user that may have records, with the newest number given out."""
        found = self._server.read(lambda client: client.hgetall(self._store[1]))
        return {name.decode(): number for name, number in found.items()}

    def _each(self, users: Iterable[str], command: Callable[[Any, str], object]) -> dict[str, Any]:
        """What a reading command answers for each user."""
        answers: dict[str, Any] = {}
        for some in _batches(users):

            def ask(client: Any, some: Sequence[str] = some) -> Any:
                pipe = client.pipeline(transaction=False)
                for user_id in some:
                    command(pipe, user_id)
                return pipe.execute()

            answers.update(zip(some, self._server.read(ask), strict=True))
        return answers

    def _changes(self, keys: UserKeys, space: str, number: str, since: int) -> Changes | None:
        """What changed after a change; None where that is not on record."""
        rows: dict[str, Row] = {}
        page: Any = None
        for page in self._pages(keys, space, number, since):
            if page is None:
                return None
            rows.update((row.id, row) for row in (read_row(*fields) for fields in page[5]))
        if page is None:
            return Changes(0, [], complete=True)
        gone = [id_.decode() for id_ in page[6]]
        for id_ in gone:
            rows.pop(id_, None)
        complete = not number
        generation = int(page[0]) * _ROOM + int(page[1])
        return Changes(generation, list(rows.values()), [] if complete else gone, complete)

    def _look(self, keys: UserKeys, probe: Probe, space: str) -> list[str]:
        """The ids that a look at every record proposes."""
        for _ in range(_TRIES):
            found = Look(probe, dimension(space))
            for page in self._pages(keys, space):
                if page is None:
                    break
                found.at(read_row(*fields) for fields in page[5])
            else:
                return found.found()
        raise _crowded()

    def _pages(
        self, keys: UserKeys, space: str, number: str = "", since: int = 0
    ) -> Iterator[Sequence[Any] | None]:
        """What changed after a change, or everything; None where that is not on record.

        Pages go in the order of changes. What is changed again while they are being read comes
        again in a later one, and the last is read together with the deletions: so the whole is
        what was there at the moment of the last page.
        """
        cursor: Any = since
        base: Any = since
        while True:
            page = self._run(scripts.PAGE, keys, space, number, cursor, base, _PAGE)
            if len(page) == 2:  # there is no such user, or not any more
                if number:
                    yield None
                return
            yield page if page[2] else None
            number, base, cursor = page[0], page[3], page[4]
            if page[6] is not None:
                return


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


def _batches(users: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(users)
    while some := list(islice(iterator, _BATCH)):
        yield some


def _crowded() -> StoreUnavailable:
    return StoreUnavailable("Others kept changing the store under this call. Try again.")
