"""What clients raise, as errors that say what to do."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from bethink.errors import ModelError, ModelRefused, ModelUnavailable, UsageError
from bethink.models.failures import StatusError, Unusable, Withheld, understood
from bethink.models.keys import Key

SECRET = Key("sk-0123456789")


def refused(status, headers=None, body="no"):
    return understood(StatusError(status, headers or {}, body), "m", SECRET)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_unavailable(status):
    assert type(refused(status)) is ModelUnavailable


@pytest.mark.parametrize("status", [400, 413, 422])
def test_what_is_about_the_request_is_refused(status):
    assert type(refused(status)) is ModelRefused


@pytest.mark.parametrize("status", [401, 403, 402, 404, 410])
def test_what_will_not_pass_is_neither(status):
    assert type(refused(status)) is ModelError


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)}, 0),
        ({}, None),
    ],
)
def test_how_long_to_wait_is_read_however_it_is_said(headers, seconds):
    error = refused(429, headers)
    assert isinstance(error, ModelUnavailable)
    assert error.retry_after == seconds


def test_a_moment_to_wait_for_is_understood():
    moment = datetime.now(UTC) + timedelta(seconds=60)
    error = refused(503, {"Retry-After": format_datetime(moment, usegmt=True)})
    assert isinstance(error, ModelUnavailable)
    assert error.retry_after is not None
    assert 50 < error.retry_after <= 60


@pytest.mark.parametrize(
    "body",
    [
        "too fast",
        {"error": {"message": "too fast"}},
        {"error": "too fast"},
        {"detail": "too fast"},
        {"message": "too fast"},
    ],
)
def test_what_the_provider_said_is_found_wherever_it_is(body):
    assert str(refused(400, body=body)) == "m answered with status 400: too fast."


def test_what_is_not_paid_for_is_not_tried_again():
    error = StatusError(429, {}, {"message": "You exceeded your current quota"})
    error.code = "insufficient_quota"  # type: ignore[attr-defined]
    assert type(understood(error, "m", SECRET)) is ModelError


def test_long_complaints_are_cut_and_keys_taken_out():
    said = str(refused(400, body=f"not {SECRET.reveal()} " + "x" * 1000))
    assert SECRET.reveal() not in said
    assert len(said) < 400


@pytest.mark.parametrize(
    ("raised", "kind", "said"),
    [
        (TimeoutError(), ModelUnavailable, "m did not answer in time."),
        (ConnectionError("gone"), ModelUnavailable, "m gave no usable answer: ConnectionError: gone."),
        (Unusable("returned nothing"), ModelUnavailable, "m returned nothing."),
        (Withheld("it would rather not"), ModelRefused, "m withheld its answer: it would rather not."),
        (TypeError("no such setting"), ModelError, "m gave no usable answer: TypeError: no such setting."),
        (UsageError("as it is"), UsageError, "as it is"),
    ],
)  # fmt: skip
def test_what_comes_without_a_status_is_told_in_a_sentence(raised, kind, said):
    error = understood(raised, "m", SECRET)
    assert (type(error), str(error)) == (kind, said)
