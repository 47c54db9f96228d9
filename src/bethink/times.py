"""Times are timezone-aware UTC; on disk they are whole microseconds since 1970."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from bethink.errors import UsageError

Clock = Callable[[], datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def utc_now() -> datetime:
    """The system clock; every part of Bethink takes a replacement for it."""
    return datetime.now(UTC)


def to_micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(0, 0, micros)


def as_utc(moment: datetime, *, name: str) -> datetime:
    """`moment` in UTC; a time without a zone is refused, because guessing one loses hours."""
    if not isinstance(moment, datetime):
        raise UsageError(f"{name} must be a datetime, not {type(moment).__name__}.")
    if moment.utcoffset() is None:
        raise UsageError(
            f"{name} has no time zone. Pass an aware datetime, such as datetime.now(timezone.utc)."
        )
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise UsageError(f"{name} is outside the years 1 to 9999: {moment}.") from error


def earlier(moment: datetime, by: timedelta) -> datetime:
    """A time before another; the beginning of all time if it would be before that."""
    try:
        return moment - by
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def read_time(value: object, *, name: str) -> datetime | None:
    """A time from its text, as `isoformat` writes it."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)  # type: ignore[arg-type]  # refused below
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be a time such as 2024-05-17T12:30:00+00:00.") from error
    return as_utc(moment, name=name)
