import gzip
from datetime import datetime

import pytest

from bethink.bench.data import asked_about, conversations
from bethink.errors import UsageError
from tests.bench.conftest import QUESTIONS, TURNS, write_lines


def test_a_conversation_comes_with_its_sessions_and_questions(data_set):
    [conversation] = conversations(data_set)
    assert conversation.id == "c1"
    assert [len(turns) for turns in conversation.sessions()] == [18, 4]
    assert [question.id for question in conversation.questions] == ["q1", "q2", "q3", "q4", "q5"]
    assert conversation.turns[0].at == datetime(2024, 5, 17, 12)  # noqa: DTZ001 (as it is written)


def test_answers_are_text_whatever_they_were(data_set):
    [conversation] = conversations(data_set)
    assert [question.answer for question in conversation.questions[2:]] == [
        "2024",
        "doing great",
        "",
    ]


def test_a_question_may_say_when_and_where_it_is_asked_and_more(data_set):
    more = {
        "category": "pets",
        "evidence_sessions": ["s1"],
        "asked_at": "2024-06-01T09:00:00",
        "asked_in_session": "s2",
        "abstention": True,
    }
    write_lines(data_set / "questions.jsonl.gz", [{**QUESTIONS[0], **more}, QUESTIONS[1]])
    [conversation] = conversations(data_set)
    first, second = conversation.questions
    assert (first.category, first.sessions, first.asked_in) == ("pets", ("s1",), "s2")
    assert first.asked_at == datetime(2024, 6, 1, 9)  # noqa: DTZ001 (as it is written)
    assert first.abstention
    assert (second.category, second.sessions, second.asked_in) == ("", (), None)
    assert not second.abstention


def test_names_are_text_whatever_they_were(data_set):
    write_lines(data_set / "corpus.jsonl.gz", [{**TURNS[0], "conv": 1, "session": 2, "turn": 3}])
    asked = {**QUESTIONS[0], "conv": 1, "evidence": [3], "asked_in_session": 2}
    write_lines(data_set / "questions.jsonl.gz", [asked])
    [conversation] = conversations(data_set)
    assert (conversation.id, conversation.turns[0].id, conversation.turns[0].session) == (
        "1",
        "3",
        "2",
    )
    assert (conversation.questions[0].evidence, conversation.questions[0].asked_in) == (("3",), "2")


def test_conversations_are_read_one_at_a_time(data_set):
    rows = [*TURNS, {**TURNS[0], "conv": "c2"}, {"no": "turn"}]
    write_lines(data_set / "corpus.jsonl.gz", rows)
    found = conversations(data_set)
    assert next(found).id == "c1"
    with pytest.raises(UsageError, match="Line 24 of .* has no 'conv'"):
        list(found)


def test_it_is_known_beforehand_how_many_are_asked_about(data_set):
    assert asked_about(data_set) == 1


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UsageError, match="There is no .*questions.jsonl.gz: give a directory"):
        list(conversations(tmp_path))


def test_a_file_that_is_no_gzip_is_named(data_set):
    (data_set / "corpus.jsonl.gz").write_text("{}")
    with pytest.raises(UsageError, match="corpus.jsonl.gz is not a complete gzip file"):
        list(conversations(data_set))


def test_a_file_that_was_cut_off_is_named(data_set):
    file = data_set / "corpus.jsonl.gz"
    file.write_bytes(file.read_bytes()[:-12])
    with pytest.raises(UsageError, match="not a complete gzip file"):
        list(conversations(data_set))


@pytest.mark.parametrize("line", ["no json", "[]", '"text"', "null", '{"conv": "c1"}'])
def test_a_line_that_says_something_else_is_named(data_set, line):
    with gzip.open(data_set / "questions.jsonl.gz", "at") as lines:
        lines.write(line)
    with pytest.raises(UsageError, match="Line 6 of .*questions.jsonl.gz"):
        list(conversations(data_set))


def test_a_conversation_in_two_places_is_refused(data_set):
    write_lines(data_set / "corpus.jsonl.gz", [*TURNS, {**TURNS[0], "conv": "c2"}, TURNS[0]])
    with pytest.raises(UsageError, match="turns of 'c1' in two places"):
        list(conversations(data_set))


def test_a_question_about_nothing_is_refused(data_set):
    write_lines(data_set / "questions.jsonl.gz", [{**QUESTIONS[0], "conv": "c9"}])
    with pytest.raises(UsageError, match="asks about 'c9', which nobody said"):
        list(conversations(data_set))
