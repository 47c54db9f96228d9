"""Whether what a store keeps agrees with itself."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np

from bethink.errors import StoreError
from bethink.stores.base import Entry, MemoryStore
from bethink.text import pack
from bethink.types import REVISION


@runtime_checkable
class SelfChecking(Protocol):
    """A store that can also look at its own workings."""

    def check(self) -> list[str]:
        """What is wrong, in sentences."""


def check(store: MemoryStore) -> list[str]:
    """What is wrong with a store, in sentences; nothing where rows, vectors and terms agree."""
    problems = store.check() if isinstance(store, SelfChecking) else []
    try:
        problems += _problems_of_records(store)
    except StoreError as error:  # so damaged that it cannot be read
        problems.append(str(error))
    return problems


def _problems_of_records(store: MemoryStore) -> Iterator[str]:
    space = store.space()
    if space is not None:
        for user_id in store.users():
            for entry in store.scan(user_id, space=space).entries:
                yield from _problems(entry, int(space.rpartition("/")[2]))


def _problems(entry: Entry, dimension: int) -> Iterator[str]:
    item = entry.item
    if REVISION in item.id:
        return
    if entry.terms != pack(item.text):
        yield f"The terms of memory {item.id} are not those of its text."
    vectors = np.frombuffer(entry.vectors or b"", "<u1")
    if len(vectors) % (2 * dimension):
        yield f"The vectors of memory {item.id} do not have {dimension} numbers."
        return
    if not np.isfinite(vectors.view("<f2").astype(np.float32)).all():
        yield f"A vector of memory {item.id} has numbers that are not finite."
