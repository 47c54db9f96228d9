from bethink.bench.data import Conversation, conversations
from bethink.bench.summaries import WAYS, results, survivals
from bethink.models.tokens import count_tokens


def measured(data_set, tokens):
    [conversation] = conversations(data_set)
    return results(list(survivals(conversation, tokens)))


def test_only_questions_whose_answers_are_summarised_away_count(data_set):
    assert {result.questions for result in measured(data_set, 300)} == {2}


def test_every_way_is_measured_in_both_settings(data_set):
    found = [(result.setting, result.way) for result in measured(data_set, 300)]
    assert found == [(s, w) for s in ("long sessions", "whole conversation") for w in WAYS]


def test_with_room_for_everything_everything_survives(data_set):
    assert all(result.words == result.whole == 1 for result in measured(data_set, 5000))


def test_with_room_for_little_the_summary_keeps_most(data_set):
    shares = {(result.setting, result.way): result.words for result in measured(data_set, 60)}
    assert shares["long sessions", "summary"] == 1
    assert shares["long sessions", "last messages"] < 1
    assert shares["whole conversation", "random sentences"] < 1


def test_no_way_takes_more_tokens_than_it_may(data_set):
    [conversation] = conversations(data_set)
    for make in WAYS.values():
        for text in make(conversation.turns, 50):
            assert 0 < count_tokens(text) <= 50


def test_figures_are_the_same_every_time(data_set):
    assert measured(data_set, 40) == measured(data_set, 40)


def test_a_conversation_that_nobody_asks_about_gives_no_figures(data_set):
    [conversation] = conversations(data_set)
    assert list(survivals(Conversation("c1", conversation.turns, ()), 300)) == []
