"""The embedder that comes with Bethink: all-MiniLM-L6-v2, on this machine, with no download.

`LocalEmbedder` reads the model's files from this package; see ``minilm/NOTICE`` for whose they
are, and ``tools/build_model.py`` for how they were made.
"""

import hashlib
import os
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from bethink.errors import ModelError, UsageError
from bethink.models.base import Vectors
from bethink.models.texts import checked_texts

IDs: TypeAlias = npt.NDArray[np.int64]
T = TypeVar("T")
X = TypeVar("X")

DIMENSION = 384
WINDOW = 256
"""The most tokens that the model reads at once."""
ROOM = WINDOW - 2
"""The window without the tokens that stand for the start and the end of a text."""
OVERLAP = 32
"""How many tokens, at most, the parts of a long text share with their neighbours."""
BATCH_TOKENS = 256
"""The most tokens in a batch, padding included. Larger batches leave the processor's caches and
take longer for each text; this also bounds the memory, however many texts there are."""
MOST_THREADS = 4
"""How many cores a call takes, at most, if nobody says how many: an agent has other work too."""

FILES = Path(__file__).with_name("minilm")
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
SHA256 = {
    MODEL: "84d6898e7e88648075c354a65dd1813df9ad1c8616dbfecf9ae993d87b94d9dd",
    TOKENIZER: "5fd1c882abbd30517dced455a2c9768945ec726b96727927e4959348d9de550b",
}


class LocalEmbedder:
    """Embeds English texts on this machine. Loads nothing until it is first used.

    Safe to share between threads, and to use on both sides of a fork. A text's vector does not
    depend on the texts that are embedded with it.

    Args:
        threads: How many processor cores a call with many texts may use; up to four if not given.
        path: The directory with the model's files, if it is not the one in this package.
    """

    name = f"all-MiniLM-L6-v2-int8-{SHA256[MODEL][:8]}"
    dimension = DIMENSION
    sound = True  # returns one unit vector for each text, or raises

    def __init__(self, *, threads: int | None = None, path: Path | None = None) -> None:
        if threads is not None and threads < 1:
            raise UsageError(f"threads is {threads}: give 1 or more, or leave it out.")
        directory = path or FILES
        self._threads = threads or min(MOST_THREADS, os.cpu_count() or 1)
        self._model = PerProcess(lambda: _Model.load(directory))

    def split(self, text: str) -> list[str]:
        """The text in parts that fit the window, cut between words, each overlapping the next."""
        if len(utf8(text)) <= ROOM:  # no character makes more tokens than it has bytes
            return [text]
        words = self._model().words(text)
        return [text[start:end] for start, end in spans(words, len(text))]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector for each text, in order. Each must fit the window: `split` long texts."""
        vectors = np.empty((len(checked_texts(texts)), DIMENSION), np.float32)
        if not texts:
            return vectors
        model = self._model()
        tokens = [model.tokens(text) for text in texts]
        check_lengths(tokens, WINDOW)
        together = list(batches([len(row) for row in tokens]))
        rows = ([tokens[at] for at in batch] for batch in together)
        threads = min(self._threads, len(together))
        for batch, found in zip(together, mapped(model.run, rows, threads), strict=True):
            vectors[batch] = found
        return vectors


def mapped(call: Callable[[X], T], values: Iterable[X], threads: int) -> Iterator[T]:
    """Calls in order or, where there are several threads, at the same time."""
    if threads == 1:
        yield from map(call, values)
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="bethink-embed") as pool:
        yield from pool.map(call, values)


def check_lengths(tokens: Sequence[Sequence[int]], window: int) -> None:
    for at, row in enumerate(tokens):
        if len(row) > window:
            raise UsageError(
                f"Text {at} has {len(row)} tokens and the model reads {window} at once: "
                "call split() and embed the parts."
            )


class Word(NamedTuple):
    start: int
    """Where it starts in the text, in characters."""
    tokens: int


def spans(
    words: Sequence[Word], length: int, *, room: int = ROOM, overlap: int = OVERLAP
) -> Iterator[tuple[int, int]]:
    """Where to cut a text of that length so that each part holds at most `room` tokens.

    Parts begin and end between words, because half a word makes other tokens than it had in the
    whole. Neighbours share up to `overlap` tokens, if that leaves room for the next word. A word
    that has no room at all is a part of its own.
    """
    if not words:
        yield 0, length
        return
    starts = [0, *(word.start for word in words[1:]), length]
    before = list(accumulate((word.tokens for word in words), initial=0))
    first, last = 0, 0
    while last < len(words):
        last = max(first + 1, bisect_right(before, before[first] + room) - 1)
        yield starts[first], starts[last]
        if last < len(words):
            shared = max(before[last] - overlap, before[last + 1] - room)
            first = min(last, bisect_left(before, shared))


def batches(lengths: Sequence[int], most: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Positions of texts that go together: alike in length, and few enough when padded."""
    batch: list[int] = []
    for at in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[at] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _Model:
    """The loaded model. Typed loosely: its packages are only imported when it loads."""

    tokenizer: Any
    session: Any

    @classmethod
    def load(cls, directory: Path) -> "_Model":
        return cls(
            tokenizer=load_tokenizer(directory),
            session=session_of(_checked(directory / MODEL)),
        )

    def words(self, text: str) -> list[Word]:
        encoded = self.tokenizer.encode(utf8(text).decode(), add_special_tokens=False)
        tokens = zip(encoded.word_ids, encoded.offsets, strict=True)
        return [_word(offsets) for _, offsets in groupby(tokens, key=lambda token: token[0])]

    def tokens(self, text: str) -> list[int]:
        # One by one, not as a batch: a batch is spread over threads that do not survive a fork,
        # and the tokenizer complains about it. Beside the model it takes no time.
        ids: list[int] = self.tokenizer.encode(utf8(text).decode()).ids
        return ids

    def run(self, tokens: Sequence[Sequence[int]]) -> Vectors:
        ids, mask = padded(tokens)
        vectors: Vectors = self.session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return vectors


