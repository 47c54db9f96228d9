"""Records as rows of an index, and what a search finds among them."""

from datetime import UTC, datetime, timedelta

import numpy as np

from bethink.index.user import Selection, UserIndex
from bethink.recall.fuse import search
from bethink.recall.plan import Plan
from bethink.stores.base import Changes, Entry, row_of
from bethink.text import hashed, pack
from bethink.times import to_micros
from bethink.types import MemoryItem

NOW = datetime(2024, 5, 17, tzinfo=UTC)
QUERY = np.array([1, 0], np.float32)


def entry(id_, content="tea", vector=(1.0, 0.0), **fields):
    item = MemoryItem(
        **{"id": id_, "user_id": "ann", "content": content, "created_at": NOW, **fields}
    )
    return Entry(item, pack(item.text), np.array(vector, "<f2").tobytes())


def chat(n, content, speaker, vector=(0.0, 1.0), session="s"):
    """A message that was said in minute n."""
    return entry(
        f"{n:02}",
        content,
        vector,
        kind="message",
        session_id=session,
        speaker=speaker,
        created_at=NOW + timedelta(minutes=n),
    )


def index_of(entries, batches=1):
    index = UserIndex(2)
    for n in range(batches):
        index.apply(Changes(n + 1, list(map(row_of, entries[n::batches]))), NOW)
    return index


def asked(query="tea", at=NOW, **settings):
    """What a query asks for, whose meaning is that of the vector (1, 0)."""
    return Plan(QUERY, hashed(query.split()), to_micros(at), **settings)


def found(entries, query="tea", limit=10, batches=1, **settings):
    """The ids of what a search finds, with what it says of each."""
    index = index_of(entries, batches)
    rows = index.select(Selection(), NOW)
    hits = search(index, rows, asked(query, **settings), limit=limit)
    return [(index.ids[hit.row], hit) for hit in hits]


def ids(hits):
    return [id_ for id_, _ in hits]
