"""Any function that embeds, as an embedder; and the door where a caller's embedder comes in."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import wait
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from bethink.errors import BethinkError, ModelError, UsageError
from bethink.models.base import Embedder, Vectors
from bethink.models.local import LocalEmbedder, PerProcess
from bethink.models.loop import own_loop, running_loop
from bethink.models.url import open_embedder

if TYPE_CHECKING:
    # Imported where it runs: most programs embed without it, and it is slow to import.
    import asyncio

T = TypeVar("T")

EmbeddingFunction: TypeAlias = Callable[[list[str]], Any]
"""Takes texts and returns, or promises, one vector for each."""

caller_loop: "ContextVar[asyncio.AbstractEventLoop | None]" = ContextVar(
    "caller_loop", default=None
)
"""The event loop of whoever awaits this call: set in worker threads by the async front door."""


class FunctionEmbedder:
    """Embeds with a function, plain or ``async``, that takes texts and returns their vectors.

    Every answer is checked, and what is no vector is a `UsageError`; every vector is made length
    one. What the function raises comes out as a `ModelError`. An ``async`` function runs on the
    event loop of the caller where there is one, and otherwise always on the same loop of its own,
    so that a client which belongs to a loop can be used again.

    Args:
        fn: The function. Its texts are never cut: it must cope with long ones.
        name: Names the model. Stored vectors are used again only under the same name, so give one
            that changes when the model does. The function's own name if not given.
        dimension: How many numbers its vectors have. If not given, one short text is embedded to
            find out, when it is first asked for.
    """

    sound = True  # returns one unit vector for each text, or raises

    def __init__(
        self, fn: EmbeddingFunction, *, name: str | None = None, dimension: int | None = None
    ) -> None:
        if not callable(fn):
            raise UsageError(f"{fn!r} is not a function from texts to vectors.")
        if dimension is not None and dimension < 1:
            raise UsageError(f"dimension is {dimension}: give 1 or more, or leave it out.")
        self.name = name or _name(fn)
        self._fn = fn
        self._dimension = dimension
        self._probed = PerProcess(self._probe)

    @property
    def dimension(self) -> int:
        return self._dimension or self._probed()

    def split(self, text: str) -> list[str]:
        return [text]

    def embed(self, texts: Sequence[str]) -> Vectors:
        dimension = self.dimension
        if not texts:
            return np.empty((0, dimension), np.float32)
        vectors = self._call(texts)
        if vectors.shape[1] != dimension:
            raise UsageError(
                f"{self.name} returned vectors of {vectors.shape[1]} numbers, not {dimension}."
            )
        return self._normalised(vectors)

    def _probe(self) -> int:
        dimension: int = self._call(["dimension"]).shape[1]
        return dimension

    def _call(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """What the function answers, as one row of numbers for each text."""
        answer = self._answer(list(texts))
        try:
            vectors = np.asarray(answer, np.float64)
        except (TypeError, ValueError, RuntimeError) as error:  # the last from tensors
            raise UsageError(
                f"{self.name} did not return one list of numbers for each text, all of one length."
            ) from error
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise UsageError(
                f"{self.name} returned an array of shape {vectors.shape}, not one vector per text."
            )
        if len(vectors) != len(texts):
            raise UsageError(f"{self.name} returned {len(vectors)} vectors for {len(texts)} texts.")
        return vectors

    def _answer(self, texts: list[str]) -> Any:
        try:
            answer = self._fn(texts)
            return awaited(answer) if inspect.isawaitable(answer) else answer
        except BethinkError:
            raise
        # The function is the caller's: it may raise anything, and whoever searches or adds should
        # have one error to expect. Nothing of our own can fail in here.
        except Exception as error:
            raise ModelError(f"{self.name} failed: {type(error).__name__}: {error}") from error

    def _normalised(self, vectors: npt.NDArray[np.float64]) -> Vectors:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise UsageError(f"{self.name} returned a vector with a number that is not finite.")
        if not lengths.all():
            raise UsageError(f"{self.name} returned a vector of only zeros.")
        normalised: Vectors = (vectors / lengths).astype(np.float32)
        return normalised


def as_embedder(thing: Embedder | EmbeddingFunction | str | None) -> Embedder:
    """The embedder that is meant: the built-in one, one by name, or the given one or function."""
    if thing is None:
        return _BUILT_IN
    if isinstance(thing, str):
        return open_embedder(thing)
    if isinstance(thing, type):
        raise UsageError(f"{thing.__name__} is a class: give an instance of it.")
    # Whether there is a dimension is not asked: the answer may cost a call of the model.
    if all(hasattr(thing, part) for part in ("name", "split", "embed")):
        return cast("Embedder", thing)
    if callable(thing):
        return FunctionEmbedder(thing)
    raise UsageError(
        f"{thing!r} is no embedder: give a function from texts to vectors, an object with "
        "name, dimension, split and embed, a name such as voyage:voyage-3.5, or nothing for the "
        "built-in model."
    )


_BUILT_IN = LocalEmbedder()
"""Shared, so that the model is in memory once; it loads when it is first used."""


def _name(fn: EmbeddingFunction) -> str:
    named = fn if hasattr(fn, "__qualname__") else type(fn)
    return f"{named.__module__}.{named.__qualname__}"


def awaited(awaitable: Awaitable[T]) -> T:
    """The result of an awaitable, waited for in this thread while it runs in another."""
    import asyncio  # noqa: PLC0415

    loop = _loop_elsewhere()
    if loop is None:
        if inspect.iscoroutine(awaitable):
            awaitable.close()  # or Python would warn that nobody awaited it
        raise UsageError("An async function must not wait for its own embedder or model.")
    future = asyncio.run_coroutine_threadsafe(_as_coroutine(awaitable), loop)
    # A loop that stops forgets what it was given, and nobody would tell this thread.
    while not wait([future], timeout=1).done:
        if not loop.is_running():
            raise ModelError("The event loop stopped before the async function had finished.")
    return future.result()


async def _as_coroutine(awaitable: Awaitable[T]) -> T:
    return await awaitable


def _loop_elsewhere() -> "asyncio.AbstractEventLoop | None":
    """The loop to run on: the caller's or our own, but never one that this thread would block."""
    blocked = running_loop()
    theirs = caller_loop.get()
    if theirs is not None and theirs.is_running() and theirs is not blocked:
        return theirs
    ours = own_loop()
    return None if ours is blocked else ours
