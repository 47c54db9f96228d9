"""facts list, get, set, history, forget."""

import os
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.cli.conftest import Shell
from tests.conftest import START

YEAR = timedelta(days=365)


@pytest.fixture
def moved(shell: Shell) -> Shell:
    """John lived in Lisbon, and a year later in Berlin."""
    shell.out("facts", "set", "home city", "Lisbon", "--from", "2019-09-01T00:00Z")
    shell.clock.pass_by(YEAR)
    shell.out("facts", "set", "home city", "Berlin", "--confidence", "0.8", "--source", "mail")
    return shell


@pytest.fixture
def in_kathmandu() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Kathmandu"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def test_what_is_stated_holds(shell: Shell) -> None:
    said = shell.out("facts", "set", "home city", "Lisbon")
    assert said.splitlines()[2].split() == ["home", "city", "Lisbon", "2024-05-17", "12:00", "1"]
    [fact] = shell.json("facts")
    assert (fact["key"], fact["value"], fact["confidence"]) == ("home city", "Lisbon", 1.0)
    assert (fact["valid_from"], fact["valid_to"]) == (START.isoformat(), None)


def test_the_group_alone_lists(moved: Shell) -> None:
    assert moved.out("facts") == moved.out("facts", "list")
    assert moved.out("facts", "--user", "john") == moved.out("facts", "list")
    assert moved.json("facts") == moved.json("facts", "list")


def test_one_value_holds_at_a_time(moved: Shell) -> None:
    said = moved.out("facts")
    assert "Berlin" in said
    assert "Lisbon" not in said
    assert "0.8   mail" in said


def test_what_held_at_another_time_is_listed(moved: Shell) -> None:
    [then] = moved.json("facts", "--at", "2022-01-01")
    assert then["value"] == "Lisbon"
    [believed] = moved.json("facts", "--believed-at", "2024-05-18")
    assert believed["value"] == "Lisbon"
    assert moved.run("facts", "--at", "2000-01-01").stderr == "No fact about john holds then.\n"


def test_no_facts_say_so_on_stderr(moved: Shell) -> None:
    result = moved.run("facts", "--user", "mary")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "No fact about mary holds now.\n"


def test_a_value_is_printed_alone(moved: Shell) -> None:
    assert moved.out("facts", "get", "home city") == "Berlin\n"
    assert moved.out("facts", "get", "home city", "--at", "2022-01-01") == "Lisbon\n"
    assert moved.json("facts", "get", "home city") == moved.json("facts")


def test_a_value_may_be_json(shell: Shell) -> None:
    shell.out("facts", "set", "languages", '["pt", "en"]', "--value-json")
    shell.out("facts", "set", "zip", "01234")
    shell.out("facts", "set", "car", "null", "--value-json")
    assert shell.out("facts", "get", "languages") == '["pt", "en"]\n'
    assert [fact["value"] for fact in shell.json("facts")] == [None, ["pt", "en"], "01234"]
    assert shell.out("facts", "get", "car") == "null\n"


@pytest.mark.parametrize("value", ["{", "London", "NaN"])
def test_a_value_that_is_not_json_is_refused(shell: Shell, value: str) -> None:
    words = ["facts", "set", "x", value, "--value-json"]
    assert f"{value!r} is not JSON." in shell.fails(*words, code=2)
    assert not shell.store.exists()


def test_a_fact_that_does_not_hold_is_an_error(moved: Shell) -> None:
    assert moved.fails("facts", "get", "dog") == "john has no fact 'dog' that holds now."
    said = moved.fails("facts", "get", "home city", "--at", "2000-01-01")
    assert said == "john has no fact 'home city' that holds then."
    assert "mary has no fact" in moved.fails("facts", "get", "home city", "--user", "mary")


def test_a_fact_holds_until_its_end(shell: Shell) -> None:
    said = shell.out("facts", "set", "visitor", "yes", "--until", "2024-06-03T00:00Z")
    assert "until" in said.splitlines()[0]
    shell.clock.pass_by(timedelta(days=30))
    assert shell.json("facts") == []


def test_a_time_without_a_zone_is_of_this_machine(shell: Shell, in_kathmandu: None) -> None:
    [fact] = shell.json("facts", "set", "home city", "Lisbon", "--from", "2019-09-01")
    assert fact["valid_from"] == "2019-08-31T18:15:00+00:00"
    assert "2019-09-01  " in shell.out("facts")


@pytest.mark.parametrize("value", ["yesterday", "2024-13-01", "0001-01-01T00:00+14:00"])
def test_a_time_that_is_none_is_refused(shell: Shell, value: str) -> None:
    said = shell.fails("facts", "set", "x", "y", "--from", value, code=2)
    assert "is not a time such as 2024-05-17 or" in said


def test_history_has_every_statement(moved: Shell) -> None:
    heading, _, first, last, *_ = moved.out("facts", "history", "home city").splitlines()
    assert heading.split() == ["value", "since", "until", "recorded", "confidence", "source"]
    assert first.split()[:3] == ["Lisbon", "2019-09-01", "2025-05-17"]
    assert last.split()[:2] == ["Berlin", "2025-05-17"]
    values = [fact["value"] for fact in moved.json("facts", "history", "home city")]
    assert values == ["Lisbon", "Berlin"]


def test_history_shows_what_was_corrected(moved: Shell) -> None:
    moved.out("facts", "set", "home city", "Porto", "--from", "2019-09-01T00:00Z")
    said = moved.out("facts", "history", "home city")
    assert [line.split()[0] for line in said.splitlines() if line[0] in "LPB"] == [
        "Lisbon",
        "Porto",
        "Berlin",
    ]
    assert said.splitlines()[2].split()[:3] == ["Lisbon", "2019-09-01", "corrected"]


def test_history_shows_a_gap_between_statements(shell: Shell) -> None:
    times = ["--from", "2019-01-01T00:00Z", "--until", "2020-01-01T00:00Z"]
    shell.out("facts", "set", "employer", "Acme", *times)
    shell.out("facts", "set", "employer", "Bolt", "--from", "2022-01-01T00:00Z")
    first = shell.out("facts", "history", "employer").splitlines()[2]
    assert first.split()[:3] == ["Acme", "2019-01-01", "2020-01-01"]


def test_the_history_of_an_unknown_fact_is_an_error(moved: Shell) -> None:
    assert moved.fails("facts", "history", "dog") == "john has no fact 'dog'."


def test_a_forgotten_fact_is_gone_with_its_history(moved: Shell) -> None:
    assert moved.out("facts", "forget", "home city") == "Removed the fact 'home city' of john.\n"
    assert "has no fact" in moved.fails("facts", "history", "home city")
    assert "has no fact" in moved.fails("facts", "forget", "home city")
    moved.out("facts", "set", "home city", "Berlin")
    assert moved.json("facts", "forget", "home city") == [{"removed": 1}]


def test_tables_of_facts_fit_80_columns_and_steer_no_terminal(shell: Shell) -> None:
    loud = "supercalifragilistic \x1b[31m " * 20
    for value in (loud, loud + "!"):
        shell.out("facts", "set", "k" * 60, value, "--source", loud)
    for words in (["list"], ["history", "k" * 60]):
        said = shell.out("facts", *words)
        assert max(map(len, said.splitlines())) <= 80
        assert "\x1b" not in said
    assert "\x1b" not in shell.out("facts", "get", "k" * 60)
