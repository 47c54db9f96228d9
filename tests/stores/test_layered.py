import threading

import pytest

from bethink import AgentMemorySystem, Conflict, Layered, Memory, StoreError, UsageError
from bethink.stores.layered import _apart, _together
from bethink.stores.ram import RAMStore
from bethink.stores.sqlite import SQLiteStore
from bethink.testing import StoreSuite
from bethink.testing.suite import OTHER_SPACE, SPACE, entry, rows, scanned
from tests.stores.test_sqlite import in_child


class TestLayeredInMemory(StoreSuite):
    @pytest.fixture
    def open_store(self):
        session, long_term = RAMStore(), RAMStore()
        return lambda: Layered(session, long_term)


class TestLayeredOverAFile(StoreSuite):
    @pytest.fixture
    def open_store(self, tmp_path):
        session = RAMStore()
        return lambda: Layered(session, SQLiteStore(tmp_path / "memory.db"))


class TestLayeredInALayer(StoreSuite):
    @pytest.fixture
    def open_store(self):
        stores = [RAMStore() for _ in range(3)]
        return lambda: Layered(Layered(stores[0], stores[1]), stores[2])


@pytest.mark.soak
class TestLayeredForLong(StoreSuite):
    machine_steps = 100
    machine_runs = 100

    @pytest.fixture
    def open_store(self, tmp_path):
        session = RAMStore()
        return lambda: Layered(session, SQLiteStore(tmp_path / "memory.db"))


@pytest.fixture
def session():
    return RAMStore()


@pytest.fixture
def long_term():
    return RAMStore()


@pytest.fixture
def store(session, long_term):
    store = Layered(session, long_term)
    store.switch(None, SPACE)
    return store


def message(id_, content="Hello", **fields):
    return entry(id_, content, kind="message", session_id="s", **fields)


def ids(store):
    return sorted(scanned(store))


def follow(known, store, since):
    changes = store.scan("ann", space=SPACE, since=since)
    assert not changes.complete
    return {
        id_: row
        for id_, row in (known | {row.id: row for row in changes.rows}).items()
        if id_ not in changes.deleted
    }


# --- where records live


def test_what_belongs_to_a_session_is_in_one_store_and_the_rest_in_the_other(
    store, session, long_term
):
    fleeting = [entry(kind, kind=kind) for kind in ("message", "summary", "working")]
    lasting = [entry(kind, kind=kind) for kind in ("semantic", "fact", "episode")]
    store.put("ann", [*fleeting, *lasting], space=SPACE)
    assert ids(session) == ["message", "summary", "working"]
    assert ids(long_term) == ["episode", "fact", "semantic"]
    assert [item.id for item in store.get("ann", ["fact", "no", "message"])] == ["fact", "message"]
    assert store.users() == ["ann"]
    assert store.clear("ann") == 6


def test_a_record_cannot_move_to_the_other_layer(store):
    store.put("ann", [entry("1", kind="fact"), message("2")], space=SPACE)
    before = scanned(store)
    for refused in (message("1"), entry("2"), message("1@1"), entry("2@1")):
        with pytest.raises(UsageError, match="cannot become .*: delete it first"):
            store.put("ann", [entry("3"), message("4"), refused], space=SPACE)
    with pytest.raises(UsageError, match="Memory 5 is put twice"):
        store.put("ann", [entry("5"), message("5")], space=SPACE)
    assert scanned(store) == before


def test_an_id_that_left_one_layer_may_come_in_the_other(store):
    store.put("ann", [entry("1"), message("2")], space=SPACE)
    known, since = scanned(store), store.generation("ann")
    store.delete("ann", ["1", "2"])
    store.put("ann", [message("1"), entry("2")], space=SPACE)
    assert follow(known, store, since) == rows(message("1"), entry("2"))


def test_one_store_is_not_two_layers(session):
    with pytest.raises(UsageError, match="the same store"):
        Layered(session, session)


# --- generations


