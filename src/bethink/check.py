"""Whether what a store keeps agrees with itself."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np

from bethink.entries import indexed
from bethink.errors import StoreError
from bethink.stores.base import MemoryStore, Row
from bethink.text import pack
from bethink.types import REVISION, MemoryItem


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
    if space is None:
        return
    dimension = int(space.rpartition("/")[2])
    for user_id in store.users():
        rows = {row.id: row for row in store.scan(user_id, space=space).rows}
        for item in store.get(user_id, [id_ for id_ in rows if REVISION not in id_]):
            yield from _problems(item, rows[item.id], dimension)


def _problems(item: MemoryItem, row: Row, dimension: int) -> Iterator[str]:
    if row.terms != (pack(item.text) if indexed(item) else b""):
        yield f"The terms of memory {item.id} are not those of its text."
    if len(row.vectors) % (2 * dimension):
        yield f"The vectors of memory {item.id} do not have {dimension} numbers."
    elif not np.isfinite(np.frombuffer(row.vectors, "<f2")).all():
        yield f"A vector of memory {item.id} has numbers that are not finite."
