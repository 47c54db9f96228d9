import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from bethink import Memory, StoreError, StoreUnavailable, UsageError
from bethink.check import check
from bethink.stores.sqlite import SQLiteStore
from bethink.stores.sqlite.schema import MIGRATIONS
from bethink.testing import StoreSuite
from bethink.testing.suite import SPACE, entry


class TestSQLiteStore(StoreSuite):
    @pytest.fixture
    def open_store(self, tmp_path):
        return lambda: SQLiteStore(tmp_path / "memory.db")


@pytest.mark.soak
class TestSQLiteStoreForLong(StoreSuite):
    machine_steps = 100
    machine_runs = 100

    @pytest.fixture
    def open_store(self, tmp_path):
        return lambda: SQLiteStore(tmp_path / "memory.db")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def store(path):
    store = SQLiteStore(path)
    store.switch(None, SPACE)
    yield store
    store.close()


# --- files that cannot be used


def test_a_file_that_is_no_database_is_left_alone(path):
    path.write_text("Dear diary, this is no database. " * 100)
    with pytest.raises(StoreError, match=r"memory\.db is not a database"):
        SQLiteStore(path)
    assert path.read_text().startswith("Dear diary")


def test_a_database_of_something_else_is_left_alone(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (name)")
    connection.close()
    with pytest.raises(StoreError, match="not one of Bethink's"):
        SQLiteStore(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("songs",)]
    connection.close()


def test_a_file_of_a_newer_version_says_to_upgrade(store, path):
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(StoreError, match="newer Bethink .* pip install --upgrade bethink"):
        SQLiteStore(path)


def test_a_directory_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(StoreError, match="nowhere/memory.db cannot be opened. Check that"):
        SQLiteStore(tmp_path / "nowhere" / "memory.db")


def test_a_directory_instead_of_a_file_is_refused(tmp_path):
    with pytest.raises(StoreError, match="cannot be opened"):
        SQLiteStore(tmp_path)


@pytest.fixture
def open_directory():
    """A directory that other users can look into."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        yield directory


def test_a_directory_that_may_not_be_written_is_said_so(open_directory):
    said = failure_without_rights(f"SQLiteStore({str(open_directory / 'memory.db')!r})")
    assert "StoreError" in said
    assert "you may write there" in said


def test_a_file_that_may_not_be_written_is_said_so(open_directory):
    path = open_directory / "memory.db"
    store = SQLiteStore(path)
    store.switch(None, SPACE)
    said = failure_without_rights(
        f"SQLiteStore({str(path)!r}).put('ann', [entry('1')], space=SPACE)"
    )
    assert "Check that you may write the file" in said
    store.close()


def failure_without_rights(code):
    """What a process says that runs this without the rights of root."""
    code = (
        "import os\n"
        "from bethink import SQLiteStore\n"
        "from bethink.testing.suite import SPACE, entry\n"
        "if os.getuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        f"{code}"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    return run.stderr


def test_a_full_disk_is_said_so_and_nothing_of_the_call_is_stored(store):
    store.put("ann", [entry("1")], space=SPACE)
    with store._connections.read() as connection:  # the one that the next call will use
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    many = [entry(f"{n}", "x" * 1000) for n in range(500)]
    with pytest.raises(StoreError, match="the disk is full. Nothing of this call was stored"):
        store.put("ann", many, space=SPACE)
    with store._connections.read() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    assert [row.id for row in store.scan("ann", space=SPACE).rows] == ["1"]
    assert store.check() == []
    store.put("ann", many, space=SPACE)


def test_a_file_that_may_not_grow_is_said_so(path):
    code = (
        "import resource, signal\n"
        "from bethink import SQLiteStore\n"
        "from bethink.testing.suite import SPACE, entry\n"
        f"store = SQLiteStore({str(path)!r}); store.switch(None, SPACE)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
        "store.put('ann', [entry(str(n), 'x' * 1000) for n in range(5000)], space=SPACE)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "StoreError" in run.stderr
    assert "its free space and its file size limit" in run.stderr
    store = SQLiteStore(path)
    assert store.users() == []
    assert store.check() == []
    store.close()


def test_a_file_locked_for_too_long_is_worth_retrying(path):
    store = SQLiteStore(path, timeout=0.05)
    store.switch(None, SPACE)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked by another process"):
        store.put("ann", [entry("1")], space=SPACE)
    blocker.execute("ROLLBACK")
    blocker.close()
    store.put("ann", [entry("1")], space=SPACE)
    store.close()


def test_a_damaged_file_is_said_so(store, path):
    store.put("ann", [entry(f"{n}", "x" * 1000) for n in range(100)], space=SPACE)
    store.close()
    data = bytearray(path.read_bytes())
    data[16384 * 3 :] = bytes(len(data) - 16384 * 3)
    path.write_bytes(data)
    damaged = SQLiteStore(path)
    with pytest.raises(StoreError, match="is damaged"):
        damaged.scan("ann", space=SPACE)
    assert any("SQLite says" in problem for problem in check(damaged))
    damaged.close()


# --- checking


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("INSERT INTO vectors VALUES (1, 1, 'gone', x'00')", "Vectors of no record: 1."),
        ("INSERT INTO uses VALUES (1, 'gone', 1, 1)", "Use counts of no record: 1."),
        ("UPDATE records SET user = 99", "Records of no user: 1."),
        ("INSERT INTO tombstones VALUES (1, '1', 99)", "Records older than their tombstone: 1."),
        ("INSERT INTO tombstones VALUES (9, '1', 99)", "Tombstones of no user: 1."),
        ("INSERT INTO spaces VALUES (7, 'x/1', 1)", "Vector spaces in use at once: 2."),
    ],
)
def test_check_finds_what_does_not_agree(store, path, damage, says):
    store.put("ann", [entry("1")], space=SPACE)
    assert store.check() == []
    with sqlite3.connect(path) as connection:
        connection.execute(damage)
    connection.close()
    assert says in store.check()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("UPDATE records SET terms = x'0000000001'", "are not those of its text"),
        ("UPDATE records SET vectors = x'00'", "do not have 16 numbers"),
        ("UPDATE records SET metadata = '{'", "metadata of memory"),
        ("UPDATE records SET vectors = CAST(zeroblob(30) || x'007c' AS BLOB)", "not finite"),
    ],
)
def test_check_finds_terms_and_vectors_that_are_not_the_record_s(tmp_path, quick, damage, says):
    with Memory(tmp_path / "a.db", embedder=quick) as memory:
        memory.add("Likes tea", user_id="ann")
        assert check(memory.store) == []
        with sqlite3.connect(tmp_path / "a.db") as connection:
            connection.execute(damage)
        connection.close()
        [problem] = check(memory.store)
    assert says in problem


# --- behaviour


def test_one_file_is_all_that_is_left_when_closed(store, path):
    store.put("ann", [entry("1")], space=SPACE)
    store.close()
    assert [file.name for file in path.parent.iterdir()] == ["memory.db"]


@pytest.mark.parametrize(("durable", "synchronous"), [(False, 1), (True, 2)])
def test_durable_means_a_flush_for_each_write(path, durable, synchronous):
    store = SQLiteStore(path, durable=durable)
    with store._connections.read() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (synchronous,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    store.close()


def test_a_closed_store_says_so_even_to_a_thread_that_was_using_it(store):
    store.put("ann", [entry("1")], space=SPACE)
    with store._connections.read():
        store.close()
    with pytest.raises(UsageError, match="closed"):
        store.get("ann", ["1"])


def in_child(work):
    """Run something in a forked child; says whether it returned True."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a hang is a failure too
        ok = False
        try:
            ok = work()
        finally:
            os._exit(0 if ok else 1)
    return os.waitpid(child, 0)[1] == 0


def test_a_store_can_be_used_on_both_sides_of_a_fork(store, path):
    """Also when the parent closes first, which must not take the child's writes along."""
    store.put("ann", [entry("1")], space=SPACE)
    closed_read, closed_write = os.pipe()

    def child():
        store.put("ann", [entry("2")], space=SPACE)
        os.read(closed_read, 1)
        store.put("ann", [entry("3")], space=SPACE)
        store.close()
        return True

    pid = os.fork()
    if pid == 0:
        os._exit(0 if child() else 1)
    while len(store.get("ann", ["1", "2"])) < 2:
        time.sleep(0.01)
    store.close()
    os.write(closed_write, b"x")
    assert os.waitpid(pid, 0)[1] == 0
    again = SQLiteStore(path)
    assert [item.id for item in again.get("ann", ["1", "2", "3"])] == ["1", "2", "3"]
    assert again.check() == []
    again.close()


def test_a_fork_waits_for_threads_that_are_using_the_file(tmp_path, quick):
    with Memory(tmp_path / "a.db", embedder=quick) as memory:
        memory.add("Likes tea", user_id="ann")
        done = threading.Event()

        def work():
            while not done.is_set():
                memory.add("Likes milk", user_id="bob")
                memory.search("tea", user_id="ann")

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        children = [
            in_child(
                lambda: bool(memory.add("x", user_id="cy") and memory.search("tea", user_id="ann"))
            )
            for _ in range(10)
        ]
        done.set()
        for thread in threads:
            thread.join()
        assert children == [True] * 10
        assert len(memory.get_user_memories(user_id="cy")) == 10
        assert check(memory.store) == []


@pytest.mark.parametrize("forking", [1, 3])
def test_a_fork_is_quick_however_busy_the_file_is(store, forking):
    store.put("ann", [entry("1")], space=SPACE)
    done = threading.Event()

    def work():
        while not done.is_set():
            store.get("ann", ["1"])

    busy = [threading.Thread(target=work) for _ in range(6)]
    children: list[bool] = []
    forkers = [
        threading.Thread(
            target=lambda: children.append(in_child(lambda: len(store.get("ann", ["1"])) == 1))
        )
        for _ in range(forking)
    ]
    for thread in [*busy, *forkers]:
        thread.start()
    for thread in forkers:
        thread.join(15)  # the pool's time-out, at which it would give up waiting, is 30 seconds
        assert not thread.is_alive()
    done.set()
    for thread in busy:
        thread.join()
    assert children == [True] * forking
    assert store.get("ann", ["1"])


def test_a_connection_lost_to_an_interrupt_does_not_hold_up_a_fork(path):
    store = SQLiteStore(path, timeout=2.0)
    store._connections._take()  # and never given back
    assert in_child(lambda: store.users() == [])
    store.close()


def test_a_failed_read_leaves_no_connection_in_the_past(store, path):
    store.put("ann", [entry("1"), entry("2"), entry("3")], space=SPACE)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE records SET metadata = '{' WHERE id = '1'")
    with pytest.raises(StoreError, match="damaged") as kept:
        store.get("ann", ["1", "2", "3"])
    with connection:
        connection.execute("UPDATE records SET content = 'new', metadata = NULL")
    connection.close()
    assert [item.content for item in store.get("ann", ["1", "2"])] == ["new", "new"]
    store.put("ann", [entry("4")], space=SPACE)
    assert kept.value.__traceback__


def test_an_interrupted_wait_for_the_lock_leaves_nothing_open(path):
    code = (
        "import os, signal, sys, threading\n"
        "from bethink import SQLiteStore\n"
        "from bethink.testing.suite import SPACE, entry\n"
        f"store = SQLiteStore({str(path)!r}); store.switch(None, SPACE)\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
        "threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()\n"
        "try:\n"
        "    store.put('ann', [entry('1'), entry('2')], space=SPACE)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
        "store.put('ann', [entry('3'), entry('4')], space=SPACE)\n"
        "print(len(store.get('ann', '1234')), flush=True)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin
    assert child.stdout
    assert child.stdout.readline() == "ready\n"
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    child.stdin.write("\n")
    child.stdin.flush()
    time.sleep(1)
    blocker.execute("ROLLBACK")
    blocker.close()
    said, _ = child.communicate(timeout=60)
    assert said == "interrupted\n2\n"


def test_a_file_deleted_while_open_is_not_quietly_replaced(store, path):
    store.put("ann", [entry("1")], space=SPACE)
    for file in path.parent.iterdir():
        file.unlink()
    with (
        store._connections.read(),  # so that the next call needs a connection of its own
        pytest.raises(StoreError, match="still there"),
    ):
        store.get("ann", ["1"])
    assert not path.exists()


def test_connections_are_kept_no_more_than_there_are_calls_at_once(store):
    threads = [
        threading.Thread(target=lambda: [store.generation("ann") for _ in range(50)])
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store._connections._idle) <= 16