def padded(tokens: Sequence[Sequence[int]]) -> tuple[IDs, IDs]:
    """Tokens as a rectangle, and where in it they are."""
    ids = np.zeros((len(tokens), max(map(len, tokens))), np.int64)
    mask = np.zeros_like(ids)
    for at, row in enumerate(tokens):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
    return ids, mask


def _word(tokens: Iterable[tuple[int, tuple[int, int]]]) -> Word:
    (_, (start, _)), *others = tokens
    return Word(start, 1 + len(others))


def utf8(text: str) -> bytes:
    """The text for the tokenizer, which knows no halves of surrogate pairs: "?" stands for one."""
    return text.encode("utf-8", "replace")


def sha256_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _checked(file: Path) -> str:
    """The name of a file, if it is the one that the vectors in a store were made with."""
    try:
        found = sha256_of(file)
    except OSError as error:
        raise ModelError(
            f"The embedding model's file {file} cannot be read: install bethink again."
        ) from error
    if found != SHA256[file.name]:
        raise ModelError(
            f"The embedding model's file {file} is damaged, or not the one that belongs to this "
            "version: install bethink again."
        )
    return str(file)


def load_tokenizer(directory: Path = FILES) -> Any:
    """The built-in model's tokenizer."""
    return tokenizer_of(_checked(directory / TOKENIZER))


def tokenizer_of(file: str) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415

    tokenizer = Tokenizer.from_file(file)
    tokenizer.encode_special_tokens = True  # "[SEP]" in what someone said is just text
    return tokenizer


def session_of(file: str) -> Any:
    # From 1.29 on, onnxruntime reports to its makers over the network. It reads this variable
    # when it is first imported; its own switch, disable_telemetry_events(), comes too late.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    # No threads of its own: batches side by side make better use of two cores than one batch cut
    # in two (1.7 times, measured), and a forked child that exits would wait for its threads
    # forever. None of them can spin after a call, either.
    options.intra_op_num_threads = 1
    options.log_severity_level = 4  # errors come as exceptions; printing them as well is noise
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


@dataclass(slots=True)
class _Slot(Generic[T]):
    lock: threading.Lock = field(default_factory=threading.Lock)
    made: list[T] = field(default_factory=list)


class PerProcess(Generic[T]):
    """Makes a thing on first use, once in each process, whichever thread comes first.

    Neither threads nor held locks survive a fork, so a child makes its own. It keeps what it
    inherited unused: to take it apart could mean waiting for threads that are not there.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._slots: dict[int, _Slot[T]] = {}

    def made(self) -> T | None:
        """What this process has made, if it has."""
        slot = self._slots.get(os.getpid())
        return slot.made[0] if slot is not None and slot.made else None

    def take(self) -> T | None:
        """The same, given away: whoever asks next has another made."""
        slot = self._slots.pop(os.getpid(), None)
        return slot.made[0] if slot is not None and slot.made else None

    def __call__(self) -> T:
        slot = self._slots.setdefault(os.getpid(), _Slot())
        if not slot.made:
            with slot.lock:
                if not slot.made:
                    slot.made.append(self._make())
        return slot.made[0]
