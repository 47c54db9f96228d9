"""Models of sentence-transformers, by their directory."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bethink.errors import UsageError
from bethink.models.base import Vectors
from bethink.models.batches import split
from bethink.models.extras import check_installed, needed
from bethink.models.local import PerProcess, sha256_of
from bethink.models.texts import checked_texts
from bethink.models.vectors import unit

EXTRA = "sentence"
_TELLING = (".safetensors", ".bin", ".json", ".txt", ".model")


class SentenceEmbedder:
    """Embeds with a sentence-transformers model on this machine; nothing is downloaded.

    What the model was trained to see before queries and documents is added, where it says so.

    Args:
        path: The model's directory.
        name: Names the model, and must change when it does. Its directory's name and a hash of its
            files if not given.
        device: Where it runs, such as ``cuda``; as the package decides if not given.
    """

    sound = True  # returns one unit vector for each text

    def __init__(
        self, path: str | Path, *, name: str | None = None, device: str | None = None
    ) -> None:
        check_installed(EXTRA, "sentence_transformers")
        directory = Path(path)
        if not directory.is_dir():
            raise UsageError(f"{path} is no directory: give the one that the model is in.")
        self._directory = directory.resolve()
        self._name = name
        self._model = PerProcess(lambda: _load(directory, device))

    def __repr__(self) -> str:
        return f"SentenceEmbedder({self.name!r})"

    @cached_property
    def name(self) -> str:
        return self._name or f"sentence:{self._directory.name}-{_hash_of(self._directory)}"

    @cached_property
    def dimension(self) -> int:
        return int(self.embed(["dimension"]).shape[1])

    def split(self, text: str) -> list[str]:
        window = self._model().max_seq_length
        return split(text, window) if window else [text]

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, self._model().encode_document)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, self._model().encode_query)

    def _embed(self, texts: Sequence[str], encode: Callable[..., Any]) -> Vectors:
        if not checked_texts(texts):
            return np.empty((0, self.dimension), np.float32)
        return unit(encode(list(texts), convert_to_numpy=True, show_progress_bar=False))


def _hash_of(directory: Path) -> str:
    """What tells a model from another: its weights, its words, and how it uses them."""
    files = sorted(path for path in directory.rglob("*") if path.suffix in _TELLING)
    made = "".join(f"{path.relative_to(directory).as_posix()}{sha256_of(path)}" for path in files)
    return hashlib.sha256(made.encode()).hexdigest()[:8]


def _load(directory: Path, device: str | None) -> Any:
    package = needed("sentence_transformers", EXTRA)
    return package.SentenceTransformer(str(directory), device=device, local_files_only=True)
