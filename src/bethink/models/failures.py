"""What a provider's client raises, as errors of ours that say what to do and show no key.

The client's own exceptions hold the request with its headers. They are read here and let go of:
neither cause nor context of what is raised leads back to them.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from bethink.errors import BethinkError, ModelError, ModelRefused, ModelUnavailable, UsageError
from bethink.models.keys import Key

REFUSALS = (400, 413, 422)
"""Statuses that are about what was sent: a part of it might pass."""
PASSING = (408, 409, 425, 429)
"""Statuses below 500 that may be another when asked again."""
_LONGEST = 300
_BAD_ADDRESSES = ("InvalidURL", "UnsupportedProtocol")
"""What clients call an address that leads nowhere."""


class StatusError(Exception):
    """A status that says no, for clients whose own error forgets the headers."""

    def __init__(self, status_code: int, headers: Mapping[str, str], body: Any) -> None:
        super().__init__(str(body))
        self.status_code = status_code
        self.headers = headers
        self.body = body


class Unusable(Exception):
    """An answer that came but cannot be used; asked again, the model may do better."""


class Withheld(Exception):
    """An answer that the provider's filter, or the model itself, did not want to give."""


def understood(error: Exception, who: str, key: Key) -> BethinkError:
    """The error to raise for what a client raised."""
    if isinstance(error, BethinkError):
        return error
    status = getattr(error, "status_code", None) or getattr(error, "http_status", None)
    said = _said(error, key)
    if not isinstance(status, int) or status < 400:
        return _without_status(error, who, said)
    if status in PASSING or status >= 500:
        return _passing(error, f"{who} answered with status {status}: {said}")
    if status in (401, 403):
        return ModelError(f"{who} does not accept the key (status {status}): {said}")
    kind = ModelRefused if status in REFUSALS else ModelError
    return kind(f"{who} answered with status {status}: {said}")


def _passing(error: Exception, sentence: str) -> ModelError:
    if getattr(error, "code", None) == "insufficient_quota":
        return ModelError(f"{sentence} Waiting will not help.")
    return ModelUnavailable(sentence, retry_after=_retry_after(error))


def _without_status(error: Exception, who: str, said: str) -> ModelError:
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return ModelUnavailable(f"{who} did not answer in time.")
    if isinstance(error, Unusable):
        return ModelUnavailable(f"{who} {said}")
    if isinstance(error, Withheld):
        return ModelRefused(f"{who} withheld its answer: {said}")
    if any(isinstance(one, UnicodeEncodeError) for one in _chain(error)):
        return ModelRefused(f"{who} cannot be sent this text: it holds half a character.")
    sentence = f"{who} gave no usable answer: {type(error).__name__}: {said}"
    return ModelError(sentence) if never_sent(error) else ModelUnavailable(sentence)


def never_sent(error: Exception) -> bool:
    """Whether an error tells of a call that was wrong before it went anywhere.

    Networks fail with an `OSError`, and parsers and clients with errors of their own. So Python's
    other errors are about how the client was called.
    """
    if isinstance(error, UsageError):
        return True
    of_python = type(error).__module__ == "builtins"
    if of_python and not isinstance(error, OSError | EOFError | UnicodeDecodeError):
        return True
    return any(
        isinstance(one, UnicodeEncodeError) or type(one).__name__ in _BAD_ADDRESSES
        for one in _chain(error)
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it was raised from."""
    while error is not None:
        yield error
        error = error.__cause__


def _said(error: Exception, key: Key) -> str:
    """What the provider said, without the wrapping that differs between them, and the key.

    The key is hidden before the text is cut, or a cut key would not be known.
    """
    body = getattr(error, "body", None) or getattr(error, "json_body", None)
    said = _message_in(body) or str(error) or "no reason given"
    line = key.hidden_in(" ".join(said.split()))
    line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    return line if line[-1:] in ".!?…" else f"{line}."


def _message_in(body: Any) -> str | None:
    if isinstance(body, str):
        return body
    if not isinstance(body, Mapping):
        return None
    for name in ("message", "detail", "error"):
        inner = body.get(name)
        if isinstance(inner, str) and inner:
            return inner
        if isinstance(inner, Mapping):
            return _message_in(inner)
    return None


def _retry_after(error: Exception) -> float | None:
    """How many seconds the provider asks for, however it says so."""
    headers = getattr(error, "headers", None) or getattr(
        getattr(error, "response", None), "headers", {}
    )
    named = {str(name).lower(): str(value) for name, value in dict(headers or {}).items()}
    try:
        if "retry-after-ms" in named:
            return max(0.0, float(named["retry-after-ms"]) / 1000)
        return _seconds(named["retry-after"])
    except (KeyError, ValueError, TypeError):
        return None


def _seconds(value: str) -> float:
    try:
        return max(0.0, float(value))
    except ValueError:
        moment = parsedate_to_datetime(value)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
