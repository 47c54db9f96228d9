import json
from dataclasses import asdict
from datetime import datetime

import click

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.commands.facts.tables import facts_table
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.screen import out, print_json, working
from bethink.types import JSON


@click.command(
    cls=Command,
    examples=[
        'bethink facts set "home city" Berlin --user john',
        'bethink facts set "home city" Lisbon --user john --from 2019-09-01',
        "bethink facts set employer Acme --user john --confidence 0.6 --source mail",
        'bethink facts set languages \'["pt", "en"]\' --value-json --user john',
        "bethink facts set visitor true --value-json --user john --until 2030-06-03",
    ],
)
@click.argument("key")
@click.argument("value")
@click.option("--value-json", is_flag=True, help="VALUE is JSON, and not a text.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1),
    default=1.0,
    metavar="NUMBER",
    help="How sure it is, from 0 to 1.",
)
@click.option("--source", metavar="TEXT", help="Where it is known from.")
@click.option(
    "--from", "valid_from", type=options.moment, metavar="TIME", help="Since when; otherwise now."
)
@click.option(
    "--until",
    "valid_to",
    type=options.moment,
    metavar="TIME",
    help="Until when; otherwise until something else is stated.",
)
@options.shared
@pass_setup
def command(
    setup: Setup,
    *,
    key: str,
    value: str,
    value_json: bool,
    confidence: float,
    source: str | None,
    valid_from: datetime | None,
    valid_to: datetime | None,
    store: str,
    user: str,
    as_json: bool,
) -> None:
    """State a fact; what was so becomes its history.

    With a --from before that of the latest statement, it only adds to the history. Times are
    such as 2024-05-17 or 2024-05-17T12:30.
    """
    stated = _read(value) if value_json else value
    with setup.memory(store, create=True) as memory, working("Embedding"):
        fact = memory.for_user(user).factual.set_fact(
            key,
            stated,
            confidence=confidence,
            source=source,
            valid_from=valid_from,
            valid_to=valid_to,
        )
    if as_json:
        print_json(asdict(fact))
    else:
        out().print(facts_table([fact]))


def _read(value: str) -> JSON:
    try:
        read: JSON = json.loads(value, parse_constant=options.refuse)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{value!r} is not JSON.") from error
    return read
