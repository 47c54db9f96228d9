"""A circuit breaker: a model that keeps failing is left alone for a while."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bethink.errors import ModelUnavailable


@dataclass(slots=True)
class Sent:
    """How many requests of one call were sent."""

    count: int = 0


class Breaker:
    """Opens after so many failed calls in a row; then every call fails at once, for some time.

    After that one call may try. If it succeeds the breaker closes; if not, the time starts anew.
    Only what is worth retrying counts as a failure: a model that refuses a request is there. A
    call that sent nothing says nothing about the model.
    """

    def __init__(self, name: str, failures: int, rest: float) -> None:
        self._name = name
        self._most = failures
        self._rest = rest
        self._failures = 0
        self._opens_again = 0.0
        self._trying = False

    @contextmanager
    def watch(self, sent: Sent) -> Iterator[None]:
        """Around one call, with all its retries."""
        trial = self._admit()
        try:
            yield
        except ModelUnavailable:
            if sent.count:
                self._failed()
            raise
        except Exception:
            if sent.count:
                self._failures = 0
            raise
        else:
            self._failures = 0
        finally:
            if trial:
                self._trying = False

    def _admit(self) -> bool:
        """Whether this call is the one that tries after the rest."""
        if not self._most or self._failures < self._most:
            return False
        left = self._opens_again - time.monotonic()
        if left > 0 or self._trying:
            raise ModelUnavailable(
                f"{self._name} failed {self._failures} times in a row and is left alone"
                + (f" for {left:.0f} more seconds." if left >= 1 else " for a moment."),
                retry_after=max(0.0, left),
            )
        self._trying = True
        return True

    def _failed(self) -> None:
        self._failures += 1
        self._opens_again = time.monotonic() + self._rest
