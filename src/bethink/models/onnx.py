"""Models on this machine: a directory with an ONNX file and its tokenizer."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bethink.errors import UsageError
from bethink.models.base import Vectors
from bethink.models.local import (
    MODEL,
    MOST_THREADS,
    OVERLAP,
    TOKENIZER,
    IDs,
    PerProcess,
    Word,
    batches,
    check_lengths,
    mapped,
    padded,
    session_of,
    sha256_of,
    spans,
    tokenizer_of,
    utf8,
)
from bethink.models.texts import checked_texts
from bethink.models.vectors import unit

Pooling: TypeAlias = Literal["mean", "cls"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
Scores: TypeAlias = npt.NDArray[np.float64]

_BATCH_TOKENS = 2048
_LONGEST_WORD = 16
_LEAST_ROOM = 4
_USUAL_WINDOW = 512
_WHOLE = "sentence_embedding"
"""What an output is called by convention that needs no pooling."""


class OnnxEmbedder:
    """Embeds with an ONNX model in a directory. Loads nothing until it is first used.

    The directory is as model hubs have it: ``model.onnx``, or ``onnx/model.onnx``, and
    ``tokenizer.json``; what ``config.json`` and ``1_Pooling/config.json`` say is heeded. The name
    has a hash of both files in it, so vectors of two models never mix.

    Args:
        path: The directory.
        window: How many tokens the model reads at once; as its files say if not given.
        pooling: ``mean`` or ``cls``; as its files say, or else the mean, if not given.
        document_prefix: What the model wants to see before a text, such as ``passage: ``.
        query_prefix: What it wants to see before a query.
        threads: How many processor cores a call with many texts may use; up to four if not given.
    """

    sound = True  # returns one unit vector for each text

    def __init__(
        self,
        path: str | Path,
        *,
        window: int | None = None,
        pooling: Pooling | None = None,
        document_prefix: str = "",
        query_prefix: str = "",
        threads: int | None = None,
    ) -> None:
        if pooling is not None and pooling not in POOLINGS:
            raise UsageError(f"There is no pooling {pooling!r}; give {' or '.join(POOLINGS)}.")
        self._files = _Files.find(Path(path))
        self._window = _positive("window", window) or self._files.window
        self._pooling = pooling or self._files.pooling
        self._prefixes = (document_prefix, query_prefix)
        self._threads = _positive("threads", threads) or min(MOST_THREADS, os.cpu_count() or 1)
        self._model = PerProcess(lambda: _Model(self._files))

    def __repr__(self) -> str:
        return f"OnnxEmbedder({str(self._files.directory)!r})"

    @cached_property
    def name(self) -> str:
        made = f"{self._files.hashes}{self._pooling}{self._prefixes}"
        short = hashlib.sha256(made.encode()).hexdigest()[:8]
        return f"onnx:{self._files.directory.name}-{short}"

    @cached_property
    def dimension(self) -> int:
        return int(self.embed(["dimension"]).shape[1])

    def split(self, text: str) -> list[str]:
        """The text in parts that fit the window, each overlapping the next."""
        if self._fits(text):
            return [text]
        room = self._room
        words = list(self._model().words(text, longest=min(_LONGEST_WORD, room // 4)))
        overlap = min(OVERLAP, room // 8)
        cuts = spans(words, len(text), room=room, overlap=overlap)
        return [part for a, b in cuts for part in self._fitting(text[a:b])]

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, self._prefixes[0])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, self._prefixes[1])

    @cached_property
    def _room(self) -> int:
        """How many tokens of a text there is room for."""
        taken = max(len(self._model().tokens(prefix)) for prefix in self._prefixes)
        if self._window - taken < _LEAST_ROOM:
            raise UsageError(
                f"window is {self._window}, of which the prefix and what marks the ends of a text "
                f"take {taken}: give {taken + _LEAST_ROOM} or more."
            )
        return self._window - taken

    def _fits(self, text: str) -> bool:
        tokens = self._model().tokens
        return all(len(tokens(f"{prefix}{text}")) <= self._window for prefix in self._prefixes)

    def _fitting(self, part: str) -> Iterator[str]:
        """A part, in halves where the pieces of a word that was cut have more tokens than it."""
        if len(part) < 2 or self._fits(part):
            yield part
            return
        middle = len(part) // 2
        yield from self._fitting(part[:middle])
        yield from self._fitting(part[middle:])

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not checked_texts(texts):
            return np.empty((0, self.dimension), np.float32)
        model = self._model()
        tokens = [model.tokens(f"{prefix}{text}") for text in texts]
        check_lengths(tokens, self._window)
        together = list(batches([len(row) for row in tokens], _BATCH_TOKENS))
        found = mapped(
            lambda batch: self._pooled(model, [tokens[at] for at in batch]),
            together,
            min(self._threads, len(together)),
        )
        rows = {
            at: row
            for batch, made in zip(together, found, strict=True)
            for at, row in zip(batch, made, strict=True)
        }
        return unit([rows[at] for at in range(len(texts))])

    def _pooled(self, model: "_Model", tokens: Sequence[Sequence[int]]) -> Any:
        ids, mask = padded(tokens)
        made = model.run(ids, mask)
        if made.ndim == 2:
            return made
        if self._pooling == "cls":
            return made[:, 0]
        return (made * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)


class OnnxReranker:
    """Scores with an ONNX cross-encoder in a directory, from 0 to 1.

    A text that does not fit the window with its query is cut at the end.

    Args:
        path: The directory, laid out as for `OnnxEmbedder`.
        window: How many tokens the model reads at once; as its files say if not given.
        threads: How many processor cores a call with many texts may use; up to four if not given.
    """

    def __init__(
        self, path: str | Path, *, window: int | None = None, threads: int | None = None
    ) -> None:
        self._files = _Files.find(Path(path))
        self._window = _positive("window", window) or self._files.window
        self._threads = _positive("threads", threads) or min(MOST_THREADS, os.cpu_count() or 1)
        self._model = PerProcess(lambda: _Model(self._files))
        self.name = f"onnx:{self._files.directory.name}"

    def __repr__(self) -> str:
        return f"OnnxReranker({str(self._files.directory)!r})"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        model = self._model()
        pairs = [model.pair(query, text, self._window) for text in texts]
        together = list(batches([len(ids) for ids, _ in pairs], _BATCH_TOKENS))
        scores = np.empty(len(texts))
        found = mapped(
            lambda batch: _probabilities(model.run_pairs([pairs[at] for at in batch])),
            together,
            min(self._threads, len(together)) or 1,
        )
        for batch, made in zip(together, found, strict=True):
            scores[batch] = made
        return [float(score) for score in scores]

    async def ascore(self, query: str, texts: Sequence[str]) -> list[float]:
        import asyncio  # noqa: PLC0415 (a plain program does without it)

        return await asyncio.to_thread(self.score, query, texts)


def _positive(name: str, value: int | None) -> int | None:
    if value is not None and value < 1:
        raise UsageError(f"{name} is {value}: give 1 or more, or leave it out.")
    return value


def _probabilities(logits: npt.NDArray[Any]) -> Scores:
    """How likely a text is the right one, from one number for each text or from two."""
    logits = np.asarray(logits, np.float64).reshape(len(logits), -1)
    yes = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    made: Scores = 1 / (1 + np.exp(-yes))
    return made


@dataclass(frozen=True)
class _Files:
    directory: Path
    model: Path

    @classmethod
    def find(cls, directory: Path) -> "_Files":
        for file in (directory / MODEL, directory / "onnx" / MODEL):
            if file.is_file() and (directory / TOKENIZER).is_file():
                return cls(directory.resolve(), file)
        raise UsageError(f"There is no {MODEL} with a {TOKENIZER} in {directory}.")

    @cached_property
    def hashes(self) -> str:
        """What tells the model from others: other words make other vectors, too."""
        return "".join(map(sha256_of, (self.model, self.directory / TOKENIZER)))

    @property
    def window(self) -> int:
        said = self._config("config.json").get("max_position_embeddings", _USUAL_WINDOW)
        cut = self._config(TOKENIZER).get("truncation") or {}
        return min(int(said), int(cut.get("max_length", said)))

    @property
    def pooling(self) -> Pooling:
        said = self._config("1_Pooling/config.json")
        return "cls" if said.get("pooling_mode_cls_token") else "mean"

    def _config(self, name: str) -> dict[str, Any]:
        file = self.directory / name
        found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        return found


class _Model:
    """The loaded model, which may want other inputs than its neighbour."""

    def __init__(self, files: _Files) -> None:
        self._tokenizer = tokenizer_of(str(files.directory / TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._session = session_of(str(files.model))
        self._inputs = {put.name for put in self._session.get_inputs()}
        outputs = [put.name for put in self._session.get_outputs()]
        self._output = _WHOLE if _WHOLE in outputs else outputs[0]

    def words(self, text: str, longest: int) -> Iterator[Word]:
        encoded = self._tokenizer.encode(utf8(text).decode(), add_special_tokens=False)
        tokens = zip(encoded.word_ids, encoded.offsets, strict=True)
        for _, group in groupby(tokens, key=lambda token: token[0]):
            starts = [start for _, (start, _) in group]
            if len(starts) <= longest:
                yield Word(starts[0], len(starts))
            else:  # no word at all, such as a line of code, or a language without spaces
                yield from (Word(start, len(list(same))) for start, same in groupby(starts))

    def tokens(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(utf8(text).decode()).ids
        return ids

    def pair(self, query: str, text: str, window: int) -> tuple[list[int], list[int]]:
        encoded = self._tokenizer.encode(utf8(query).decode(), utf8(text).decode())
        encoded.truncate(window)
        return encoded.ids, encoded.type_ids

    def run(self, ids: IDs, mask: IDs, types: IDs | None = None) -> npt.NDArray[Any]:
        given = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids) if types is None else types,
        }
        wanted = {name: value for name, value in given.items() if name in self._inputs}
        made: npt.NDArray[Any] = self._session.run([self._output], wanted)[0]
        return made

    def run_pairs(self, pairs: Sequence[tuple[list[int], list[int]]]) -> npt.NDArray[Any]:
        ids, mask = padded([ids for ids, _ in pairs])
        types, _ = padded([types for _, types in pairs])
        return self.run(ids, mask, types)
