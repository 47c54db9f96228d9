"""Records with what is kept beside them: analysed terms and vectors."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from bethink.errors import BethinkError, ModelError, UsageError
from bethink.models.base import Embedder, Vectors
from bethink.stores.base import Entry
from bethink.text import pack
from bethink.types import REVISION, SEARCHED, MemoryItem

_HALF = np.dtype("<f2")


def indexed(item: MemoryItem) -> bool:
    """Whether a record is to be found by a search, and not only by its id."""
    return item.kind in SEARCHED and REVISION not in item.id


def make_entries(
    items: Sequence[MemoryItem],
    embedder: Embedder | None,
    given: Sequence[Vectors | None] = (),
) -> list[Entry]:
    """Entries for records, embedded in one batch but for those whose vector is given.

    Without an embedder they have no vectors yet.
    """
    known = dict(zip((item.id for item in items), given, strict=bool(given)))
    if embedder is not None:
        bare = [item for item in items if indexed(item) and known.get(item.id) is None]
        found = embed_whole([item.text for item in bare], embedder)
        known |= {item.id: vector for item, vector in zip(bare, found, strict=True)}
    return [_entry(item, known.get(item.id)) for item in items]


def _entry(item: MemoryItem, vector: Vectors | None) -> Entry:
    if not indexed(item):
        return Entry(item)
    return Entry(item, pack(item.text), b"" if vector is None else as_bytes(vector))


def embed_whole(texts: Sequence[str], embedder: Embedder) -> list[Vectors]:
    """All of each text, as one vector for each part that fits the model's window."""
    if not texts:
        return []
    parts = [embedder.split(text) for text in texts]
    flat = embedded([part for some in parts for part in some], embedder)
    ends = list(accumulate(len(some) for some in parts))
    return [flat[end - len(some) : end] for some, end in zip(parts, ends, strict=True)]


def embed_query(text: str, embedder: Embedder) -> Vectors:
    """One vector for a query of any length: the mean of its parts."""
    vectors = embedded(embedder.split(text), embedder, queries=True)
    mean: Vectors = vectors.mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-12)


def embedded(texts: Sequence[str], embedder: Embedder, *, queries: bool = False) -> Vectors:
    """What an embedder answers, if that is one unit vector for each text.

    A model that tells queries from documents is told which they are.
    """
    embed = getattr(embedder, "embed_queries", embedder.embed) if queries else embedder.embed
    try:
        vectors: Vectors = embed(texts)
    except (BethinkError, RuntimeError):  # the latter at the end of the process
        raise
    # The embedder may be the caller's own and raise anything; there is one error to expect.
    except Exception as error:
        raise ModelError(f"{embedder.name} failed: {type(error).__name__}: {error}") from error
    if getattr(embedder, "sound", False):  # our own, which need no second look
        return vectors
    expected = (len(texts), embedder.dimension)
    if getattr(vectors, "shape", None) != expected:
        raise UsageError(
            f"{embedder.name} did not return an array of the shape {expected} "
            f"for {len(texts)} texts."
        )
    squares = np.einsum("ij,ij->i", vectors, vectors)
    if not (np.abs(squares - 1) < 0.01).all():  # false for NaN as well
        raise UsageError(f"{embedder.name} returned vectors that do not have the length one.")
    return vectors


def attachable(items: Sequence[MemoryItem], embedder: Embedder) -> dict[str, tuple[int, bytes]]:
    """Vectors for records that are there already, as a store takes them."""
    some = [item for item in items if indexed(item)]
    vectors = embed_whole([item.text for item in some], embedder)
    return {
        item.id: (item.version, as_bytes(vector))
        for item, vector in zip(some, vectors, strict=True)
    }


def as_bytes(vectors: Vectors) -> bytes:
    """Vectors as a store keeps them."""
    return vectors.astype(_HALF).tobytes()


def check_vector(value: Any, dimension: int) -> Vectors:
    """A vector that a caller brought along, normalised."""
    try:
        vector = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError("embedding must be a list of numbers.") from error
    if vector.shape != (dimension,):
        raise UsageError(
            f"embedding has the shape {vector.shape}; this memory's embedder gives "
            f"{dimension} numbers."
        )
    norm = float(np.linalg.norm(vector))
    if not np.isfinite(norm) or norm == 0:
        raise UsageError("embedding must be finite numbers, not all of them zero.")
    return (vector / norm).astype(np.float32)
