"""Keys: taken from the caller or the environment, and shown to nobody."""

import os

_HIDDEN = "[key]"
_SHORTEST = 6
"""What is shorter is no secret, and may be a part of any word."""


class Key:
    """A provider's key, or none. Only `reveal` gives it away."""

    __slots__ = ("_value",)

    def __init__(self, value: str | None) -> None:
        self._value = value.strip() if value else ""

    @classmethod
    def find(cls, given: str | None, *variables: str) -> "Key":
        """The key that was given, or the first of these environment variables that is set."""
        return cls(given or next(filter(None, map(os.environ.get, variables)), None))

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Key({_HIDDEN if self else ''})"

    def reveal(self) -> str:
        return self._value

    def hidden_in(self, text: str) -> str:
        """A text without the key, in case someone else put it there."""
        return text.replace(self._value, _HIDDEN) if len(self._value) >= _SHORTEST else text
