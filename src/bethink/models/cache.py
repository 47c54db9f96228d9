"""Vectors that were made before, in a file: the same text is never paid for twice."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from bethink.errors import StoreUnavailable, TextsRefused, UsageError
from bethink.models.base import Embedder, Vectors
from bethink.models.function import EmbeddingFunction, as_embedder
from bethink.models.local import PerProcess
from bethink.models.texts import checked_texts
from bethink.models.vectorfile import LEAST_BYTES, VectorFile

Embed: TypeAlias = Callable[[Sequence[str]], Vectors]


class CachedEmbedder:
    """An embedder that looks into a file first.

    A vector is found by the embedder's name and dimension, by whether it is a query's, and by its
    text, of which only a hash is kept. The file, with the log beside it, takes no more than
    `most_bytes`: what was not used for the longest time goes. Any number of threads and processes
    may share it. It is a cache: if it cannot be read or written, texts are embedded as if it were
    not there.

    Args:
        embedder: Whose vectors are kept: an embedder, its name, or a function.
        path: The file, made if it is not there.
        most_bytes: How large it may become.
    """

    def __init__(
        self,
        embedder: Embedder | EmbeddingFunction | str,
        path: str | Path,
        *,
        most_bytes: int = 256 * 1024 * 1024,
    ) -> None:
        if most_bytes < LEAST_BYTES:
            raise UsageError(f"most_bytes is {most_bytes}: give {LEAST_BYTES} or more.")
        self.embedder = as_embedder(embedder)
        self._file = PerProcess(lambda: VectorFile(Path(path), most_bytes))
        self._opened()  # a file that is no cache is found out now

    def __repr__(self) -> str:
        return f"CachedEmbedder({self.embedder!r})"

    @property
    def name(self) -> str:
        return self.embedder.name

    @property
    def dimension(self) -> int:
        return self.embedder.dimension

    @property
    def sound(self) -> bool:
        return bool(getattr(self.embedder, "sound", False))

    def split(self, text: str) -> list[str]:
        return self.embedder.split(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._through("document", texts, self.embedder.embed)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        embed = getattr(self.embedder, "embed_queries", None)
        if embed is None:
            return self.embed(texts)
        return self._through("query", texts, embed)

    async def aembed(self, texts: Sequence[str]) -> Vectors:
        return await _in_a_thread(self.embed, texts)

    async def aembed_queries(self, texts: Sequence[str]) -> Vectors:
        return await _in_a_thread(self.embed_queries, texts)

    def close(self) -> None:
        """Closes the file. Using it afterwards opens it again."""
        file = self._file.take()
        if file is not None:
            file.close()

    def _opened(self) -> VectorFile | None:
        """The file, unless another process is keeping it busy just now."""
        with suppress(StoreUnavailable):
            return self._file()
        return None

    def _through(self, kind: str, texts: Sequence[str], embed: Embed) -> Vectors:
        dimension = self.dimension
        keys = [_key(self.name, dimension, kind, text) for text in checked_texts(texts)]
        file = self._opened()
        found = file.get(keys, dimension) if file else {}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        refused: Mapping[bytes, str] = {}
        if missing:
            made, refused = self._made(missing, embed)
            found |= made
            if file:
                file.put({key: vector for key, vector in made.items() if _is_unit(vector)})
        vectors = np.zeros((len(texts), dimension), np.float32)
        for at, key in enumerate(keys):
            if key not in refused:
                vectors[at] = found[key]
        if refused:
            raise self._refusal(keys, refused, vectors)
        return vectors

    def _made(
        self, missing: Mapping[bytes, str], embed: Embed
    ) -> tuple[dict[bytes, Any], dict[bytes, str]]:
        """The vectors of texts that were not found, and why some have none."""
        keys = list(missing)
        refused: dict[bytes, str] = {}
        try:
            vectors = embed(list(missing.values()))
        except TextsRefused as error:
            vectors = error.vectors
            refused = {keys[at]: why for at, why in error.refused.items()}
        expected = (len(keys), self.dimension)
        if np.shape(vectors) != expected:
            raise UsageError(f"{self.name} did not return an array of the shape {expected}.")
        made = zip(keys, np.asarray(vectors, np.float32), strict=True)
        return {key: vector for key, vector in made if key not in refused}, refused

    def _refusal(
        self, keys: Sequence[bytes], refused: Mapping[bytes, str], vectors: Vectors
    ) -> TextsRefused:
        """The same refusal, told by the positions of the caller's texts."""
        places = {at: refused[key] for at, key in enumerate(keys) if key in refused}
        named = "; ".join(f"text {at}: {why}" for at, why in places.items())
        return TextsRefused(
            f"{self.name} refused {len(places)} of {len(keys)} texts. {named}",
            refused=places,
            vectors=vectors,
        )


async def _in_a_thread(embed: Embed, texts: Sequence[str]) -> Vectors:
    import asyncio  # noqa: PLC0415 (a plain program does without it)

    return await asyncio.to_thread(embed, texts)


def _is_unit(vector: Any) -> bool:
    return bool(abs(float(vector @ vector) - 1) < 0.01)  # false for NaN as well


def _key(name: str, dimension: int, kind: str, text: str) -> bytes:
    parts = "\0".join((name, str(dimension), kind, text))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=20).digest()
