"""What all remote models share: one client and one policy in each process, and a way to close."""

import asyncio
import atexit
import weakref
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from bethink.errors import BethinkError, ModelUnavailable, UsageError
from bethink.models.base import Prices, Usage
from bethink.models.extras import check_installed
from bethink.models.keys import Key
from bethink.models.local import PerProcess
from bethink.models.loop import arun, run, start
from bethink.models.policy import Calls, Policy

_GOODBYE = 2.0
"""How many seconds the end of the program waits for connections to be closed."""


class Client(Protocol):
    """A provider's official client behind one of our adapters. Lives on our event loop."""

    async def close(self) -> None: ...


C = TypeVar("C", bound=Client)
T = TypeVar("T")


class Remote(Generic[C]):
    """A model elsewhere, called by a policy. The client is made on first use in each process."""

    extra: str
    """The extra that installs what it needs."""
    packages: tuple[str, ...]
    """What must be installed, as it is imported."""

    def __init__(
        self,
        name: str,
        make_client: Callable[[], C],
        *,
        key: Key,
        policy: Policy | None = None,
        prices: Prices | None = None,
    ) -> None:
        check_installed(self.extra, *self.packages, "stamina")
        self.name = name
        policy = _as(Policy, "policy", policy)
        prices = _as(Prices, "prices", prices)
        self._clients = PerProcess(lambda: _made(make_client, name, key))
        self._calls = PerProcess(lambda: Calls(name, policy, key, prices))
        _open.add(self)
        weakref.finalize(self, _close_later, self._clients).atexit = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def usage(self) -> Usage:
        """What this process has used so far: requests sent, tokens, and their cost."""
        return self._calls().usage

    def prepare(self) -> None:
        """Imports and makes the client now, which the first call would do otherwise."""
        self._clients()

    async def _client(self) -> C:
        """The client. Importing it takes a while, which the event loop spends on others.

        It is asked for until it is there: someone may close it before it was used.
        """
        try:
            async with asyncio.timeout(self._calls().policy.deadline):
                while (made := self._clients.made()) is None:
                    await asyncio.to_thread(self._clients)
        except TimeoutError:
            made = None
        if made is None:
            raise ModelUnavailable(f"The client of {self.name} was not ready in time.")
        return made

    def close(self) -> None:
        """Closes connections, after the calls under way. Using it afterwards opens new ones."""
        run(self._close())

    async def aclose(self) -> None:
        await arun(self._close())

    async def _close(self) -> None:
        client = self._clients.take()
        if client is not None:
            await self._calls().ended()
            await client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _as(kind: type[T], name: str, given: Any) -> T:
    if given is not None and not isinstance(given, kind):
        raise UsageError(f"{name} is of type {type(given).__name__}: give a {kind.__name__}.")
    return kind() if given is None else given


def _made(make_client: Callable[[], C], name: str, key: Key) -> C:
    """A client. What goes wrong is told without its error, whose frames hold the key."""
    try:
        return make_client()
    except BethinkError:
        raise
    except Exception as raised:  # noqa: BLE001 (a client may raise anything)
        said = f"{type(raised).__name__}: {key.hidden_in(str(raised))}"
    raise UsageError(f"{name} cannot be opened, look at its settings. {said}")


def key_for(who: str, given: str | None, *variables: str) -> Key:
    """The key of a provider that takes none but paying guests."""
    key = Key.find(given, *variables)
    if not key:
        raise UsageError(f"{who} needs a key: set {variables[0]}, or pass one as api_key.")
    return key


_open: "weakref.WeakSet[Remote[Any]]" = weakref.WeakSet()


def _close_later(clients: PerProcess[Any]) -> None:
    client = clients.take()
    if client is not None:
        start(client.close())


@atexit.register
def _close_all() -> None:
    """Leaves no connection open at the end of the program, for its client to complain about."""
    made = [model._clients.take() for model in list(_open)]  # noqa: SLF001 (of this module)
    for future in [start(client.close()) for client in made if client is not None]:
        with suppress(Exception):
            future.result(_GOODBYE)
