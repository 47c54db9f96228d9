"""The options that commands share, and how their values are read."""

import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn, TypeVar

import click

from bethink.cli.opening import default_store
from bethink.errors import UsageError
from bethink.types import KINDS

_KIND_NAMES = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"

F = TypeVar("F", bound=Callable[..., Any])

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DURATION = re.compile(rf"(\d+(?:\.\d+)?)([{''.join(_UNITS)}])")


def duration(value: str) -> timedelta:
    """A length of time, such as 30m, 2h or 7d."""
    match = _DURATION.fullmatch(value)
    if match is None:
        raise click.BadParameter(f"{value!r} is not a time such as 45s, 30m, 2h, 7d or 4w.")
    try:
        return timedelta(**{_UNITS[match[2]]: float(match[1])})
    except OverflowError as error:
        raise click.BadParameter(f"{value!r} is too long.") from error


def moment(value: str) -> datetime:
    """A time, such as 2024-05-17 or 2024-05-17T12:30; of this machine, if it names no zone."""
    try:
        return datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        sentence = f"{value!r} is not a time such as 2024-05-17 or 2024-05-17T12:30."
        raise click.BadParameter(sentence) from error


def pair(value: str) -> tuple[str, Any]:
    """KEY=VALUE, where a value that is JSON is taken as such and any other as a string."""
    key, equals, written = value.partition("=")
    if not key or not equals:
        raise click.BadParameter(f"{value!r} is not KEY=VALUE, such as topic=football.")
    try:
        return key, json.loads(written, parse_constant=refuse)
    except (ValueError, RecursionError):
        return key, written


def refuse(name: str) -> NoReturn:
    """For NaN and Infinity, which are not JSON but which Python would accept."""
    raise ValueError(name)


def _as_dictionary(
    ctx: click.Context, param: click.Parameter, pairs: Iterable[tuple[str, Any]]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise click.BadParameter(f"{key!r} is given twice.", ctx, param)
        values[key] = value
    return values


def _default_store() -> str:
    path = default_store()
    if path is None:
        raise UsageError("Where is the memory? Pass --store FILE, or set BETHINK_STORE.")
    return str(path)


def _require_user(ctx: click.Context, param: click.Parameter, user: str | None) -> str:  # noqa: ARG001
    if not user:
        raise click.UsageError("Whose memory? Pass --user NAME, or set BETHINK_USER.", ctx)
    return user


def store(command: F) -> F:
    return click.option(
        "--store",
        envvar="BETHINK_STORE",
        default=_default_store,
        show_envvar=True,
        metavar="FILE",
        help="Where the memory is kept; otherwise ~/.bethink/memory.db.",
    )(command)


def user(command: F) -> F:
    return click.option(
        "--user",
        envvar="BETHINK_USER",
        show_envvar=True,
        callback=_require_user,
        metavar="NAME",
        help="Whose memory it is.",
    )(command)


def as_json(command: F) -> F:
    return click.option(
        "--json", "as_json", is_flag=True, help="Print JSON, one object a line, for programs."
    )(command)


def shared(command: F) -> F:
    """What every command about a user's memories takes."""
    return store(user(as_json(command)))


def importance(command: F) -> F:
    return click.option(
        "--importance", type=click.FloatRange(0, 1), metavar="NUMBER", help="How much it matters."
    )(command)


def metadata(command: F) -> F:
    return click.option(
        "--metadata",
        type=pair,
        multiple=True,
        callback=_as_dictionary,
        metavar="KEY=VALUE",
        help="May be repeated. Numbers, true, lists and other JSON are kept as such.",
    )(command)


def kind(command: F) -> F:
    return click.option(
        "--kind",
        type=click.Choice(KINDS),
        default="semantic",
        show_default=True,
        metavar="KIND",
        help=f"One of {_KIND_NAMES}.",
    )(command)


def limit(number: int, sentence: str = "How many at most.") -> Callable[[F], F]:
    return click.option(
        "--limit",
        type=click.IntRange(1),
        default=number,
        show_default=True,
        metavar="NUMBER",
        help=sentence,
    )


def budget(number: int) -> Callable[[F], F]:
    return click.option(
        "--budget",
        type=click.IntRange(1),
        default=number,
        show_default=True,
        metavar="TOKENS",
        help="How long it may be.",
    )


def asked_at(command: F) -> F:
    return click.option(
        "--at",
        type=moment,
        metavar="TIME",
        help="As if asked then: 2024-05-17 or 2024-05-17T12:30.",
    )(command)


def min_importance(command: F) -> F:
    return click.option(
        "--min-importance",
        type=click.FloatRange(0, 1),
        default=0.0,
        metavar="NUMBER",
        help="Only as important as this.",
    )(command)


def looking_back(command: F) -> F:
    """What asks for another time than now."""
    for option in (_BELIEVED_AT, _AT):
        command = option(command)
    return command


_AT = click.option(
    "--at", type=moment, metavar="TIME", help="What held then: 2024-05-17 or 2024-05-17T12:30."
)
_BELIEVED_AT = click.option(
    "--believed-at", type=moment, metavar="TIME", help="By what had been stated until then."
)


def narrowing(command: F) -> F:
    """What searches and lists may be narrowed by."""
    for option in (_WHERE, _AGENT, _SESSION, _KINDS):
        command = option(command)
    return command


_KINDS = click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    metavar="KIND",
    help=f"Only of this kind; repeatable: {_KIND_NAMES}.",
)
_SESSION = click.option("--session", metavar="NAME", help="Only of this session.")
_AGENT = click.option("--agent", metavar="NAME", help="Only of this agent.")
_WHERE = click.option(
    "--where",
    type=pair,
    multiple=True,
    callback=_as_dictionary,
    metavar="KEY=VALUE",
    help="Only with this metadata; repeatable. Also 'year={\"$gte\": 2020}'.",
)
