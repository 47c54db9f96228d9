"""Every error that Bethink raises on purpose.

::

    BethinkError
    ├ UsageError          the caller's mistake; the message says what to do instead
    │ └ MissingExtra      a package that is not installed; the message names the command
    ├ NotFound            there is no such memory for this user
    ├ Conflict            someone else changed it first
    ├ StoreError          the store failed; the driver's own error is the ``__cause__``
    │ └ StoreUnavailable  worth retrying
    └ ModelError          an embedder or another model failed
      ├ ModelUnavailable  worth retrying
      └ ModelRefused      it will not take this, however often it is asked
        └ TextsRefused    it embedded all texts but some
"""

from collections.abc import Mapping
from typing import Any


class BethinkError(Exception):
    """The root of every error raised by Bethink."""


class UsageError(BethinkError):
    """The call was wrong; the message names what and says what to do instead."""


class MissingExtra(UsageError):
    """A package that this call needs is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed. To use it: pip install 'bethink[{extra}]'")


class NotFound(BethinkError):
    """This user has no memory with that id."""


class Conflict(BethinkError):
    """The record was changed by someone else since it was read: read it again, then retry."""


class StoreError(BethinkError):
    """The store could not do it; the driver's own error is the ``__cause__``."""


class StoreUnavailable(StoreError):
    """The store is busy or out of reach just now; the same call may succeed later."""


class ModelError(BethinkError):
    """A model gave no usable answer."""


class ModelUnavailable(ModelError):
    """The model is out of reach just now; the same call may succeed later.

    `retry_after` is how many seconds it asked to be left alone for, if it did.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelRefused(ModelError):
    """The model is there, and will not take what it was given."""


class TextsRefused(ModelRefused):
    """Some texts could not be embedded. The others were.

    `refused` says why, by the position of each text; `vectors` has a row for every text, and zeros
    where it was refused.
    """

    def __init__(self, message: str, *, refused: Mapping[int, str], vectors: Any) -> None:
        super().__init__(message)
        self.refused = refused
        self.vectors = vectors


def for_the_log(error: BethinkError) -> str:
    """An error's words without those of what caused it, which are none of ours.

    Whoever calls gets them. A log is read by others, and a caller's own model may name the key
    that it was refused with.
    """
    if error.__cause__ is None or isinstance(error.__cause__, BethinkError):
        return str(error)
    return str(error).removesuffix(f": {error.__cause__}")
