"""What a server can find records with by itself: vector sets, or the query engine.

Both are told of records by commands that run in one script with the mark of how far the index
has got, and both are asked for more than is wanted, since they may be a little off.
"""

import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Protocol, TypeAlias

from bethink.errors import StoreError
from bethink.stores.base import Probe, Row
from bethink.stores.redis.keys import UserKeys
from bethink.stores.redis.plain import parts_of, terms_of
from bethink.stores.redis.server import Server

Command: TypeAlias = Sequence[Any]

_SPARE = 2  # times as many parts are asked for as records: one may have several
_LEAST = 500  # what a graph is searched for at least: fewer are found too carelessly
_PASSED_OVER = 1_000_000  # by a filter at most: a rare kind must be found all the same
_LOOKED = 20  # times as many holders of a term are looked at as are wanted


class Gone(Exception):
    """The index was dropped while it was asked."""


class Engine(Protocol):
    """An index that the server keeps."""

    name: str

    def start(self, space: str) -> None:
        """Make ready for a space."""

    def add(self, keys: UserKeys, space: str, row: Row) -> Iterator[Command]:
        """Commands that take a record in."""

    def remove(
        self, keys: UserKeys, space: str, id_: str, parts: int, terms: Sequence[int]
    ) -> Iterator[Command]:
        """Commands that take out what was taken in."""

    def nearest(self, keys: UserKeys, space: str, probe: Probe) -> list[str]:
        """The ids of the records that are nearest by vector, and maybe some more."""

    def counts(self, keys: UserKeys, space: str, terms: Sequence[int]) -> Mapping[int, int]:
        """How many records hold each term."""

    def holding(self, keys: UserKeys, space: str, term: int, probe: Probe) -> list[str]:
        """The ids of records that hold a term."""

    def reset(self) -> None:
        """Let go of what is kept for all users together."""


class Sets:
    """Vector sets, one for each user, and the terms in a sorted set beside it."""

    name = "sets"

    def __init__(self, server: Server) -> None:
        self._server = server

    def start(self, space: str) -> None:
        """Nothing to do: a set comes about with its first element."""

    def reset(self) -> None:
        """Nothing to do: each user has a set of their own."""

    def add(self, keys: UserKeys, space: str, row: Row) -> Iterator[Command]:
        told = json.dumps(
            {"k": row.kind, "a": mark(row.agent_id), "s": mark(row.session_id)},
            separators=(",", ":"),
        )
        for number, part in enumerate(parts_of(row, dimension(space)), 1):
            blob = part.astype("<f4").tobytes()
            name = f"{number}:{row.id}"
            yield "VADD", keys.vectors, "FP32", blob, name, "SETATTR", told
        for term in terms_of(row):
            yield "ZADD", keys.words, 0, _word(term) + row.id.encode()

    def remove(
        self,
        keys: UserKeys,
        space: str,  # noqa: ARG002 (the set is of the space in use)
        id_: str,
        parts: int,
        terms: Sequence[int],
    ) -> Iterator[Command]:
        for number in range(1, parts + 1):
            yield "VREM", keys.vectors, f"{number}:{id_}"
        for term in terms:
            yield "ZREM", keys.words, _word(term) + id_.encode()

    def nearest(self, keys: UserKeys, space: str, probe: Probe) -> list[str]:
        if len(probe.vector) != 4 * dimension(space):
            return []
        count = _SPARE * probe.limit
        kinds = ",".join(f'"{kind}"' for kind in probe.kinds)
        wanted = [f".k in [{kinds}]"]
        if probe.agent_id is not None:
            wanted.append(f'.a == "{mark(probe.agent_id)}"')
        if probe.session_id is not None:
            wanted.append(f'.s == "{mark(probe.session_id)}"')
        passed = ("FILTER", " and ".join(wanted), "FILTER-EF", _PASSED_OVER)
        options = ("EF", max(count, _LEAST), *passed)
        found = self._server.read(
            lambda client: client.execute_command(
                "VSIM", keys.vectors, "FP32", probe.vector, "COUNT", count, *options
            )
        )
        return _once(name.decode().partition(":")[2] for name in found)

    def counts(self, keys: UserKeys, space: str, terms: Sequence[int]) -> Mapping[int, int]:  # noqa: ARG002 (see above)
        def ask(client: Any) -> Any:
            pipe = client.pipeline(transaction=False)
            for term in terms:
                pipe.zlexcount(keys.words, *_range(term))
            return pipe.execute()

        return dict(zip(terms, self._server.read(ask), strict=True)) if terms else {}

    def holding(self, keys: UserKeys, space: str, term: int, probe: Probe) -> list[str]:  # noqa: ARG002 (see above)
        least, most = _range(term)
        found = self._server.read(
            lambda client: client.zrevrangebylex(
                keys.words, most, least, start=0, num=_LOOKED * probe.limit
            )
        )
        return [member[4:].decode() for member in found]


