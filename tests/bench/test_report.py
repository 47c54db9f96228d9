import json

import pytest

from bethink.bench.compare import compare
from bethink.bench.recall import Answer
from bethink.bench.report import report
from bethink.bench.saved import Run, load, save
from bethink.errors import UsageError

GOOD, BAD = (1.0,) * 11, (0.0,) * 11


def answer(id_, figures=GOOD, **said):
    plain = {
        "conversation": "c1",
        "category": "",
        "answerable": True,
        "relevance": 0.5,
        "foreign": None,
        "milliseconds": 1.0,
    }
    return Answer(id=id_, figures=figures, **{**plain, **said})


def test_figures_are_means_over_the_questions_that_are_measured():
    found = report("set", [answer("q1"), answer("q2", BAD), answer("q3", BAD), answer("q4", ())])
    assert found is not None
    assert found.all.n == 3
    assert found.all.means == pytest.approx([1 / 3] * 11)
    for low, high in found.all.ends:
        assert 0 <= low < 1 / 3 < high <= 1


def test_categories_have_figures_of_their_own():
    some = [answer("q1", category="b"), answer("q2", BAD, category="a"), answer("q3")]
    found = report("set", some)
    assert found is not None
    assert {name: one.means[0] for name, one in found.categories.items()} == {"a": 0, "b": 1}
    assert list(found.categories) == ["a", "b"]


def test_latency_is_told_in_percentiles():
    found = report("set", [answer(f"q{n}", milliseconds=float(n)) for n in range(101)])
    assert found is not None
    assert (found.p50, found.p95) == (50, 95)


def test_abstention_sets_questions_against_those_of_others():
    some = [
        answer("q1", relevance=0.9, foreign=0.1),
        answer("q2", relevance=0.5, foreign=0.6),
        answer("q3", (), relevance=0.7, answerable=False),
    ]
    found = report("set", some)
    assert found is not None
    assert found.abstention is not None
    assert (found.abstention.n, found.abstention.auroc) == (2, 3 / 4)
    assert (found.abstention.unanswerable, found.abstention.unanswerable_auroc) == (1, 1 / 2)


def test_contexts_are_told_by_their_length_and_their_share_of_the_evidence():
    some = [answer(f"q{n}", tokens=n, shown=0.5) for n in range(101)]
    found = report("set", [*some, answer("other", (), tokens=900)])
    assert found is not None
    assert found.as_json()["context"] == {
        "tokens": {"mean": 50, "p95": 95},
        "evidence": 0.5,
        "interval": (0.5, 0.5),
    }


def test_a_run_without_contexts_says_nothing_of_them():
    found = report("set", [answer("q1")])
    assert found is not None
    assert found.as_json()["context"] is None


def test_abstention_is_also_told_by_which_contexts_are_empty():
    some = [
        answer("q1", foreign=0.1, tokens=10, foreign_tokens=0),
        answer("q2", foreign=0.1, tokens=0, foreign_tokens=0),
        answer("q3", foreign=0.1, tokens=10, foreign_tokens=10),
        answer("q4", foreign=0.1, tokens=10, foreign_tokens=10),
        answer("q5", (), tokens=0, answerable=False),
    ]
    found = report("set", some)
    assert found is not None
    assert found.abstention is not None
    assert (found.abstention.answered, found.abstention.declined) == (3 / 4, 1 / 2)
    assert found.abstention.unanswerable_declined == 1


def test_without_foreign_questions_abstention_is_not_measured():
    found = report("set", [answer("q1")])
    assert found is not None
    assert found.abstention is None
    assert found.as_json()["abstention"] is None


def test_without_a_question_to_measure_there_is_no_report():
    assert report("set", [answer("q1", ())]) is None
    assert report("set", []) is None


def test_what_is_saved_comes_back(tmp_path):
    run = Run("set", (answer("q1", foreign=0.25), answer("frø", (), answerable=False)))
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl") == run


@pytest.mark.parametrize(
    "line", ["no json", "[]", "null", '{"set": "s"}', '{"set": "s", "figures": {}}']
)
def test_a_line_that_is_no_answer_is_named(tmp_path, line):
    file = tmp_path / "run.jsonl"
    save(Run("set", (answer("q1"),)), file)
    file.write_text(f"{file.read_text()}{line}\n")
    with pytest.raises(UsageError, match="Line 2 of .*run.jsonl is not an answer"):
        load(file)


def test_a_run_that_was_saved_without_contexts_is_read(tmp_path):
    file = tmp_path / "run.jsonl"
    save(Run("set", (answer("q1"),)), file)
    row = json.loads(file.read_text())
    for later in ("tokens", "shown", "foreign_tokens"):
        del row[later]
    file.write_text(json.dumps(row))
    assert load(file).answers == (answer("q1"),)


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "run.jsonl").touch()
    with pytest.raises(UsageError, match="the answers of 0 data sets, not of one"):
        load(tmp_path / "run.jsonl")


def test_a_comparison_is_what_the_second_run_has_more():
    first = Run("set", tuple(answer(f"q{n}", BAD) for n in range(4)))
    second = Run("set", (answer("q0"), *first.answers[1:]))
    found = compare(first, second).all
    assert (found.n, found.first[0], found.second[0], found.more[0]) == (4, 0, 0.25, 0.25)
    assert found.ends[0] == (0, 0.75)


def test_an_interval_is_that_of_the_pairs():
    """All vary, but the second is always better by the same."""
    shares = [n / 10 for n in range(8)]
    first = Run("set", tuple(answer(f"q{n}", (share,) * 11) for n, share in enumerate(shares)))
    better = (answer(f"q{n}", (share + 0.25,) * 11) for n, share in enumerate(shares))
    found = compare(first, Run("set", tuple(better))).all
    assert found.ends[0] == pytest.approx((0.25, 0.25))


def test_only_questions_that_both_have_are_compared():
    first = Run("set", (answer("q1", BAD), answer("q2"), answer("q3", ())))
    second = Run("set", (answer("q4"), answer("q1", category="x")))
    found = compare(first, second)
    assert (found.all.n, found.all.more[0], found.unpaired) == (1, 1, 2)


def test_questions_of_one_name_in_two_conversations_are_two():
    first = Run("set", (answer("q1"), answer("q1", BAD, conversation="c2")))
    assert compare(first, first).all.n == 2


def test_categories_are_compared_too():
    first = Run("set", (answer("q1", BAD, category="a"), answer("q2", category="b")))
    second = Run("set", (answer("q1", category="a"), answer("q2", category="b")))
    found = compare(first, second)
    assert {name: one.more[0] for name, one in found.categories.items()} == {"a": 1, "b": 0}


def test_runs_on_different_data_are_not_compared():
    with pytest.raises(UsageError, match="'one' and the other about 'two'"):
        compare(Run("one", (answer("q1"),)), Run("two", (answer("q1"),)))


def test_runs_with_nothing_in_common_are_not_compared():
    with pytest.raises(UsageError, match="no question in common"):
        compare(Run("set", (answer("q1"),)), Run("set", (answer("q2"),)))
