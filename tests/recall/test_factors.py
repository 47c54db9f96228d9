"""Small preferences that hold whatever is asked."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.recall.factors import used
from bethink.recall.weights import WEIGHTS
from bethink.types import ORIGINS
from tests.recall.rows import NOW, entry, found

DAY = timedelta(days=1)


def factors_of(entries, **settings):
    """What the factors say, by ids."""
    return {id_: hit.factors for id_, hit in found(entries, limit=50, **settings)}


def test_what_is_important_gains_and_what_is_not_loses():
    entries = [entry(f"{n}", importance=n / 4) for n in range(5)]
    shares = [factors_of(entries)[f"{n}"]["importance"] for n in range(5)]
    assert shares == pytest.approx([-0.5, -0.25, 0, 0.25, 0.5])
    assert shares[-1] == WEIGHTS.importance


def test_what_is_recent_gains_half_as_much_every_thirty_days():
    entries = [entry(f"{n}", created_at=NOW - n * 30 * DAY) for n in range(3)]
    shares = [factors_of(entries)[f"{n}"]["recent"] for n in range(3)]
    assert shares == pytest.approx([WEIGHTS.recent / 2**n for n in range(3)])


def test_what_is_recent_depends_on_when_it_is_asked():
    entries = [entry("old", created_at=NOW - 300 * DAY), entry("new")]
    later = factors_of(entries, at=NOW + 300 * DAY)
    assert later["old"]["recent"] < later["new"]["recent"] < 0.001
    before = factors_of(entries, at=NOW - 400 * DAY)  # what is yet to come is as recent as can be
    assert before["old"]["recent"] == before["new"]["recent"] == pytest.approx(WEIGHTS.recent)


def test_what_is_nobody_s_word_loses():
    entries = [entry(origin, origin=origin) for origin in ORIGINS]
    shares = {id_: factors["outside"] for id_, factors in factors_of(entries).items()}
    assert shares == {
        "user": 0,
        "assistant": 0,
        "tool": -WEIGHTS.outside,
        "document": -WEIGHTS.outside,
        "import": -WEIGHTS.outside,
    }


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_what_was_used_more_never_gains_less_and_never_much(some, more):
    some, more = sorted([some, more])
    assert 0 <= used(some, WEIGHTS) <= used(more, WEIGHTS) <= WEIGHTS.used


def test_what_was_never_used_gains_nothing_and_fifty_times_are_enough():
    assert used(0, WEIGHTS) == 0
    assert used(50, WEIGHTS) == used(5000, WEIGHTS) == WEIGHTS.used


def test_all_factors_together_are_less_than_what_a_fair_match_is_worth():
    most = WEIGHTS.importance + WEIGHTS.recent + WEIGHTS.used + WEIGHTS.outside
    assert most < 2
