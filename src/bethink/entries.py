"""Records with what is kept beside them: analysed terms and vectors."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from bethink.errors import UsageError
from bethink.models.base import Embedder, Vectors
from bethink.stores.base import Entry
from bethink.text import pack
from bethink.types import MemoryItem

_HALF = np.dtype("<f2")


def make_entries(
    items: Sequence[MemoryItem],
    embedder: Embedder,
    given: Sequence[Vectors | None] = (),
) -> list[Entry]:
    """Entries for records, embedded in one batch but for those whose vector is given."""
    if not any(vector is not None for vector in given):
        vectors = embed_whole([item.text for item in items], embedder)
    else:
        missing = [item.text for item, vector in zip(items, given, strict=True) if vector is None]
        embedded = iter(embed_whole(missing, embedder))
        vectors = [next(embedded) if vector is None else vector for vector in given]
    return [
        Entry(item, pack(item.text), as_bytes(vector))
        for item, vector in zip(items, vectors, strict=True)
    ]


def embed_whole(texts: Sequence[str], embedder: Embedder) -> list[Vectors]:
    """All of each text, as one vector for each part that fits the model's window."""
    if not texts:
        return []
    parts = [embedder.split(text) for text in texts]
    flat = embedder.embed([part for some in parts for part in some])
    ends = list(accumulate(len(some) for some in parts))
    return [flat[end - len(some) : end] for some, end in zip(parts, ends, strict=True)]


def embed_query(text: str, embedder: Embedder) -> Vectors:
    """One vector for a query of any length: the mean of its parts."""
    mean: Vectors = embedder.embed(embedder.split(text)).mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-12)


def as_bytes(vectors: Vectors) -> bytes:
    """Vectors as a store keeps them."""
    return vectors.astype(_HALF).tobytes()


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
