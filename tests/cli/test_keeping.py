"""add, update, forget."""

import shlex
from datetime import timedelta

import pytest

from tests.cli.conftest import Shell
from tests.conftest import START


def test_what_is_added_is_shown_with_its_id(shell: Shell) -> None:
    said = shell.out("add", "Supports Arsenal", "Lives in London")
    listed = shell.json("list")
    assert [item["content"] for item in listed] == ["Lives in London", "Supports Arsenal"]
    for item in listed:
        assert f"{item['id']}  {item['content']}" in said


def test_adding_says_all_that_it_is_told(shell: Shell) -> None:
    options = shlex.split("--importance 0.8 --session s --agent a --kind fact --expires-in 2h")
    [item] = shell.json("add", "Supports Arsenal", "--metadata", "topic=football", *options)
    assert (item["importance"], item["kind"]) == (0.8, "fact")
    assert (item["session_id"], item["agent_id"]) == ("s", "a")
    assert item["metadata"] == {"topic": "football"}
    assert item["expires_at"] == (START + timedelta(hours=2)).isoformat()


def test_metadata_is_json_where_it_can_be_and_a_string_otherwise(shell: Shell) -> None:
    pairs = ["n=3", "yes=true", 'tags=["a", "b"]', "zip=01234", "who=Ann=Bob", "none=", "x=NaN"]
    words = [word for pair in pairs for word in ("--metadata", pair)]
    [item] = shell.json("add", "Likes tea", *words)
    assert item["metadata"] == {
        "n": 3,
        "yes": True,
        "tags": ["a", "b"],
        "zip": "01234",
        "who": "Ann=Bob",
        "none": "",
        "x": "NaN",
    }


def test_a_dash_adds_the_lines_of_stdin(shell: Shell) -> None:
    items = shell.json("add", "Likes milk", "-", typed="Likes tea\r\n\n  \nLikes café")
    assert [item["content"] for item in items] == ["Likes milk", "Likes tea", "Likes café"]


def test_nothing_on_stdin_is_an_error(shell: Shell) -> None:
    assert "nothing on stdin" in shell.fails("add", "-", code=2)


def test_stdin_that_is_not_text_is_an_error(shell: Shell) -> None:
    result = shell.run("add", "-", typed=b"\xff\xfe\n")
    assert (result.exit_code, result.stderr) == (1, "The input is not UTF-8 text.\n")


def test_one_bad_text_and_none_is_kept(shell: Shell) -> None:
    shell.add("Likes tea")
    assert "content is empty" in shell.fails("add", "Likes milk", " ", code=2)
    assert len(shell.json("list")) == 1


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--importance", "2", "0<=x<=1"),
        ("--importance", "nan", "from 0 to 1"),
        ("--metadata", "football", "not KEY=VALUE"),
        ("--metadata", "=football", "not KEY=VALUE"),
        ("--expires-in", "5", "such as 45s, 30m, 2h"),
        ("--expires-in", "-2h", "such as 45s, 30m, 2h"),
        ("--expires-in", "0s", "in the past"),
        ("--expires-in", "9999999w", "too long"),
        ("--expires-in", f"{'9' * 20}w", "too long"),
        ("--kind", "feeling", "semantic"),
    ],
)
def test_a_bad_value_is_refused_in_a_sentence(
    shell: Shell, option: str, value: str, says: str
) -> None:
    assert says in shell.fails("add", "Likes tea", option, value, code=2)


def test_a_key_is_given_once(shell: Shell) -> None:
    twice = ["--metadata", "a=1", "--metadata", "a=2"]
    assert "'a' is given twice" in shell.fails("add", "Likes tea", *twice, code=2)


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("45s", timedelta(seconds=45)),
        ("30m", timedelta(minutes=30)),
        ("1.5h", timedelta(hours=1.5)),
        ("7d", timedelta(days=7)),
        ("4w", timedelta(weeks=4)),
    ],
)
def test_times_are_written_with_a_unit(shell: Shell, written: str, time: timedelta) -> None:
    [item] = shell.json("add", "Likes tea", "--expires-in", written)
    assert item["expires_at"] == (START + time).isoformat()


