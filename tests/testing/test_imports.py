"""What is needed to test with: the suite for stores needs pytest, and nothing else does."""

import subprocess
import sys

import pytest

import bethink.testing

WITHOUT_PYTEST = """
import sys
sys.modules["pytest"] = None
import bethink.testing.models
import bethink.testing.postgres
import bethink.testing.providers
from bethink.errors import MissingExtra
try:
    from bethink.testing import StoreSuite
except MissingExtra as error:
    print(error)
"""


def test_servers_and_scripted_models_do_without_pytest() -> None:
    said = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYTEST], capture_output=True, text=True, check=True
    ).stdout
    assert said == "pytest is not installed. To use it: pip install 'bethink[testing]'\n"


def test_what_is_not_there_is_missing_as_everywhere() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        bethink.testing.Nothing  # noqa: B018
