import pytest

from bethink.stores.sqlite import SQLiteStore
from bethink.testing import StoreSuite


class TestSQLiteStore(StoreSuite):
    @pytest.fixture
    def open_store(self, tmp_path):
        return lambda: SQLiteStore(tmp_path / "memory.db")