@pytest.mark.parametrize("pair", [(0, 0), (0, 1), (1, 0), (3, 5), (2**63, 7), (0, 2**200)])
def test_two_generations_are_one_and_two_again(pair):
    assert _apart(_together(*pair)) == pair


def test_a_change_in_either_layer_is_told_alone(store):
    store.put("ann", [entry("1"), entry("2"), message("3")], space=SPACE)
    start = store.generation("ann")
    store.put("ann", [message("3", "Hi")], space=SPACE)
    middle = store.generation("ann")
    store.delete("ann", ["2"])
    changes = store.scan("ann", space=SPACE, since=start)
    assert start < middle < changes.generation
    assert ([row.id for row in changes.rows], changes.deleted) == (["3"], ["2"])
    assert store.scan("ann", space=SPACE, since=middle).rows == []


def test_the_first_record_of_a_layer_is_no_reason_to_read_everything(store):
    store.put("ann", [entry("1")], space=SPACE)
    known, since = scanned(store), store.generation("ann")
    store.put("ann", [entry("2")], space=SPACE)
    assert follow(known, store, since) == rows(entry("1"), entry("2"))
    store.put("ann", [message("3")], space=SPACE)
    assert follow(known, store, since) == rows(entry("1"), entry("2"), message("3"))


def test_no_generation_comes_back_when_a_user_begins_anew(store):
    seen = {0}
    for kinds in (["fact", "message"], ["message"], ["fact"], ["message", "fact", "message"]):
        for kind in kinds:
            store.put("ann", [entry(kind, kind=kind)], space=SPACE)
            assert store.generation("ann") not in seen
            seen.add(store.generation("ann"))
        store.clear("ann")
        assert store.generation("ann") == 0


def test_a_layer_restored_from_a_backup_is_read_anew(store, long_term):
    store.put("ann", [entry("1"), message("2")], space=SPACE)
    since = store.generation("ann")
    for n in range(3):
        store.put("ann", [message("2", str(n))], space=SPACE)
    late = store.generation("ann")
    older = RAMStore()
    older.switch(None, SPACE)
    older.put("ann", [message("2")], space=SPACE)
    again = Layered(older, long_term)
    changes = again.scan("ann", space=SPACE, since=late)
    assert changes.complete
    assert {row.id: row for row in changes.rows} == rows(entry("1"), message("2"))
    assert not again.scan("ann", space=SPACE, since=since).rows


# --- writing to both


@pytest.mark.parametrize("wrong", ["1", "2", "3", "4", "nowhere"])
def test_where_one_version_is_another_neither_layer_is_written(store, wrong):
    there = [entry("1"), message("2"), entry("3"), message("4")]
    store.put("ann", there, space=SPACE)
    expected = {**dict.fromkeys("1234", 1), wrong: 7}
    for changed in ([entry("1", "new")], [message("2", "new")], []):
        with pytest.raises(Conflict):
            store.put("ann", changed, space=SPACE, if_version=expected)
    both = [entry("1", "new"), message("2", "new")]
    with pytest.raises(Conflict):
        store.put("ann", both, space=SPACE, if_version=expected)
    assert scanned(store) == rows(*there)


def test_versions_of_both_layers_let_a_change_through(store):
    store.put("ann", [entry("1"), message("2"), entry("3"), message("4")], space=SPACE)
    both = [entry("1", "new", version=2), message("2", "new", version=2)]
    expected = {**dict.fromkeys("1234", 1), "5": 0}
    store.put("ann", both, space=SPACE, if_version=expected)
    assert scanned(store) == rows(*both, entry("3"), message("4"))


def test_what_a_failure_between_the_layers_leaves_is_made_whole_by_repeating(tmp_path):
    session = SQLiteStore(tmp_path / "session.db", timeout=0.01)
    store = Layered(session, SQLiteStore(tmp_path / "long.db"))
    store.switch(None, SPACE)
    both = [entry("1"), message("2")]
    with session._connections.write(), pytest.raises(StoreError, match="locked"):
        store.put("ann", both, space=SPACE)
    assert ids(store) == ["1"]
    store.put("ann", both, space=SPACE)
    assert scanned(store) == rows(*both)
    store.close()


