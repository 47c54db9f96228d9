import subprocess
import sys
import time
import traceback
from datetime import timedelta
from urllib.parse import quote
from uuid import uuid4

import numpy as np
import psycopg
import pytest

from bethink import Memory, StoreError, UsageError
from bethink.check import check
from bethink.stores.base import Entry, Probe, row_of
from bethink.stores.postgres import PostgresStore, candidates
from bethink.stores.postgres.schema import MIGRATIONS
from bethink.testing import StoreSuite
from bethink.testing.postgres import PASSWORD
from bethink.testing.suite import NOW, SPACE, entry, scanned
from bethink.text import hashed, pack, query_terms
from bethink.types import SEARCHED, MemoryItem
from tests.stores.test_sqlite import in_child


class TestPostgresStore(StoreSuite):
    machine_runs = 6

    @pytest.fixture
    def open_store(self, postgres, schema):
        return lambda: PostgresStore(postgres.url(), schema=schema)


class TestPostgresStoreInPartsWithAReplica(StoreSuite):
    """The replica is the server itself, so that what comes of it must always be right."""

    machine_runs = 2

    @pytest.fixture
    def open_store(self, postgres, schema):
        url = postgres.url()
        return lambda: PostgresStore(url, schema=schema, partitions=3, replica=url, pool_size=2)


@pytest.mark.soak
class TestPostgresStoreForLong(StoreSuite):
    machine_steps = 100
    machine_runs = 100

    @pytest.fixture
    def open_store(self, postgres, schema):
        return lambda: PostgresStore(postgres.url(), schema=schema)


@pytest.fixture
def store(postgres, schema):
    store = PostgresStore(postgres.url(), schema=schema)
    store.switch(None, SPACE)
    yield store
    store.close()


@pytest.fixture
def run(postgres, schema):
    """Runs SQL as the superuser, in the schema of the test."""

    def execute(statement, database="postgres"):
        with psycopg.connect(postgres.url(database=database), autocommit=True) as connection:
            connection.execute("SELECT set_config('search_path', quote_ident(%s), false)", [schema])
            return connection.execute(statement)

    return execute


@pytest.fixture
def guest(postgres, run):
    """Makes a role and says where it logs in."""

    def create(name, rights="", database="postgres"):
        run(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}' {rights}")
        return postgres.url(user=name, database=database)

    return create


# --- servers that cannot be used


def test_a_wrong_password_is_said_so_and_not_repeated(postgres, schema):
    secret = uuid4().hex
    with pytest.raises(
        StoreError, match="did not let this user in. Check user, password"
    ) as raised:
        PostgresStore(postgres.url(password=secret), schema=schema)
    assert secret not in "".join(traceback.format_exception(raised.value))


def test_a_server_that_is_not_there_is_said_so_at_once(postgres, schema):
    with pytest.raises(StoreError, match="cannot be reached. Check that it runs"):
        PostgresStore(postgres.url(port=1), schema=schema)


def test_a_url_that_cannot_be_read_is_not_repeated():
    secret = uuid4().hex
    with pytest.raises(UsageError, match="cannot be read. Pass one such as") as raised:
        PostgresStore(f"postgresql://ann:{secret}@[half/x")
    assert secret not in "".join(traceback.format_exception(raised.value))


def test_its_name_in_errors_and_prints_has_no_password(store, postgres, schema):
    said = repr(store)
    assert PASSWORD not in said
    assert said == (
        f"PostgresStore('postgresql://bethink@127.0.0.1:{postgres.port}/postgres', "
        f"schema='{schema}')"
    )


def test_a_database_without_pgvector_says_what_to_install(schema, run, guest):
    run("CREATE DATABASE bare")
    url = guest("guest", database="bare")
    with pytest.raises(
        StoreError, match=r"Install pgvector 0.8 or newer .* CREATE EXTENSION vector"
    ):
        PostgresStore(url, schema=schema)


def test_a_pgvector_that_is_too_old_says_what_to_update(postgres, schema, run):
    run("CREATE DATABASE old")
    url = postgres.url(database="old")
    PostgresStore(url, schema=schema).close()
    run("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'", "old")
    with pytest.raises(StoreError, match=r"pgvector 0.7.4, which is too old.*ALTER EXTENSION"):
        PostgresStore(url, schema=schema)


