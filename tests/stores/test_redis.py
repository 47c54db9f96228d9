import itertools

import pytest

from bethink.stores.redis import RedisStore
from bethink.testing import StoreSuite
from bethink.testing.redisserver import RedisNodes, RedisServer

prefixes = (f"t{n}" for n in itertools.count())


@pytest.fixture(scope="module")
def server():
    with RedisServer() as server:
        yield server


class TestRedisStore(StoreSuite):
    @pytest.fixture
    def open_store(self, server):
        prefix = next(prefixes)
        return lambda: RedisStore(server.url, prefix=prefix)


@pytest.fixture(scope="module")
def nodes():
    nodes = RedisNodes()
    yield nodes
    nodes.close()


class TestRedisStoreOnACluster(StoreSuite):
    @pytest.fixture
    def open_store(self, nodes):
        prefix = next(prefixes)
        return lambda: RedisStore(nodes.url, prefix=prefix)
