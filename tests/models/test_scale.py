"""A relevance that means the same for every embedder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import FunctionEmbedder, LocalEmbedder
from bethink.models.scale import Scale, measured, scale_of


def unasked(texts):
    pytest.fail("It need not be asked.")


def test_what_is_known_of_the_built_in_model_is_what_is_measured():
    local = LocalEmbedder()
    known = scale_of(local.name, unasked, unasked)
    assert known == pytest.approx(measured(local.embed, local.embed), abs=0.001)


@given(st.floats(-0.5, 0.8), st.floats(0.05, 0.15), st.floats(-1, 1), st.floats(-1, 1))
def test_the_more_alike_the_more_relevant_from_0_to_1(low, gap, one, other):
    scale = Scale(low, low + gap)
    first, second = sorted([one, other])
    assert 0 <= scale.relevance(first) <= scale.relevance(second) <= 1


def test_unrelated_answered_and_the_same_are_where_they_should_be():
    scale = Scale(0.7, 0.8)
    assert [scale.relevance(cosine) for cosine in (0.7, 0.8, 1.0)] == [0, 0.5, 1]


def test_a_model_that_tells_nothing_apart_still_has_a_scale():
    same = FunctionEmbedder(lambda texts: [[1.0, 0.0]] * len(texts), name="same")
    scale = scale_of(same.name, same.embed, same.embed)
    assert scale.unrelated < scale.answered < 1
    assert scale.relevance(1.0) == 1
