from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import UsageError
from bethink.times import as_utc, from_micros, to_micros


@given(st.datetimes(timezones=st.just(UTC)))
def test_microseconds_keep_a_time_exactly(moment):
    assert from_micros(to_micros(moment)) == moment


def test_a_time_in_another_zone_is_turned_into_utc():
    there = datetime(2024, 5, 17, 12, tzinfo=timezone(timedelta(hours=2)))
    assert as_utc(there, name="t").isoformat() == "2024-05-17T10:00:00+00:00"


def test_a_time_without_a_zone_is_refused_by_name():
    with pytest.raises(UsageError, match="expires_at has no time zone"):
        as_utc(datetime(2024, 5, 17), name="expires_at")  # noqa: DTZ001 (the point of it)
