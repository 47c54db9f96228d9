"""One collection of a Qdrant: opened by its URL, called under locks, its errors in sentences."""

import math
import os
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit
from zlib import crc32

from qdrant_client import QdrantClient, models

from bethink.errors import StoreError, StoreUnavailable, UsageError
from bethink.forks import Forkable
from bethink.stores.qdrant.failures import DRIVER_ERRORS, translated

Payload: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["insert_only", "update_only", "upsert"]

TERMS = "terms"
"""The name of the sparse vector."""
_OLDEST = (1, 18)
"""The first server that adds a vector to a collection; older ones ignore conditions of writes."""
_PAGE = 1000
_BATCH = 500
_REQUEST = 8_000_000
"""Characters of payload in one request; a server takes 32 MB unless it is told otherwise."""
_LOCKS = 64
_SCHEMAS: Mapping[str, Any] = {
    "user": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    **dict.fromkeys(
        ("sort", "kind", "session", "agent", "earlier_of", "txn"), models.PayloadSchemaType.KEYWORD
    ),
    **dict.fromkeys(
        ("changed", "expires", "epoch", "stamp", "count", "graves"),
        models.PayloadSchemaType.INTEGER,
    ),
    **dict.fromkeys(("current", "open"), models.PayloadSchemaType.BOOL),
}
"""All that points are asked for by: a strict server refuses to look for anything else."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a collection is made and called."""

    collection: str = "bethink"
    api_key: str | None = field(default=None, repr=False)
    grpc: bool = False
    grpc_port: int = 6334
    timeout: float = 10.0
    distance: Literal["cosine", "dot"] = "cosine"
    shard_key: str | None = None
    shard_number: int | None = None
    replication_factor: int | None = None
    write_consistency_factor: int | None = None
    read_consistency: int | Literal["majority", "quorum", "all"] | None = None


