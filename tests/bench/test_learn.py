import json
from typing import Any

import pytest

from bethink.bench.learn import marked, report, utterances
from bethink.errors import UsageError

LINES: list[dict[str, Any]] = [
    {"id": "1", "category": "home", "said": "I live in Leeds and love jazz", "learn": [{"has": ["leeds"]}]},
    {"id": "2", "category": "home", "said": "My flat is nice", "learn": [{"has": ["flat"]}]},
    {"id": "3", "category": "pets", "said": "I love cats", "learn": [{"has": ["cats"], "any": ["dogs", "love"], "not": ["hate"]}]},
    {"id": "4", "category": "chatter", "said": "ok cool", "learn": []},
    {"id": "5", "category": "chatter", "said": "I live in Rome", "learn": []},
    {"id": "6", "category": "requests", "said": "forget my address", "learn": [], "forget": ["address"]},
]  # fmt: skip


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "some.jsonl"
    rest = {"at": "2026-05-04T10:00:00+00:00", "speaker": "user"}
    made.write_text("\n".join(json.dumps({**rest, **line}) for line in LINES))
    return made


def test_what_fits_no_label_is_wrong_and_a_label_that_nothing_fits_is_missed(path):
    marks = [marked(one) for one in utterances(path)]
    assert [mark.missed for mark in marks] == [(), ("flat",), (), (), (), ()]
    assert marks[4].wrong == ("The user lives in Rome.",)
    assert marks[5].right == ("my address",)


def test_figures_are_counted_over_statements_labels_and_silent_utterances(path):
    found: Any = report([marked(one) for one in utterances(path)])
    assert found.all.utterances == 6
    assert (found.all.precision.n, found.all.recall.n, found.all.silent.n) == (4, 4, 2)
    assert found.all.precision.share == 0.75
    assert found.all.recall.share == 0.75
    assert found.all.silent.share == 0.5
    assert list(found.categories) == ["home", "pets", "chatter", "requests"]
    assert found.categories["pets"].silent is None
    assert found.categories["home"].recall.ends == (0.0, 1.0)


def test_a_line_that_is_no_utterance_is_named(path):
    path.write_text('{"id": "1"}')
    with pytest.raises(UsageError, match="Line 1 of .* is not an utterance"):
        utterances(path)
    path.write_text(json.dumps({**LINES[0], "at": "2026-05-04T10:00:00", "speaker": "user"}))
    with pytest.raises(UsageError, match="time zone"):
        utterances(path)
