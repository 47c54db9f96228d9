from enum import StrEnum

import numpy as np
import pytest

from bethink import UsageError
from bethink.index.where import MISSING, parse


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("condition", "fitting", "others"),
    [
        ("tea", ["tea", ["tea", 1]], ["Tea", None, MISSING, ["coffee"]]),
        (1, [1, 1.0], [True, "1", MISSING]),
        (True, [True], [1, "true"]),
        (None, [None], [MISSING, 0, ""]),
        ({"a": 1}, [{"a": 1}], [{"a": 2}, {"a": True}, {}]),
        (np.int64(1), [1, 1.0], [True, 2]),
        ({"$gt": np.float32(1.5)}, [2], [1]),
        ((1, 2), [[1, 2]], [[2, 1]]),
        (Colour.RED, ["red"], ["blue", "Colour.RED"]),
        ([1, 2], [[1, 2], [[1, 2]]], [[2, 1], 1]),
        ({"$eq": "tea"}, ["tea"], ["Tea"]),
        ({"$ne": "tea"}, ["coffee", None, []], ["tea", ["tea"], MISSING]),
        ({"$in": ["a", 2]}, ["a", 2, ["x", "a"]], ["b", MISSING]),
        ({"$in": []}, [], ["a", MISSING]),
        ({"$gte": 2, "$lt": 5}, [2, 4.9], [1, 5, "3", True, None, MISSING]),
        ({"$gt": "2024-01", "$lte": "2024-06"}, ["2024-03-01"], ["2024-01", "2024-07", 2024]),
        ({"$exists": True}, [0, None, ""], [MISSING]),
        ({"$exists": False}, [MISSING], [0, None]),
    ],
)
def test_a_condition_fits_what_it_says(condition, fitting, others):
    test = parse({"key": condition})["key"]
    assert all(test(value) for value in fitting)
    assert not any(test(value) for value in others)


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("topic", "must be a dictionary"),
        ({1: 2}, "keys must be strings"),
        ({"$or": []}, "in the place of a metadata key"),
        ({"a": {"$near": 1}}, "the operators are"),
        ({"a": {"$gt": 1, "b": 2}}, "the operators are"),
        ({"a": {"$in": "abc"}}, "takes a list"),
        ({"a": {"$exists": 1}}, "takes True or False"),
        ({"a": {"$gt": None}}, "have an order"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused_in_a_sentence(where, says):
    with pytest.raises(UsageError, match=says):
        parse(where)
