"""Embedding later: in batches, in a thread of its own, while others go on."""

import contextvars
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from bethink.entries import attachable
from bethink.errors import BethinkError, ModelError
from bethink.models.base import Embedder
from bethink.stores.base import MemoryStore
from bethink.worker import Worker

_BATCH = 64  # records embedded at once: few enough that the end of the process need not wait
_PATIENCE = 10.0  # seconds that a record may be bare before someone else's work is taken over
_MOMENT = 0.2  # seconds that a search waits for what was just said
_BEFORE_FORK = 5.0  # seconds that a fork waits for a batch; a model far away may take longer


class _Place(NamedTuple):
    """Whose records, and in which space."""

    user_id: str
    space: str


class Later(Worker):
    """Gives records their vectors after they were kept.

    Whatever happens, no record is lost: one that was not embedded is found by its words, and
    embedded by the next process that comes upon it. The thread ends when there is nothing to do.
    """

    thread = "bethink-later"

    def __init__(self, store: MemoryStore, model: Callable[[], Embedder]) -> None:
        self._store = store
        self._model = model
        self._after_fork_in_child()
        self._follow_forks()

    def _after_fork_in_child(self) -> None:
        """Begin with nothing to do: the parent does it."""
        self._rest()
        self._embedding = threading.Lock()  # held while the model is at work
        self._waiting: dict[_Place, dict[str, None]] = {}
        """Ids in the order in which they came."""
        self._left: dict[_Place, dict[str, None]] = {}
        """Those that could not be embedded."""
        self._seen: dict[tuple[str, str], float] = {}
        """When each record of each user was first noticed to be bare."""
        self._at: _Place | None = None
        """Whose records are being embedded."""
        self._failed: BethinkError | None = None
        self._context = contextvars.copy_context()

    def _before_fork(self) -> None:
        # A child that forks off in the middle of a model's work may inherit its native locks.
        self._held = self._embedding.acquire(timeout=_BEFORE_FORK)

    def _after_fork_in_parent(self) -> None:
        if self._held:
            self._embedding.release()

    def embed(self, user_id: str, ids: Iterable[str], space: str) -> None:
        """Embed these records soon."""
        with self._changed:
            self._waiting.setdefault(_Place(user_id, space), {}).update(dict.fromkeys(ids))
            self._context = contextvars.copy_context()  # tells where async functions run
        self._start()

    def notice(self, user_id: str, bare: Sequence[str], space: str) -> None:
        """Take over records that have been without vectors for a while: their process is gone."""
        if not (bare or self._seen):
            return
        now = time.monotonic()
        others = {key: at for key, at in self._seen.items() if key[0] != user_id}
        mine = {id_: self._seen.get((user_id, id_), now) for id_ in bare}
        self._seen = others | {(user_id, id_): at for id_, at in mine.items()}
        if stale := [id_ for id_, at in mine.items() if now - at >= _PATIENCE]:
            self.embed(user_id, stale, space)

    def flush(self) -> None:
        """Wait until all is embedded, what failed before included; raises what kept it from it."""
        with self._changed:
            for place, ids in self._left.items():
                self._waiting.setdefault(place, {}).update(ids)
            self._left, self._failed = {}, None
        self._start()
        self.finish()
        if self._left and self._failed is not None:
            raise self._failed

    def wait_for(self, user_id: str) -> None:
        """Wait a moment for what is to be embedded of a user.

        Whoever says something and searches at once finds it by meaning too, if the model is
        quick; and is not held up if it is not.
        """
        with self._changed:
            self._changed.wait_for(lambda: user_id not in self._users_waiting(), _MOMENT)

    def _users_waiting(self) -> set[str]:
        places = {*self._waiting, *([self._at] if self._at else [])}
        return {place.user_id for place in places}

    def _stop(self) -> None:
        self._at = None
        super()._stop()

    def _work(self) -> None:
        while batch := self._next():
            place, ids, context = batch
            with self._embedding:
                context.run(self._try, place, ids)

    def _next(self) -> tuple[_Place, list[str], contextvars.Context] | None:
        with self._changed:
            self._at = None
            self._changed.notify_all()
            for place, ids in self._waiting.items():
                batch = list(ids)[:_BATCH]
                for id_ in batch:
                    del ids[id_]
                if not ids:
                    del self._waiting[place]
                self._at = place
                return place, batch, self._context.copy()
            self._working = False  # under the lock: whoever adds something now starts anew
            return None

    def _try(self, place: _Place, ids: Sequence[str]) -> None:
        """Embed records; where that fails, find out whether it is the model or one of them."""
        if not ids or self._embed(place, ids):
            return
        if len(ids) == 1:
            self._leave(place, ids)
        elif self._embed(place, ids[:1]) or self._embed(place, ids[-1:]):
            half = len(ids) // 2
            self._try(place, ids[:half])
            self._try(place, ids[half:])
        else:  # the model is down: what waits would only fail as well
            self._leave(place, ids)
            with self._changed:
                waiting, self._waiting = self._waiting, {}
            for other, others in waiting.items():
                self._leave(other, others)

    def _leave(self, place: _Place, ids: Iterable[str]) -> None:
        self._left.setdefault(place, {}).update(dict.fromkeys(ids))

    def _embed(self, place: _Place, ids: Sequence[str]) -> bool:
        try:
            items = self._store.get(place.user_id, ids)
            made = attachable(items, self._model())
            self._store.attach(place.user_id, made, space=place.space)
        except BethinkError as error:
            self._failed = error
        except RuntimeError as error:  # at the end of the process no threads can be started
            self._failed = ModelError(f"Embedding stopped: {error}.")
        else:
            return True
        return False
