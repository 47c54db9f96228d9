import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from bethink import Conflict, Memory, StoreError, StoreUnavailable, UsageError
from bethink.stores.base import Entry, Probe
from bethink.stores.qdrant import QdrantStore
from bethink.stores.qdrant.points import dense_name, point_id
from bethink.stores.url import file_of, open_store
from bethink.testing import StoreSuite, check_against_oracle
from bethink.testing.suite import OTHER_SPACE, SPACE, entry, rows, scanned
from bethink.text import hashed, pack, query_terms
from bethink.types import SEARCHED
from tests.stores.qdrant_server import Fault, QdrantServer
from tests.stores.test_sqlite import in_child

KEY = "kJ8-secret-key-0xF3"


@pytest.fixture
def directory(tmp_path):
    """A directory in memory where there is one: local mode flushes the disk for every point."""
    shared = Path("/dev/shm")  # noqa: S108 (the directory in it is our own)
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else tmp_path) as name:
        yield Path(name)


@pytest.fixture
def server():
    server = QdrantServer()
    yield server
    server.close()


@pytest.fixture
def store():
    store = QdrantStore("qdrant://:memory:")
    store.switch(None, SPACE)
    yield store
    store.close()


@pytest.fixture
def remote(server):
    store = QdrantStore(server.url, timeout=60)
    store.switch(None, SPACE)
    store.put("ann", [entry("1")], space=SPACE)
    yield store
    store.close()


class TestQdrantInMemory(StoreSuite):
    machine_runs = 6

    @pytest.fixture
    def open_store(self):
        store = QdrantStore("qdrant://:memory:")
        return lambda: store


class TestQdrantInADirectory(StoreSuite):
    machine_runs = 3

    @pytest.fixture
    def open_store(self, directory):
        return lambda: QdrantStore(f"qdrant:///{directory}")


def test_random_operations_over_the_wire_leave_it_equal_to_the_oracle(server):
    check_against_oracle(lambda: QdrantStore(server.url, timeout=60), steps=30, runs=1)


@pytest.mark.soak
class TestQdrantInMemoryForLong(StoreSuite):
    machine_steps = 100
    machine_runs = 100

    @pytest.fixture
    def open_store(self):
        store = QdrantStore("qdrant://:memory:")
        return lambda: store


@pytest.mark.soak
class TestQdrantOverTheWireForLong(StoreSuite):
    @pytest.fixture
    def open_store(self, server):
        return lambda: QdrantStore(server.url, timeout=60)


# --- opening


def test_urls_name_servers_directories_and_memory(server, directory):
    for name in (server.url, f"qdrant:///{directory}/inner", "qdrant://:memory:"):
        store = open_store(name)
        assert isinstance(store, QdrantStore)
        assert repr(store) == f"QdrantStore({name!r})"
        assert file_of(name) is None
        store.close()
    assert (directory / "inner" / "meta.json").exists()


@pytest.mark.parametrize(
    "url",
    ["qdrant://", "qdrant://:6333", "qdrant+https://", "qdrant://[::1", "qdrant://host:notaport"],
)
def test_a_url_without_a_server_is_refused(url):
    with pytest.raises(UsageError, match=r"names no server. Pass one such as qdrant://localhost"):
        QdrantStore(url)


@pytest.mark.parametrize(
    "url", [f"qdrant://{KEY}@host", f"qdrant://u:{KEY}@h", f"qdrant://h?k={KEY}"]
)
def test_a_key_in_the_url_is_refused_and_not_shown(url):
    with pytest.raises(UsageError, match="the key above all, as an option") as refused:
        QdrantStore(url)
    assert KEY not in str(refused.value)