class Engine(Forkable):
    """A collection, and the client that it is reached by. Threads may share it."""

    def __init__(self, url: str, options: Options) -> None:
        self.where, self.options = _shown(url), options
        self.local = _local(url)
        self._url = url
        self._closed = False
        self._forked = False
        self._begin()
        self.client = self._connect()
        try:
            self._prepare()
        except BaseException:
            self.client.close()
            raise
        self._follow_forks()

    def lock(self, name: str) -> AbstractContextManager[object]:
        """What threads that change the same thing wait for. Names share locks."""
        return self._locks[crc32(name.encode()) % _LOCKS]

    def close(self) -> None:
        with self._calling:
            self._closed = True
            if not self._forked:
                self.client.close()

    # --- reading

    def retrieve(
        self, ids: Sequence[str], fields: Sequence[str] | None = None
    ) -> dict[str, Payload]:
        """The payloads of points, by id."""
        found: dict[str, Payload] = {}
        for first in range(0, len(ids), _PAGE):
            records = self._read(
                "retrieve",
                ids=list(ids[first : first + _PAGE]),
                with_payload=True if fields is None else list(fields),
            )
            found.update((str(record.id), record.payload or {}) for record in records)
        return found

    def scroll(
        self, where: models.Filter, fields: Sequence[str] | None = None
    ) -> Iterator[Payload]:
        """The payloads of all points that fit."""
        offset = None
        while True:
            records, offset = self._read(
                "scroll",
                scroll_filter=where,
                limit=_PAGE,
                offset=offset,
                with_payload=True if fields is None else list(fields),
            )
            yield from (record.payload or {} for record in records)
            if offset is None:
                return

    def nearest(
        self, query: Any, *, using: str, where: models.Filter, limit: int
    ) -> Iterator[Payload]:
        """The payloads of the points that are nearest by one of their vectors."""
        found = self._read(
            "query_points", query=query, using=using, query_filter=where, limit=limit
        )
        yield from (point.payload or {} for point in found.points)

    # --- writing

    def write(
        self, points: Sequence[models.PointStruct], *, only_if: models.Filter | None, mode: Mode
    ) -> None:
        """Write points through the leader, so that of two writers one is first everywhere."""
        self._write(
            "upsert",
            points=list(points),
            update_filter=only_if,
            update_mode=models.UpdateMode(mode),
            ordering=models.WriteOrdering.STRONG,
            shard_key_selector=self.options.shard_key,
        )

    def write_all(self, points: Sequence[models.PointStruct], *, only_if: models.Filter) -> None:
        """Write any number of points, those that are there only if they fit."""
        for some in _batches(points):
            self._write(
                "upsert",
                points=some,
                update_filter=only_if,
                shard_key_selector=self.options.shard_key,
            )

    def forget(self, keys: Sequence[str], where: models.Filter) -> None:
        """Take keys out of the payloads of all points that fit."""
        self._write(
            "delete_payload",
            keys=list(keys),
            points=where,
            shard_key_selector=self.options.shard_key,
        )

    def delete(self, where: Sequence[str] | models.Filter) -> None:
        """Remove points by id, or all that fit."""
        selector: Any = where
        if not isinstance(where, models.Filter):
            selector = models.PointIdsList(points=list(where))
        self._write("delete", points_selector=selector, shard_key_selector=self.options.shard_key)

    def add_vector(self, name: str, dimension: int) -> None:
        """Let points have a dense vector of this name; nothing happens if they may already."""
        distance = models.Distance[self.options.distance.upper()]
        config = models.DenseVectorConfig(size=dimension, distance=distance)
        self._write(
            "create_vector_name",
            vector_name=name,
            vector_name_config=models.DenseVectorNameConfig(dense=config),
        )

    def drop_vector(self, name: str) -> None:
        self._write("delete_vector_name", vector_name=name)

    # --- calling

    def _read(self, method: str, **arguments: Any) -> Any:
        return self._call(
            method,
            collection_name=self.options.collection,
            consistency=self.options.read_consistency,
            shard_key_selector=self.options.shard_key,
            **arguments,
        )

    def _write(self, method: str, **arguments: Any) -> None:
        result = self._call(method, collection_name=self.options.collection, **arguments)
        if result.status != models.UpdateStatus.COMPLETED:
            raise StoreUnavailable(
                f"{self.where} has not finished a write in time. Try again, or give it longer."
            )

    def _call(self, method: str, **arguments: Any) -> Any:
        with self._calling:
            if self._closed:
                raise UsageError("This memory is closed. Open it again to use it.")
            if self._forked:
                raise UsageError(
                    f"{self.where} was opened before a fork. A directory of local mode belongs "
                    "to one process: open it after forking, or use a server."
                )
            try:
                return getattr(self.client, method)(**arguments)
            except DRIVER_ERRORS as error:
                failure = translated(error, self.where, self.options.api_key)
            raise failure  # out here, where the client's own error does not come along

    # --- opening

    def _begin(self) -> None:
        self._locks = [threading.RLock() for _ in range(_LOCKS)]
        # Local mode is plain Python that no two threads may be in at once.
        self._calling: AbstractContextManager[object] = (
            threading.RLock() if self.local is not None else nullcontext()
        )

    def _connect(self) -> QdrantClient:
        options = self.options
        try:
            if self.local == ":memory:":
                return QdrantClient(":memory:")
            if self.local is not None:
                return QdrantClient(path=self.local, force_disable_check_same_thread=True)
            with warnings.catch_warnings():
                if urlsplit(self._url).hostname in ("localhost", "127.0.0.1", "::1"):
                    warnings.filterwarnings("ignore", "Api key is used with an insecure")
                return QdrantClient(
                    url=_address(self._url),
                    api_key=options.api_key,
                    prefer_grpc=options.grpc,
                    grpc_port=options.grpc_port,
                    timeout=max(1, math.ceil(options.timeout)),
                    check_compatibility=False,  # it would warn from a thread; see _check_version
                )
        except DRIVER_ERRORS as error:
            failure = translated(error, self.where, options.api_key)
        raise failure

    def _prepare(self) -> None:
        """Make the collection and its indexes, unless they are there."""
        if self.local is None:
            self._check_version()
        name = self.options.collection
        if not self._call("collection_exists", collection_name=name):
            try:
                self._create(name)
            except StoreError:
                # Another process may have been quicker.
                if not self._call("collection_exists", collection_name=name):
                    raise
        known = self._call("get_collection", collection_name=name)
        if TERMS not in (known.config.params.sparse_vectors or {}):
            raise StoreError(
                f"{self.where} has a collection {name}, but it is not one of Bethink's. "
                "Choose another name."
            )
        if self.local is None:  # where indexes have no effect, and it warns of them
            self._index(name, [key for key in _SCHEMAS if key not in known.payload_schema])

    def _check_version(self) -> None:
        version = str(self._call("info").version)
        numbers = version.split(".")[:2]
        if all(map(str.isdecimal, numbers)) and tuple(map(int, numbers)) < _OLDEST:
            raise StoreError(
                f"{self.where} is Qdrant {version}, which cannot write on a condition. "
                f"Use {_OLDEST[0]}.{_OLDEST[1]} or later."
            )

    def _create(self, name: str) -> None:
        options = self.options
        terms = models.SparseVectorParams(modifier=models.Modifier.IDF)
        self._call(
            "create_collection",
            collection_name=name,
            vectors_config={},
            sparse_vectors_config={TERMS: terms},
            shard_number=options.shard_number,
            sharding_method=models.ShardingMethod.CUSTOM if options.shard_key else None,
            replication_factor=options.replication_factor,
            write_consistency_factor=options.write_consistency_factor,
        )
        if options.shard_key and self.local is None:
            self._call(
                "create_shard_key",
                collection_name=name,
                shard_key=options.shard_key,
                shards_number=options.shard_number,
                replication_factor=options.replication_factor,
            )

    def _index(self, name: str, keys: Sequence[str]) -> None:
        for key in keys:
            self._call(
                "create_payload_index",
                collection_name=name,
                field_name=key,
                field_schema=_SCHEMAS[key],
            )

    # --- forking

    def _before_fork(self) -> None:
        self._calling.__enter__()

    def _after_fork_in_parent(self) -> None:
        self._calling.__exit__(None, None, None)

    def _after_fork_in_child(self) -> None:
        self._begin()
        if self.local is None:
            if not self._closed:
                self._inherited = self.client  # not let go of: its connections are the parent's
                self.client = self._connect()
        elif self.local != ":memory:":
            self._forked = True


