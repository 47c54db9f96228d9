from pathlib import Path

from tests.bench.conftest import QUESTIONS, data_set, write_lines
from tests.cli.conftest import Shell

__all__ = ["data_set"]


def test_bench_alone_prints_its_help(shell: Shell) -> None:
    assert shell.out("bench") == shell.out("bench", "--help")
    assert "summaries" in shell.out("bench")


def test_summaries_are_measured_beside_simpler_ways(shell: Shell, data_set: Path) -> None:
    said = shell.out("bench", "summaries", str(data_set))
    for word in ("long sessions", "whole conversation", "summary", "random sentences", "100.0%"):
        assert word in said
    assert max(map(len, said.splitlines())) <= 80


def test_figures_come_as_json_for_programs(shell: Shell, data_set: Path) -> None:
    found = shell.json("bench", "summaries", str(data_set), "--tokens", "60")
    assert len(found) == 8
    assert found[0] == {
        "tokens": 60,
        "setting": "long sessions",
        "way": "summary",
        "questions": 2,
        "words": 1.0,
        "whole": 1.0,
    }


def test_a_directory_without_data_is_answered_in_a_sentence(shell: Shell, tmp_path: Path) -> None:
    assert "give a directory with" in shell.fails("bench", "summaries", str(tmp_path), code=2)
    nowhere = str(tmp_path / "nowhere")
    assert "does not exist" in shell.fails("bench", "summaries", nowhere, code=2)


def test_data_with_nothing_to_measure_is_an_error(shell: Shell, data_set: Path) -> None:
    write_lines(data_set / "questions.jsonl.gz", QUESTIONS[2:])
    said = shell.fails("bench", "summaries", str(data_set), code=2)
    assert "No question in" in said
    assert "can be measured" in said


def test_a_wrong_subcommand_is_answered_in_a_line(shell: Shell) -> None:
    assert "No such command 'recal'" in shell.fails("bench", "recal", code=2)
