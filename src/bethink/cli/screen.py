"""What is printed, and where: results on stdout, everything else on stderr."""

import json
import sys
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

import click
from rich.console import Console
from rich.status import Status
from rich.text import Text

from bethink.cli.phrases import shown


def out() -> Console:
    """For results. Memories are printed as they are: markup and emoji codes mean nothing."""
    return Console(highlight=False, markup=False, emoji=False)


def err() -> Console:
    """For errors and progress."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def working(what: str) -> AbstractContextManager[Status]:
    """A line that moves while something takes its time; nothing but on a terminal."""
    return err().status(f"{what} …")


def print_json(value: Any) -> None:
    """One JSON object on a line of its own."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(value, ensure_ascii=not unicode, default=datetime.isoformat))


def print_line(sentence: str, style: str = "") -> None:
    """A sentence on one line, however long."""
    out().print(Text(shown(sentence), style=style), soft_wrap=True)


def print_note(sentence: str) -> None:
    """Something worth knowing that is no part of the result."""
    err().print(Text(shown(sentence), style="dim"), soft_wrap=True)


def print_error(sentence: str) -> None:
    err().print(Text(shown(sentence), style="red"), soft_wrap=True)
