"""export, load and copy."""

import json
from pathlib import Path

from bethink import Memory
from tests.cli.conftest import Shell
from tests.cli.test_processes import Terminal


def test_an_export_is_json_lines_on_stdout_and_nothing_else(filled: Shell) -> None:
    result = filled.run("export")
    header, *records = map(json.loads, result.stdout.splitlines())
    assert header["user_id"] == "john"
    assert len(records) == 3
    assert result.stderr == "Exported 3 records of john.\n"
    assert filled.run("export", "--json").stdout == result.stdout


def test_an_export_can_go_to_a_file(filled: Shell, tmp_path: Path) -> None:
    filled.out("add", "Mag Käse 🧀")
    file = tmp_path / "john.jsonl"
    assert filled.out("export", "-o", str(file)) == ""
    assert file.read_text(encoding="utf-8") == filled.out("export")


def test_what_is_exported_can_be_loaded(filled: Shell, tmp_path: Path) -> None:
    file = tmp_path / "john.jsonl"
    filled.out("export", "-o", str(file))
    other = str(tmp_path / "other.db")
    assert filled.out("load", str(file), "--store", other) == "Loaded 3 records for john.\n"
    assert filled.json("load", str(file), "--store", other) == [{"loaded": 0}]
    assert filled.json("list", "--store", other) == filled.json("list")


def test_an_export_can_be_piped_into_load(filled: Shell) -> None:
    lines = filled.out("export")
    assert filled.out("load", "-", "--user", "mary", typed=lines).startswith("Loaded 3 records")


def test_one_bad_line_and_nothing_is_loaded(filled: Shell, tmp_path: Path) -> None:
    file = tmp_path / "john.jsonl"
    file.write_text(filled.out("export") + "nonsense\n", encoding="utf-8")
    assert "Line 5 cannot be loaded" in filled.fails("load", str(file), "--user", "mary", code=2)
    assert filled.json("list", "--user", "mary") == []


def test_a_file_that_is_not_there_is_an_error(filled: Shell) -> None:
    assert "No such file" in filled.fails("load", "nowhere.jsonl", code=2)


def test_a_file_that_is_not_text_is_an_error(filled: Shell, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xff\xff")
    assert filled.fails("load", str(tmp_path / "x")) == "The input is not UTF-8 text."


def test_a_file_that_cannot_be_written_is_an_error(filled: Shell, tmp_path: Path) -> None:
    said = filled.fails("export", "-o", str(tmp_path / "nowhere" / "john.jsonl"))
    assert said.endswith("No such file or directory.")


def test_a_copy_has_everything_and_says_so(filled: Shell, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    filled.out("search", "Arsenal", "--limit", "1")
    said = filled.out("copy", str(filled.store), other)
    assert said.startswith(
        f"{other} agrees: 3 records of 1 user, 3 searches as well; 3 were written"
    )
    assert filled.json("list", "--store", other) == filled.json("list")
    [again] = filled.json("copy", str(filled.store), other)
    assert (again["agree"], again["users"], again["written"]) == (True, {"john": 3}, 0)


def test_a_dry_run_makes_no_file(filled: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    said = filled.out("copy", str(filled.store), str(other), "--dry-run")
    assert said == "Of 3 records of 1 user, 3 would be written, 0 removed.\n"
    assert not other.exists()


def test_only_the_users_that_are_named_are_copied(filled: Shell, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    filled.out("add", "Likes tea", "--user", "mary")
    filled.out("add", "Likes milk", "--user", "jack")
    filled.out("copy", str(filled.store), other, "--user", "mary", "--user", "jack")
    assert list(filled.json("stats", "--store", other)[0]["users"]) == ["jack", "mary"]


def test_a_file_is_not_copied_onto_itself(filled: Shell, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(filled.store)
    for name in (str(filled.store), f"sqlite:///{filled.store}", str(link)):
        assert "the same store" in filled.fails("copy", str(filled.store), name, code=2)


def test_a_file_that_is_not_there_cannot_be_copied(shell: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    assert "There is no memory at" in shell.fails("copy", str(tmp_path / "no.db"), str(other))
    assert not other.exists()


def test_no_password_is_in_what_a_copy_says(filled: Shell) -> None:
    url = "redis://me:not-a-secret@127.0.0.1:1/0"
    assert "not-a-secret" not in filled.fails("copy", str(filled.store), url)


def test_what_only_the_copy_has_is_removed_only_if_that_is_said(
    filled: Shell, tmp_path: Path
) -> None:
    other = str(tmp_path / "other.db")
    filled.out("copy", str(filled.store), other)
    filled.out("add", "Only here", "--store", other)
    assert "--replace" in filled.fails("copy", str(filled.store), other)
    assert len(filled.json("list", "--store", other)) == 4
    filled.out("copy", str(filled.store), other, "--replace")
    assert len(filled.json("list", "--store", other)) == 3


def test_a_copy_for_another_model_is_without_vectors(filled: Shell, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    with Memory(other, embedder=lambda texts: [[1.0, 0.0]] * len(texts)) as memory:
        memory.add("Likes tea", user_id="mary")
    assert "--reembed" in filled.fails("copy", str(filled.store), other, code=2)
    result = filled.run("copy", str(filled.store), other, "--reembed")
    assert result.exit_code == 0
    assert "bethink reembed" in result.stderr


def test_following_ends_when_it_is_idle(filled: Shell, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    said = filled.json("copy", str(filled.store), other, "--follow", "--until-idle", "0.1")
    assert [answer["records"] for answer in said] == [3, 3]
    for words in (["--until-idle", "1"], ["--follow", "--dry-run"]):
        filled.fails("copy", str(filled.store), other, *words, code=2)


def test_an_interrupt_ends_the_following_with_both_in_agreement(
    filled: Shell,
    tmp_path: Path,
) -> None:
    other = str(tmp_path / "other.db")
    terminal = Terminal("copy", str(filled.store), other, "--follow", **filled.env, COLUMNS="200")
    terminal.wait_for("agrees: 3 records")
    filled.out("add", "Likes tea")
    terminal.wait_for("agrees: 4 records")
    terminal.interrupt()
    assert terminal.end() == 0
    assert terminal.screen.count("agrees: 4 records") == 2
    assert filled.json("list", "--store", other) == filled.json("list")
