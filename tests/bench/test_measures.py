from math import log2

import numpy as np
import pytest

from bethink.bench.chance import interval, interval_of_means
from bethink.bench.measures import auroc, flattened, measured, shaped

TURNS = [f"t{n}" for n in range(30)]
SESSIONS = [f"s{n}" for n in range(15)]


def figures(evidence, held):
    return shaped(measured(TURNS, set(evidence), SESSIONS, set(held)))


def test_turn_recall_is_the_share_of_the_evidence_among_the_first():
    found = figures(["t4", "t9", "t19", "t20"], ["s0"])
    assert found["turn_recall"] == {"5": 1 / 4, "10": 2 / 4, "20": 3 / 4}


def test_one_session_is_enough_for_any_and_every_one_is_needed_for_all():
    found = figures(["t0"], ["s0", "s4"])
    assert found["session_any"] == {"1": 1, "5": 1, "10": 1}
    assert found["session_all"] == {"1": 0, "5": 1, "10": 1}
    found = figures(["t0"], ["s9", "s10"])
    assert found["session_any"] == {"1": 0, "5": 0, "10": 1}
    assert found["session_all"] == {"1": 0, "5": 0, "10": 0}


def test_mrr_counts_from_the_first_turn_of_the_evidence():
    assert figures(["t7", "t3"], ["s0"])["mrr"] == 1 / 4
    assert figures(["nowhere"], ["s0"])["mrr"] == 0


def test_mrr_is_nothing_below_the_first_hundred():
    turns = [f"t{n}" for n in range(200)]
    assert shaped(measured(turns, {"t99"}, ["s"], {"s"}))["mrr"] == 1 / 100
    assert shaped(measured(turns, {"t100"}, ["s"], {"s"}))["mrr"] == 0


def test_ndcg_weighs_the_first_ten_places_and_is_a_share_of_the_best_order():
    found = figures(["t0", "t2", "t10"], ["s0"])["ndcg"]
    best = 1 + 1 / log2(3) + 1 / log2(4)
    assert found == pytest.approx((1 + 1 / log2(4)) / best)
    assert figures(TURNS[:12], ["s0"])["ndcg"] == pytest.approx(1)


def test_an_empty_ranking_has_figures_of_zero():
    assert set(measured([], {"t1"}, [], {"s1"})) == {0.0}


def test_figures_come_back_from_json_as_they_were():
    values = [n / 11 for n in range(11)]
    assert flattened(shaped(values)) == values


def test_auroc_counts_the_pairs_in_the_right_order_and_half_of_the_ties():
    assert auroc(np.array([3.0, 2.0]), np.array([1.0, 2.0])) == (1 + 1 + 1 + 0.5) / 4
    assert auroc(np.array([1.0]), np.array([2.0, 3.0])) == 0


def test_an_interval_is_about_two_standard_errors_to_each_side():
    values = np.array([[0.0], [1.0]] * 200)
    [(low, high)] = interval_of_means(values)
    error = 0.5 / 400**0.5
    assert low == pytest.approx(0.5 - 1.96 * error, abs=0.006)
    assert high == pytest.approx(0.5 + 1.96 * error, abs=0.006)


def test_intervals_are_the_same_every_time():
    values = np.random.default_rng(1).random((50, 3))
    assert interval_of_means(values) == interval_of_means(values)
    assert interval(lambda drawn: values[drawn].max(), 50).shape == (2,)


def test_what_never_varies_has_no_width():
    assert interval_of_means(np.full((20, 1), 0.25)) == [(0.25, 0.25)]
