"""Metadata by column, so that a filter tests each distinct value once and each row not at all."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bethink.index.where import MISSING, Test
from bethink.types import Metadata


class _Column:
    """One metadata key: for some rows, which of the distinct values they have."""

    def __init__(self) -> None:
        self.cells: list[tuple[int, int]] = []
        """Rows and the codes of their values, in pairs so that no half of one is ever added."""
        self.values: list[Any] = []
        self._code_of: dict[str, int] = {}
        self._packed = np.empty((0, 2), np.int64)

    def add(self, row: int, value: Any) -> None:
        spelling = json.dumps(value, sort_keys=True)
        code = self._code_of.setdefault(spelling, len(self.values))
        if code == len(self.values):
            self.values.append(value)
        self.cells.append((row, code))

    def matches(self, test: Test, size: int) -> npt.NDArray[np.bool_]:
        fits = np.array([test(value) for value in self.values], bool)
        found = np.full(size, test(MISSING))
        if self.cells:
            if len(self._packed) < len(self.cells):
                self._packed = np.array(self.cells)
            rows, codes = self._packed.T
            found[rows] = fits[codes]
        return found


def _weight(value: Any) -> int:
    """About how many bytes a JSON value takes as Python objects."""
    if isinstance(value, str):
        return 60 + len(value)
    if isinstance(value, list):
        return 60 + sum(8 + _weight(inner) for inner in value)
    if isinstance(value, Mapping):
        return 240 + sum(100 + len(key) + _weight(inner) for key, inner in value.items())
    return 32


class Columns:
    """The metadata of all rows. It is sorted into columns when first filtered by, not before."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, Metadata]] = []
        self._columns: dict[str, _Column] = {}
        self._size = 0
        self.nbytes = 0

    def add(self, first: int, metadata: Sequence[Metadata]) -> None:
        """The metadata of the rows from `first` on."""
        self._size = first + len(metadata)
        added = [(first + n, some) for n, some in enumerate(metadata) if some]
        self._waiting += added
        self.nbytes += sum(map(_weight, (some for _, some in added)))

    def matches(self, tests: dict[str, Test]) -> npt.NDArray[np.bool_]:
        """Which rows fit all tests."""
        for row, metadata in self._waiting:
            for key, value in metadata.items():
                self._columns.setdefault(key, _Column()).add(row, value)
        self._waiting = []
        found = np.ones(self._size, bool)
        for key, test in tests.items():
            found &= self._columns.get(key, _Column()).matches(test, self._size)
        return found
