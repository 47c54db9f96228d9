"""What a query asks for, as far as its words tell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.recall.plan import asks_assistant, goes_on, plan, quoted
from bethink.text import hashed
from bethink.times import to_micros
from tests.conftest import START


@pytest.mark.parametrize(
    "query",
    [
        "Which vegan restaurant did you recommend last time?",
        "Can you remind me what song you said fits best?",
        "I was thinking about our previous conversation about jazz",
        "the list that was made by you: suggestions from you",
    ],
)
def test_it_may_be_what_the_assistant_said(query):
    assert asks_assistant(query)


@pytest.mark.parametrize(
    "query",
    ["Where does she live?", "What did Ann recommend to Bob?", "How are you?", "When do I fly?"],
)
def test_it_is_mostly_what_others_said(query):
    assert not asks_assistant(query)


@pytest.mark.parametrize(
    "query",
    [
        "I have been thinking about the trip to Lisbon again.",
        "We are back home now. What shall we cook tonight?",
        "Where did we leave off?\nThe second chapter still needs an ending",
    ],
)
def test_whoever_tells_something_goes_on_with_a_talk(query):
    assert goes_on(query)


@pytest.mark.parametrize(
    "query",
    [
        "Which restaurant did Maya like best of all of them?",
        "Where does she live? And since when does she live there?",
        "Tell me where the keys to the summer house are",
        "football in Lisbon",
        "tea.",
        "?!",
        "北京在哪里？",
    ],
)
def test_questions_and_a_few_words_do_not_go_on_with_anything(query):
    assert not goes_on(query)


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ('Who said "green tea" to Maya?', [["green", "tea"]]),
        ("Who said “green tea” or «black coffee»?", [["green", "tea"], ["black", "coffe"]]),
        ("谁说「北京」？", [["北京", "北", "京"]]),
        ('the "?!" sign and an empty ""', []),
        ("don't say it's Maya's", []),
        ('an opening " alone', []),
    ],
)
def test_phrases_in_quotation_marks_are_read(query, phrases):
    found = [sorted(terms.tolist()) for terms in quoted(query)]
    assert found == [sorted(hashed(terms).tolist()) for terms in phrases]


def test_what_someone_quotes_in_passing_is_no_phrase_to_look_for():
    vector = np.zeros(2, np.float32)
    telling = plan('Maya said "green tea" and then she left.', vector=vector, at=START)
    assert (telling.goes_on, telling.phrases) == (True, ())
    asking = plan('Who said "green tea"?', vector=vector, at=START)
    assert (asking.goes_on, len(asking.phrases)) == (False, 1)
    assert asking.at == to_micros(START)


@given(st.text(max_size=300))
def test_any_text_can_be_read(query):
    read = plan(query, vector=np.zeros(2, np.float32), at=START)
    assert all(len(phrase) for phrase in read.phrases)
