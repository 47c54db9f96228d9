"""What is said when something is missing or wrong, and where things are kept by default."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest

from bethink import FunctionEmbedder, ModelUnavailable
from tests.cli.conftest import Shell
from tests.cli.test_help import LINES

NEEDED = {
    "add": ["Likes tea"],
    "remember": ["I like tea"],
    "search": ["tea"],
    "recall": ["tea"],
    "why": ["tea", "id"],
    "list": [],
    "get": ["id"],
    "update": ["id", "--content", "x"],
    "forget": ["id"],
    "history": ["id"],
    "export": [],
    "load": ["-"],
    "context": ["tea"],
    "profile": [],
    "consolidate": [],
    "quarantine": [],
    "facts list": [],
    "facts get": ["tea"],
    "facts set": ["tea", "green"],
    "facts history": ["tea"],
    "facts forget": ["tea"],
    "sessions list": [],
    "sessions show": ["id"],
    "sessions clear": ["id"],
    "episodes list": [],
    "episodes show": ["id"],
    "episodes search": ["tea"],
}
WRITING = ("add", "remember", "load", "facts set")
GROUPS = ("facts", "sessions", "episodes", "bench")
READING = {name: words for name, words in NEEDED.items() if name not in WRITING} | {
    "stats": [],
    "check": [],
    "reembed": [],
}


@pytest.mark.parametrize("name", NEEDED)
def test_no_user_is_an_error_that_says_how_to_name_one(shell: Shell, name: str) -> None:
    for user in (None, ""):
        said = shell.fails(*name.split(), *NEEDED[name], code=2, BETHINK_USER=user)
        assert "Pass --user NAME, or set BETHINK_USER." in said
    assert not shell.store.exists()


def test_every_command_is_about_a_user_or_a_file() -> None:
    assert {name for name in LINES if name not in GROUPS} == {
        *NEEDED,
        *READING,
        "copy",
        "demo",
        "models",
        "bench learn",
        "bench recall",
        "bench summaries",
    }


@pytest.mark.parametrize("name", READING)
def test_reading_a_file_that_is_not_there_makes_none(shell: Shell, name: str) -> None:
    assert "`bethink add` makes one" in shell.fails(*name.split(), *READING[name])
    assert not shell.store.exists()


@pytest.mark.parametrize("name", READING | NEEDED)
def test_a_file_that_is_no_database_is_left_alone(shell: Shell, name: str) -> None:
    shell.store.write_text("Dear diary, " * 100)
    assert "is not a database" in shell.fails(*name.split(), *(READING | NEEDED)[name])
    assert shell.store.read_text() == "Dear diary, " * 100


def test_the_database_of_another_program_is_left_alone(shell: Shell) -> None:
    with closing(sqlite3.connect(shell.store)) as connection, connection:
        connection.execute("CREATE TABLE theirs (x)")
    assert "not one of Bethink's" in shell.fails("add", "Likes tea")


def test_a_missing_directory_is_not_made_up(shell: Shell, tmp_path: Path) -> None:
    store = tmp_path / "nowhere" / "agent.db"
    assert "its directory exists" in shell.fails("add", "Likes tea", "--store", str(store))
    assert not store.parent.exists()


def test_an_unknown_scheme_is_named(shell: Shell) -> None:
    assert "ftp://" in shell.fails("list", "--store", "ftp://x", code=2)


def test_a_sqlite_url_is_a_file(filled: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(filled.store.parent)
    url = f"sqlite:///{filled.store.name}"
    assert filled.json("list", "--store", url) == filled.json("list")
    assert "no memory at none.db yet" in filled.fails("list", "--store", "sqlite:///none.db")


def test_the_default_is_a_private_file_in_the_home_directory(shell: Shell, tmp_path: Path) -> None:
    del shell.env["BETHINK_STORE"]
    shell.env |= {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    directory = tmp_path / ".bethink"
    assert "memory.db yet" in shell.fails("list")
    assert not directory.exists()
    shell.add("Likes tea")
    assert (directory / "memory.db").exists()
    assert directory.stat().st_mode & 0o077 == 0
    assert "Likes tea" in shell.out("list")


def test_options_win_over_the_environment(filled: Shell, tmp_path: Path) -> None:
    filled.out("add", "Likes tea", "--user", "mary", "--store", str(tmp_path / "other.db"))
    assert len(filled.json("list")) == 3
    assert filled.json("list", "--user", "mary") == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["serch", "x"], "No such command 'serch'"),
        (["search"], "Missing argument 'QUERY'. See bethink search --help."),
        (["search", "x", "--limit", "0"], "not in the range"),
        (["list", "--colour"], "No such option"),
    ],
)
def test_a_slip_of_the_keyboard_is_answered_in_one_line(
    shell: Shell, words: list[str], says: str
) -> None:
    assert says in shell.fails(*words, code=2)


def test_a_model_that_fails_costs_no_memory(shell: Shell, caplog: pytest.LogCaptureFixture) -> None:
    shell.embedder = FunctionEmbedder(out_of_reach, name="far", dimension=2)
    shell.add("Likes tea")
    assert "Likes tea" in shell.out("search", "tea")
    assert "Kept without a vector for now: The model for 1 texts is out of reach." in caplog.text
    assert "Searching by words alone: " in caplog.text


def test_a_model_that_fails_where_nothing_goes_without_it_is_an_error(shell: Shell) -> None:
    shell.add("Likes tea")
    shell.embedder = FunctionEmbedder(out_of_reach, name="far", dimension=2)
    assert "out of reach" in shell.fails("reembed")


def test_an_interrupted_command_ends_with_130(shell: Shell) -> None:
    shell.embedder = FunctionEmbedder(interrupted, name="slow", dimension=2)
    assert shell.run("add", "Likes tea").exit_code == 130


def out_of_reach(texts: list[str]) -> NoReturn:
    raise ModelUnavailable(f"The model for {len(texts)} texts is out of reach.")


def interrupted(texts: list[str]) -> NoReturn:
    raise KeyboardInterrupt(len(texts))
