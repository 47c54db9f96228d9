from pathlib import Path
from typing import Any

import pytest

from bethink import FunctionEmbedder
from tests.bench.conftest import ASKED, QUESTIONS, asked_set, data_set, write_lines
from tests.cli.conftest import Shell
from tests.conftest import letters

__all__ = ["asked_set", "data_set"]


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


FIGURES = {
    "n": int,
    "turn_recall": {"5": float, "10": float, "20": float},
    "session_any": {"1": float, "5": float, "10": float},
    "session_all": {"1": float, "5": float, "10": float},
    "mrr": float,
    "ndcg": float,
}


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    return type(value)


def recall(shell: Shell, *words: object) -> dict[str, Any]:
    [found] = shell.json("bench", "recall", *map(str, words))
    return found


def test_recall_is_one_object_for_programs(shell: Shell, asked_set: Path) -> None:
    found = recall(shell, asked_set)
    intervals, context, abstention = (
        found.pop(name) for name in ("intervals", "context", "abstention")
    )
    assert shape(found) == {
        "set": str,
        **FIGURES,
        "latency_ms": {"p50": float, "p95": float},
        "categories": {"people": FIGURES, "places": FIGURES, "things": FIGURES},
    }
    assert (found["set"], found["n"], found["categories"]["things"]["n"]) == ("small", 4, 2)
    assert found["turn_recall"]["5"] == 1
    low, high = intervals["session_all"]["1"]
    assert low <= found["session_all"]["1"] == 0.75 <= high
    assert intervals["categories"]["places"]["session_all"]["1"] == [0, 0]
    assert shape(context["tokens"]) == {"mean": float, "p95": float}
    assert 0 < context["evidence"] <= 1
    assert (abstention["n"], abstention["unanswerable"]["n"]) == (4, 2)
    assert (abstention["answered"], type(abstention["declined"])) == (1, float)
    assert abstention["interval"][0] <= abstention["auroc"] <= abstention["interval"][1]


def test_recall_is_a_table_for_people(shell: Shell, asked_set: Path) -> None:
    result = shell.run("bench", "recall", str(asked_set))
    assert result.exit_code == 0
    for words in (
        "turn recall@20    1.000",
        "sessions all@1",
        "0.750",
        "people",
        "ms (p95)",
        "A context has",
        "Of 4 questions, 100.0% have a context",
        "Of 2 without evidence or to abstain from",
        "AUROC",
    ):
        assert words in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stderr == "Means over 4 questions of small.\n"


def test_a_set_without_categories_or_others_needs_no_lines_about_them(
    shell: Shell, data_set: Path
) -> None:
    said = shell.out("bench", "recall", str(data_set))
    assert "category" not in said
    assert "AUROC" not in said
    found = recall(shell, data_set)
    assert (found["categories"], found["abstention"]) == ({}, None)


def test_recall_leaves_the_memory_alone_that_the_shell_is_set_to(
    shell: Shell, asked_set: Path
) -> None:
    recall(shell, asked_set)
    assert not shell.store.exists()


@pytest.mark.parametrize("store", ["bench.db", ":memory:"])
def test_recall_measures_any_store_and_leaves_nothing_in_it(
    shell: Shell, asked_set: Path, tmp_path: Path, store: str
) -> None:
    name = str(tmp_path / store) if store == "bench.db" else store
    for _ in range(2):
        assert recall(shell, asked_set, "--store", name)["n"] == 4
    assert (tmp_path / "bench.db").exists() == (store == "bench.db")


def test_recall_measures_what_an_engine_proposes(shell: Shell, asked_set: Path) -> None:
    found = recall(shell, asked_set, "--store", "qdrant://:memory:", "--index", "engine")
    expected = recall(shell, asked_set)
    assert found["n"] == 4
    assert found["turn_recall"] == expected["turn_recall"]


def test_a_store_without_an_engine_cannot_be_measured_by_it(shell: Shell, asked_set: Path) -> None:
    words = ("bench", "recall", str(asked_set), "--index", "engine")
    assert "has no index of its own" in shell.fails(*words, code=2)


def test_a_store_that_knows_a_user_of_the_data_is_refused(shell: Shell, asked_set: Path) -> None:
    shell.out("add", "Likes tea", "--user", "ann")
    words = ("bench", "recall", str(asked_set), "--store", str(shell.store))
    assert "Give a store that is empty" in shell.fails(*words, code=2)
    assert "Likes tea" in shell.out("list", "--user", "ann")


def test_a_store_of_another_model_is_refused(shell: Shell, asked_set: Path) -> None:
    shell.out("add", "Likes tea")
    shell.embedder = FunctionEmbedder(letters, name="others", dimension=16)
    words = ("bench", "recall", str(asked_set), "--store", str(shell.store))
    assert "embedded with letters, not with others" in shell.fails(*words, code=2)


def test_few_questions_are_a_quick_look(shell: Shell, asked_set: Path) -> None:
    found = recall(shell, asked_set, "--limit-questions", 5)
    assert 3 <= found["n"] <= 4
    again = recall(shell, asked_set, "--limit-questions", 5)
    assert {**found, "latency_ms": None} == {**again, "latency_ms": None}


