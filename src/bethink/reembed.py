"""Changing the embedding model, while the memory is in use."""

from collections.abc import Callable, Sequence

from bethink.entries import attachable
from bethink.models.base import Embedder, space_of
from bethink.stores.base import MemoryStore
from bethink.types import REVISION, SEARCHED

_BATCH = 256


def reembed(
    store: MemoryStore,
    embedder: Embedder,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Give every record a vector of this embedder, then switch to them; says how many it made.

    Until the switch, searches go on with the old vectors. Stopped half-way, it goes on from
    there when called again, also from the middle of a switch. `progress` is told how
    many records are done, and of how many.
    """
    old, new = store.space(), space_of(embedder)
    made = _embed_missing(store, embedder, progress)
    if old != new:
        made += _embed_missing(store, embedder, progress)  # what was written meanwhile
    # Also where the new space is in use: an earlier switch may not have reached every user.
    store.switch(old, new)
    return made + _embed_missing(store, embedder, progress)  # what was written just before it


def _embed_missing(
    store: MemoryStore, embedder: Embedder, progress: Callable[[int, int], None] | None
) -> int:
    space = space_of(embedder)
    missing = {user_id: _missing(store, user_id, space) for user_id in store.users()}
    total, done = sum(map(len, missing.values())), 0
    for user_id, ids in missing.items():
        for first in range(0, len(ids), _BATCH):
            done += _embed(store, user_id, ids[first : first + _BATCH], embedder)
            if progress:
                progress(done, total)
    return done


def _embed(store: MemoryStore, user_id: str, ids: Sequence[str], embedder: Embedder) -> int:
    """Give records their vectors; says how many records there were.

    One that is removed and made anew meanwhile may have the old one's version: it must not be
    left with the vectors of a text that is gone.
    """
    some = items = store.get(user_id, ids)
    while some:
        store.attach(user_id, attachable(some, embedder), space=space_of(embedder))
        texts = {item.id: item.text for item in some}
        some = [i for i in store.get(user_id, list(texts)) if i.text != texts[i.id]]
    return len(items)


def _missing(store: MemoryStore, user_id: str, space: str) -> list[str]:
    """The records that a search is to find and that have no vector in a space."""
    rows = store.scan(user_id, space=space).rows
    bare = (row for row in rows if not row.vectors and row.kind in SEARCHED)
    return [row.id for row in bare if REVISION not in row.id]
