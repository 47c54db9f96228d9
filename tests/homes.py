"""Where stores of every sort can live, for tests that are about more than one of them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bethink import Layered, MemoryStore, RAMStore, SQLiteStore

SHARED = ("sqlite", "postgres", "redis")
"""What processes can share."""
SORTS = ("ram", *SHARED, "qdrant", "layered", "cached")


@dataclass(frozen=True)
class Home:
    """Where one store is; another process can be told of it, unless it is in this one's memory."""

    sort: str
    place: str
    options: dict[str, Any] = field(default_factory=dict)

    def open(self) -> MemoryStore:
        """One more handle; the drivers are imported when they are wanted."""
        if self.sort == "ram":
            return RAMStore()
        if self.sort == "sqlite":
            return SQLiteStore(self.place)
        if self.sort == "layered":
            return Layered(SQLiteStore(f"{self.place}.session"), SQLiteStore(self.place))
        if self.sort == "cached":
            from bethink.stores.cached import Cached  # noqa: PLC0415

            return Cached(SQLiteStore(self.place), **self.options)
        from bethink.stores.url import open_store  # noqa: PLC0415

        return open_store(self.place, **self.options)


class Homes:
    """Makes homes; servers are started when the first wants them."""

    def __init__(self) -> None:
        self._servers = ExitStack()
        self._stores = ExitStack()
        self._numbers = count()
        self._directory = Path()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._servers.close()

    @contextmanager
    def beneath(self, directory: Path) -> Iterator[None]:
        """Keep files in a directory for a while, and close what was opened meanwhile."""
        self._directory = directory
        with self._stores:
            yield

    @cached_property
    def postgres(self) -> str:
        from bethink.testing.postgres import PostgresServer  # noqa: PLC0415

        return self._servers.enter_context(PostgresServer()).url()

    @cached_property
    def redis(self) -> str:
        from bethink.testing.redisserver import RedisServer  # noqa: PLC0415

        return self._servers.enter_context(RedisServer()).url

    def new(self, sort: str) -> Home:
        """A place where nothing is yet."""
        number = next(self._numbers)
        file = str(self._directory / f"{number}.db")
        if sort == "postgres":
            return Home(sort, self.postgres, {"schema": f"home {number}"})
        if sort == "redis":
            return Home(sort, self.redis, {"prefix": f"home{number}"})
        if sort == "qdrant":
            return Home(sort, "qdrant://:memory:")
        if sort == "cached":
            return Home(sort, file, {"cache": self.redis, "name": f"home{number}"})
        return Home(sort, file)

    def open(self, home: Home | str) -> MemoryStore:
        """A store that is closed when the test ends: of a home, or a new one of a sort."""
        store = (self.new(home) if isinstance(home, str) else home).open()
        self._stores.callback(store.close)
        return store
