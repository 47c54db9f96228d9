"""How likely a memory has to do with a query at all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.recall.relevance import RELEVANT, relevances
from tests.recall.rows import asked, chat, entry, index_of


def relevance(entries, id_, query="tea", cosine=0.5):
    """How relevant one of these is, by a model whose cosines need no scale."""
    index = index_of(entries)
    rows = np.array([index.row_of(id_)])
    [found] = relevances(index, asked(query), rows, [cosine], lambda number: number)
    return found


def test_it_grows_with_how_alike_the_two_are():
    entries = [entry("1", "milk"), entry("2", "tea")]
    found = [relevance(entries, "1", cosine=cosine) for cosine in (0, 0.3, 0.6, 1)]
    assert found == sorted(found)
    assert found[0] < RELEVANT < found[-1]


def test_it_grows_with_the_words_that_both_have_and_the_rare_ones_count_more():
    entries = [entry("rare", "Maya"), entry("common", "tea"), entry("both", "Maya tea")]
    entries += [entry(f"{n}", "tea") for n in range(10)]
    found = {id_: relevance(entries, id_, "maya tea") for id_ in ("0", "common", "rare", "both")}
    assert found["0"] == found["common"] < found["rare"] < found["both"]


def test_words_that_the_user_never_said_make_everything_less_relevant():
    entries = [entry("1", "tea"), entry("2", "milk")]
    assert relevance(entries, "1", "tea zebra") < relevance(entries, "1", "tea")
    assert relevance(entries, "2", "tea zebra") < relevance(entries, "2", "tea")


def test_a_message_is_as_relevant_as_its_session_lets_it_be():
    near, far = (1.0, 0.0), (0.0, 1.0)
    talk = [
        *(chat(n, "milk", "user", near, "about it") for n in range(3)),
        *(chat(n, "milk", "user", far, "beside it") for n in range(3, 6)),
    ]
    assert relevance(talk, "05") < relevance(talk, "02")


def test_it_does_not_depend_on_what_else_was_found():
    entries = [entry("1", "tea"), entry("2", "milk"), entry("3", "tea milk")]
    index = index_of(entries)
    cosines = {"1": 0.2, "2": 0.5, "3": 0.9}
    rows = np.array([index.row_of(id_) for id_ in cosines])
    together = relevances(index, asked(), rows, list(cosines.values()), lambda number: number)
    alone = [relevance(entries, id_, cosine=cosine) for id_, cosine in cosines.items()]
    assert together == pytest.approx(alone)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["tea", "milk", "tea Maya", "🎉"]), min_size=1, max_size=8),
    st.sampled_from(["tea", "zebra", "tea zebra", ""]),
    st.floats(0, 1),
)
def test_it_is_always_more_than_0_and_less_than_1(contents, query, cosine):
    entries = [entry(f"{n}", content) for n, content in enumerate(contents)]
    assert 0 < relevance(entries, "0", query, cosine) < 1


def test_of_nothing_nothing_is_relevant():
    index = index_of([entry("1")])
    assert relevances(index, asked(), np.zeros(0, np.int64), [], lambda number: number) == []