def test_of_many_threads_that_change_records_of_both_layers_exactly_one_wins(store):
    for round_ in range(40):
        fact, said = f"{round_}-fact", f"{round_}-said"
        store.put("ann", [entry(fact), message(said)], space=SPACE)
        won: list[str] = []

        def change(number, fact=fact, said=said, won=won):
            changed = [
                entry(fact, f"by {number}", version=2),
                message(said, f"by {number}", version=2),
            ]
            try:
                store.put("ann", changed, space=SPACE, if_version={fact: 1, said: 1})
            except Conflict:
                return
            won.append(f"by {number}")

        threads = [threading.Thread(target=change, args=[n]) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert won * 2 == [item.content for item in store.get("ann", [fact, said])]


def test_records_of_both_layers_written_together_are_never_seen_apart(store):
    store.put("ann", [entry("a", "0"), message("b", "0")], space=SPACE)
    done = threading.Event()
    torn = []

    def read():
        while not done.is_set():
            found = scanned(store)
            if len({row.terms for row in found.values()}) != 1:
                torn.append(found)

    reader = threading.Thread(target=read)
    reader.start()
    for n in range(200):
        store.put("ann", [entry("a", str(n)), message("b", str(n))], space=SPACE)
    done.set()
    reader.join(30)
    assert torn == []


# --- spaces


def test_a_new_session_store_is_brought_to_the_space_in_use(store, long_term):
    store.put("ann", [entry("1")], space=SPACE)
    again = Layered(RAMStore(), long_term)
    again.put("ann", [message("2")], space=SPACE)
    assert scanned(again) == rows(entry("1"), message("2"))


def test_a_session_store_opened_before_there_was_a_space_is_brought_along(tmp_path):
    early = Layered(RAMStore(), SQLiteStore(tmp_path / "memory.db"))
    late = Layered(RAMStore(), SQLiteStore(tmp_path / "memory.db"))
    late.switch(None, SPACE)
    early.put("ann", [message("1")], space=SPACE)
    assert ids(early) == ["1"]
    with pytest.raises(Conflict, match="model-a/3, not model-b/2"):
        early.put("ann", [message("1")], space=OTHER_SPACE)
    early.close()
    late.close()


def test_a_switch_cut_short_between_the_layers_is_finished_when_opened(store, session, long_term):
    store.put("ann", [entry("1"), message("2")], space=SPACE)
    store.attach("ann", {"1": (1, b"new!"), "2": (1, b"new!")}, space=OTHER_SPACE)
    long_term.switch(SPACE, OTHER_SPACE)
    again = Layered(session, long_term)
    assert {row.vectors for row in scanned(again, space=OTHER_SPACE).values()} == {b"new!"}
    again.put("ann", [message("3")], space=OTHER_SPACE)


# --- in use


def test_a_memory_over_both_layers_finds_what_was_said_and_what_is_known(tmp_path, quick):
    session = RAMStore()
    with Memory(Layered(session, SQLiteStore(tmp_path / "a.db")), embedder=quick) as memory:
        ann = AgentMemorySystem(memory, user_id="ann")
        ann.add("Likes green tea")
        ann.conversation.add_message("user", "Which tea is there?")
        assert {hit.item.kind for hit in ann.search("tea")} == {"semantic", "message"}
    with Memory(tmp_path / "a.db", embedder=quick) as memory:
        assert [hit.item.content for hit in memory.search("tea", user_id="ann")] == [
            "Likes green tea"
        ]


def test_a_fork_may_happen_while_threads_write(store):
    done = threading.Event()

    def work():
        while not done.is_set():
            store.put("ann", [entry("1"), message("2")], space=SPACE)

    busy = threading.Thread(target=work)
    busy.start()
    children = [in_child(lambda: len(store.get("ann", ["1", "2"])) <= 2) for _ in range(10)]
    done.set()
    busy.join()
    assert all(children)
