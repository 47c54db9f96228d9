"""The memory that is measured: a file for the time being, or a store that someone names."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from bethink import Embedder, Memory
from bethink.bench.recall import Memories
from bethink.cli.opening import Setup, default_cache
from bethink.cli.screen import print_note
from bethink.errors import StoreError
from bethink.models.cache import CachedEmbedder

_CACHE = "vectors.db"
_MOST_BYTES = 1024**3


@contextmanager
def opened(
    setup: Setup, store: str | None, index: Literal["memory", "engine"], *, cache: bool
) -> Iterator[Memories]:
    with ExitStack() as stack:
        if store is None:
            store = str(Path(stack.enter_context(TemporaryDirectory())) / "bench.db")
        kept = stack.enter_context(closing(setup.store(store, create=True)))
        plain = setup.built_in()
        cached = _cached(plain, stack) if cache else plain
        memory, timed = (
            stack.enter_context(
                Memory(kept, embedder=one, index=index, count_uses=False, clock=setup.clock)
            )
            for one in (cached, plain)
        )
        yield Memories(memory, timed)


def _cached(embedder: Embedder, stack: ExitStack) -> Embedder:
    """The embedder, looking into the cache first if there can be one."""
    directory = default_cache()
    if directory is None:
        return embedder
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = CachedEmbedder(embedder, directory / _CACHE, most_bytes=_MOST_BYTES)
    except (OSError, StoreError) as error:
        print_note(f"Vectors are not cached: {error}")
        return embedder
    return stack.enter_context(closing(made))
