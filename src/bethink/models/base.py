"""What an embedder is."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors of length one."""

    @property
    def name(self) -> str:
        """Names the model: equal for two embedders only if their vectors may mix."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has. May cost a call of the model the first time."""

    def split(self, text: str) -> list[str]:
        """The text in parts that each fit the model's window, overlapping; often just one."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One normalised row for each text, in order."""


def space_of(embedder: Embedder) -> str:
    """The name of the vector space that an embedder's vectors live in."""
    return f"{embedder.name}/{embedder.dimension}"


def model_in(space: str) -> str:
    """The name of the model behind a vector space."""
    return space.rpartition("/")[0]