_engines: dict[tuple[str, str], tuple[Engine, int]] = {}
"""Directories open in this process, which only one client may be; and by how many stores."""
_opening = threading.Lock()


def open_engine(url: str, options: Options) -> Engine:
    """The engine for a URL: one for all stores in the same directory, else one of its own."""
    directory = _local(url)
    if directory in (None, ":memory:"):
        return Engine(url, options)
    key = (os.path.realpath(str(directory)), options.collection)
    with _opening:
        engine, count = _engines.get(key, (None, 0))
        if engine is None or engine._forked:  # noqa: SLF001 (of this module)
            engine, count = Engine(url, options), 0
        _engines[key] = (engine, count + 1)
        return engine


def close_engine(engine: Engine) -> None:
    """Let go of an engine; the last to do so closes it."""
    with _opening:
        for key, (known, count) in _engines.items():
            if known is engine and count > 1:
                _engines[key] = (engine, count - 1)
                return
            if known is engine:
                del _engines[key]
                break
        engine.close()


def _batches(points: Sequence[models.PointStruct]) -> Iterator[list[models.PointStruct]]:
    """Points in as many parts as requests are needed for."""
    some: list[models.PointStruct] = []
    size = 0
    for point in points:
        weight = sum(len(v) for v in (point.payload or {}).values() if isinstance(v, str))
        if some and (len(some) == _BATCH or size + weight > _REQUEST):
            yield some
            some, size = [], 0
        some.append(point)
        size += weight
    if some:
        yield some


def _local(url: str) -> str | None:
    """The directory that a URL means, or :memory:; None if it means a server."""
    scheme, _, rest = url.partition("://")
    if scheme != "qdrant":
        return None
    if rest == ":memory:":
        return rest
    if rest.startswith("/"):
        return os.path.expanduser(rest.removeprefix("/"))  # noqa: PTH111 (no Path is wanted)
    return None


def _address(url: str) -> str:
    """What the client calls the server that a URL means."""
    scheme, _, rest = url.partition("://")
    return f"{'https' if scheme == 'qdrant+https' else 'http'}://{rest}"


def _shown(url: str) -> str:
    """A URL as it may be shown, which is one that holds no secret."""
    if _local(url) is not None:
        return url
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host:
        raise UsageError("The URL names no server. Pass one such as qdrant://localhost:6333.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            "The URL of a Qdrant holds a host, a port and perhaps a path. Pass everything else, "
            "and the key above all, as an option."
        )
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{parts.path}"
