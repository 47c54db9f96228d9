"""Packages that only some need: imported when used, and missed with a sentence."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from bethink.errors import MissingExtra


def installed(*packages: str) -> bool:
    return all(find_spec(package) is not None for package in packages)


def check_installed(extra: str, *packages: str) -> None:
    """Misses a package without the time that importing it takes."""
    for package in packages:
        if not installed(package):
            raise MissingExtra(package, extra)


def needed(package: str, extra: str) -> Any:
    """A package, imported now."""
    check_installed(extra, package)
    return import_module(package)