class Search:
    """The query engine: one index for each space, over a document for each part of a record."""

    name = "search"

    def __init__(self, server: Server, prefix: str) -> None:
        self._server = server
        self._prefix = f"{prefix}.seek."
        self._made: set[str] = set()

    def start(self, space: str) -> None:
        if space in self._made:
            return
        name = self._index(space)
        fields = (
            "u", "TAG", "k", "TAG", "a", "TAG", "s", "TAG", "t", "TAG",
            "v", "VECTOR", "HNSW", 6,
            "TYPE", "FLOAT32", "DIM", dimension(space), "DISTANCE_METRIC", "COSINE",
        )  # fmt: skip
        command = ("FT.CREATE", name, "ON", "HASH", "PREFIX", 1, f"{name}:", "SCHEMA", *fields)
        try:
            self._server.write(lambda client: client.execute_command(*command))
        except StoreError as error:
            if "already exists" not in str(error):
                raise
        self._made.add(space)

    def reset(self) -> None:
        """Drop the indexes; documents that are in none are quick to remove."""
        for name in (name.decode() for name in self._ask("FT._LIST")):
            if name.startswith(self._prefix):
                self._drop(name)
        self._made.clear()

    def _drop(self, name: str) -> None:
        try:
            self._server.write(lambda client: client.execute_command("FT.DROPINDEX", name))
        except StoreError as error:
            if not _no_such_index(error):  # another process was quicker
                raise

    def add(self, keys: UserKeys, space: str, row: Row) -> Iterator[Command]:
        terms = ",".join(f"{term:08x}" for term in terms_of(row))
        if not terms:  # it is not to be found by a search
            return
        yield "HSET", keys.index, "@docs", self._documents(keys, space)
        told = ("u", keys.tag, "k", row.kind, "a", mark(row.agent_id), "s", mark(row.session_id))
        parts = [part.astype("<f4").tobytes() for part in parts_of(row, dimension(space))]
        for number, blob in enumerate(parts or [b""], 1):
            key = f"{self._documents(keys, space)}{number}:{row.id}"
            words = ("t", terms) if number == 1 else ()
            yield "HSET", key, *told, *(("v", blob) if blob else ()), *words
            if row.expires_at is not None:
                yield "PEXPIREAT", key, max(-(-row.expires_at // 1000), 1)

    def remove(
        self,
        keys: UserKeys,
        space: str,
        id_: str,
        parts: int,
        terms: Sequence[int],  # noqa: ARG002 (they are in the documents)
    ) -> Iterator[Command]:
        for number in range(1, parts + 1):
            yield "UNLINK", f"{self._documents(keys, space)}{number}:{id_}"

    def nearest(self, keys: UserKeys, space: str, probe: Probe) -> list[str]:
        if len(probe.vector) != 4 * dimension(space):
            return []
        count = _SPARE * probe.limit
        query = f"({_about(keys, probe)})=>[KNN {count} @v $q AS d]"
        found = self._search(
            keys, space, query, count, "PARAMS", 2, "q", probe.vector, "SORTBY", "d"
        )
        return _once(found)

    def counts(self, keys: UserKeys, space: str, terms: Sequence[int]) -> Mapping[int, int]:
        def ask(client: Any) -> Any:
            pipe = client.pipeline(transaction=False)
            for term in terms:
                query = f"@u:{{{keys.tag}}} @t:{{{term:08x}}}"
                pipe.execute_command(*self._command(space, query, 0))
            return pipe.execute()

        found = self._asked(ask) if terms else []
        return {term: int(answer[0]) for term, answer in zip(terms, found, strict=True)}

    def holding(self, keys: UserKeys, space: str, term: int, probe: Probe) -> list[str]:
        query = f"{_about(keys, probe)} @t:{{{term:08x}}}"
        return self._search(keys, space, query, probe.limit)

    def _search(self, keys: UserKeys, space: str, query: str, limit: int, *more: Any) -> list[str]:
        start = len(self._documents(keys, space).encode())
        answer = self._ask(*self._command(space, query, limit), *more)
        return [name[start:].decode().partition(":")[2] for name in answer[1:]]

    def _command(self, space: str, query: str, limit: int) -> Command:
        return (
            "FT.SEARCH", self._index(space), query, "NOCONTENT", "DIALECT", 2, "LIMIT", 0, limit,
        )  # fmt: skip

    def _ask(self, *command: Any) -> Any:
        return self._asked(lambda client: client.execute_command(*command))

    def _asked(self, call: Callable[[Any], Any]) -> Any:
        try:
            return self._server.read(call)
        except StoreError as error:
            if _no_such_index(error):  # another process has dropped it
                self._made.clear()
                raise Gone from error
            raise

    def _index(self, space: str) -> str:
        return f"{self._prefix}{mark(space)}"

    def _documents(self, keys: UserKeys, space: str) -> str:
        return f"{self._index(space)}:{{{keys.tag}}}:"


def engine_of(server: Server, prefix: str, wanted: str | None) -> Engine | None:
    """The engine that is wanted, or the best that the server has; None to look at every record."""
    if wanted == "none":
        return None
    there = server.modules()
    if server.cluster:  # where the query engine finds only what one node has
        there.discard("search")
    makers: dict[str, tuple[str, Callable[[], Engine]]] = {
        "search": ("search", lambda: Search(server, prefix)),
        "sets": ("vectorset", lambda: Sets(server)),
    }
    for name, (module, make) in makers.items():
        if wanted in (None, name) and module in there:
            return make()
    if wanted is not None:
        raise StoreError(
            f"{server.address} has no {'query engine' if wanted == 'search' else 'vector sets'}. "
            "Use a server that does (Redis 8), or leave engine out."
        )
    return None


def _no_such_index(error: StoreError) -> bool:
    said = str(error).lower()
    return "no such index" in said or "unknown index" in said


def dimension(space: str) -> int:
    return int(space.rpartition("/")[2])


def mark(name: str | None) -> str:
    """A name as a word of hexadecimal digits, so that no sign in it can mean anything."""
    return "none" if name is None else blake2b(name.encode(), digest_size=8).hexdigest()


def _about(keys: UserKeys, probe: Probe) -> str:
    query = f"@u:{{{keys.tag}}} @k:{{{'|'.join(probe.kinds)}}}"
    if probe.agent_id is not None:
        query += f" @a:{{{mark(probe.agent_id)}}}"
    if probe.session_id is not None:
        query += f" @s:{{{mark(probe.session_id)}}}"
    return query


def _word(term: int) -> bytes:
    return struct.pack(">I", term)


def _range(term: int) -> tuple[bytes, bytes]:
    """The members of the sorted set of terms that begin with this one."""
    return b"[" + _word(term), b"+" if term == 0xFFFFFFFF else b"(" + _word(term + 1)


def _once(names: Any) -> list[str]:
    return list(dict.fromkeys(names))
