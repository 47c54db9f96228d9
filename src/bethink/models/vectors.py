"""What is done with vectors, whoever made them."""

from typing import Any

import numpy as np

from bethink.models.base import Vectors


def unit(rows: Any) -> Vectors:
    """Rows of length one. Those of only zeros, of texts that a model knows no word of, are all
    given the same direction: there is none that would be right.
    """
    vectors: Vectors = np.asarray(rows, np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    nowhere = (lengths == 0).ravel()
    if nowhere.any():
        vectors = vectors.copy()
        vectors[nowhere] = 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: Vectors = vectors / lengths
    return made
