"""Records with what is kept beside them: analysed terms and vectors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bethink.errors import UsageError
from bethink.models.base import Embedder, Vectors
from bethink.stores.base import Entry
from bethink.text import pack
from bethink.types import MemoryItem


def make_entries(
    items: Sequence[MemoryItem],
    embedder: Embedder,
    given: Sequence[Vectors | None] | None = None,
) -> list[Entry]:
    """Entries for records, embedded in one batch but for those whose vector is given."""
    vectors = list(given) if given else [None] * len(items)
    missing = [n for n, vector in enumerate(vectors) if vector is None]
    embedded = embed_whole([items[n].text for n in missing], embedder)
    for n, some in zip(missing, embedded, strict=True):
        vectors[n] = some
    return [
        Entry(item, pack(item.text), as_bytes(some))
        for item, some in zip(items, vectors, strict=True)
        if some is not None
    ]


def embed_whole(texts: Sequence[str], embedder: Embedder) -> list[Vectors]:
    """All of each text, as one vector for each part that fits the model's window."""
    if not texts:
        return []
    parts = [embedder.split(text) for text in texts]
    flat = embedder.embed([part for some in parts for part in some])
    ends = np.cumsum([len(some) for some in parts])
    return np.split(flat, ends[:-1])


def embed_query(text: str, embedder: Embedder) -> Vectors:
    """One vector for a query of any length: the mean of its parts."""
    mean: Vectors = embedder.embed(embedder.split(text)).mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-12)


def as_bytes(vectors: Vectors) -> bytes:
    """Vectors as a store keeps them."""
    return vectors.astype("<f2").tobytes()


def check_vector(value: Any, dimension: int) -> Vectors:
    """A vector that a caller brought along, normalised."""
    try:
        vector = np.asarray(value, np.float32)
    except (TypeError, ValueError) as error:
        raise UsageError("embedding must be a list of numbers.") from error
    if vector.shape != (dimension,):
        raise UsageError(
            f"embedding has the shape {vector.shape}; this memory's embedder gives "
            f"{dimension} numbers."
        )
    norm = float(np.linalg.norm(vector))
    if not np.isfinite(norm) or norm == 0:
        raise UsageError("embedding must be finite numbers, not all of them zero.")
    return vector / np.float32(norm)
