"""What to test a store of your own with: ``pip install 'bethink[testing]'``."""

from typing import TYPE_CHECKING, Any

from bethink.errors import MissingExtra
from bethink.testing.machine import check_against_oracle

if TYPE_CHECKING:
    from bethink.testing.suite import StoreSuite

__all__ = ["StoreSuite", "check_against_oracle"]


def __getattr__(name: str) -> Any:
    """The suite is imported when it is asked for: only it needs pytest."""
    if name != "StoreSuite":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from bethink.testing.suite import StoreSuite  # noqa: PLC0415 (see above)
    except ModuleNotFoundError as error:
        if error.name != "pytest":
            raise
        raise MissingExtra("pytest", "testing") from None
    return StoreSuite
