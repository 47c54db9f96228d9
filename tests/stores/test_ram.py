import threading

import pytest

from bethink.stores.ram import RAMStore
from bethink.testing import StoreSuite
from bethink.testing.suite import SPACE, entry
from tests.stores.test_sqlite import in_child


class TestRAMStore(StoreSuite):
    @pytest.fixture
    def open_store(self):
        store = RAMStore()
        return lambda: store


def test_a_fork_waits_for_threads_that_are_using_it():
    store = RAMStore()
    store.switch(None, SPACE)
    store.put("ann", [entry("1")], space=SPACE)
    done = threading.Event()

    def work():
        while not done.is_set():
            store.get("ann", ["1"])

    busy = threading.Thread(target=work)
    busy.start()
    assert all(in_child(lambda: len(store.get("ann", ["1"])) == 1) for _ in range(10))
    done.set()
    busy.join()
