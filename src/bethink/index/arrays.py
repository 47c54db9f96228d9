"""Arrays that grow at the end without being copied each time."""

from typing import Any

import numpy as np
import numpy.typing as npt


class Grown:
    """A NumPy array with room to spare behind it."""

    def __init__(self, dtype: npt.DTypeLike, width: int | None = None) -> None:
        self._array: npt.NDArray[Any] = np.empty((0,) if width is None else (0, width), dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> npt.NDArray[Any]:
        """What is in it; valid until the next `extend`."""
        return self._array[: self._size]

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    def extend(self, values: npt.NDArray[Any]) -> None:
        """Add rows at the end, converted to this array's type."""
        size = self._size + len(values)
        if size > len(self._array):
            # An array filled at once gets no spare room; one that grows gets a quarter more.
            room = size if self._size == 0 else size + size // 4
            grown = np.empty((room, *self._array.shape[1:]), self._array.dtype)
            grown[: self._size] = self.view
            self._array = grown
        self._array[self._size : size] = values
        self._size = size
