"""All users' records and their indexes: what memories of every kind are made of.

Nothing is checked here: whoever calls has done so at the door (`validate`).
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias, cast

import numpy as np

from bethink.entries import embed_query, embed_whole, embedded, indexed, make_entries
from bethink.errors import BethinkError, Conflict, ModelError, UsageError, for_the_log
from bethink.finding import Asked, Finding
from bethink.forks import Forkable
from bethink.index.cache import IndexCache
from bethink.index.user import Selection, Span, UserIndex
from bethink.later import Later
from bethink.models.base import Embedder, Vectors, model_in, space_of
from bethink.models.scale import ANY_SCALE, Scale, scale_of
from bethink.proposals import Proposals
from bethink.recall.plan import Plan
from bethink.rerank import Reranking
from bethink.stores.base import Entry, MemoryStore, Proposing, Use
from bethink.times import Clock
from bethink.types import Hits, MemoryItem, head_id, revision_id
from bethink.uses import UseCounts

Rule: TypeAlias = Callable[[MemoryItem | None], Sequence[MemoryItem]]
"""From what a record is, if it is there, to what is to be kept: its new state first."""

Key: TypeAlias = tuple[int, str]
"""When a record was created, in microseconds, and its id: the order of records everywhere."""

_log = logging.getLogger(__name__)
_PATIENCE = 30.0  # seconds for a change that others keep overtaking
_LONGEST_PAUSE = 0.05


def revision_ids(item: MemoryItem) -> list[str]:
    """The ids of the states that a record was in before."""
    return [revision_id(item.id, version) for version in range(1, item.version)]


def revised(item: MemoryItem, new: MemoryItem) -> list[MemoryItem]:
    """A record's new state, and the one it had as part of its history."""
    earlier = replace(item, id=revision_id(item.id, item.version), superseded_by=item.id)
    return [new, earlier]


