import pytest

from bethink.stores.postgres import PostgresStore
from bethink.testing import StoreSuite


class TestPostgresStore(StoreSuite):
    @pytest.fixture
    def open_store(self, postgres, schema):
        return lambda: PostgresStore(postgres.url(), schema=schema, pool_size=4)
