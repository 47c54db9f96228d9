"""Keys: taken from the caller or the environment, and shown to nobody."""

import json
import os
import re
from typing import Any, NoReturn
from urllib.parse import quote

from bethink.errors import UsageError

_HIDDEN = "[key]"
_SHORTEST = 6
"""What is shorter is no secret, and may be a part of any word."""


class Key:
    """A provider's key, or none. Only `reveal` gives it away."""

    __slots__ = ("_value",)

    def __init__(self, value: str | None) -> None:
        self._value = _checked(value or "")

    @classmethod
    def find(cls, given: str | None, *variables: str) -> "Key":
        """The key that was given, or the first of these environment variables that is set."""
        return cls(given or next(filter(None, map(os.environ.get, variables)), None))

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Key({_HIDDEN if self else ''})"

    def __reduce__(self) -> NoReturn:
        raise UsageError("A key cannot be pickled: it would be there for all to read.")

    def reveal(self) -> str:
        return self._value

    def hidden_in(self, text: str) -> str:
        """A text without the key, in case someone else put it there, however they spelled it."""
        if len(self._value) < _SHORTEST:
            return text
        longest_first = sorted(_spellings(self._value), key=len, reverse=True)
        return re.sub("|".join(map(re.escape, longest_first)), _HIDDEN, text, flags=re.IGNORECASE)


def _checked(value: Any) -> str:
    """Clients show a header that they cannot send, and with it the key: such a key is no key."""
    if not isinstance(value, str):
        raise UsageError(f"The key is of type {type(value).__name__}: give it as a text.")
    key = value.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(
            "The key holds what no key does, such as a space, a line break or an accent: "
            "copy it once more."
        )
    return key


def _spellings(value: str) -> set[str]:
    """The key as it is, and as Python, JSON and addresses write it."""
    as_json = json.dumps(value)[1:-1]
    as_python = repr(value)[1:-1]
    return {value, as_python, as_json, as_json.replace("/", "\\/"), quote(value), quote(value, "")}
