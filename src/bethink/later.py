"""Embedding later: in batches, in a thread of its own, while others go on."""

import contextvars
import threading
import time
from collections.abc import Iterable, Sequence

from bethink.entries import as_bytes, embed_whole
from bethink.errors import BethinkError, ModelError
from bethink.models.base import Embedder
from bethink.stores.base import MemoryStore

_BATCH = 64  # records embedded at once: few enough that the end of the process need not wait
_PATIENCE = 10.0  # seconds that a record may be bare before someone else's work is taken over


class Later:
    """Gives records their vectors after they were kept.

    Whatever happens, no record is lost: one that was not embedded is found by its words, and
    embedded by the next process that comes upon it. The thread ends when there is nothing to do.
    """

    def __init__(self, store: MemoryStore, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._changed = threading.Condition()
        self._waiting: dict[tuple[str, str], dict[str, None]] = {}
        """Ids by user and space, in the order in which they came."""
        self._seen: dict[tuple[str, str], float] = {}
        """When each record of each user was first noticed to be bare."""
        self._working = False
        self._failed: BethinkError | None = None
        self._context = contextvars.copy_context()

    def embed(self, user_id: str, ids: Iterable[str], space: str) -> None:
        """Embed these records soon."""
        with self._changed:
            self._waiting.setdefault((user_id, space), {}).update(dict.fromkeys(ids))
            self._context = contextvars.copy_context()  # tells where async functions run
            if self._working:
                return
            self._working = True
        try:
            threading.Thread(target=self._work, name="bethink-later").start()
        except RuntimeError:  # the process is about to end
            self._stop()

    def notice(self, user_id: str, bare: Sequence[str], space: str) -> None:
        """Take over records that have been without vectors for a while: their process is gone."""
        if not (bare or self._seen):
            return
        now = time.monotonic()
        seen = {key: at for key, at in self._seen.items() if key[0] != user_id}
        mine = {id_: self._seen.get((user_id, id_), now) for id_ in bare}
        self._seen = seen | {(user_id, id_): at for id_, at in mine.items()}
        if stale := [id_ for id_, at in mine.items() if now - at >= _PATIENCE]:
            self.embed(user_id, stale, space)

    def flush(self) -> None:
        """Wait until all is embedded; raises what kept it from being so."""
        self.finish()
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed

    def finish(self) -> None:
        """Wait until everything has been tried."""
        with self._changed:
            self._changed.wait_for(lambda: not self._working)

    def _work(self) -> None:
        while batch := self._next():
            user_id, space, ids, context = batch
            try:
                context.run(self._embed, user_id, space, ids)
            except BethinkError as error:
                self._stop(error)
                return
            except RuntimeError as error:  # at the end of the process no threads can be started
                self._stop(ModelError(f"Embedding stopped: {error}."))
                return

    def _stop(self, failed: BethinkError | None = None) -> None:
        """Leave the rest for later: what fails once would only fail again and again."""
        with self._changed:
            self._waiting.clear()
            self._failed = failed
            self._working = False
            self._changed.notify_all()

    def _next(self) -> tuple[str, str, list[str], contextvars.Context] | None:
        with self._changed:
            for key, ids in self._waiting.items():
                batch = list(ids)[:_BATCH]
                for id_ in batch:
                    del ids[id_]
                if not ids:
                    del self._waiting[key]
                return *key, batch, self._context.copy()
            self._working = False
            self._changed.notify_all()
            return None

    def _embed(self, user_id: str, space: str, ids: Sequence[str]) -> None:
        items = self._store.get(user_id, ids)
        vectors = embed_whole([item.text for item in items], self._embedder)
        made = {
            item.id: (item.version, as_bytes(vector))
            for item, vector in zip(items, vectors, strict=True)
        }
        self._store.attach(user_id, made, space=space)
