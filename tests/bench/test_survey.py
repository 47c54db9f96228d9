import pytest

from bethink.bench.survey import survey
from bethink.errors import UsageError
from tests.bench.conftest import ASKED, ASKED_TURNS, write_lines


def test_it_is_known_beforehand_how_many_steps_it_takes(asked_set):
    assert survey(asked_set).steps == len(ASKED_TURNS) + len(ASKED)


def test_a_limit_draws_that_many_questions_always_the_same(asked_set):
    found = survey(asked_set, limit=2)
    assert len(found.chosen) == 2
    assert found == survey(asked_set, limit=2)
    asked = [question.id for one in found.conversations() for question in one.questions]
    assert sorted(asked) == sorted(id_ for _, id_ in found.chosen)


def test_a_conversation_that_none_of_the_chosen_are_about_is_left_out(asked_set):
    assert [one.id for one in survey(asked_set, limit=1).conversations()] in (["ann"], ["bob"])


def test_a_limit_above_all_questions_is_all_questions(asked_set):
    assert survey(asked_set, limit=100) == survey(asked_set)


def test_a_foreign_question_is_about_another_conversation(asked_set):
    found = survey(asked_set)
    assert found.foreign("ann", "key") == "Was Oslo cold in April?"
    assert found.foreign("bob", "oslo") in {row["question"] for row in ASKED[:5]}
    assert found.foreign("bob", "oslo") == survey(asked_set, limit=1).foreign("bob", "oslo")


def test_with_one_conversation_there_is_no_foreign_question(data_set):
    assert survey(data_set).foreign("c1", "q1") is None


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            {"evidence": ["a9:9"]},
            "'key' of conversation 'ann' names the turn 'a9:9', which is not in it",
        ),
        ({"evidence_sessions": ["a9"]}, "names the session 'a9', which is not in it"),
        ({"asked_in_session": "a9"}, "names the session 'a9', which is not in it"),
    ],
)
def test_what_is_not_there_is_named_before_anything_is_measured(asked_set, said, sentence):
    write_lines(asked_set / "questions.jsonl.gz", [{**ASKED[0], **said}])
    with pytest.raises(UsageError, match=sentence):
        survey(asked_set)


def test_names_that_stand_for_two_things_are_refused(asked_set):
    write_lines(asked_set / "questions.jsonl.gz", [ASKED[0], ASKED[0]])
    with pytest.raises(UsageError, match="'key' is the name of more than one question of conv"):
        survey(asked_set)
    write_lines(asked_set / "corpus.jsonl.gz", [ASKED_TURNS[0], *ASKED_TURNS])
    with pytest.raises(UsageError, match="'a1:0' is the name of more than one turn of conv"):
        survey(asked_set)
