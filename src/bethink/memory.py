"""The front door: what an agent remembers, by user."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Any, Self, Unpack

from bethink import portable, validate
from bethink.entries import check_vector, embed_query, make_entries
from bethink.errors import Conflict, NotFound, UsageError
from bethink.forks import Forkable
from bethink.index.cache import IndexCache
from bethink.index.user import Selection
from bethink.models.base import Embedder, Vectors, model_in, space_of
from bethink.models.function import as_embedder
from bethink.recall.fuse import search
from bethink.records import check_changes, make_item
from bethink.stores.base import Entry, MemoryStore, Use
from bethink.stores.url import open_store
from bethink.system import AgentMemorySystem
from bethink.text import hashed, pack, query_terms
from bethink.times import Clock, as_utc, utc_now
from bethink.types import (
    KNOWN,
    REVISION,
    SEARCHED,
    Changed,
    Fields,
    Hit,
    Kind,
    MemoryItem,
    head_id,
    revision_id,
)
from bethink.uses import UseCounts

_TRIES = 20  # of an update that others keep overtaking


class Memory(Forkable):
    """What an agent remembers about its users, in one place.

    Safe to share between threads; any number of processes may open the same file.

    Args:
        store: A file name, a URL, or a store object. The default lives and dies with this object.
        embedder: What turns text into vectors. The default runs on this machine and needs no
            key; any function from a list of texts to a list of vectors, sync or async, will do.
        durable: Flush each write to the disk, so that it survives a power cut as well.
        index_bytes: How much memory the indexes of users in use may take together.
        clock: What time it is. Tests pass their own.
    """

    def __init__(
        self,
        store: str | os.PathLike[str] | MemoryStore = ":memory:",
        *,
        embedder: Embedder | Callable[[list[str]], Any] | None = None,
        durable: bool = False,
        index_bytes: int = 512 * 1024 * 1024,
        clock: Clock = utc_now,
    ) -> None:
        if not isinstance(index_bytes, int) or index_bytes < 0:
            raise UsageError(f"index_bytes must be a number of bytes, not {index_bytes!r}.")
        self.embedder = as_embedder(embedder)
        self.store = _store(store, self.embedder, durable=durable)
        self._clock: Clock = lambda: as_utc(clock(), name="The clock's time")
        self._index_bytes = index_bytes
        self._closed = False
        self._after_fork_in_child()
        self._follow_forks()

    def _after_fork_in_child(self) -> None:
        """Begin with locks that nobody holds, and leave the parent's use counts to the parent."""
        self._uses = UseCounts(self.store)
        self._lock = threading.Lock()
        self._opened: _Opened | None = None

    # --- keeping

    def add(self, content: str, *, user_id: str, **fields: Unpack[Fields]) -> MemoryItem:
        """Keep exactly this.

        Args:
            content: The text, up to 100,000 characters.
            user_id: Whose memory it is.
            **fields: `importance` (0 to 1), `metadata` (JSON), `expires_in` or `expires_at`,
                `agent_id`, `session_id`, `speaker`, `kind`, `created_at`, `valid_from`,
                `valid_to`, and `embedding` for a vector of your own.
        """
        return self.add_many([content], user_id=user_id, **fields)[0]

    def add_many(
        self, items: Iterable[str | Mapping[str, Any]], *, user_id: str, **fields: Unpack[Fields]
    ) -> list[MemoryItem]:
        """Keep all of these, or, if one of them is wrong, none.

        Each item is a text, or a dictionary with `content` and any of the fields of `add`. The
        keywords hold for every item that does not say otherwise. Embedded in one batch, this is
        several times as fast as adding one by one.
        """
        user_id = validate.check_user(user_id)
        listed = validate.check_many(items, name="items")
        now = self._clock()
        space, dimension = self._open().space, self.embedder.dimension
        made = [make_item(item, fields, user_id, now, dimension) for item in listed]
        kept = [item for item, _ in made]
        entries = make_entries(kept, self.embedder, [vector for _, vector in made])
        self.store.put(user_id, entries, space=space)
        return kept

    def update(
        self,
        item_id: str,
        *,
        user_id: str,
        if_version: int | None = None,
        **changed: Unpack[Changed],
    ) -> MemoryItem:
        """Change one memory and keep what it was in its history.

        `metadata` replaces the whole of it. Two updates at once both take effect; with
        `if_version` this one raises `Conflict` instead if the memory is no longer at it.
        """
        user_id = validate.check_user(user_id)
        now = self._clock()
        values = check_changes(changed, now)
        for tries_left in reversed(range(_TRIES)):
            item = self._require(item_id, user_id)
            if if_version not in (None, item.version):
                raise Conflict(f"Memory {item_id} is at version {item.version}, not {if_version}.")
            new = replace(item, **values, updated_at=now, version=item.version + 1)
            try:
                self._replace(item, new)
            except Conflict:
                again = self._require(item_id, user_id)
                if again.version == item.version or not tries_left:
                    raise  # it was not that someone else was quicker
            else:
                break
        return new

    def _replace(self, item: MemoryItem, new: MemoryItem) -> None:
        """Put a record's new state in place of the one it has, and that one into its history."""
        before = Entry(replace(item, id=revision_id(item.id, item.version), superseded_by=item.id))
        if new.text == item.text:
            entry = Entry(new, pack(new.text), vectors=None)
        else:
            [entry] = make_entries([new], self.embedder)
        self.store.put(
            item.user_id,
            [before, entry],
            space=self._open().space,
            if_version={item.id: item.version},
        )

    # --- finding

    def search(
        self,
        query: str,
        *,
        user_id: str,
        limit: int = 10,
        kinds: Iterable[Kind] = SEARCHED,
        agent_id: str | None = None,
        session_id: str | None = None,
        min_importance: float = 0.0,
        where: Mapping[str, Any] | None = None,
        embedding: Sequence[float] | None = None,
    ) -> list[Hit]:
        """The memories that match best, by meaning and by words, best first.

        Looks at everything known about the user and everything said, and always returns its
        best hits. `kinds`, `agent_id`, `session_id`, `min_importance` and `where` narrow it.
        """
        user_id = validate.check_user(user_id)
        query = validate.check_text(query, name="query", limit=validate.MAX_QUERY)
        limit = validate.check_limit(limit)
        selection = _selection(kinds, agent_id, session_id, where, min_importance)
        now = self._clock()
        opened = self._open()
        vector = self._query_vector(query, embedding)
        terms = hashed(query_terms(query))
        with opened.cache.use(user_id, now) as index:
            rows = index.select(selection, now)
            found = search(index, rows, vector=vector, terms=terms, limit=limit)
            ids = [index.ids[one.row] for one in found]
        self._uses.add(user_id, ids, now)
        items = {item.id: item for item in self._current(user_id, ids, now)}
        return [
            Hit(items[id_], one.score, one.arms)
            for id_, one in zip(ids, found, strict=True)
            if id_ in items  # it may have been removed a moment ago
        ]

    def get(self, item_id: str, *, user_id: str) -> MemoryItem | None:
        """One memory, or None if this user has none with that id."""
        user_id = validate.check_user(user_id)
        ids = [validate.check_name(item_id, name="id")]
        found = self._current(user_id, ids, self._clock())
        return found[0] if found else None

    def get_user_memories(
        self,
        *,
        user_id: str,
        limit: int | None = None,
        kinds: Iterable[Kind] = KNOWN,
        agent_id: str | None = None,
        session_id: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> list[MemoryItem]:
        """What is known about a user, the newest first; not what was said or is superseded."""
        user_id = validate.check_user(user_id)
        selection = _selection(kinds, agent_id, session_id, where)
        now = self._clock()
        with self._open().cache.use(user_id, now) as index:
            keys = sorted(index.keys(index.select(selection, now)), reverse=True)
        if limit is not None:
            keys = keys[: validate.check_limit(limit)]
        return self._current(user_id, [id_ for _, id_ in keys], now)

    def history(self, item_id: str, *, user_id: str) -> list[MemoryItem]:
        """Every state that a memory was in, oldest first; the last is how it is now."""
        item = self._require(item_id, validate.check_user(user_id))
        earlier = [revision_id(item.id, version) for version in range(1, item.version)]
        return [*self._current(item.user_id, earlier, self._clock()), item]

    # --- removing

    def forget(self, item_ids: str | Sequence[str], *, user_id: str) -> int:
        """Remove one memory or several, with their histories; says how many there were."""
        user_id = validate.check_user(user_id)
        ids = [id_ for id_ in validate.check_ids(item_ids) if REVISION not in id_]
        return self.store.delete(user_id, ids)

    def clear(self, *, user_id: str | None = None, all_users: bool = False) -> int:
        """Remove all that is kept of one user, or, only if told so, of all; says how many."""
        if all_users and user_id is None:
            return sum(self.clear(user_id=user) for user in self.store.users())
        if all_users:
            raise UsageError("Pass user_id or all_users=True, not both.")
        if user_id is None:
            raise UsageError(
                "Whose memory? Pass user_id=…, or all_users=True to remove everyone's."
            )
        user_id = validate.check_user(user_id)
        self._uses.forget(user_id)
        return self.store.clear(user_id)

    def sweep(self) -> int:
        """Remove from the store what has expired, of every user; says how many.

        Expired memories are never returned, swept or not.
        """
        return self.store.sweep(self._clock())

    # --- moving

    def export(self, *, user_id: str) -> Iterator[str]:
        """All that is kept of a user, history included, as lines of JSON."""
        user_id = validate.check_user(user_id)
        now = self._clock()
        rows = self.store.scan(user_id, space=self._open().space).rows
        keys = sorted((row.created_at, row.id) for row in rows)
        items = self._current(user_id, [id_ for _, id_ in keys], now)
        there = {item.id for item in items}
        kept = [item for item in items if head_id(item.id) in there]  # no history without its end
        return portable.write(kept, user_id=user_id, at=now)

    def load(self, lines: Iterable[str], *, user_id: str) -> int:
        """Keep what `export` wrote, for this user; says how many records.

        What the user has already is left as it is, so loading the same lines twice changes
        nothing. One bad line, and nothing is loaded.
        """
        user_id = validate.check_user(user_id)
        now = self._clock()
        read = portable.read(validate.check_many(lines, name="lines"), user_id=user_id)
        heads = [item.id for item in read if REVISION not in item.id and not item.expired(now)]
        there = self.store.get(user_id, heads)
        self.store.delete(user_id, [item.id for item in there if item.expired(now)])
        new = set(heads) - {item.id for item in there if not item.expired(now)}
        items = [item for item in read if head_id(item.id) in new and not item.expired(now)]
        earlier = [Entry(item) for item in items if REVISION in item.id]
        entries = make_entries([item for item in items if item.id in new], self.embedder)
        self.store.put(user_id, [*earlier, *entries], space=self._open().space)
        used = {i.id: Use(i.access_count, i.last_accessed) for i in items if i.last_accessed}
        self.store.touch(user_id, used)
        return len(items)

    # --- the rest

    def for_user(
        self, user_id: str, *, session_id: str | None = None, agent_id: str | None = None
    ) -> AgentMemorySystem:
        """The same memory, bound to one user, and to a session and an agent if given."""
        return AgentMemorySystem(self, user_id, session_id=session_id, agent_id=agent_id)

    def flush(self) -> None:
        """Write the use counts that are still held back; `close` does so too."""
        self._uses.flush()

    def close(self) -> None:
        """Write what is held back and let go of the file."""
        if not self._closed:
            self._closed = True
            try:
                self.flush()
            finally:
                self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self) -> "_Opened":
        """The vector space and the indexes: known once the embedder has told its dimension."""
        with self._lock:
            if self._opened is None:
                space = space_of(self.embedder)
                _claim(self.store, space)
                cache = IndexCache(
                    self.store,
                    space=space,
                    dimension=self.embedder.dimension,
                    max_bytes=self._index_bytes,
                )
                self._opened = _Opened(space, cache)
            return self._opened

    def _query_vector(self, query: str, embedding: Sequence[float] | None) -> Vectors:
        if embedding is None:
            return embed_query(query, self.embedder)
        return check_vector(embedding, self.embedder.dimension)

    def _current(self, user_id: str, ids: Sequence[str], now: datetime) -> list[MemoryItem]:
        """These records, without the expired, with all uses counted."""
        items = self.store.get(user_id, ids)
        return [self._uses.applied(item) for item in items if not item.expired(now)]

    def _require(self, item_id: str, user_id: str) -> MemoryItem:
        item = self.get(item_id, user_id=user_id)
        if item is None or REVISION in item_id:
            raise NotFound(f"This user has no memory with the id {item_id}.")
        return item


