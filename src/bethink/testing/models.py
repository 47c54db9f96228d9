"""Models that need neither a server nor a network: they say what they are told to."""

import hashlib
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Unpack

import numpy as np

from bethink.errors import UsageError
from bethink.models.ask import Ask, Said, asked
from bethink.models.base import Reply, Settings, Vectors
from bethink.types import Message


class ScriptedLLM:
    """A language model for tests: gives its replies in order, and notes what it was asked.

    Args:
        replies: What it answers, one for each call. An exception is raised instead.
        native_schemas: Whether it says that it keeps to a schema by itself.
    """

    name = "scripted"

    def __init__(
        self, replies: Iterable[str | Reply | Exception], *, native_schemas: bool = False
    ) -> None:
        self.native_schemas = native_schemas
        self.asked: list[Ask] = []
        """All that it was asked, in order."""
        self._replies = iter(replies)
        self._lock = threading.Lock()

    @property
    def prompts(self) -> list[str]:
        """What it was asked, in order: each time all messages, as one text."""
        return ["\n\n".join(said.content for said in ask.messages) for ask in self.asked]

    def __call__(self, prompt: str) -> str:
        return self.complete([Message("user", prompt)]).text

    def complete(self, messages: Said, **settings: Unpack[Settings]) -> Reply:
        with self._lock:
            self.asked.append(asked(messages, settings))
            reply = next(self._replies, None)
        if reply is None:
            raise UsageError(
                f"The scripted model has no reply left for call {len(self.asked)}: give it more."
            )
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply) if isinstance(reply, str) else reply

    def stream(self, messages: Said, **settings: Unpack[Settings]) -> Iterator[str | Reply]:
        """A line at a time, and the whole reply last."""
        reply = self.complete(messages, **settings)
        yield from reply.text.splitlines(keepends=True)
        yield reply

    async def acomplete(self, messages: Said, **settings: Unpack[Settings]) -> Reply:
        return self.complete(messages, **settings)

    async def astream(
        self, messages: Said, **settings: Unpack[Settings]
    ) -> AsyncIterator[str | Reply]:
        for piece in self.stream(messages, **settings):
            yield piece


class ScriptedEmbedder:
    """An embedder for tests: the vectors that it is told, and for other texts some of its own.

    Its own vectors are the same for the same text, always, and near no other.

    Args:
        vectors: What it answers, by text. An exception is raised instead.
        dimension: How many numbers a vector has; as many as those that it is told, or 64, if not
            given.
    """

    name = "scripted"

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float] | Exception] | None = None,
        dimension: int | None = None,
    ) -> None:
        self.dimension = _dimension(vectors or {}, dimension)
        self.texts: list[str] = []
        """What it was asked to embed, in order."""
        self._vectors = dict(vectors or {})

    def split(self, text: str) -> list[str]:
        return [text]

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        rows = np.array([self._row(text) for text in texts], np.float64)
        rows = rows.reshape(len(texts), self.dimension)
        made: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return made

    def _row(self, text: str) -> Sequence[float]:
        told = self._vectors.get(text)
        if isinstance(told, Exception):
            raise told
        if told is not None:
            return told
        seed = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        random = np.random.default_rng(int.from_bytes(seed, "big"))
        return list(random.standard_normal(self.dimension))


def _dimension(vectors: Mapping[str, Sequence[float] | Exception], given: int | None) -> int:
    lengths = {len(told) for told in vectors.values() if not isinstance(told, Exception)}
    lengths |= set() if given is None else {given}
    if len(lengths) > 1:
        found = " and ".join(map(str, sorted(lengths)))
        raise UsageError(f"The vectors have {found} numbers: give all of them the same length.")
    return lengths.pop() if lengths else 64


class ScriptedReranker:
    """A reranker for tests.

    Args:
        scores: What it answers, by text; 0 for all others.
    """

    name = "scripted"

    def __init__(self, scores: Mapping[str, float]) -> None:
        self.queries: list[str] = []
        """What it was asked, in order."""
        self._scores = dict(scores)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.queries.append(query)
        return [self._scores.get(text, 0.0) for text in texts]

    async def ascore(self, query: str, texts: Sequence[str]) -> list[float]:
        return self.score(query, texts)
