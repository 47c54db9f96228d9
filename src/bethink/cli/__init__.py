"""The command `bethink`: the verbs of `Memory`, typed into a shell."""

import io
import sys

from bethink.cli.app import bethink


def main() -> None:
    """Where the installed command starts."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for terminals that are not Unicode
    bethink(prog_name="bethink")


__all__ = ["bethink", "main"]
