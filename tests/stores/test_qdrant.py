import pytest

from bethink.stores.qdrant import QdrantStore
from bethink.testing import StoreSuite


class TestQdrantInMemory(StoreSuite):
    @pytest.fixture
    def open_store(self):
        store = QdrantStore("qdrant://:memory:")
        return lambda: store
