"""Real servers for tests: each on a free port of this machine, in a directory of its own.

Nothing is installed as a service and nothing is left behind: a server belongs to the process that
started it and is stopped by its process id.
"""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bethink.errors import StoreUnavailable

HOST = "127.0.0.1"

_LOG_LINES = 20  # of a server that did not come up


class Server(ABC):
    """A server, from the moment it is made until `close`.

    What it keeps lies in `directory` and outlives `stop`, `kill` and `start`; `close` removes it.
    """

    patience = 60.0
    """Seconds that it may take to come up or to go."""
    stopping = signal.SIGTERM
    """What asks it to go."""
    leaving = signal.SIGKILL
    """What ends it for good, when nothing that it kept is wanted any more."""
    unprivileged = False
    """Whether it refuses to be run by root."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="bethink-"))
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        atexit.register(self.close)
        try:
            self._give_away(self.directory)
            self.prepare()
            self.start()
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def command(self) -> Sequence[str]:
        """What is run, in the foreground."""

    @abstractmethod
    def ready(self) -> bool:
        """Whether it answers."""

    def prepare(self) -> None:  # noqa: B027 (most servers need nothing)
        """What must be done once, before it is first started."""

    @property
    def pid(self) -> int | None:
        """Its process id, while it runs."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 (a server of ours)
                self.command(),
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._rights(),
            )
        deadline = time.monotonic() + self.patience
        while not self.ready():
            if self.pid is None or time.monotonic() > deadline:
                raise StoreUnavailable(f"The server did not come up. It said:\n{self._said()}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Ask it to go, and wait until it has."""
        self._end(self.stopping)

    def kill(self) -> None:
        """End it at once, as a crash of its machine would."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self.stop()
        self.start()

    def close(self) -> None:
        """End it and remove all that it kept; at the end of the process it is done for you."""
        atexit.unregister(self.close)
        if os.getpid() != self._owner:  # a forked child has no say in it
            return
        self._end(self.leaving)
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def run(self, command: Sequence[str]) -> None:
        """Run a program to its end, with the server's rights."""
        with self._log.open("ab") as log:
            done = subprocess.run(  # noqa: S603 (a program of the server)
                command,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                check=False,
                **self._rights(),
            )
        if done.returncode:
            raise StoreUnavailable(f"{Path(command[0]).name} failed. It said:\n{self._said()}")

    @property
    def _log(self) -> Path:
        return self.directory / "log"

    def _said(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()
        return "\n".join(lines[-_LOG_LINES:])

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            try:
                self._process.wait(self.patience)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def _rights(self) -> Mapping[str, Any]:
        """Root lends a server that refuses it the rights of nobody."""
        if not self.unprivileged or not hasattr(os, "getuid") or os.getuid() != 0:
            return {}
        import pwd  # noqa: PLC0415 (there is none on Windows)

        nobody = pwd.getpwnam("nobody")
        return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}

    def _give_away(self, path: Path) -> None:
        rights = self._rights()
        if rights:
            os.chown(path, rights["user"], rights["group"])


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as some:
        some.bind((HOST, 0))
        port: int = some.getsockname()[1]
        return port
