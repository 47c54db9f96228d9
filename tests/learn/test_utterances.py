"""How much is learnt from utterances with labels, and how much that is not there."""

from pathlib import Path

import pytest

from bethink.bench.learn import marked, report, utterances

HERE = Path(__file__).parent / "utterances"
FLOORS = {
    "tuning.jsonl": (0.97, 0.85),
    "more1.jsonl": (0.88, 0.70),
    "more2.jsonl": (0.85, 0.54),
    "held.jsonl": (0.90, 0.66),
}
"""The least precision and recall on each file."""
FILES = [name for name in FLOORS if (HERE / name).exists()]


@pytest.mark.parametrize("name", FILES)
def test_what_is_learnt_is_right_and_most_of_what_is_told(name):
    precision, recall = FLOORS[name]
    found = report([marked(one) for one in utterances(HERE / name)]).all
    assert found.precision is not None
    assert found.recall is not None
    assert found.precision.share >= precision
    assert found.recall.share >= recall


def test_no_kind_of_statement_is_learnt_badly():
    found = report([marked(one) for one in utterances(HERE / "tuning.jsonl")])
    for name, some in found.categories.items():
        assert some.precision is None or some.precision.share >= 0.95, name
        assert some.recall is None or some.recall.share >= 0.75, name
        assert some.silent is None or some.silent.share >= 0.95, name
