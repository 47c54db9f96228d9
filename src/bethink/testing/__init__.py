"""What to test a store of your own with: ``pip install 'bethink[testing]'``."""

from bethink.testing.machine import check_against_oracle
from bethink.testing.suite import StoreSuite

__all__ = ["StoreSuite", "check_against_oracle"]