@dataclass(frozen=True, slots=True)
class _Opened:
    space: str
    cache: IndexCache


def _store(
    store: str | os.PathLike[str] | MemoryStore, embedder: Embedder, *, durable: bool
) -> MemoryStore:
    """The store that is meant, if its vectors are the embedder's."""
    if not isinstance(store, str | os.PathLike):
        if not hasattr(store, "scan"):
            raise UsageError(f"{store!r} is not a store. Pass a file name such as agent.db.")
        if durable:
            raise UsageError("durable is for file names. Configure the store that you pass.")
        _check_model(store, embedder)
        return store
    opened = open_store(store, durable=durable)
    try:
        _check_model(opened, embedder)
    except UsageError:
        opened.close()
        raise
    return opened


def _selection(
    kinds: Iterable[Kind],
    agent_id: str | None,
    session_id: str | None,
    where: Mapping[str, Any] | None,
    min_importance: float = 0.0,
) -> Selection:
    """What a caller narrows a search or a listing to, checked."""
    return Selection(
        validate.check_kinds(kinds),
        validate.check_optional_name(agent_id, name="agent_id"),
        validate.check_optional_name(session_id, name="session_id"),
        validate.check_importance(min_importance, name="min_importance"),
        where,
    )


def _check_model(store: MemoryStore, embedder: Embedder) -> None:
    """Refuse a store whose vectors come from another model; vectors of two models never mix."""
    space = store.space()
    if space is not None and model_in(space) != embedder.name:
        raise UsageError(
            f"This memory was embedded with {model_in(space)}, not with {embedder.name}. "
            "Open it with the former, or embed it anew with `bethink reembed`."
        )


def _claim(store: MemoryStore, space: str) -> None:
    """Make this the space of a new store; in one that has another, say so."""
    if store.space() is None:
        with suppress(Conflict):  # another process was quicker with another space
            store.switch(None, space)
    if (used := store.space()) != space:
        raise UsageError(
            f"This memory's vectors are {used}, and the embedder gives {space}. "
            "Embed it anew with `bethink reembed`."
        )
