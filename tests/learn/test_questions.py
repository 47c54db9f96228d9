import pytest

from bethink.learn.questions import is_open, is_question


@pytest.mark.parametrize("text", ["Why?", 'Did she say "why?"', "なぜ？", "لماذا؟", "**Why?**"])
def test_a_question_ends_with_its_mark(text):
    assert is_question(text)


@pytest.mark.parametrize("text", ["", "Why not.", "Why? Because."])
def test_anything_else_is_none(text):
    assert not is_question(text)


@pytest.mark.parametrize(
    ("after", "is_left"),
    [
        ([], True),
        ([("Ann", "Hello?")], True),
        ([("Ben", "Who knows?")], True),
        ([("Ben", "I don't know.")], True),
        ([("Ben", "I'll ask her.")], True),
        ([("Ben", "Tomorrow.")], False),
        ([("Ben", "Tomorrow. Why?")], False),
        ([("Ann", "Hello?"), ("Ben", "Tomorrow.")], False),
    ],
)
def test_a_question_is_open_until_someone_else_answers(after, is_left):
    speakers, contents = zip(("Ann", "When is it?"), *after, strict=True)
    assert is_open(speakers, contents, 0) is is_left