@pytest.mark.parametrize("key", ["with space", "line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key):
    with pytest.raises(UsageError, match="copy it once more") as refused:
        QdrantStore("qdrant://127.0.0.1:1", api_key=key)
    assert key not in str(refused.value)


def test_a_distance_that_is_none_is_refused():
    with pytest.raises(UsageError, match="Pass cosine or dot"):
        QdrantStore("qdrant://:memory:", distance="euclid")


def test_a_package_that_is_missing_is_named_with_the_command():
    code = (
        "import sys; sys.modules['qdrant_client'] = None\n"
        "from bethink.stores.url import open_store\n"
        "open_store('qdrant://:memory:')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtra: qdrant-client is not installed" in run.stderr
    assert "pip install 'bethink[qdrant]'" in run.stderr


def test_a_directory_belongs_to_one_process(directory):
    store = QdrantStore(f"qdrant:///{directory}")
    code = f"from bethink.stores.qdrant import QdrantStore; QdrantStore('qdrant:///{directory}')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "StoreUnavailable: qdrant:///" in run.stderr
    assert "in use already, by another process" in run.stderr
    store.close()
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_directory_closed_by_one_handle_stays_open_for_the_other(directory):
    one, other = (QdrantStore(f"qdrant:///{directory}") for _ in range(2))
    one.close()
    one.close()
    assert other.space() is None
    other.close()
    with pytest.raises(UsageError, match="This memory is closed"):
        other.space()


def test_what_is_in_a_directory_is_there_when_it_is_opened_again(directory, quick):
    with Memory(f"qdrant:///{directory}", embedder=quick) as memory:
        memory.add("Likes green tea", user_id="ann")
    with Memory(f"qdrant:///{directory}", embedder=quick) as memory:
        [hit] = memory.search("green tea", user_id="ann")
        assert hit.item.content == "Likes green tea"


def test_a_collection_of_something_else_is_left_alone(directory):
    client = QdrantClient(path=str(directory))
    client.create_collection("bethink", models.VectorParams(size=2, distance=models.Distance.DOT))
    client.close()
    with pytest.raises(StoreError, match="not one of Bethink's. Choose another name"):
        QdrantStore(f"qdrant:///{directory}")
    QdrantStore(f"qdrant:///{directory}", collection="memories").close()


def test_a_collection_of_a_newer_version_says_to_upgrade(directory):
    store = QdrantStore(f"qdrant:///{directory}")
    store.switch(None, SPACE)
    store._engine.client.set_payload("bethink", {"format": 2}, points=[point_id()])
    store.close()
    with pytest.raises(StoreError, match="newer Bethink .* pip install --upgrade bethink"):
        QdrantStore(f"qdrant:///{directory}")


def test_a_damaged_record_is_named(store):
    store.put("ann", [entry("1")], space=SPACE)
    store._engine.client.set_payload("bethink", {"record": "{"}, points=[point_id("ann", "1")])
    with pytest.raises(StoreError, match="Memory 1 is damaged"):
        store.get("ann", ["1"])


# --- what goes over the wire


def test_a_new_collection_has_terms_and_an_index_for_tenants(server):
    QdrantStore(server.url, timeout=60).close()
    [made] = server.asked("PUT", "/collections/bethink")
    assert made.body == {"vectors": {}, "sparse_vectors": {"terms": {"modifier": "idf"}}}
    indexes = {
        request.body["field_name"]: request.body["field_schema"]
        for request in server.asked("PUT", "/collections/bethink/index")
    }
    assert indexes["user"] == {"type": "keyword", "is_tenant": True}
    assert {"kind", "session", "agent"} <= set(indexes)
    before = len(server.requests)
    QdrantStore(server.url, timeout=60).close()
    assert {request.method for request in server.requests[before:]} <= {"GET", "POST"}


def test_indexes_that_a_crash_left_out_are_made_when_opened_again(server):
    QdrantStore(server.url, timeout=60).close()
    server.indexes.remove("changed")
    QdrantStore(server.url, timeout=60).close()
    assert sorted(server.indexes) == sorted(set(server.indexes))
    assert "changed" in server.indexes


def test_every_request_carries_the_key(server, monkeypatch):
    QdrantStore(server.url, api_key=KEY).close()
    assert {request.headers.get("api-key") for request in server.requests} == {KEY}
    server.requests.clear()
    monkeypatch.setenv("QDRANT_API_KEY", f" {KEY}2\n")
    QdrantStore(server.url, timeout=60).close()
    assert {request.headers.get("api-key") for request in server.requests} == {KEY + "2"}


def test_a_key_sent_in_the_clear_to_another_machine_is_warned_of():
    with pytest.warns(UserWarning, match="insecure"), pytest.raises(StoreUnavailable):
        QdrantStore("qdrant://[::ffff:127.0.0.1]:1", api_key=KEY, timeout=1)


def test_shards_copies_and_consistency_reach_the_server(server):
    store = QdrantStore(
        server.url,
        collection="memories",
        shard_key="eu",
        shard_number=3,
        replication_factor=2,
        write_consistency_factor=2,
    )
    store.switch(None, SPACE)
    store.put("ann", [entry("1")], space=SPACE)
    scanned(store)
    store.clear("ann")
    store.close()
    [made] = server.asked("PUT", "/collections/memories")
    wanted = {"shard_number": 3, "replication_factor": 2, "write_consistency_factor": 2}
    assert wanted.items() <= made.body.items()
    assert made.body["sharding_method"] == "custom"
    [shards] = server.asked("PUT", "/collections/memories/shards")
    assert shards.body == {"shard_key": "eu", "shards_number": 3, "replication_factor": 2}
    about_points = [r for r in server.requests if "/points" in r.path]
    assert {request.body["shard_key"] for request in about_points} == {"eu"}
    reads = [
        r for r in about_points if r.path.endswith(("/points", "/scroll")) and r.method == "POST"
    ]
    assert {request.query["consistency"] for request in reads} == {"majority"}


def test_a_commit_is_written_through_the_leader_and_on_a_condition(server, remote):
    server.requests.clear()
    remote.put("ann", [entry("2")], space=SPACE)
    head, record = server.asked("PUT", "/collections/bethink/points")
    assert head.query == {"wait": "true", "ordering": "strong"}
    assert head.body["update_mode"] == "update_only"
    [condition] = head.body["update_filter"]["must"]
    assert condition["key"] == "txn"
    assert record.body["points"][0]["id"] == point_id("ann", "2")
    assert record.body["points"][0]["vector"]["dense_1"] == pytest.approx([816.5, 1123.0, 1637.0])
    assert "should" in record.body["update_filter"]


# --- servers that fail


def said(error):
    """All that an error, and those that led to it, would show in a log."""
    return "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error.__cause__))


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ({"status": 401}, StoreError, "refused the key .401.. Pass api_key, or set QDRANT_API_KEY"),
        ({"status": 403}, StoreError, "refused the key .403."),
        ({"status": 404}, StoreError, "Check that the collection is still there"),
        ({"status": 400}, StoreError, "refused a request .400."),
        ({"status": 500}, StoreUnavailable, "failed .500.. Try again"),
        ({"status": 503}, StoreUnavailable, "failed .503.. Try again"),
        ({"status": 429}, StoreUnavailable, "failed .429.. Try again"),
        ({"status": 429, "headers": {"Retry-After": "3"}}, StoreUnavailable, "too much to do"),
        ({"status": 200}, StoreError, "answered what no Qdrant does. Check the address"),
        ({"status": 200, "delay": 5.0}, StoreUnavailable, "did not answer in time"),
    ],
)
def test_a_failure_is_told_in_a_sentence_without_the_key(server, remote, fault, kind, says):
    keyed = QdrantStore(server.url, api_key=KEY, timeout=2 if "delay" in fault else 60)
    server.faults.append(Fault("/points", says=f"unlike {KEY}", **fault))
    for call in (
        lambda: keyed.get("ann", ["1"]),
        lambda: keyed.put("ann", [entry("2")], space=SPACE),
    ):
        with pytest.raises(kind, match=says) as failed:
            call()
        assert type(failed.value) is kind
        assert failed.value.__cause__ is not None
        assert KEY not in said(failed.value)
        assert server.url in str(failed.value)
    assert KEY not in repr(keyed)
    assert KEY not in repr(keyed._engine.options)
    keyed.close()


def test_a_server_that_is_not_there_is_worth_retrying():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(StoreUnavailable, match="cannot be reached: .* Check that it is running"):
        QdrantStore(f"qdrant://127.0.0.1:{port}")


def test_a_server_that_speaks_grpc_and_is_not_there_is_worth_retrying(server):
    with pytest.raises(StoreUnavailable, match=f"^{server.url} failed"):
        QdrantStore(server.url, grpc=True, grpc_port=1, timeout=1)


def test_a_server_that_is_too_old_is_refused():
    server = QdrantServer(version="1.15.4")
    with pytest.raises(StoreError, match="is Qdrant 1.15.4, .* Use 1.18 or later"):
        QdrantStore(server.url, timeout=60)
    server.close()


# --- commits


@contextmanager
def failing(server, **fault):
    """A time in which writing points fails."""
    server.faults.append(Fault("/points", method="PUT", **fault))
    yield
    server.faults.clear()


def points_of(server):
    """The records that are in their points."""
    found, _ = server._client.scroll("bethink", limit=100)
    return sorted(p.payload["id"] for p in found if p.payload["sort"] == "record")


def test_a_commit_that_was_refused_leaves_nothing(server, remote):
    with failing(server), pytest.raises(StoreUnavailable):
        remote.put("ann", [entry("2"), entry("3")], space=SPACE)
    assert scanned(remote) == rows(entry("1"))


def test_a_commit_whose_answer_was_lost_is_known_to_be_done(server, remote):
    with failing(server, times=1, done=True):
        remote.put("ann", [entry("1", "new", version=2)], space=SPACE, if_version={"1": 1})
    assert scanned(remote) == rows(entry("1", "new", version=2))


def test_what_is_committed_is_seen_though_its_points_are_not_written(server, remote):
    other = QdrantStore(server.url, timeout=60)
    start = remote.generation("ann")
    gone, new = entry("1"), [entry("2", expires_at=entry("2").item.created_at), entry("3")]
    remote.put("ann", [gone], space=SPACE)
    with failing(server, after=1):
        remote.put("ann", new, space=SPACE)
    assert points_of(server) == ["1"]
    assert scanned(other) == rows(gone, *new)
    assert sorted(scanned(other, since=start)) == ["1", "2", "3"]
    assert [item.id for item in other.get("ann", ["3", "1"])] == ["3", "1"]
    assert other.users() == ["ann"]
    probe = Probe(b"", [1], 5, SEARCHED)
    assert sorted(row.id for row in other.candidates("ann", probe, space=SPACE)) == ["2", "3"]
    assert other.sweep(gone.item.created_at) == 1
    assert points_of(server) == ["1", "3"]
    other.close()


def test_whoever_writes_next_finishes_what_another_began(server, remote):
    other = QdrantStore(server.url, timeout=60)
    with failing(server, after=1):
        remote.put("ann", [entry("1", "new", version=2), entry("2")], space=SPACE)
    with pytest.raises(Conflict):
        other.put("ann", [entry("1", version=2)], space=SPACE, if_version={"1": 1})
    other.touch("ann", {})
    assert points_of(server) == ["1", "2"]
    assert scanned(other) == rows(entry("1", "new", version=2), entry("2"))
    other.close()


@pytest.mark.parametrize("later", ["put", "delete", "clear"])
def test_one_who_comes_late_with_old_records_changes_nothing(server, remote, later):
    with failing(server, after=1):
        remote.put("ann", [entry("1", "old"), entry("2", "old")], space=SPACE)
    meta, head = remote._ledger.read("ann")
    log = remote._ledger.log("ann", head)
    if later == "put":
        remote.put("ann", [entry("1", "new"), entry("2", "new")], space=SPACE)
    elif later == "delete":
        remote.delete("ann", ["1", "2"])
    else:
        remote.clear("ann")
        assert scanned(remote) == {}
        remote.put("ann", [entry("3")], space=SPACE)
    before, generation = scanned(remote), remote.generation("ann")
    remote._ledger.settle("ann", head, meta, log)
    assert (scanned(remote), remote.generation("ann")) == (before, generation)
    assert [item.id for item in remote.get("ann", "123")] == sorted(before)
    remote.put("ann", [entry("2", "newest")], space=SPACE)
    assert scanned(remote)["2"] == rows(entry("2", "newest"))["2"]


def test_a_change_too_large_for_one_point_is_whole_as_well(server, remote):
    other = QdrantStore(server.url, timeout=60)
    many = [entry(str(n), "x" * 10_000) for n in range(250)]
    with failing(server, after=2):
        remote.put("ann", many, space=SPACE)
    [laid, _, _] = server.asked("PUT", "/collections/bethink/points")[-3:]
    assert len(laid.body["points"]) > 1
    assert points_of(server) == ["1"]
    assert len(scanned(other)) == len(other.get("ann", [e.item.id for e in many])) == 250
    other.touch("ann", {})
    found, _ = server._client.scroll("bethink", limit=1000)
    assert sum(point.payload["sort"] == "log" for point in found) == 0
    assert scanned(other) == rows(*many)
    other.close()


def test_a_large_change_that_someone_else_outran_leaves_nothing_behind(server, remote):
    other = QdrantStore(server.url, timeout=60)
    many = [entry(str(n), "x" * 5000) for n in range(100)]
    outran: list[str] = []

    def late(*arguments, read=remote._ledger.read):
        found = read(*arguments)
        if not outran:
            outran.append("by the other")
            other.put("ann", [entry("1", version=2)], space=SPACE)
        return found

    remote._ledger.read = late
    with pytest.raises(Conflict):
        remote.put("ann", many, space=SPACE, if_version={"1": 1})
    found, _ = server._client.scroll("bethink", limit=1000)
    assert sorted(point.payload["sort"] for point in found) == ["head", "meta", "record"]
    other.close()


def test_of_many_handles_that_change_one_record_exactly_one_wins(server, remote):
    handles = [QdrantStore(server.url, timeout=60) for _ in range(4)]
    for round_ in range(8):
        id_ = str(round_)
        remote.put("ann", [entry(id_)], space=SPACE)
        won: list[str] = []
        begin = threading.Barrier(4)

        def change(number, id_=id_, won=won, begin=begin):
            begin.wait()
            try:
                changed = entry(id_, f"by {number}", version=2)
                handles[number].put("ann", [changed], space=SPACE, if_version={id_: 1})
            except Conflict:
                return
            won.append(f"by {number}")

        in_threads(change, 4)
        assert won == [item.content for item in remote.get("ann", [id_])]
    for handle in handles:
        handle.close()


def test_handles_that_write_at_once_lose_nothing_and_tell_of_everything(server, remote):
    handles = [QdrantStore(server.url, timeout=60) for _ in range(3)]
    known = {row.id: row for row in remote.scan("ann", space=SPACE).rows}
    start = remote.generation("ann")

    def write(number):
        for n in range(8):
            handles[number].put("ann", [entry(f"{number}-{n}")], space=SPACE)
            handles[number].put(f"user {number}{n}", [entry("1")], space=SPACE)

    in_threads(write, 3)
    changes = remote.scan("ann", space=SPACE, since=start)
    assert not changes.complete
    assert len(changes.rows) == 24
    assert known | {row.id: row for row in changes.rows} == scanned(remote)
    assert len(remote.users()) == 25
    assert len({remote.generation(user) >> 72 for user in remote.users()}) == 25
    for handle in handles:
        handle.close()


def in_threads(work, count):
    failures: list[BaseException] = []

    def run(number):
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 (handed on to the test)
            failures.append(error)

    threads = [threading.Thread(target=run, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures, failures


def test_a_process_killed_while_writing_leaves_whole_changes(directory):
    code = (
        "from bethink.stores.qdrant import QdrantStore\n"
        "from bethink.testing.suite import SPACE, entry\n"
        f"store = QdrantStore('qdrant:///{directory}')\n"
        "store.switch(store.space(), SPACE)\n"
        "print('ready', flush=True)\n"
        "for n in range(100_000):\n"
        "    store.put('ann', [entry('a', str(n)), entry('b', str(n))], space=SPACE)\n"
        "    if n % 7 == 3: store.delete('ann', ['a', 'b'])\n"
    )
    for round_ in range(3):
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.2 + 0.07 * round_)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        store = QdrantStore(f"qdrant:///{directory}")
        found = scanned(store)
        assert list(found) in ([], ["a", "b"], ["b", "a"])
        assert len({row.terms for row in found.values()}) <= 1
        assert store.users() == (["ann"] if found else [])
        store.put("ann", [entry("c")], space=SPACE)
        assert store.delete("ann", ["a", "b", "c"]) == len(found) + 1
        assert store.users() == []
        store.close()


# --- spaces


def test_vectors_of_a_space_that_is_left_are_gone_from_the_collection(store):
    store.put("ann", [entry("1"), entry("2")], space=SPACE)
    store.attach("ann", {"1": (1, b"new!")}, space=OTHER_SPACE)
    store.switch(SPACE, OTHER_SPACE)
    client = store._engine.client
    named = client.get_collection("bethink").config.params.vectors
    assert set(named) == {dense_name("2")}
    [point] = client.retrieve("bethink", [point_id("ann", "1")], with_vectors=True)
    assert set(point.vector) == {dense_name("2")}
    assert [key for key in point.payload if key.startswith("vectors_")] == ["vectors_2"]


def test_a_record_written_while_the_space_is_switched_is_kept_without_its_vectors(server, remote):
    other = QdrantStore(server.url, timeout=60)
    commit = remote._ledger._commit

    def late(view, plan):
        other.switch(SPACE, OTHER_SPACE)
        remote._ledger._commit = commit
        return commit(view, plan)

    remote._ledger._commit = late
    remote.put("ann", [entry("2")], space=SPACE)
    found = scanned(remote, space=OTHER_SPACE)
    assert {id_: row.vectors for id_, row in found.items()} == {"1": b"", "2": b""}
    with pytest.raises(Conflict):
        remote.put("ann", [entry("3")], space=SPACE)
    remote.put("ann", [entry("3", vectors=b"new!")], space=OTHER_SPACE)
    assert points_of(server) == ["1", "2", "3"]
    other.close()


@pytest.mark.parametrize(
    "blob", [b"", b"\x00", b"abcdefabcdef", b"\x00\x7c\x00\x7c\x00\x7c", b"\0" * 6]
)
def test_vectors_that_do_not_fit_the_index_come_back_as_they_were(store, blob):
    store.put("ann", [entry("1", vectors=blob)], space=SPACE)
    assert scanned(store)["1"].vectors == blob


# --- candidates


def known(id_, text, vector=None, **fields):
    made = entry(id_, text, **fields)
    vectors = b"" if vector is None else np.array(vector, "<f2").tobytes()
    return Entry(made.item, pack(made.item.text), vectors)


def proposed(store, text="", vector=None, limit=2, kinds=SEARCHED, **narrowed):
    asked = b"" if vector is None else np.array(vector, "<f4").tobytes()
    terms = hashed(query_terms(text)).tolist() if text else []
    probe = Probe(asked, terms, limit, kinds, **narrowed)
    return sorted(row.id for row in store.candidates("ann", probe, space=SPACE))


def test_the_nearest_by_vector_are_proposed(store):
    east, north, up = np.eye(3)
    near = [known("1", "x", east), known("2", "x", east + 0.1 * north), known("3", "x", north)]
    store.put("ann", [*near, known("4", "x", up), known("5", "x")], space=SPACE)
    assert proposed(store, vector=east) == ["1", "2"]
    assert proposed(store, vector=up, limit=1) == ["4"]
    assert proposed(store, vector=[1.0]) == []
    assert proposed(store) == []


def test_those_that_have_the_rarest_terms_are_proposed(store):
    texts = ["green tea", "black tea", "tea with milk", "coffee and cream"]
    store.put("ann", [known(str(n), text) for n, text in enumerate(texts)], space=SPACE)
    assert proposed(store, "green tea", limit=1) == ["0"]
    assert proposed(store, "cream", limit=3) == ["3"]
    assert proposed(store, "nothing") == []


def test_rows_of_candidates_are_those_of_a_scan(store):
    store.put("ann", [known("1", "green tea", [1, 0, 0], metadata={"a": 1})], space=SPACE)
    probe = Probe(b"", hashed(["tea"]).tolist(), 5, SEARCHED)
    assert list(store.candidates("ann", probe, space=SPACE)) == list(scanned(store).values())
    assert store.candidates("bob", probe, space=SPACE) == []


def test_only_what_fits_is_proposed(store):
    family = [
        known("1", "tea"),
        known("1@1", "tea", superseded_by="1"),
        known("2", "tea", superseded_by="1"),
        known("3", "tea", kind="working"),
        known("4", "tea", kind="fact", agent_id="a"),
        known("5", "tea", session_id="s"),
    ]
    store.put("ann", family, space=SPACE)
    store.put("ann", [known("6", "tea")], space=SPACE)
    store.delete("ann", ["6"])
    store.put("bob", [known("7", "tea", user_id="bob")], space=SPACE)
    assert proposed(store, "tea", limit=9) == ["1", "4", "5"]
    assert proposed(store, "tea", limit=9, kinds=("fact",)) == ["4"]
    assert proposed(store, "tea", limit=9, agent_id="a") == ["4"]
    assert proposed(store, "tea", limit=9, session_id="s") == ["5"]


def test_candidates_are_asked_for_over_the_wire_as_well(server, remote):
    remote.put("ann", [known("2", "green tea", [1, 0, 0]), known("3", "x", [0, 1, 0])], space=SPACE)
    server.requests.clear()
    assert proposed(remote, "tea", vector=[0, 1, 0], limit=1) == ["2", "3"]
    by_vector, by_terms = server.asked("POST", "/collections/bethink/points/query")
    assert (by_vector.body["using"], by_terms.body["using"]) == ("dense_1", "terms")
    users = [condition["match"]["value"] for condition in by_vector.body["filter"]["must"][:1]]
    assert users == ["ann"]


def test_messages_bring_their_neighbours_along(store):
    start = entry("0").item.created_at
    talk = [
        known(
            f"{session}{n}",
            "green tea" if n == 4 else "something else",
            kind="message",
            session_id=session or "",
            created_at=start.replace(second=n),
        )
        for session in ("", "s")
        for n in range(9)
    ]
    alone = known("alone", "green tea", kind="message")
    store.put("ann", [*reversed(talk), alone], space=SPACE)
    assert proposed(store, "green", limit=9, reach=0) == ["4", "alone", "s4"]
    assert proposed(store, "green", limit=9, reach=1) == ["3", "4", "5", "alone", "s3", "s4", "s5"]
    assert proposed(store, "green", limit=9, reach=2, session_id="s") == [
        "s2",
        "s3",
        "s4",
        "s5",
        "s6",
    ]


# --- forks


def test_a_server_may_be_used_on_both_sides_of_a_fork(remote):
    def child():
        remote.put("ann", [entry("2")], space=SPACE)
        return True

    assert in_child(child)
    remote.put("ann", [entry("3")], space=SPACE)
    assert sorted(scanned(remote)) == ["1", "2", "3"]


def test_a_directory_is_not_taken_across_a_fork(directory):
    store = QdrantStore(f"qdrant:///{directory}")
    store.switch(None, SPACE)

    def child():
        with pytest.raises(UsageError, match="opened before a fork"):
            store.space()
        store.close()
        return True

    assert in_child(child)
    store.put("ann", [entry("1")], space=SPACE)
    assert sorted(scanned(store)) == ["1"]
    store.close()


def test_what_is_in_memory_is_copied_by_a_fork(store):
    store.put("ann", [entry("1")], space=SPACE)
    done = threading.Event()

    def work():
        while not done.is_set():
            store.put("bob", [entry("1", user_id="bob")], space=SPACE)

    busy = threading.Thread(target=work)
    busy.start()
    assert all(in_child(lambda: sorted(scanned(store)) == ["1"]) for _ in range(5))
    done.set()
    busy.join()
