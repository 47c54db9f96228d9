"""What a query asks for, as far as its words tell."""

import pytest

from bethink.recall.plan import asks_assistant


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