def test_what_has_expired_is_gone(shell: Shell) -> None:
    id_ = shell.add("The code is 4411", "--expires-in", "2h")
    assert "2 h left" in shell.out("list")
    shell.clock.pass_by(timedelta(hours=2))
    assert shell.json("list") == []
    assert "no memory with the id" in shell.fails("get", id_)


# --- update


def test_an_update_changes_what_it_names(shell: Shell) -> None:
    id_ = shell.add("Lives in London", "--metadata", "a=1")
    words = ["--content", "Lives in Paris", "--importance", "0.9", "--metadata", "b=2"]
    [item] = shell.json("update", id_, *words, "--expires-in", "7d")
    assert (item["content"], item["importance"]) == ("Lives in Paris", 0.9)
    assert (item["metadata"], item["version"]) == ({"b": 2}, 2)
    assert item["expires_at"] == (START + timedelta(days=7)).isoformat()
    assert shell.json("get", id_) == [item]


def test_an_update_leaves_what_it_does_not_name(shell: Shell) -> None:
    id_ = shell.add("Lives in London", "--metadata", "a=1", "--expires-in", "7d")
    [item] = shell.json("update", id_, "--importance", "0")
    assert (item["content"], item["metadata"]) == ("Lives in London", {"a": 1})
    assert "expires_at" in item


def test_an_expiry_can_be_taken_away(shell: Shell) -> None:
    id_ = shell.add("Lives in London", "--expires-in", "7d")
    [item] = shell.json("update", id_, "--expires-in", "never")
    assert "expires_at" not in item


def test_an_update_shows_the_memory_as_it_is_now(shell: Shell) -> None:
    said = shell.out("update", shell.add("Lives in London"), "--content", "Lives in Paris")
    assert "Lives in Paris" in said
    assert "London" not in said


def test_an_update_of_nothing_says_what_can_be_changed(shell: Shell) -> None:
    assert "--content, --importance" in shell.fails("update", shell.add("Likes tea"), code=2)


def test_an_update_of_an_unknown_memory_says_so(filled: Shell) -> None:
    assert "no memory with the id nope" in filled.fails("update", "nope", "--content", "x")


# --- forget


def test_what_is_forgotten_is_gone(filled: Shell) -> None:
    ids = [item["id"] for item in filled.json("list")]
    assert filled.out("forget", *ids[:2]) == "Removed 2 memories of john.\n"
    assert filled.json("forget", ids[2]) == [{"removed": 1}]
    assert filled.json("list") == []


def test_one_unknown_id_and_nothing_is_forgotten(filled: Shell) -> None:
    id_ = filled.json("list")[0]["id"]
    assert "Nothing was removed" in filled.fails("forget", id_, "nope")
    assert len(filled.json("list")) == 3


def test_another_user_s_memory_is_not_forgotten(filled: Shell) -> None:
    id_ = filled.json("list")[0]["id"]
    assert "mary has no memory" in filled.fails("forget", id_, "--user", "mary")
    assert len(filled.json("list")) == 3


def test_forgetting_everything_of_a_user_takes_a_yes(filled: Shell) -> None:
    filled.out("add", "Likes tea", "--user", "mary")
    assert "pass --yes" in filled.fails("forget", "--all", code=2)
    assert len(filled.json("list")) == 3
    assert filled.out("forget", "--all", "--yes") == "Removed 3 memories of john.\n"
    assert filled.json("list") == []
    assert len(filled.json("list", "--user", "mary")) == 1


def test_forgetting_takes_ids_or_all_and_not_both(filled: Shell) -> None:
    assert "one of the two" in filled.fails("forget", code=2)
    assert "one of the two" in filled.fails("forget", "x", "--all", "--yes", code=2)
