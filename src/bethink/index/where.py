"""Metadata filters: ``{"topic": "football", "year": {"$gte": 2020, "$lt": 2030}}``.

All conditions must hold. A plain value must be equal; a dictionary of operators compares. Where
the metadata holds a list, one element that fits is enough. Values of different types are never
equal or ordered, so ``1`` is neither ``"1"`` nor ``True``.
"""

import operator
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from bethink.errors import UsageError

Test: TypeAlias = Callable[[Any], bool]
"""Says of a metadata value, or of MISSING, whether it fits."""

MISSING = object()


def parse(where: Mapping[str, Any]) -> dict[str, Test]:
    """A filter as one test for each key."""
    if not isinstance(where, Mapping):
        raise UsageError(f"where must be a dictionary, not {type(where).__name__}.")
    return {_key(key): _conditions(key, wanted) for key, wanted in where.items()}


def fits(metadata: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether the metadata of one record fits a filter."""
    return all(test(metadata.get(key, MISSING)) for key, test in parse(where).items())


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise UsageError(f"where has the key {key!r}; keys must be strings.")
    if key.startswith("$"):
        raise UsageError(
            f"where has {key!r} in the place of a metadata key. "
            'Operators stand inside, such as {"year": {"$gte": 2020}}.'
        )
    return key


def _conditions(key: str, wanted: object) -> Test:
    if not (isinstance(wanted, Mapping) and any(str(name).startswith("$") for name in wanted)):
        return _equal(wanted)
    tests = []
    for name, value in wanted.items():
        if name not in _OPERATORS:
            known = ", ".join(_OPERATORS)
            raise UsageError(f"where[{key!r}] has {name!r}; the operators are {known}.")
        tests.append(_OPERATORS[name](value))
    return lambda value: all(test(value) for test in tests)


def _type(value: object) -> type:
    """What a JSON value is compared as: whole and broken numbers are of one type."""
    return float if type(value) is int else type(value)


def _same(value: Any, wanted: Any) -> bool:
    """Equal, and of the same types all the way down."""
    if _type(value) is not _type(wanted):
        return False
    if isinstance(value, dict):
        return value.keys() == wanted.keys() and all(_same(value[k], wanted[k]) for k in value)
    if isinstance(value, list):
        return len(value) == len(wanted) and all(map(_same, value, wanted))
    return bool(value == wanted)


def _plain(wanted: Any) -> Any:
    """A value as JSON has it: NumPy's numbers and enums as their values, tuples as lists."""
    if isinstance(wanted, np.generic):
        return wanted.item()
    if isinstance(wanted, Enum):
        return wanted.value
    if isinstance(wanted, list | tuple):
        return [_plain(inner) for inner in wanted]
    if isinstance(wanted, Mapping):
        return {key: _plain(inner) for key, inner in wanted.items()}
    return wanted


def _any_element(test: Test) -> Test:
    """A list fits as a whole or by one of its elements."""
    return lambda value: test(value) or (isinstance(value, list) and any(map(test, value)))


def _equal(wanted: object) -> Test:
    plain = _plain(wanted)
    return _any_element(lambda value: _same(value, plain))


def _not_equal(wanted: object) -> Test:
    equal = _equal(wanted)
    return lambda value: value is not MISSING and not equal(value)


def _in(wanted: object) -> Test:
    if not isinstance(wanted, list | tuple | set | frozenset):
        raise UsageError(f"$in takes a list of values, not {type(wanted).__name__}.")
    tests = [_equal(value) for value in wanted]
    return lambda value: any(test(value) for test in tests)


def _exists(wanted: object) -> Test:
    if not isinstance(wanted, bool):
        raise UsageError("$exists takes True or False.")
    return lambda value: (value is not MISSING) is wanted


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[object], Test]:
    def against(wanted: object) -> Test:
        wanted = _plain(wanted)
        if _type(wanted) not in (float, str):
            raise UsageError(f"Only numbers and strings have an order, not {wanted!r}.")
        return _any_element(lambda value: _type(value) is _type(wanted) and compare(value, wanted))

    return against


_OPERATORS: dict[str, Callable[[object], Test]] = {
    "$eq": _equal,
    "$ne": _not_equal,
    "$in": _in,
    "$gt": _ordered(operator.gt),
    "$gte": _ordered(operator.ge),
    "$lt": _ordered(operator.lt),
    "$lte": _ordered(operator.le),
    "$exists": _exists,
}