def counting(shell: Shell) -> list[str]:
    """The texts that the shell's embedder will have been given."""
    texts: list[str] = []

    def embed(some: list[str]) -> list[list[float]]:
        texts.extend(some)
        return letters(some)

    shell.embedder = FunctionEmbedder(embed, name="letters", dimension=16)
    return texts


def test_a_second_run_embeds_only_what_is_timed(shell: Shell, asked_set: Path) -> None:
    texts = counting(shell)
    turn = "Ann: The red key is under the mat."
    first = recall(shell, asked_set)
    assert turn in texts
    texts.clear()
    second = recall(shell, asked_set)
    assert turn not in texts
    assert ASKED[0]["question"] in texts
    assert {**first, "latency_ms": None} == {**second, "latency_ms": None}
    assert (shell.cache / "bethink" / "vectors.db").exists()


def test_without_a_cache_nothing_is_kept(shell: Shell, asked_set: Path) -> None:
    recall(shell, asked_set, "--no-cache")
    assert not shell.cache.exists()


def test_a_cache_that_cannot_be_is_done_without(shell: Shell, asked_set: Path) -> None:
    shell.cache.write_text("a file where a directory should be")
    result = shell.run("bench", "recall", str(asked_set))
    assert result.exit_code == 0
    assert "Vectors are not cached" in result.stderr


def test_two_runs_are_compared_question_by_question(
    shell: Shell, asked_set: Path, tmp_path: Path
) -> None:
    a, b = str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")
    recall(shell, asked_set, "--save", a)
    recall(shell, asked_set, "--save", b, "--limit-questions", 5)
    found = recall(shell, "--compare", a, b)
    same = {"a": 1.0, "b": 1.0, "difference": 0.0, "interval": [0.0, 0.0]}
    assert found["turn_recall"]["10"] == same
    assert found["categories"]["things"]["turn_recall"]["10"] == same
    result = shell.run("bench", "recall", "--compare", a, b)
    assert "turn recall@10    1.000   1.000       +0.000" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "B less A" in result.stderr


def test_recall_needs_data_or_two_runs_and_not_both(
    shell: Shell, asked_set: Path, tmp_path: Path
) -> None:
    saved = str(tmp_path / "a.jsonl")
    recall(shell, asked_set, "--save", saved)
    sentence = "Give the directory of a data set, or --compare and two files."
    assert sentence in shell.fails("bench", "recall", code=2)
    both = ("bench", "recall", str(asked_set), "--compare", saved, saved)
    assert sentence in shell.fails(*both, code=2)


def test_where_nothing_can_be_saved_nothing_is_measured(
    shell: Shell, asked_set: Path, tmp_path: Path
) -> None:
    texts = counting(shell)
    nowhere = str(tmp_path / "nowhere" / "a.jsonl")
    said = shell.fails("bench", "recall", str(asked_set), "--save", nowhere, code=2)
    assert "There is no directory" in said
    assert texts == []


def test_questions_without_evidence_alone_cannot_be_measured(shell: Shell, asked_set: Path) -> None:
    write_lines(asked_set / "questions.jsonl.gz", ASKED[3:5])
    said = shell.fails("bench", "recall", str(asked_set), code=2)
    assert "none names the turns that hold its answer" in said


def test_files_that_are_no_runs_are_answered_in_a_sentence(
    shell: Shell, asked_set: Path, tmp_path: Path
) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ann")
    said = shell.fails("bench", "recall", "--compare", str(letter), str(letter), code=2)
    assert "Line 1 of" in said
    missing = str(tmp_path / "missing.jsonl")
    assert "does not exist" in shell.fails("bench", "recall", "--compare", missing, missing, code=2)


LEARN = Path(__file__).parents[1] / "learn" / "utterances" / "tuning.jsonl"


def test_what_is_learnt_is_measured_by_category(shell: Shell) -> None:
    said = shell.out("bench", "learn", str(LEARN))
    for word in ("category", "corrections", "hypothetical", "all"):
        assert word in said
    assert max(map(len, said.splitlines())) <= 80


def test_figures_of_learning_come_as_json_for_programs(shell: Shell) -> None:
    [found] = shell.json("bench", "learn", str(LEARN))
    assert shape(found["categories"]["home"]) == {
        "utterances": int,
        "precision": {"n": int, "share": float, "interval": list},
        "recall": {"n": int, "share": float, "interval": list},
        "silent": type(None),
    }
    assert found["utterances"] == 444


def test_mistakes_of_learning_are_listed(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(
        '{"id": "u1", "category": "home", "said": "I live in Leeds", "speaker": "user",'
        ' "at": "2026-05-04T10:00:00+00:00", "learn": [{"has": ["Bradford"]}]}'
    )
    wrong = shell.out("bench", "learn", str(file), "--show", "wrong")
    assert "u1: I live in Leeds" in wrong
    assert "The user lives in Leeds." in wrong
    assert "Bradford" in shell.out("bench", "learn", str(file), "--show", "missed")
    [listed] = shell.json("bench", "learn", str(file), "--show", "missed")
    assert listed == {"id": "u1", "said": "I live in Leeds", "missed": ["Bradford"]}


def test_a_file_without_utterances_is_an_error(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    said = shell.fails("bench", "learn", str(tmp_path / "empty.jsonl"), code=2)
    assert "No utterance in" in said
