"""export and load."""

import json
from pathlib import Path

from tests.cli.conftest import Shell


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
