import threading
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from bethink import Conflict, RAMStore
from bethink.index.cache import IndexCache
from bethink.index.user import Selection, UserIndex
from bethink.stores.base import Entry
from bethink.text import pack
from bethink.types import JSON, MemoryItem

NOW = datetime(2024, 5, 17, tzinfo=UTC)
SPACE = "toy/4"


class CountingStore(RAMStore):
    """Says how often it was asked for what changed, and how much that was."""

    def __init__(self):
        super().__init__()
        self.scanned = []

    def scan(self, user_id, *, space, since=0):
        changes = super().scan(user_id, space=space, since=since)
        self.scanned.append((user_id, len(changes.rows) + len(changes.deleted)))
        return changes


@pytest.fixture
def store():
    store = CountingStore()
    store.switch(None, SPACE)
    return store


def put(store, user_id, *ids, content="Likes tea"):
    vector = np.ones(4, "<f2").tobytes()
    store.put(
        user_id,
        [
            Entry(
                MemoryItem(id=id_, user_id=user_id, content=content, created_at=NOW),
                pack(content),
                vector,
            )
            for id_ in ids
        ],
        space=SPACE,
    )


def cache_of(store, max_bytes=10**9):
    return IndexCache(store, space=SPACE, dimension=4, max_bytes=max_bytes)


def seen(cache, user_id):
    with cache.use(user_id, NOW) as index:
        return sorted(index.ids[row] for row in index.select(Selection(), NOW))


def test_an_unchanged_user_is_not_read_again(store):
    put(store, "ann", "1", "2")
    cache = cache_of(store)
    assert [seen(cache, "ann") for _ in range(5)] == [["1", "2"]] * 5
    assert store.scanned == [("ann", 2)]


def test_only_what_changed_is_read(store):
    put(store, "ann", *map(str, range(100)))
    cache = cache_of(store)
    seen(cache, "ann")
    put(store, "ann", "new")
    store.delete("ann", ["0", "1"])
    assert len(seen(cache, "ann")) == 99
    assert store.scanned == [("ann", 100), ("ann", 3)]


def test_a_user_who_was_cleared_is_empty(store):
    put(store, "ann", "1")
    cache = cache_of(store)
    seen(cache, "ann")
    store.clear("ann")
    assert seen(cache, "ann") == []
    put(store, "ann", "2")
    assert seen(cache, "ann") == ["2"]


def test_users_unused_for_longest_are_let_go_when_memory_runs_out(store):
    users = [f"user{n}" for n in range(10)]
    for user_id in users:
        put(store, user_id, *map(str, range(50)))
    cache = cache_of(store)
    seen(cache, "user0")
    one = cache.nbytes
    cache = cache_of(store, max_bytes=int(one * 3.5))
    for user_id in users:
        seen(cache, user_id)
        assert cache.nbytes <= one * 3.5
    store.scanned.clear()
    for user_id in ("user9", "user8", "user7", "user0"):
        seen(cache, user_id)
    assert [user_id for user_id, _ in store.scanned] == ["user0"]


def test_a_user_larger_than_the_bound_is_still_searched_but_not_kept(store):
    put(store, "ann", *map(str, range(50)))
    cache = cache_of(store, max_bytes=100)
    assert len(seen(cache, "ann")) == 50
    assert cache.nbytes == 0
    assert len(seen(cache, "ann")) == 50


def test_a_user_with_nothing_takes_no_place(store):
    cache = cache_of(store)
    for n in range(1000):
        assert seen(cache, f"user{n}") == []
    assert len(cache._slots) == 0


def test_an_index_full_of_dead_rows_is_made_anew(store):
    put(store, "ann", "1", "2")
    cache = cache_of(store)
    seen(cache, "ann")
    for n in range(1500):
        put(store, "ann", "1", content=f"note {n}")
        seen(cache, "ann")
    with cache.use("ann", NOW) as index:
        assert len(index.ids) < 1300
    assert seen(cache, "ann") == ["1", "2"]


def test_a_switch_to_another_space_is_noticed(store):
    put(store, "ann", "1")
    cache = cache_of(store)
    seen(cache, "ann")
    store.switch(SPACE, "other/2")
    with pytest.raises(Conflict, match="Open it again"):
        seen(cache, "ann")


def test_threads_share_an_index_without_getting_in_each_other_s_way(store):
    cache = cache_of(store, max_bytes=100_000)
    failures = []

    def work(number):
        for n in range(60):
            user_id = f"user{n % 4}"
            put(store, user_id, f"{number}-{n}")
            if f"{number}-{n}" not in seen(cache, user_id):
                failures.append((number, n))

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_switch_while_reading_is_noticed_too(store):
    put(store, "ann", "1")
    cache = cache_of(store)
    scan = store.scan

    def scan_and_switch(user_id, *, space, since=0):
        store.switch(SPACE, "other/2")
        return scan(user_id, space=space, since=since)

    store.scan = scan_and_switch
    with pytest.raises(Conflict, match="Open it again"):
        seen(cache, "ann")


def test_an_interrupted_update_of_an_index_is_made_good(store, monkeypatch):
    put(store, "ann", "1")
    cache = cache_of(store)
    seen(cache, "ann")
    put(store, "ann", "2")
    with monkeypatch.context() as patch:
        patch.setattr(UserIndex, "_append_vectors", interrupted)
        with pytest.raises(KeyboardInterrupt):
            seen(cache, "ann")
    assert seen(cache, "ann") == ["1", "2"]


def interrupted(*_, **__):
    raise KeyboardInterrupt


def test_metadata_counts_towards_the_bound(store):
    tags: JSON = [f"tag number {n}" for n in range(1000)]
    item = MemoryItem(id="1", user_id="ann", content="x", created_at=NOW, metadata={"tags": tags})
    store.put("ann", [Entry(item, pack("x"), b"")], space=SPACE)
    cache = cache_of(store)
    seen(cache, "ann")
    assert cache.nbytes > 60_000


def test_what_has_expired_but_is_not_swept_is_read_only_once(store):
    past = NOW - timedelta(days=1)
    items = [
        MemoryItem(id=str(n), user_id="ann", content="x", created_at=past, expires_at=past)
        for n in range(1000)
    ]
    store.put("ann", [Entry(item, pack("x"), b"") for item in items], space=SPACE)
    put(store, "ann", "alive")
    cache = cache_of(store)
    assert [seen(cache, "ann") for _ in range(3)] == [["alive"]] * 3
    assert len(store.scanned) == 1


def test_an_interrupted_filter_does_no_harm(store, monkeypatch):
    item = MemoryItem(id="1", user_id="ann", content="x", created_at=NOW, metadata={"a": 1, "b": 2})
    store.put("ann", [Entry(item, pack("x"), b"")], space=SPACE)
    cache = cache_of(store)
    with monkeypatch.context() as patch:
        patch.setattr("bethink.index.columns.json.dumps", interrupted)
        with pytest.raises(KeyboardInterrupt), cache.use("ann", NOW) as index:
            index.select(Selection(where={"a": 1}), NOW)
    for _ in range(2):
        with cache.use("ann", NOW) as index:
            assert len(index.select(Selection(where={"a": 1, "b": 2}), NOW)) == 1
