import pytest

from bethink.stores.ram import RAMStore
from bethink.testing import StoreSuite


class TestRAMStore(StoreSuite):
    @pytest.fixture
    def open_store(self):
        store = RAMStore()
        return lambda: store
