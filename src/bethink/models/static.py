"""Static models: a vector for each word, and their mean for a text. Very fast, less exact."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bethink.errors import UsageError
from bethink.models.base import Vectors
from bethink.models.extras import check_installed, needed
from bethink.models.local import PerProcess, sha256_of
from bethink.models.texts import checked_texts
from bethink.models.vectors import unit


class _Static:
    """No window, so nothing is ever split; texts without a word that it knows are all alike."""

    sound = True  # returns one unit vector for each text
    name: str

    def __init__(self) -> None:
        self._model = PerProcess(self._load)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @cached_property
    def dimension(self) -> int:
        return int(self.embed(["dimension"]).shape[1])

    def split(self, text: str) -> list[str]:
        return [text]

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not checked_texts(texts):
            return np.empty((0, self.dimension), np.float32)
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        return unit(self._rows(whole))

    def _load(self) -> Any:
        raise NotImplementedError

    def _rows(self, texts: list[str]) -> Any:
        raise NotImplementedError


class Model2VecEmbedder(_Static):
    """Embeds with a Model2Vec model in a directory; nothing is downloaded.

    Args:
        path: The directory.
    """

    def __init__(self, path: str | Path) -> None:
        check_installed("model2vec", "model2vec")
        self._path = Path(path)
        weights = self._path / "model.safetensors"
        if not weights.is_file():
            raise UsageError(f"There is no Model2Vec model in {path}: give its directory.")
        self.name = f"model2vec:{self._path.resolve().name}-{sha256_of(weights)[:8]}"
        super().__init__()

    def _load(self) -> Any:
        return needed("model2vec", "model2vec").StaticModel.from_pretrained(
            self._path, max_length=None
        )

    def _rows(self, texts: list[str]) -> Any:
        return self._model().encode(texts, use_multiprocessing=False)


class WordLlamaEmbedder(_Static):
    """Embeds with WordLlama, whose package carries its weights; nothing is downloaded.

    Args:
        config: As WordLlama calls it; the one in the package if not given.
        dimension: 256, or the smaller one that its vectors are cut to: 128 or 64.
    """

    def __init__(self, config: str = "", *, dimension: int = 256) -> None:
        check_installed("wordllama", "wordllama")
        if dimension not in (64, 128, 256):
            raise UsageError(f"dimension is {dimension}: WordLlama has 64, 128 or 256.")
        self._config = config or "l2_supercat"
        self._cut = dimension
        self.name = f"wordllama:{self._config}"
        super().__init__()

    def _load(self) -> Any:
        package = needed("wordllama", "wordllama")
        try:
            return package.WordLlama.load(
                self._config,
                cache_dir=Path(package.__file__).parent,
                trunc_dim=self._cut,
                disable_download=True,
            )
        except (AttributeError, FileNotFoundError) as error:
            raise UsageError(f"WordLlama has no weights for {self._config} here.") from error

    def _rows(self, texts: list[str]) -> Any:
        return self._model().embed(texts)
