"""Asking before something is removed."""

import sys

import click


def confirm(question: str, consequence: str) -> None:
    """Go on only if someone at the terminal says yes; where nobody is, --yes must say so."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"{consequence} If so, pass --yes.")
    if not click.confirm(question, err=True):
        raise click.ClickException("Nothing was removed.")
