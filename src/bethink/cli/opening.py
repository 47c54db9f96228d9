"""From the name of a store to an open memory."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from bethink import Embedder, Memory, MemoryStore
from bethink.errors import StoreError, UsageError
from bethink.models.base import Vectors, model_in
from bethink.models.function import as_embedder
from bethink.models.url import PROVIDERS, open_embedder
from bethink.stores.url import file_of, open_store
from bethink.times import Clock, utc_now


def default_store() -> Path | None:
    """Where memories are kept if nobody says where, if there is a home to keep them in."""
    try:
        return Path.home() / ".bethink" / "memory.db"
    except RuntimeError:
        return None


def default_cache() -> Path | None:
    """Where vectors are kept that were made before, if there is a home to keep them in."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (named if named.is_absolute() else Path.home() / ".cache") / "bethink"
    except RuntimeError:
        return None


@dataclass(frozen=True, slots=True)
class Setup:
    """What commands work with: the built-in embedder and the system's clock, or a test's own."""

    embedder: Embedder | None = None
    clock: Clock = utc_now

    def built_in(self) -> Embedder:
        return as_embedder(self.embedder)

    def memory(self, name: str, *, create: bool = False, count_uses: bool = True) -> Memory:
        """The memory in a store, whichever model it was embedded with."""
        store = self.store(name, create=create)
        embedder = _fitting(store, self.built_in())
        return Memory(store, embedder=embedder, count_uses=count_uses, clock=self.clock)

    def model(self, store: MemoryStore) -> Embedder | None:
        """The model that a store was embedded with, if the command can run it."""
        found = _fitting(store, self.built_in())
        return None if isinstance(found, _Absent) else found

    def store(self, name: str, *, create: bool = False) -> MemoryStore:
        """The store of that name. Unless told to create it, a file must be there already."""
        path = file_of(name)
        if path is None:
            return open_store(name)
        if create and path == default_store():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        elif not create and not path.exists():
            raise StoreError(f"There is no memory at {path} yet; `bethink add` makes one.")
        return open_store(path)


pass_setup = click.make_pass_decorator(Setup, ensure=True)


def _fitting(store: MemoryStore, built_in: Embedder) -> Embedder:
    """The model that a store was embedded with: the built-in one, or a provider's by its name."""
    space = store.space()
    if space is None or model_in(space) == built_in.name:
        return built_in
    name = model_in(space)
    known = PROVIDERS.get(name.partition(":")[0])
    if known is None or not known.remote:
        return _Absent(
            space,
            f"This memory was embedded with {name}, which the command cannot run. "
            "Use it from Python with that model.",
        )
    try:
        return open_embedder(name)
    except UsageError as error:  # it is not installed, or has no key
        return _Absent(space, str(error))


class _Absent:
    """Stands in for a model that the command cannot run: all but embedding still works."""

    def __init__(self, space: str, why: str) -> None:
        self.name, _, dimension = space.rpartition("/")
        self.dimension = int(dimension)
        self._why = why

    def split(self, text: str) -> list[str]:
        return [text]

    def embed(self, texts: Sequence[str]) -> Vectors:  # noqa: ARG002
        raise UsageError(f"{self._why} Or embed it anew with `bethink reembed`.")
