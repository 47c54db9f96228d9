"""What tests of the command share: a way to type it, in this process or in one of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bethink import Embedder, FunctionEmbedder, Memory
from bethink.cli import bethink
from bethink.cli.opening import Setup
from tests.conftest import Clock


class Shell:
    """Types commands about john's memory, with a quick embedder and a clock that stands still."""

    def __init__(self, store: Path, embedder: Embedder, clock: Clock) -> None:
        self.store = store
        self.embedder = embedder
        self.clock = clock
        self.cache = store.parent / "cache"
        self.env = {
            "BETHINK_STORE": str(store),
            "BETHINK_USER": "john",
            "XDG_CACHE_HOME": str(self.cache),
        }

    def run(self, *words: str, typed: str | bytes | None = None, **env: str | None) -> Result:
        setup = Setup(self.embedder, self.clock)
        return CliRunner().invoke(
            bethink, words, input=typed, env={**self.env, **env}, prog_name="bethink", obj=setup
        )

    def out(self, *words: str, typed: str | bytes | None = None) -> str:
        """What a command that succeeds prints."""
        result = self.run(*words, typed=typed)
        assert (result.exit_code, result.exception) == (0, None), result.output
        return result.stdout

    def json(self, *words: str, typed: str | None = None) -> list[dict[str, Any]]:
        """The objects that a command prints with --json."""
        return [json.loads(line) for line in self.out(*words, "--json", typed=typed).splitlines()]

    def fails(self, *words: str, code: int = 1, **env: str | None) -> str:
        """What a command that fails says: one line on stderr, and nothing on stdout."""
        result = self.run(*words, **env)
        assert (result.exit_code, result.stdout) == (code, ""), result.output
        assert result.stderr.count("\n") == 1
        return result.stderr.strip()

    def add(self, *words: str) -> str:
        """Adds one text and gives its id."""
        [item] = self.json("add", *words)
        id_: str = item["id"]
        return id_


@pytest.fixture
def shell(tmp_path: Path, quick: FunctionEmbedder, clock: Clock) -> Shell:
    return Shell(tmp_path / "agent.db", quick, clock)


@pytest.fixture
def filled(shell: Shell) -> Shell:
    """A shell with three memories: about football, food and a home."""
    shell.out("add", "Supports Arsenal", "--metadata", "topic=football")
    shell.out("add", "Eats no nuts", "--metadata", "topic=food", "--importance", "1")
    shell.out("add", "Lives in London")
    return shell


ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "BETHINK_STORE", "BETHINK_USER")
}
COMMAND = [sys.executable, "-m", "bethink.cli"]


@pytest.fixture
def process(filled: Shell) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command on john's memory in a process of its own."""

    def run(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *words],
            env={**ENVIRONMENT, **filled.env, **env},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def crowded(shell: Shell) -> Shell:
    """A shell with more memories than a pipe holds."""
    with Memory(shell.store, embedder=shell.embedder) as memory:
        memory.add_many([f"note number {n} {'x' * 100}" for n in range(2000)], user_id="john")
    return shell
