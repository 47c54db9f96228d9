"""What only a process of its own can show: pipes, exit codes, terminals, colours."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress

import pytest

from bethink import LocalEmbedder, Memory
from tests.cli.conftest import COMMAND, ENVIRONMENT, Shell

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

RED = "\x1b[31m"
HEEDING_INTERRUPTS = """
import signal
from bethink.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test runner may have it ignored
main()
"""


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *words: str, **env: str) -> None:
        self._here, there = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", HEEDING_INTERRUPTS, *words],
            stdin=there,
            stdout=there,
            stderr=there,
            env={**ENVIRONMENT, "TERM": "xterm-256color", **env},
        )
        os.close(there)
        self.screen = ""

    def wait_for(self, text: str) -> None:
        while text not in self.screen:
            some = self._read().decode()
            assert some, f"It ended before it said {text!r}: {self.screen}"
            self.screen += some

    def type(self, text: str) -> None:
        os.write(self._here, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C; again if it came in the moment before the command was listening."""
        while self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1)

    def end(self) -> int:
        while some := self._read():
            self.screen += some.decode()
        os.close(self._here)
        return self.process.wait()

    def _read(self) -> bytes:
        try:
            return os.read(self._here, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # how Linux says that the other side is closed
                raise
            return b""


Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_colours_are_for_terminals(filled: Shell, process: Run) -> None:
    terminal = Terminal("get", "nope", **filled.env)
    assert terminal.end() == 1
    assert RED in terminal.screen
    piped = [process("get", "nope"), process("list"), process("stats"), process("check")]
    assert "\x1b" not in "".join(done.stdout + done.stderr for done in piped)


def test_no_color_is_respected(filled: Shell) -> None:
    terminal = Terminal("get", "nope", **filled.env, NO_COLOR="1")
    assert terminal.end() == 1
    assert "no memory with the id nope" in terminal.screen
    assert RED not in terminal.screen


@pytest.mark.parametrize(
    "words", [["list", "--limit", "2000"], ["list", "--limit", "2000", "--json"], ["export"]]
)
def test_a_reader_who_has_seen_enough_ends_it_quietly(crowded: Shell, words: list[str]) -> None:
    with subprocess.Popen(
        [*COMMAND, *words],
        env={**ENVIRONMENT, **crowded.env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""


def test_exit_codes_tell_success_failure_and_wrong_usage(process: Run) -> None:
    assert process("list").returncode == 0
    assert process("get", "nope").returncode == 1
    assert process("get").returncode == 2
    assert process("list", BETHINK_USER="").returncode == 2


def test_errors_have_no_traceback(process: Run) -> None:
    said = process("search", "tea", "--where", "x").stderr
    assert "Traceback" not in said
    assert said.count("\n") == 1


def test_output_that_cannot_be_unicode_is_still_json(filled: Shell, process: Run) -> None:
    filled.out("add", "Mag Käse 🧀")
    done = process("list", "--limit", "1", "--json", PYTHONIOENCODING="ascii")
    assert "K\\u00e4se" in done.stdout
    assert process("export", PYTHONIOENCODING="ascii").returncode == 0


def test_output_that_cannot_be_unicode_is_still_a_table(filled: Shell, process: Run) -> None:
    filled.out("add", "Mag Käse 🧀")
    done = process("list", PYTHONIOENCODING="ascii")
    assert (done.returncode, "Mag K?se ?" in done.stdout) == (0, True)


@pytest.mark.parametrize(("answer", "code", "left"), [("y", 0, 0), ("n", 1, 3), ("", 1, 3)])
def test_forgetting_everything_asks_on_a_terminal(
    filled: Shell, answer: str, code: int, left: int
) -> None:
    terminal = Terminal("forget", "--all", **filled.env)
    terminal.wait_for("Remove all 3 memories of john? [y/N]")
    terminal.type(f"{answer}\n")
    assert terminal.end() == code
    assert len(filled.json("list")) == left


@pytest.mark.parametrize(("answer", "code", "left"), [("y", 0, 0), ("n", 1, 1)])
def test_clearing_sessions_asks_on_a_terminal(
    filled: Shell, answer: str, code: int, left: int
) -> None:
    filled.out("add", "Hello", "--kind", "message", "--session", "monday")
    terminal = Terminal("sessions", "clear", "--all", **filled.env)
    terminal.wait_for("Remove 1 session of john? [y/N]")
    terminal.type(f"{answer}\n")
    assert terminal.end() == code
    assert len(filled.json("sessions")) == left


@pytest.mark.parametrize(("name", "heading"), [("context", "date"), ("recall", "relevance")])
def test_a_terminal_shows_where_a_context_comes_from(shell: Shell, name: str, heading: str) -> None:
    with Memory(shell.store, embedder=LocalEmbedder()) as memory:
        known = memory.add("Supports Arsenal", user_id="john")
        task = memory.for_user("john").episodic.record("See Arsenal", success=True, outcome="Won.")
    terminal = Terminal(name, "Arsenal", **shell.env, COLUMNS="80")
    assert terminal.end() == 0
    assert "- Supports Arsenal [1]" in terminal.screen
    for part in ("number", heading, known.id, task.id, " tokens"):
        assert part in terminal.screen


def test_an_interrupt_at_the_question_removes_nothing_and_ends_with_130(filled: Shell) -> None:
    terminal = Terminal("forget", "--all", **filled.env)
    terminal.wait_for("[y/N]")
    terminal.interrupt()
    assert terminal.end() == 130
    assert "Traceback" not in terminal.screen
    assert len(filled.json("list")) == 3
