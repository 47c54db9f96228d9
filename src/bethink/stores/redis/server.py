"""A Redis server or cluster: its address, its connections, and its errors in sentences."""

import re
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from bethink.errors import MissingExtra, StoreError, StoreUnavailable, UsageError
from bethink.forks import Forkable
from bethink.stores.redis.scripts import UNDONE, Script
from bethink.stores.redis.turns import Turns
from bethink.stores.url import without_password

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ModuleNotFoundError as missing:
    if missing.name != "redis":
        raise
    raise MissingExtra("redis", "redis") from None

T = TypeVar("T")

_PAUSE = 0.05  # seconds before a read is tried again; doubled each time
_ADDRESS = re.compile(r"(?:redis|rediss)(?:\+cluster)?://(?:[^@/?#]*@)?[^@/?#]+(?:/\d*)?(?:\?.*)?")

_UNTOUCHED = (redis.exceptions.BusyLoadingError, redis.exceptions.ClusterDownError)
"""What a server says instead of doing anything, so that even a write may be tried again."""
_UNAVAILABLE = (
    redis.exceptions.ConnectionError,
    redis.exceptions.TimeoutError,
    redis.exceptions.ClusterDownError,
    redis.exceptions.ClusterError,
    redis.exceptions.TryAgainError,
    redis.exceptions.SlotNotCoveredError,
    redis.exceptions.RedisClusterException,
)
_ADVICE: dict[str | type[Exception], str] = {
    redis.exceptions.OutOfMemoryError: (
        "has no memory left. Nothing of this call was stored. Give it more with maxmemory, or "
        "delete something."
    ),
    redis.exceptions.NoPermissionError: (
        "does not let this user do that. Bethink needs the commands on hashes, sorted sets, keys "
        "and scripts, INFO and MODULE LIST, on all keys that begin with its prefix."
    ),
    redis.exceptions.ReadOnlyError: (
        "is a replica, which cannot be written. Pass the address of the primary."
    ),
    "MISCONF": (
        "cannot save its data to disk and refuses writes. Nothing of this call was stored. Look "
        "into its log, and check the disk and its free space."
    ),
    "NOREPLICAS": "has too few replicas to take writes. Nothing of this call was stored.",
    "WRONGTYPE": "keeps something else under Bethink's keys. Choose another prefix.",
}


class Server(Forkable):
    """Connections to a server, bounded in number and shared by threads; a fork gets its own.

    Reads are tried again for as long as `timeout` allows. A write that was cut off is not: it
    may have been done, and only the caller knows what that means.
    """

    def __init__(self, url: str, *, timeout: float, connections: int, replicas: int = 0) -> None:
        if not isinstance(url, str) or not _ADDRESS.fullmatch(url):
            # Without the text: there may be a password in it.
            raise UsageError(
                "That is not the URL of a Redis server. Pass one such as redis://localhost:6379/0; "
                "in a password, write @, /, ? and # as %40, %2F, %3F and %23."
            )
        self._url = url
        self._timeout = timeout
        self._connections = connections
        self._closed = False
        self._replicas = replicas
        self.cluster = "+cluster://" in url
        if self.cluster and replicas:
            raise UsageError(
                "Waiting for replicas is for one server. In a cluster, set min-replicas-to-write "
                "on its nodes and leave replicas out."
            )
        self.address = without_password(url)
        """The URL without the password and options."""
        self._lock = threading.Lock()
        self._turns = Turns(connections)
        self._client: Any = None
        self._follow_forks()

    def __repr__(self) -> str:
        return f"Server({self.address!r})"

    def read(self, call: Callable[[Any], T]) -> T:
        """What a call of the driver answers; tried again while the server cannot be reached."""
        return self._call(call, _UNAVAILABLE)

    def write(self, call: Callable[[Any], T]) -> T:
        """The same for a call that changes something."""
        return self._call(call, _UNTOUCHED)

    def run(self, script: Script, keys: Sequence[bytes], *args: Any) -> Any:
        """What a script answers, run whole or not at all."""
        if script.reads:
            return self.read(lambda client: _run(client, script, keys, args))
        if not self._replicas:
            return self.write(lambda client: _run(client, script, keys, args))
        answer, count = self.write(lambda client: self._run_and_wait(client, script, keys, args))
        undone = isinstance(answer, list) and answer[0] in UNDONE
        if count < self._replicas and not undone:
            raise StoreUnavailable(
                f"{self.address} has done it, but only {count} of {self._replicas} replicas have "
                "confirmed it in time. Look after the replicas, then repeat the call."
            )
        return answer

    def _run_and_wait(
        self, client: Any, script: Script, keys: Sequence[bytes], args: Sequence[Any]
    ) -> tuple[Any, int]:
        """What a script answers, and how many replicas have what it wrote."""
        for command in (("EVALSHA", script.sha), ("EVAL", script.source)):
            pipe = client.pipeline(transaction=False)  # one connection: WAIT is about its writes
            pipe.execute_command(*command, len(keys), *keys, *args)
            pipe.execute_command("WAIT", self._replicas, int(self._timeout * 500))
            answer, count = pipe.execute(raise_on_error=False)
            if not isinstance(answer, redis.exceptions.NoScriptError):
                break
        for failure in (answer, count):
            if isinstance(failure, Exception):
                raise failure
        return answer, int(count)

    def modules(self) -> set[str]:
        """What the server can do beyond the ordinary; nothing where it may not be asked."""
        try:
            found = self.read(lambda client: client.module_list())
        except StoreError as error:
            if isinstance(error.__cause__, redis.exceptions.ResponseError):
                return set()
            raise
        return {(module.get(b"name") or module["name"].encode()).decode() for module in found}

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
            self._closed = True
        if client is not None:
            _close(client)

    def _call(self, call: Callable[[Any], T], again: tuple[type[Exception], ...]) -> T:
        deadline = time.monotonic() + self._timeout
        pause = _PAUSE
        while True:
            try:
                with self._turns.taken(self._timeout):
                    return call(self._connected())
            except again as error:
                if _refused(error) or time.monotonic() + pause > deadline:
                    raise _translated(error, self.address) from error
                time.sleep(pause)
                pause *= 2
            except (redis.exceptions.RedisError, OSError) as error:
                raise _translated(error, self.address) from error

    def _connected(self) -> Any:
        with self._lock:
            if self._closed:
                raise UsageError("This memory is closed. Open it again to use it.")
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> Any:
        """A client that never tries anything again by itself. A cluster's needs the cluster."""
        options: dict[str, Any] = {
            "socket_timeout": self._timeout,
            "socket_connect_timeout": self._timeout,
            "max_connections": self._connections,
            "protocol": 2,  # answers have one shape, whatever server gives them
        }
        never = Retry(NoBackoff(), 0)
        scheme, _, rest = self._url.partition("://")
        try:
            if not self.cluster:
                pool = redis.BlockingConnectionPool.from_url(
                    self._url, timeout=self._timeout, retry=never, **options
                )
                return redis.Redis.from_pool(pool)
            first, *others = _hosts(rest)
            return redis.RedisCluster(
                url=f"{scheme.removesuffix('+cluster')}://{first}",
                startup_nodes=[_node(other) for other in others],
                retry=never,
                connection_pool_class=partial(redis.BlockingConnectionPool, timeout=self._timeout),
                **options,
            )
        except ValueError:  # its text may hold a part of the password
            raise UsageError(
                f"The URL of {self.address} cannot be read. Check its port, database and options."
            ) from None

    def _after_fork_in_child(self) -> None:
        # A thread of the parent may have held any lock of the old client: none of it is used.
        self._lock = threading.Lock()
        self._turns = Turns(self._connections)
        self._client = None