def test_a_database_that_cannot_keep_every_text_is_refused(postgres, schema, run):
    run("CREATE DATABASE narrow ENCODING 'SQL_ASCII' TEMPLATE template0")
    with pytest.raises(StoreError, match="its encoding is not UTF8"):
        PostgresStore(postgres.url(database="narrow"), schema=schema)


def test_a_role_without_rights_is_said_so(schema, run, guest, store):
    url = guest("visitor")
    run(f'GRANT USAGE ON SCHEMA "{schema}" TO visitor')
    run(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO visitor')
    visitor = PostgresStore(url, schema=schema)
    assert visitor.users() == []
    with pytest.raises(StoreError, match="must belong to the role"):
        visitor.put("ann", [entry("1")], space=SPACE)
    visitor.close()


def test_a_schema_of_a_newer_version_says_to_upgrade(store, postgres, schema, run):
    store.close()
    assert len(MIGRATIONS) < 99
    run("UPDATE bethink SET version = 99")
    with pytest.raises(StoreError, match="newer Bethink .* pip install --upgrade bethink"):
        PostgresStore(postgres.url(), schema=schema)


def test_a_schema_of_something_else_is_left_alone(postgres, schema, run):
    run(f'CREATE SCHEMA "{schema}"')
    run("CREATE TABLE songs (name text)")
    with pytest.raises(StoreError, match="tables that are not Bethink's"):
        PostgresStore(postgres.url(), schema=schema)
    names = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    assert run(names).fetchall() == [("songs",)]


def test_a_schema_that_is_there_and_empty_is_used(postgres, schema, run):
    run(f'CREATE SCHEMA "{schema}"')
    PostgresStore(postgres.url(), schema=schema).close()


def test_the_number_of_parts_is_chosen_once(store, postgres, schema):
    PostgresStore(postgres.url(), schema=schema, partitions=0).close()
    with pytest.raises(StoreError, match="made with partitions=0, and that cannot be changed"):
        PostgresStore(postgres.url(), schema=schema, partitions=4)


@pytest.mark.parametrize(
    "options",
    [
        {"schema": ""},
        {"schema": "x" * 64},
        {"partitions": -1},
        {"pool_size": 0},
        {"timeout": 0},
        {"statement_timeout": -1},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(UsageError):
        PostgresStore("postgresql://nowhere", **options)


def test_without_the_driver_it_says_what_to_install():
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from bethink.stores.url import open_store\n"
        "open_store('postgresql://ann:hunter2@host/x')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtra: psycopg is not installed" in run.stderr
    assert "pip install 'bethink[postgres]'" in run.stderr
    assert "hunter2" not in run.stderr.splitlines()[-1]


def test_a_replica_in_the_place_of_the_primary_is_said_so(schema, store, run, guest):
    url = guest("reader", "SUPERUSER")
    run("ALTER ROLE reader SET default_transaction_read_only = on")
    reader = PostgresStore(url, schema=schema)
    assert reader.users() == []
    with pytest.raises(StoreError, match="can only be read, as a replica can"):
        reader.put("ann", [entry("1")], space=SPACE)
    reader.close()


# --- checking


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (
            "INSERT INTO vectors_1 VALUES (1, 'gone', 1, NULL, '')",
            "Vectors of no record in model-a/3: 1.",
        ),
        ("INSERT INTO uses VALUES (1, 'gone', 1, 1)", "Use counts of no record: 1."),
        ("UPDATE records SET owner = 99", "Records of no user: 1."),
        ("UPDATE records SET changed = 99", "Records ahead of their user: 1."),
        ("INSERT INTO tombstones VALUES (1, '1', 99)", "Records older than their tombstone: 1."),
        ("INSERT INTO tombstones VALUES (9, '1', 99)", "Tombstones of no user: 1."),
    ],
)
def test_check_finds_what_does_not_agree(store, run, damage, says):
    store.put("ann", [entry("1")], space=SPACE)
    assert store.check() == []
    run(damage)
    assert says in store.check()


# --- behaviour


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_a_url_is_all_that_a_memory_needs(postgres, quick, scheme):
    url = postgres.url().replace("postgresql", scheme)
    with Memory(url, embedder=quick, durable=True) as memory:
        memory.add("Likes green tea", user_id=scheme)
        memory.add("Lives in Lisbon", user_id=scheme)
        assert memory.search("tea", user_id=scheme)[0].item.content == "Likes green tea"
        assert check(memory.store) == []
    with Memory(url, embedder=quick) as memory:
        assert len(memory.get_user_memories(user_id=scheme)) == 2


def test_durable_means_a_flush_for_each_write(postgres, schema):
    for durable, expected in ((True, "on"), (False, "off")):  # as the server of the tests is told
        store = PostgresStore(postgres.url(), schema=schema, durable=durable)
        asked = store._connections.read(lambda c: c.execute("SHOW synchronous_commit").fetchone())
        assert asked == (expected,)
        store.close()


@pytest.mark.parametrize("metadata", [{"n": 1e23}, {"n": 1.0}, {"b": 1, "a": {"z": [], "y": 2}}])
def test_metadata_comes_back_to_the_letter(store, metadata):
    """Which is more than jsonb would do: it has other numbers, and an order of its own."""
    store.put("ann", [entry("1", metadata=metadata)], space=SPACE)
    assert repr(store.get("ann", ["1"])[0].metadata) == repr(metadata)


def test_metadata_can_be_asked_for_by_those_who_look_into_the_database(store, run):
    store.put("ann", [entry("1", metadata={"city": "Rome"}), entry("2")], space=SPACE)
    found = run("""SELECT id FROM records WHERE metadata::jsonb @> '{"city": "Rome"}'""")
    assert found.fetchall() == [("1",)]


@pytest.mark.parametrize(
    ("space", "blob"),
    [
        ("wide/4001", b"\x00\x3c" * 4001),
        ("wider/20000", b"\x00\x3c" * 20000),
        ("two/3", b"abcdef" * 2),
        ("odd/3", b"abcdefgh"),
        ("short/3", b"ab"),
        ("infinite/3", b"\x00\x7cabcd"),
        ("nameless", b"abcdef"),
    ],
)
def test_vectors_that_no_index_takes_are_kept(store, space, blob):
    store.switch(SPACE, space)
    store.put("ann", [entry("1", vectors=blob)], space=space)
    assert scanned(store, space=space)["1"].vectors == blob


def test_a_space_that_was_switched_from_leaves_nothing_behind(store, run):
    store.put("ann", [entry("1")], space=SPACE)
    store.switch(SPACE, "new/4")
    tables = run(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() "
        "AND tablename LIKE 'vectors%'"
    )
    assert tables.fetchall() == [("vectors_2",)]


def test_writing_of_a_user_again_uses_up_no_numbers(store, run):
    """There are two thousand million of them, and more writes than that."""
    for n in range(3):
        store.put("ann", [entry(str(n))], space=SPACE)
    store.put("bob", [entry("1", user_id="bob")], space=SPACE)
    assert run("SELECT user_id, number FROM users ORDER BY 2").fetchall() == [
        ("ann", 1),
        ("bob", 2),
    ]


def test_a_closed_store_says_so(store):
    store.close()
    with pytest.raises(UsageError, match="closed"):
        store.get("ann", ["1"])


def test_reading_waits_for_nobody_who_writes(store, postgres, schema):
    store.put("ann", [entry("1")], space=SPACE)
    with psycopg.connect(postgres.url()) as connection:
        connection.execute("SELECT set_config('search_path', quote_ident(%s), false)", [schema])
        connection.execute("LOCK TABLE users, records, vectors_1, spaces IN EXCLUSIVE MODE")
        connection.execute("UPDATE records SET content = 'not yet'")
        assert store.get("ann", ["1"])[0].content == "Likes tea"
        assert len(scanned(store)) == 1
        assert store.generation("ann")
        assert propose(store, "ann", vector=[1, 0, 0])
        connection.rollback()


def test_processes_that_open_a_new_database_at_once_make_it_once(postgres, schema, run):
    run("CREATE DATABASE fresh")
    code = (
        "import sys; from bethink.stores.postgres import PostgresStore\n"
        "from bethink.testing.suite import SPACE, entry\n"
        "sys.stdin.readline()\n"
        f"store = PostgresStore({postgres.url(database='fresh')!r}, schema={schema!r})\n"
        "store.switch(None, SPACE)\n"
        "store.put('ann', [entry(sys.argv[1])], space=SPACE)\n"
        "store.close()\n"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", code, str(n)], stdin=subprocess.PIPE)
        for n in range(4)
    ]
    for child in children:
        child.communicate(b"\n", timeout=60)
    assert [child.returncode for child in children] == [0] * 4
    store = PostgresStore(postgres.url(database="fresh"), schema=schema)
    assert sorted(scanned(store)) == ["0", "1", "2", "3"]
    store.close()


def test_a_store_can_be_used_on_both_sides_of_a_fork(store):
    store.put("ann", [entry("1")], space=SPACE)

    def child():
        store.put("ann", [entry("2")], space=SPACE)
        store.close()
        return True

    assert in_child(child)
    store.put("ann", [entry("3")], space=SPACE)
    assert sorted(scanned(store)) == ["1", "2", "3"]


def test_a_fork_leaves_what_others_are_doing_alone(store, postgres, schema):
    """A connection in use at the fork stays the parent's, even where the fork gave up waiting."""
    hasty = PostgresStore(postgres.url(), schema=schema, timeout=0.2)

    def busy(connection):
        assert in_child(lambda: hasty.users() == [])
        return connection.execute("SELECT 1").fetchone()

    assert hasty._connections.read(busy) == (1,)
    hasty.close()


# --- candidates


def said(id_, text="", vector=(), **fields):
    item = MemoryItem(
        id=id_, user_id="ann", content=text, **{"created_at": NOW, "kind": "message", **fields}
    )
    return Entry(item, pack(text), np.array(vector, "<f2").tobytes())


def propose(store, user_id, *, vector=(), text="", limit=10, kinds=SEARCHED, reach=0, **more):
    terms = hashed(query_terms(text)).tolist()
    probe = Probe(np.array(vector, "<f4").tobytes(), terms, limit, kinds, reach=reach, **more)
    return store.candidates(user_id, probe, space=store.space() or SPACE)


def ids(rows):
    assert len({row.id for row in rows}) == len(rows)
    return {row.id for row in rows}


@pytest.fixture(params=["compared", "walked"])
def way(request, monkeypatch, postgres):
    """Both ways to the nearest: comparing all, and walking the index, whatever the size."""
    if request.param == "compared":
        return postgres.url()
    monkeypatch.setattr(candidates, "EXACT", 0)
    plans = [f"-c enable_{plan}=off" for plan in ("sort", "seqscan", "bitmapscan")]
    return f"{postgres.url()}?options={quote(' '.join(plans))}"


WALKS = """
SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE schemaname = current_schema() AND indexrelid IN
(SELECT c.oid FROM pg_class c JOIN pg_am a ON a.oid = relam WHERE amname = 'hnsw')
"""


@pytest.mark.parametrize("partitions", [0, 4])
def test_no_row_of_a_user_is_lost_among_those_of_fifty_others(way, schema, partitions, run):
    store = PostgresStore(way, schema=schema, partitions=partitions)
    store.switch(None, "dim/8")
    rng = np.random.default_rng(0)
    users = [f"user {n}" for n in range(51)]
    for user_id in users:
        vectors = rng.standard_normal((25, 8))
        store.put(user_id, [said(f"{n}", vector=v) for n, v in enumerate(vectors)], space="dim/8")
    for user_id in users[::5]:
        found = propose(store, user_id, vector=rng.standard_normal(8), limit=25)
        assert ids(found) == {f"{n}" for n in range(25)}
    store.close()
    while "enable" in way and not run(WALKS).fetchone()[0]:
        time.sleep(0.01)  # it was walked, which the server says when the connection is closed


def test_the_nearest_by_vector_are_proposed(way, schema):
    store = PostgresStore(way, schema=schema)
    store.switch(None, SPACE)
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((200, 3))
    store.put("ann", [said(f"{n}", vector=v) for n, v in enumerate(vectors)], space=SPACE)
    query = rng.standard_normal(3)
    found = ids(propose(store, "ann", vector=query, limit=100))
    nearest = np.argsort(-(vectors @ query))
    assert len(found) == 100
    assert len(found & {f"{n}" for n in nearest[:100]}) >= 90  # an index is not exact
    store.close()


def test_rows_are_what_a_scan_gives(store):
    full = said("1", "green tea", [1, 0, 0], metadata={"a": 1}, session_id="s", flagged=True)
    store.put("ann", [full], space=SPACE)
    assert propose(store, "ann", vector=[1, 0, 0]) == [row_of(full)]
    assert propose(store, "ann", text="tea") == [row_of(full)]


def test_the_rarest_terms_decide(store):
    common = [said(f"{n}", "the weather was fine") for n in range(300)]
    store.put("ann", [*common, said("rare", "weather at Reykjavik"), said("no", "x")], space=SPACE)
    assert ids(propose(store, "ann", text="weather in Reykjavik", limit=1)) == {"rare"}
    assert len(propose(store, "ann", text="weather", limit=5)) == 5
    assert propose(store, "ann", text="nobody said that") == []


def test_of_those_with_a_rare_term_the_ones_with_more_come_first(store):
    some = [said(f"{n}", "Reykjavik") for n in range(20)]
    store.put("ann", [*some, said("both", "rain in Reykjavik"), said("x", "rain")], space=SPACE)
    assert "both" in ids(propose(store, "ann", text="rain Reykjavik", limit=2))


def test_terms_of_other_users_are_nothing_to_one(store):
    store.put("ann", [said("1", "green tea")], space=SPACE)
    store.put("bob", [said("2", "green tea"), said("3", "black tea")], space=SPACE)
    assert ids(propose(store, "ann", text="tea")) == {"1"}
    assert propose(store, "cy", text="tea", vector=[1, 0, 0]) == []


def test_the_messages_around_those_found_come_along(store):
    def at(n):
        return NOW + timedelta(seconds=n // 2)  # two at a time, so that the id decides

    talk = [
        said(f"{n:02}", "tea" if n == 10 else "", session_id="s", created_at=at(n))
        for n in range(20)
    ]
    other = [said("x", "", session_id="t", created_at=at(10)), said("y", "", created_at=at(10))]
    task = said("w", "", session_id="s", kind="working", created_at=at(10))
    store.put("ann", [*talk, *other, task], space=SPACE)
    assert ids(propose(store, "ann", text="tea", reach=3)) == {f"{n:02}" for n in range(7, 14)}
    assert ids(propose(store, "ann", text="tea", reach=0)) == {"10"}


def test_only_what_is_asked_for_is_proposed(way, schema):
    store = PostgresStore(way, schema=schema)
    store.switch(None, SPACE)
    entries = [
        said("message", "tea", [1, 0, 0]),
        said("fact", "tea", [1, 0, 0], kind="fact"),
        said("old", "tea", [1, 0, 0], kind="fact", superseded_by="fact"),
        said("agent", "tea", [1, 0, 0], agent_id="a"),
        said("session", "tea", [1, 0, 0], session_id="s"),
    ]
    store.put("ann", entries, space=SPACE)
    asked = {"text": "tea", "vector": [1, 0, 0]}
    assert ids(propose(store, "ann", **asked)) == {"message", "fact", "agent", "session"}
    assert ids(propose(store, "ann", **asked, kinds=["fact"])) == {"fact"}
    assert ids(propose(store, "ann", **asked, agent_id="a")) == {"agent"}
    assert ids(propose(store, "ann", **asked, session_id="s")) == {"session"}
    store.close()


def test_what_changes_is_proposed_as_it_is(store):
    store.put("ann", [said("1", "green tea", [1, 0, 0]), said("2", "coffee")], space=SPACE)
    store.put("ann", [said("1", "milk", [0, 1, 0], version=2)], space=SPACE)
    store.attach("ann", {"2": (1, np.array([0, 0, 1], "<f2").tobytes())}, space=SPACE)
    assert propose(store, "ann", text="tea") == []
    assert ids(propose(store, "ann", text="milk")) == {"1"}
    assert ids(propose(store, "ann", vector=[0, 0, 1], limit=1)) == {"2"}
    store.delete("ann", ["1"])
    assert propose(store, "ann", text="milk") == []


def test_where_vectors_are_too_long_for_an_index_words_propose(store):
    store.switch(SPACE, "wide/4001")
    vector = np.ones(4001)
    store.put("ann", [said("1", "tea", vector), said("2", "x", vector)], space="wide/4001")
    assert ids(propose(store, "ann", text="tea", vector=vector)) == {"1"}


def test_a_vector_of_another_length_proposes_nothing(store):
    store.put("ann", [said("1", "tea", [1, 0, 0])], space=SPACE)
    assert propose(store, "ann", vector=[1, 0]) == []
    assert propose(store, "ann", vector=[float("nan"), 0, 0]) == []
