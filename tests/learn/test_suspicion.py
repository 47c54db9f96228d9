"""Text from outside that reads like instructions to a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.learn.suspicion import suspicious
from bethink.learn.trust import sound
from tests.learn.outside import HARMLESS, HOSTILE


@pytest.mark.parametrize("text", HOSTILE)
def test_orders_to_a_model_are_noticed(text):
    reason = suspicious(text)
    assert reason
    assert reason.endswith(".")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_model_that_repeats_orders_is_not_believed(text):
    assert sound(text, most=len(text)) is None


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_text_is_left_alone(text):
    assert suspicious(text) is None


def test_there_are_enough_of_both():
    assert len(set(HOSTILE)) >= 40
    assert len(set(HARMLESS)) >= 60


@pytest.mark.parametrize("text", HOSTILE)
def test_orders_are_noticed_in_the_middle_of_a_long_page(text):
    page = "The harbour opens at nine. Tickets are sold on board.\n" * 50
    assert suspicious(f"{page}\n{text}\n{page}")


def test_many_harmless_texts_together_are_still_harmless():
    assert suspicious("\n\n".join(HARMLESS[:20])) is None


@given(st.text())
def test_any_text_can_be_looked_at(text):
    assert suspicious(text) is None or isinstance(suspicious(text), str)


@pytest.mark.parametrize(
    "unit", ["a ", "ignore all ", "![", "<|", "the user's ", "[x](http://", "A1"]
)
def test_long_texts_take_no_time_to_speak_of(unit):
    suspicious((unit * 100_000)[:100_000])  # the test would not end if one of the patterns ran away
