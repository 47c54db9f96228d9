"""Which rows hold a term, and how often: one sorted array of packed integers."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.uint64]

MAX_ROWS = 1 << 24

_TERM, _ROW, _COUNT = np.uint64(32), np.uint64(8), np.uint64(0xFF)
_ROWS, _REST = np.uint64(MAX_ROWS - 1), np.uint64(0xFFFFFFFF)


class Postings:
    """Each posting is 32 bits of term, 24 of row and 8 of count, so sorting them groups them.

    New postings wait unsorted in a tail that every look-up reads too; they are merged when the
    tail has grown to a share of the whole, which makes adding one cheap at any size.
    """

    def __init__(self) -> None:
        self._sorted: Integers = np.empty(0, np.uint64)
        self._tail: Integers = np.empty(0, np.uint64)

    @property
    def nbytes(self) -> int:
        return self._sorted.nbytes + self._tail.nbytes

    def add(
        self,
        terms: npt.NDArray[np.uint32],
        rows: npt.NDArray[np.int64],
        counts: npt.NDArray[np.uint8],
    ) -> None:
        packed = terms.astype(np.uint64) << _TERM | rows.astype(np.uint64) << _ROW | counts
        self._tail = np.concatenate([self._tail, packed])
        if len(self._tail) > max(10_000, len(self._sorted) // 8):
            self.merge()

    def merge(self) -> None:
        """Sort the tail in."""
        self._sorted = np.sort(np.concatenate([self._sorted, self._tail]))
        self._tail = np.empty(0, np.uint64)

    def rarest(self, terms: npt.NDArray[np.uint32], most: int) -> npt.NDArray[np.uint32]:
        """Those of the terms that any row holds; if there are too many, the rarest."""
        low = terms.astype(np.uint64) << _TERM
        counts = np.searchsorted(self._sorted, low | _REST, side="right")
        counts -= np.searchsorted(self._sorted, low)
        counts += np.isin(terms, (self._tail >> _TERM).astype(np.uint32))
        held = np.flatnonzero(counts)
        if len(held) > most:
            held = held[np.argsort(counts[held], kind="stable")[:most]]
        return terms[held]

    def of(self, term: np.uint32) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """The rows that hold a term, in order, and how often each does."""
        low = np.uint64(term) << _TERM
        high = low | _REST
        first = np.searchsorted(self._sorted, low)
        last = np.searchsorted(self._sorted, high, side="right")
        found = self._sorted[first:last]
        waiting = self._tail[(self._tail >= low) & (self._tail <= high)]
        if len(waiting):
            found = np.sort(np.concatenate([found, waiting]))
        rows = (found >> _ROW & _ROWS).astype(np.int64)
        return rows, (found & _COUNT).astype(np.float32)