class Records(Forkable):
    """Keeps, finds and changes records. Safe to share between threads."""

    def __init__(
        self,
        store: MemoryStore,
        embedder: Embedder,
        *,
        index_bytes: int,
        clock: Clock,
        count_uses: bool,
        reranking: Reranking | None = None,
        engine: bool = False,
    ) -> None:
        self.store = store
        self.embedder = embedder
        self.now = clock
        self._index_bytes = index_bytes
        self._count_uses = count_uses
        self.finding = Finding(self, reranking)
        self._engine = cast("Proposing", store) if hasattr(store, "candidates") else None
        self._holds_nothing = engine
        if engine and self._engine is None:
            raise UsageError(
                f"{type(store).__name__} has no index of its own, so searches need one in memory. "
                "Leave out index='engine'."
            )
        self._later = Later(store, self.model)
        self._closed = False
        self._after_fork_in_child()
        self._follow_forks()

    def _after_fork_in_child(self) -> None:
        """Begin with locks that nobody holds; what the parent still had to do it does itself."""
        self._uses = UseCounts(self.store)
        self._lock = threading.Lock()
        self._opened: _Opened | None = None
        self._measured: Scale | None = None
        self._fits = False

    # --- keeping

    def put(
        self, user_id: str, items: Sequence[MemoryItem], vectors: Sequence[Vectors | None] = ()
    ) -> None:
        """Keep records, embedded in one batch but for those whose vector is given.

        A model that is down costs nobody a memory: what it could not embed is embedded later.
        """
        space = self.open().space
        entries = self._made(items, vectors)
        self.store.put(user_id, entries, space=space)
        self._embed_bare(user_id, entries)

    def _made(
        self, items: Sequence[MemoryItem], vectors: Sequence[Vectors | None] = ()
    ) -> list[Entry]:
        try:
            return make_entries(items, self.model(), vectors)
        except ModelError as error:
            _log.warning("Kept without a vector for now: %s", for_the_log(error))
            return make_entries(items, None, vectors)

    def _embed_bare(self, user_id: str, entries: Iterable[Entry]) -> None:
        bare = [e.item.id for e in entries if e.vectors == b"" and indexed(e.item)]
        if bare:
            self._later.embed(user_id, bare, self.open().space)

    def embed_texts(self, texts: Sequence[str]) -> dict[str, Vectors | None]:
        """The vectors of texts, embedded in one batch; None for all while the model is down."""
        distinct = list(dict.fromkeys(texts))
        try:
            return dict(zip(distinct, embed_whole(distinct, self.model()), strict=True))
        except ModelError as error:
            _log.warning("Kept without a vector for now: %s", for_the_log(error))
            return dict.fromkeys(distinct)

    def put_if(
        self,
        user_id: str,
        items: Sequence[MemoryItem],
        versions: Mapping[str, int],
        vectors: Mapping[str, Vectors | None],
        unchanged: Collection[str] = (),
    ) -> None:
        """Keep records in one step, with the vectors of their texts, or raise `Conflict`.

        `versions` says what must still be there, by id; those that are `unchanged` keep the
        vectors that they have.
        """
        entries = make_entries(items, None, [vectors.get(item.text) for item in items])
        entries = [
            entry._replace(vectors=None) if entry.item.id in unchanged else entry
            for entry in entries
        ]
        self.store.put(user_id, entries, space=self.open().space, if_version=versions)
        self._embed_bare(user_id, entries)

    def put_soon(self, user_id: str, items: Sequence[MemoryItem]) -> None:
        """Keep records that are found by their words at once and by meaning a moment later."""
        entries = make_entries(items, None)
        self.store.put(user_id, entries, space=self.open().space)
        self._embed_bare(user_id, entries)

    def put_back(self, user_id: str, items: Sequence[MemoryItem]) -> None:
        """Keep records as they were elsewhere, use counts included."""
        self.put(user_id, items)
        used = {i.id: Use(i.access_count, i.last_accessed) for i in items if i.last_accessed}
        self.store.touch(user_id, used)

    def change(self, user_id: str, item_id: str, rule: Rule) -> MemoryItem | None:
        """What a record becomes by a rule, which is asked anew whenever someone was quicker.

        A rule that returns nothing leaves all as it is. The first record that it returns is the
        new state of this one; its version is set here.
        """
        space = self.open().space
        known: dict[str, Entry] = {}
        deadline = time.monotonic() + _PATIENCE
        pause = 0.001
        while True:
            there = self._raw(user_id, item_id)
            before = None if there is None or there.expired(self.now()) else there
            after = rule(before and self._uses.applied(before))
            if not after:
                return before
            version = there.version if there else 0
            head = replace(after[0], version=version + 1)
            entries = [self._entry(item, before, known) for item in (head, *after[1:])]
            try:
                self.store.put(user_id, entries, space=space, if_version={item_id: version})
            except Conflict:
                again = self._raw(user_id, item_id)
                overtaken = (again.version if again else 0) != version
                if not overtaken or time.monotonic() > deadline:
                    raise
                time.sleep(random.uniform(0, pause))  # noqa: S311 (no secret)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                if there is not None and before is None:  # what expired has no history either
                    self.store.delete(user_id, revision_ids(there))
                self._embed_bare(user_id, entries)
                return head

    def swap(self, user_id: str, items: Sequence[MemoryItem]) -> bool:
        """New states of records with the texts that they have, all of them at once.

        False, and all is as it was, if somebody has changed one of them since it was read.
        """
        new = [replace(item, version=item.version + 1) for item in items]
        entries = [entry._replace(vectors=None) for entry in make_entries(new, None)]
        versions = {item.id: item.version for item in items}
        try:
            self.store.put(user_id, entries, space=self.open().space, if_version=versions)
        except Conflict:
            there = self.store.get(user_id, list(versions))
            if versions == {item.id: item.version for item in there}:
                raise
            return False
        return True

    def renew(self, user_id: str, ids: Sequence[str], expires_at: datetime) -> None:
        """Give records that no search finds another time to live, all at once."""
        while True:
            items = self.get(user_id, ids)
            entries = [
                Entry(replace(item, expires_at=expires_at, version=item.version + 1))
                for item in items
            ]
            versions = {item.id: item.version for item in items}
            try:
                self.store.put(user_id, entries, space=self.open().space, if_version=versions)
            except Conflict:
                if versions == {item.id: item.version for item in self.get(user_id, ids)}:
                    raise
            else:
                return

    def _raw(self, user_id: str, item_id: str) -> MemoryItem | None:
        """A record as the store has it, expired or not."""
        found = self.store.get(user_id, [item_id])
        return found[0] if found else None

    def _entry(self, item: MemoryItem, before: MemoryItem | None, known: dict[str, Entry]) -> Entry:
        """An entry of a change; no text is embedded twice, nor one that stays as it was."""
        if before and (item.id, item.text) == (before.id, before.text):
            [entry] = make_entries([item], None)
            return entry._replace(vectors=None)
        if not indexed(item):
            return Entry(item)
        if item.text not in known:
            [known[item.text]] = self._made([item])
        return known[item.text]._replace(item=item)

    # --- finding

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        """These records, without the expired, with all uses counted."""
        self._check_open()
        now = self.now()
        items = self.store.get(user_id, ids)
        return [self._uses.applied(item) for item in items if not item.expired(now)]

    def fresh(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        """These records for whoever writes them next: what has expired is removed for good."""
        self._check_open()
        now = self.now()
        items = self.store.get(user_id, ids)
        if expired := [item.id for item in items if item.expired(now)]:
            self.store.delete(user_id, expired)
        return [self._uses.applied(item) for item in items if not item.expired(now)]

    def one(self, user_id: str, item_id: str) -> MemoryItem | None:
        """A record, if it is there and has not expired."""
        found = self.get(user_id, [item_id])
        return found[0] if found else None

    def keys(self, user_id: str, selection: Selection) -> list[Key]:
        """When the records that are selected were created, and their ids, the oldest first."""
        now = self.now()
        with self.open().cache.use(user_id, now) as index:
            return sorted(index.keys(index.select(selection, now)))

    def ids(self, user_id: str, selection: Selection) -> list[str]:
        """The ids of the records that are selected, the oldest first."""
        return [id_ for _, id_ in self.keys(user_id, selection)]

    def select(self, user_id: str, selection: Selection) -> list[MemoryItem]:
        """The records that are selected, the oldest first."""
        return self.get(user_id, self.ids(user_id, selection))

    def hidden(self, user_id: str) -> list[MemoryItem]:
        """The records that something else has replaced, but for earlier states of one."""
        now = self.now()
        with self.open().cache.use(user_id, now) as index:
            ids = index.hidden(now)
        return self.get(user_id, ids)

    def vectors(self, user_id: str, ids: Iterable[str]) -> dict[str, Vectors]:
        """The vectors of records, one for each part of a text, where there are any."""
        self._later.wait_for(user_id)
        with self.open().cache.use(user_id, self.now()) as index:
            found = {id_: index.vectors(id_) for id_ in ids}
        return {id_: vectors for id_, vectors in found.items() if vectors is not None}

    def sessions(self, user_id: str) -> dict[str, Span]:
        """When each session of a user began and ended, and how many messages it has."""
        with self.open().cache.use(user_id, self.now()) as index:
            return index.sessions()

    def search(
        self,
        user_id: str,
        query: str,
        selection: Selection,
        *,
        limit: int,
        vector: Vectors | None = None,
        at: datetime | None = None,
        explain: bool = False,
    ) -> Hits:
        """The records of a selection that match best, best first; each counts as used."""
        asked = Asked(query, selection, limit, at, vector, explain)
        return self.counted(user_id, self.finding.search(user_id, asked))

    def counted(self, user_id: str, hits: Hits) -> Hits:
        """Hits that somebody is given: each counts as used."""
        if not self._count_uses:
            return hits
        self._uses.add(user_id, [head_id(hit.item.id) for hit in hits], now := self.now())
        counted = (
            replace(hit.item, access_count=hit.item.access_count + 1, last_accessed=now)
            for hit in hits
        )
        return Hits(
            (replace(hit, item=item) for hit, item in zip(hits, counted, strict=True)),
            hits.degraded,
        )

    def before(self, user_id: str, ids: Iterable[str]) -> dict[str, str]:
        """The id of the message before each of these in its session, where there is one."""
        with self.open().cache.use(user_id, self.now()) as index:
            prior = {id_: index.beside(id_)[0] for id_ in ids}
        return {id_: other for id_, other in prior.items() if other is not None}

    def near(self, user_id: str, vectors: Vectors, selection: Selection, least: float) -> list[str]:
        """The ids of records that are at least so alike to any part of a text."""
        now = self.now()
        with self._nearby(user_id, now, vectors, selection) as index:
            rows = index.select(selection, now)
            alike = np.max([index.dense(vector, rows)[rows] for vector in vectors], axis=0)
            return [index.ids[row] for row in rows[alike >= least]]

    @contextmanager
    def _nearby(
        self, user_id: str, now: datetime, vectors: Vectors, selection: Selection
    ) -> Iterator[UserIndex]:
        engine = self._proposals(user_id)
        if engine is not None:
            yield engine.near(user_id, now, vectors, selection)
            return
        with self.open().cache.use(user_id, now) as index:
            yield index

    @contextmanager
    def index(
        self, user_id: str, now: datetime, read: Plan, selection: Selection, wanted: int
    ) -> Iterator[UserIndex]:
        """A user's index for one search, which waits a moment for vectors that are under way.

        Where the store's engine is to look, it is an index of what that proposes.
        """
        self._later.wait_for(user_id)
        engine = self._proposals(user_id)
        if engine is not None:
            yield engine.index(user_id, now, read, selection, wanted)
            return
        with self.open().cache.use(user_id, now) as index:
            yield index

    def proposed(self, user_id: str) -> bool:
        """Whether searches look at no more than what the store's engine proposes."""
        return self._proposals(user_id) is not None

    def _proposals(self, user_id: str) -> Proposals | None:
        """Who looks for this user's records, if it is not an index in memory."""
        opened = self.open()
        if self._engine is None or not (self._holds_nothing or opened.cache.is_large(user_id)):
            return None
        return Proposals(self._engine, opened.space, opened.dimension)

    def embed_later(self, user_id: str, ids: Sequence[str]) -> None:
        """Embed records that were found without a vector, unless someone is at it."""
        self._later.notice(user_id, ids, self.open().space)

    def embed(self, query: str) -> Vectors:
        """A query's vector, for those who search with it more than once.

        While the model is down it is one that is like nothing: words alone decide.
        """
        try:
            return embed_query(query, self.model())
        except ModelError as error:
            _log.warning("Searching by words alone: %s", for_the_log(error))
            return np.zeros(self.open().dimension, np.float32)

    # --- removing

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        return self.store.delete(user_id, ids)

    def clear(self, user_id: str) -> int:
        self._uses.forget(user_id)
        return self.store.clear(user_id)

    # --- the rest

    def flush(self) -> None:
        """Write the use counts that are held back, and wait until everything is embedded."""
        try:
            self._later.flush()
        finally:
            self._uses.flush()

    def close(self) -> None:
        try:
            self._later.finish()
            self._uses.flush()
        finally:
            self._closed = True
            self.store.close()

    def open(self) -> "_Opened":
        """The vector space and the indexes: known once the embedder has told its dimension."""
        self._check_open()
        with self._lock:
            if self._opened is None:
                space = self._space()
                dimension = int(space.rpartition("/")[2])
                cache = IndexCache(
                    self.store,
                    space=space,
                    dimension=dimension,
                    max_bytes=0 if self._holds_nothing else self._index_bytes,
                )
                self._opened = _Opened(space, dimension, cache)
            return self._opened

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("This memory is closed. Open it again to use it.")

    def model(self) -> Embedder:
        """The embedder, once its vectors are known to be those of the store."""
        if not self._fits:
            used, given = self.open().space, space_of(self.embedder)
            if used != given:
                raise _other_space(used, given)
            self._fits = True
        return self.embedder

    def _space(self) -> str:
        """The space in use if it is this model's; a new one is the model's.

        A model is not asked for its dimension where the store knows it: it may be out of reach.
        """
        there = self.store.space()
        if there is not None and model_in(there) == self.embedder.name:
            return there
        space = space_of(self.embedder)
        with suppress(Conflict):  # another process was quicker with another space
            self.store.switch(None, space)
        if (used := self.store.space()) != space:
            raise _other_space(used, space)
        return space

    def scale(self) -> Scale:
        """How alike texts are to this embedder; measured when first needed."""
        if self._measured is None:
            try:
                self._measured = scale_of(
                    self.embedder.name,
                    lambda texts: embedded(texts, self.embedder, queries=True),
                    lambda texts: embedded(texts, self.embedder),
                )
            except BethinkError:  # it knows other texts only, or has gone away just now
                self._measured = ANY_SCALE
        return self._measured


@dataclass(frozen=True, slots=True)
class _Opened:
    space: str
    dimension: int
    cache: IndexCache


def _other_space(used: str | None, given: str) -> UsageError:
    return UsageError(
        f"This memory's vectors are {used}, and the embedder gives {given}. "
        "Embed it anew with `bethink reembed`."
    )