def _hosts(rest: str) -> list[str]:
    """The parts of ``user:password@a:1,b:2?options``: a whole address for the first host."""
    before, at, after = rest.rpartition("@")
    netloc, mark, options = after.partition("?")
    first, *others = netloc.rstrip("/").split(",")
    return [f"{before}{at}{first}{mark}{options}", *others]


def _node(netloc: str) -> Any:
    parts = urlsplit(f"//{netloc}")
    node: Any = redis.cluster.ClusterNode
    return node(parts.hostname or "localhost", parts.port or 6379)


def _run(client: Any, script: Script, keys: Sequence[bytes], args: Sequence[Any]) -> Any:
    try:
        return client.evalsha(script.sha, len(keys), *keys, *args)
    except redis.exceptions.NoScriptError:  # a new server, or one that was restarted
        return client.eval(script.source, len(keys), *keys, *args)


def _close(client: Any) -> None:
    try:
        client.close()
    except (redis.exceptions.RedisError, OSError):
        return  # there was nothing left to close


def _translated(error: Exception, address: str) -> StoreError:
    """The driver's error as Bethink's, saying what to do."""
    said = str(error)
    if _refused(error):
        return StoreError(
            f"{address} refused the user name or password. Check those in the URL; in it, signs "
            "such as @ and / are written %40 and %2F."
        )
    advice = next((a for sign, a in _ADVICE.items() if _is(error, sign)), None)
    if advice is not None:
        return StoreError(f"{address} {advice}")
    if isinstance(error, redis.exceptions.TimeoutError):
        return StoreUnavailable(
            f"{address} did not answer in time. A write may have been done or not: it is safe to "
            "repeat. Try again, or give it a longer timeout."
        )
    if isinstance(error, (*_UNAVAILABLE, OSError)):
        return StoreUnavailable(
            f"{address} cannot be reached: {said.rstrip('.')}. Check that it runs there, then "
            "try again."
        )
    return StoreError(f"{address}: {said.rstrip('.')}.")


def _refused(error: Exception) -> bool:
    """Whether it is about the password; a cluster's client says so only in the cause."""
    wrong = redis.exceptions.AuthenticationError
    return isinstance(error, wrong) or isinstance(error.__cause__, wrong)


def _is(error: Exception, sign: str | type[Exception]) -> bool:
    """Whether it is of that class, or of that code, which the driver leaves in most messages."""
    return str(error).startswith(sign) if isinstance(sign, str) else isinstance(error, sign)
