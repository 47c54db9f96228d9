"""The conformance suite: what every store must do, whatever it is made of.

A backend's whole test is a subclass and a fixture::

    class TestMyStore(StoreSuite):
        @pytest.fixture
        def open_store(self, tmp_path):
            return lambda: MyStore(tmp_path)

`open_store()` gives one more handle on the same data, which starts out empty.
"""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest

from bethink.check import SelfChecking
from bethink.errors import Conflict
from bethink.stores.base import Entry, MemoryStore, Row, Use, row_of
from bethink.testing.machine import check_against_oracle
from bethink.types import MemoryItem, Metadata

OpenStore: TypeAlias = Callable[[], MemoryStore]

SPACE = "model-a/3"
OTHER_SPACE = "model-b/2"
NOW = datetime(2100, 5, 17, 12, 30, 15, 123456, tzinfo=UTC)
"""So late that a store which expires records by itself does not do so during a test."""


def entry(
    id_: str,
    content: str = "Likes tea",
    *,
    user_id: str = "ann",
    vectors: bytes | None = b"abcdef",
    **fields: Any,
) -> Entry:
    """An entry with this id, and anything else that a test needs of it."""
    known = {"id": id_, "user_id": user_id, "content": content, "created_at": NOW}
    item = MemoryItem(**{**known, **fields})
    return Entry(item, b"terms of " + content.encode(), vectors)


def rows(*entries: Entry) -> dict[str, Row]:
    """Entries as an index has them, by id."""
    return {entry.item.id: row_of(entry) for entry in entries}


def scanned(
    store: MemoryStore, user_id: str = "ann", *, space: str = SPACE, since: int = 0
) -> dict[str, Row]:
    """What a store says of a user, by id."""
    return {row.id: row for row in store.scan(user_id, space=space, since=since).rows}


class StoreSuite:
    """Subclass it and define the fixture `open_store`."""

    __test__ = False
    machine_steps = 60
    """How many random operations a run of the comparison with the oracle makes."""
    machine_runs = 20
    """How many such runs there are."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__test__ = True

    @pytest.fixture
    def open_store(self) -> OpenStore:
        raise NotImplementedError("Define the fixture open_store in your subclass of StoreSuite.")

    @pytest.fixture
    def store(self, open_store: OpenStore) -> Iterator[MemoryStore]:
        store = open_store()
        store.switch(None, SPACE)
        yield store
        if isinstance(store, SelfChecking):
            assert store.check() == []
        store.close()

    @pytest.fixture
    def other(self, store: MemoryStore, open_store: OpenStore) -> Iterator[MemoryStore]:
        """A second handle on the data of `store`."""
        assert store.space() == SPACE
        other = open_store()
        yield other
        other.close()

    # --- keeping records

    def test_a_record_comes_back_as_it_was_put(self, store: MemoryStore) -> None:
        full = entry(
            "1",
            "Liebt Käse 🧀 and 北京",
            kind="fact",
            agent_id="a",
            session_id="s",
            speaker="Ann",
            metadata={"tags": ["x", 1, 2.5, None, True], "deep": {"er": "é"}},
            data={"value": ["x", {"y": None}], "steps": [{"at": "ü"}]},
            importance=0.75,
            updated_at=NOW + timedelta(minutes=5),
            valid_from=NOW - timedelta(days=900),
            valid_to=NOW + timedelta(microseconds=1),
            expires_at=NOW + timedelta(days=1),
            superseded_by="2",
            origin="tool",
            made="model",
            sources=("m1", "ü"),
            flagged=True,
            pinned=True,
            version=3,
        )
        store.put("ann", [full], space=SPACE)
        assert store.get("ann", ["1"]) == [full.item]
        assert scanned(store) == rows(full)

    @pytest.mark.parametrize("metadata", [{}, {"": ""}, {"a b": [[]]}, {"n": 10**15}, {"f": 1e-9}])
    def test_metadata_keeps_its_types(self, store: MemoryStore, metadata: Metadata) -> None:
        store.put("ann", [entry("1", metadata=metadata)], space=SPACE)
        assert store.get("ann", ["1"])[0].metadata == metadata

    @pytest.mark.parametrize(
        "user_id", ["'; DROP TABLE users; --", "ann%", "*", "日本 👩‍👧", "{a}:b"]
    )
    def test_any_text_is_a_user(self, store: MemoryStore, user_id: str) -> None:
        store.put(user_id, [entry("1", user_id=user_id)], space=SPACE)
        store.put("ann", [entry("1")], space=SPACE)
        assert [item.user_id for item in store.get(user_id, ["1"])] == [user_id]
        assert store.users() == sorted(["ann", user_id])

    def test_times_before_1970_are_kept(self, store: MemoryStore) -> None:
        born = datetime(1931, 2, 3, tzinfo=UTC)
        store.put("ann", [entry("1", valid_from=born)], space=SPACE)
        assert store.get("ann", ["1"])[0].valid_from == born

    def test_get_keeps_the_order_asked_for_and_leaves_out_what_is_missing(
        self, store: MemoryStore
    ) -> None:
        store.put("ann", [entry(id_) for id_ in "123"], space=SPACE)
        assert [item.id for item in store.get("ann", ["3", "nope", "1"])] == ["3", "1"]
        assert store.get("ann", []) == []

    def test_thousands_of_records_fit_in_one_call(self, store: MemoryStore) -> None:
        ids = [f"{n:05}" for n in range(3000)]
        store.put("ann", [entry(id_, vectors=b"") for id_ in ids], space=SPACE)
        assert [item.id for item in store.get("ann", ids)] == ids
        start = store.generation("ann")
        assert store.attach("ann", dict.fromkeys(ids, (1, b"ghijkl")), space=SPACE) == 3000
        found = scanned(store, since=start)
        assert {row.vectors for row in found.values()} == {b"ghijkl"}
        assert len(found) == 3000
        store.touch("ann", {id_: Use(1, NOW) for id_ in ids})
        assert {item.access_count for item in store.get("ann", ids)} == {1}
        with pytest.raises(Conflict):
            store.put("ann", [], space=SPACE, if_version={**dict.fromkeys(ids, 1), ids[-1]: 2})
        assert store.delete("ann", iter(ids[1:])) == 2999

    def test_putting_again_replaces_the_record_and_its_vectors(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1", "old")], space=SPACE)
        changed = entry("1", "new", version=2, vectors=b"")
        store.put("ann", [changed], space=SPACE)
        assert scanned(store) == rows(changed)

    def test_putting_the_same_twice_changes_nothing(self, store: MemoryStore) -> None:
        for _ in range(2):
            store.put("ann", [entry("1"), entry("2")], space=SPACE)
            assert scanned(store) == rows(entry("1"), entry("2"))

    def test_of_two_with_the_same_id_in_one_call_the_last_is_kept(self, store: MemoryStore) -> None:
        last = entry("1", "last", vectors=b"")
        store.put("ann", [entry("1", "first"), last], space=SPACE)
        assert scanned(store) == rows(last)

    def test_empty_text_is_not_the_same_as_none(self, store: MemoryStore) -> None:
        empty = entry("1", agent_id="", session_id="", speaker="", superseded_by="")
        store.put("ann", [empty], space=SPACE)
        assert store.get("ann", ["1"]) == [empty.item]

    def test_putting_nothing_changes_nothing(self, store: MemoryStore) -> None:
        store.put("ann", [], space=SPACE)
        assert store.generation("ann") == 0
        assert store.users() == []

    # --- users

    def test_no_call_reaches_another_user(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        generation = store.generation("ann")
        assert store.get("bob", ["1"]) == []
        assert scanned(store, "bob") == {}
        assert store.delete("bob", ["1"]) == 0
        assert store.attach("bob", {"1": (1, b"zz")}, space=SPACE) == 0
        store.touch("bob", {"1": Use(1, NOW)})
        assert store.clear("bob") == 0
        assert store.generation("ann") == generation
        assert store.get("ann", ["1"]) == [entry("1").item]

    def test_users_with_the_same_ids_are_kept_apart_in_every_way(self, store: MemoryStore) -> None:
        """The other user has more records and more changes, whatever is numbered by them."""
        store.put("ann", [entry("1"), entry("2"), entry("9")], space=SPACE)
        store.touch("ann", {"1": Use(2, NOW)})
        start = store.generation("ann")
        for n in range(5):
            store.put("bob", [entry(str(n), user_id="bob")], space=SPACE)
        store.touch("bob", {"1": Use(5, NOW)})
        store.attach("bob", {"1": (1, b"ghijkl")}, space=SPACE)
        store.delete("ann", ["9"])
        store.delete("bob", ["2", "3"])
        changes = store.scan("ann", space=SPACE, since=start)
        if not changes.complete:
            assert (list(changes.rows), list(changes.deleted)) == ([], ["9"])
        store.clear("bob")
        assert [item.access_count for item in store.get("ann", ["1", "2"])] == [2, 0]
        left = _follow(rows(*map(entry, "129")), store, start)
        assert left == rows(entry("1"), entry("2"))

    def test_names_that_look_alike_are_different(self, store: MemoryStore) -> None:
        users = ("ann", "Ann", "ann ", " ann", "é", "e\u0301")
        ids = ("x", "X", "x ")
        for user in users:
            store.put(user, [entry(i, i + user, user_id=user) for i in ids], space=SPACE)
        for user in users:
            assert [item.content for item in store.get(user, ids)] == [i + user for i in ids]

    def test_two_users_may_have_the_same_id(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1", "of ann")], space=SPACE)
        store.put("bob", [entry("1", "of bob", user_id="bob")], space=SPACE)
        store.delete("ann", ["1"])
        assert [item.content for item in store.get("bob", ["1"])] == ["of bob"]

    def test_users_are_those_with_records(self, store: MemoryStore) -> None:
        for user_id in ("bob", "ann", "cy"):
            store.put(user_id, [entry("1", user_id=user_id)], space=SPACE)
        store.clear("bob")
        store.delete("cy", ["1"])
        assert store.users() == ["ann"]

    # --- versions

    def test_if_version_lets_only_the_first_of_two_writers_through(
        self, store: MemoryStore
    ) -> None:
        store.put("ann", [entry("1", "first")], space=SPACE, if_version={"1": 0})
        store.put("ann", [entry("1", "second", version=2)], space=SPACE, if_version={"1": 1})
        late = [entry("2"), entry("1", "late", version=2)]
        with pytest.raises(Conflict):
            store.put("ann", late, space=SPACE, if_version={"1": 1})
        assert [item.content for item in store.get("ann", ["1", "2"])] == ["second"]

    def test_if_version_zero_means_absent(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        with pytest.raises(Conflict):
            store.put("ann", [entry("1", "again")], space=SPACE, if_version={"1": 0})
        with pytest.raises(Conflict):
            store.put("ann", [entry("9")], space=SPACE, if_version={"9": 4})

    def test_of_many_threads_that_change_one_record_exactly_one_wins(
        self, store: MemoryStore
    ) -> None:
        """Many rounds, each begun by all threads at once: a race is seldom lost."""
        for round_ in range(40):
            id_ = str(round_)
            store.put("ann", [entry(id_)], space=SPACE)
            won: list[str] = []
            begin = threading.Barrier(4)

            def change(
                number: int, id_: str = id_, won: list[str] = won, begin: threading.Barrier = begin
            ) -> None:
                changed = entry(id_, f"by {number}", version=2)
                begin.wait()
                try:
                    store.put("ann", [changed], space=SPACE, if_version={id_: 1})
                except Conflict:
                    return
                won.append(f"by {number}")

            _in_threads(change, 4)
            assert won == [item.content for item in store.get("ann", [id_])]

    def test_if_version_may_be_about_records_that_are_not_written(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        with pytest.raises(Conflict):
            store.put("ann", [entry("2")], space=SPACE, if_version={"1": 2})
        with pytest.raises(Conflict):
            store.put("ann", [], space=SPACE, if_version={"1": 2})
        store.put("ann", [entry("2")], space=SPACE, if_version={"1": 1})
        assert len(store.get("ann", ["1", "2"])) == 2

    # --- generations

    def test_a_user_with_nothing_is_at_generation_zero(self, store: MemoryStore) -> None:
        assert store.generation("ann") == 0
        changes = store.scan("ann", space=SPACE, since=7)
        assert (changes.generation, list(changes.rows), changes.complete) == (0, [], True)

    def test_every_change_moves_the_generation_of_its_user_only(self, store: MemoryStore) -> None:
        store.put("bob", [entry("1", user_id="bob")], space=SPACE)
        bob = store.generation("bob")
        seen = [0]
        for change in (
            lambda: store.put("ann", [entry("1"), entry("2")], space=SPACE),
            lambda: store.put("ann", [entry("1", "changed")], space=SPACE),
            lambda: store.attach("ann", {"1": (1, b"xyzxyz")}, space=SPACE),
            lambda: store.delete("ann", ["1"]),
        ):
            change()
            seen.append(store.generation("ann"))
        assert seen == sorted(set(seen))
        assert store.generation("bob") == bob

    def test_counting_uses_moves_no_generation(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        before = store.generation("ann")
        store.touch("ann", {"1": Use(2, NOW)})
        assert store.generation("ann") == before

    def test_scan_tells_what_changed_since_a_generation(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1"), entry("2"), entry("3")], space=SPACE)
        start = store.generation("ann")
        store.put("ann", [entry("2", "changed"), entry("4")], space=SPACE)
        store.delete("ann", ["3"])
        known = _follow(rows(entry("1"), entry("2"), entry("3")), store, start)
        assert known == rows(entry("1"), entry("2", "changed"), entry("4"))

    def test_a_generation_that_was_never_reached_is_answered_with_everything(
        self, store: MemoryStore
    ) -> None:
        """As after a backup was restored: an index must not believe that nothing changed."""
        store.put("ann", [entry("1")], space=SPACE)
        changes = store.scan("ann", space=SPACE, since=store.generation("ann") + 1)
        assert changes.complete
        assert list(changes.rows) == [row_of(entry("1"))]

    def test_a_user_cleared_and_begun_again_is_told_apart(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        before = store.generation("ann")
        store.clear("ann")
        assert store.generation("ann") == 0
        store.put("ann", [entry("2")], space=SPACE)
        assert store.generation("ann") > before
        assert _follow(rows(entry("1")), store, before) == rows(entry("2"))

    def test_an_id_deleted_and_put_again_is_there(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        start = store.generation("ann")
        store.delete("ann", ["1"])
        store.put("ann", [entry("1", "again")], space=SPACE)
        assert _follow(rows(entry("1")), store, start) == rows(entry("1", "again"))

    # --- removing

    def test_deleting_counts_what_was_there(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1"), entry("2")], space=SPACE)
        assert store.delete("ann", ["1", "1", "nope"]) == 1
        assert store.delete("ann", ["1"]) == 0
        assert [item.id for item in store.get("ann", ["1", "2"])] == ["2"]

    def test_the_earlier_states_of_a_record_go_with_it(self, store: MemoryStore) -> None:
        family = [entry(id_) for id_ in ("1", "1@1", "1@12", "1A", "11@1", "2@1", "2")]
        store.put("ann", family, space=SPACE)
        start = store.generation("ann")
        assert store.delete("ann", ["1"]) == 1
        assert store.delete("ann", ["2@1"]) == 1
        left = _follow(rows(*family), store, start)
        assert sorted(left) == ["11@1", "1A", "2"]

    def test_sweeping_takes_the_earlier_states_along(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1", expires_at=NOW), entry("1@1"), entry("2")], space=SPACE)
        assert store.sweep(NOW) == 1
        assert list(scanned(store)) == ["2"]

    def test_clearing_removes_one_user_whole(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1"), entry("2")], space=SPACE)
        store.touch("ann", {"1": Use(3, NOW)})
        store.put("bob", [entry("1", user_id="bob")], space=SPACE)
        assert store.clear("ann") == 2
        assert store.get("ann", ["1", "2"]) == []
        store.put("ann", [entry("1")], space=SPACE)
        assert store.get("ann", ["1"])[0].access_count == 0
        assert store.users() == ["ann", "bob"]

    def test_sweeping_removes_what_has_expired_of_every_user(self, store: MemoryStore) -> None:
        soon = NOW + timedelta(seconds=1)
        for user_id in ("ann", "bob"):
            entries = [
                entry("past", user_id=user_id, expires_at=NOW),
                entry("soon", user_id=user_id, expires_at=soon),
                entry("never", user_id=user_id),
            ]
            store.put(user_id, entries, space=SPACE)
        start = store.generation("ann")
        assert store.sweep(NOW) == 2
        assert store.sweep(NOW) == 0
        left = _follow(rows(*map(entry, ("past", "soon", "never"))), store, start)
        assert sorted(left) == ["never", "soon"]
        assert store.sweep(soon) == 2

    def test_an_index_far_behind_still_catches_up(self, store: MemoryStore) -> None:
        ids = [f"{n:05}" for n in range(2500)]
        store.put("ann", [entry(id_, vectors=b"") for id_ in ids], space=SPACE)
        start = store.generation("ann")
        states = {start: ids}
        for first in range(0, 2400, 200):
            store.delete("ann", ids[first : first + 200])
            states[store.generation("ann")] = ids[first + 200 :]
        store.sweep(NOW)
        for generation, known in states.items():
            behind = rows(*(entry(id_, vectors=b"") for id_ in known))
            assert sorted(_follow(behind, store, generation)) == ids[2400:]

    # --- uses

    def test_uses_add_up_and_outlive_an_update(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        later = NOW + timedelta(hours=1)
        store.touch("ann", {"1": Use(2, later), "gone": Use(1, NOW)})
        store.touch("ann", {"1": Use(1, NOW)})
        store.put("ann", [entry("1", "changed", access_count=99)], space=SPACE)
        item = store.get("ann", ["1"])[0]
        assert (item.access_count, item.last_accessed) == (3, later)

    def test_uses_end_with_the_record(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        store.touch("ann", {"1": Use(2, NOW)})
        store.delete("ann", ["1"])
        store.put("ann", [entry("1")], space=SPACE)
        assert store.get("ann", ["1"])[0].access_count == 0

    # --- vector spaces

    def test_a_new_store_has_no_space_until_one_is_switched_to(self, open_store: OpenStore) -> None:
        store = open_store()
        assert store.space() is None
        store.switch(None, SPACE)
        assert store.space() == SPACE
        with pytest.raises(Conflict):
            store.switch(None, OTHER_SPACE)
        store.switch(None, SPACE)  # done already
        assert store.space() == SPACE
        store.close()

    def test_vectors_of_another_space_are_refused(self, store: MemoryStore) -> None:
        with pytest.raises(Conflict):
            store.put("ann", [entry("1")], space=OTHER_SPACE)
        assert store.users() == []

    def test_vectors_may_come_later(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1", vectors=b"")], space=SPACE)
        start = store.generation("ann")
        assert store.attach("ann", {"1": (1, b"uvwxyz"), "2": (1, b"")}, space=SPACE) == 1
        assert _follow({}, store, start) == rows(entry("1", vectors=b"uvwxyz"))

    def test_vectors_of_an_earlier_version_are_passed_over(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1", "changed", version=2, vectors=b"")], space=SPACE)
        assert store.attach("ann", {"1": (1, b"uvwxyz")}, space=SPACE) == 0
        assert scanned(store)["1"].vectors == b""

    def test_a_record_put_without_vectors_keeps_those_it_has(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        store.attach("ann", {"1": (1, b"new!")}, space=OTHER_SPACE)
        unchanged = entry("1", version=2, vectors=None)
        store.put("ann", [unchanged, entry("2", vectors=None)], space=SPACE)
        kept = {row.id: row.vectors for row in scanned(store).values()}
        assert kept == {"1": b"abcdef", "2": b""}
        kept = {row.id: row.vectors for row in scanned(store, space=OTHER_SPACE).values()}
        assert kept == {"1": b"new!", "2": b""}

    def test_a_second_space_is_built_beside_the_first_and_then_switched_to(
        self, store: MemoryStore, other: MemoryStore
    ) -> None:
        store.put("ann", [entry("1"), entry("2")], space=SPACE)
        assert store.attach("ann", {"1": (1, b"new!")}, space=OTHER_SPACE) == 1
        assert {row.vectors for row in scanned(store).values()} == {b"abcdef"}
        start = store.generation("ann")
        store.switch(SPACE, OTHER_SPACE)
        assert other.space() == OTHER_SPACE
        assert other.generation("ann") != start
        by_id = {row.id: row.vectors for row in scanned(other, space=OTHER_SPACE).values()}
        assert by_id == {"1": b"new!", "2": b""}
        assert {row.vectors for row in scanned(store).values()} == {b""}

    def test_changing_a_record_drops_its_vectors_in_every_space(self, store: MemoryStore) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        store.attach("ann", {"1": (1, b"new!")}, space=OTHER_SPACE)
        store.put("ann", [entry("1", "changed", version=2)], space=SPACE)
        assert scanned(store, space=OTHER_SPACE)["1"].vectors == b""

    # --- several handles and threads

    def test_what_one_handle_did_every_other_sees(
        self, store: MemoryStore, other: MemoryStore
    ) -> None:
        store.put("ann", [entry("1")], space=SPACE)
        assert other.get("ann", ["1"]) == [entry("1").item]
        other.delete("ann", ["1"])
        assert store.get("ann", ["1"]) == []
        assert store.generation("ann") == other.generation("ann")

    def test_threads_writing_at_once_lose_nothing(self, store: MemoryStore) -> None:
        def write(number: int) -> None:
            for n in range(25):
                store.put("ann", [entry(f"{number}-{n}")], space=SPACE)
                store.touch("ann", {f"{number}-0": Use(1, NOW)})

        _in_threads(write, 4)
        assert len(scanned(store)) == 100
        assert [i.access_count for i in store.get("ann", [f"{n}-0" for n in range(4)])] == [25] * 4

    def test_records_written_together_are_never_seen_apart(self, store: MemoryStore) -> None:
        store.put("ann", [entry("a", "0"), entry("b", "0")], space=SPACE)
        done = threading.Event()
        torn: list[object] = []

        def read() -> None:
            while not done.is_set():
                found = scanned(store)
                if len({(row.terms, row.vectors) for row in found.values()}) != 1:
                    torn.append(found)

        reader = threading.Thread(target=read)
        reader.start()
        for n in range(200):
            pair = [entry(id_, str(n), vectors=f"{n:06}".encode()) for id_ in "ab"]
            store.put("ann", pair, space=SPACE)
        done.set()
        reader.join(30)
        assert torn == []

    def test_a_reader_that_follows_changes_always_ends_up_with_the_whole(
        self, store: MemoryStore
    ) -> None:
        """Changes are never skipped: no record shows up at a generation already passed."""
        done = threading.Event()
        known: dict[str, Row] = {}

        def follow() -> None:
            generation = 0
            while not done.is_set() or generation != store.generation("ann"):
                changes = store.scan("ann", space=SPACE, since=generation)
                if changes.complete:
                    known.clear()
                known.update((row.id, row) for row in changes.rows)
                for id_ in changes.deleted:
                    known.pop(id_, None)
                generation = changes.generation

        def write(number: int) -> None:
            for n in range(30):
                store.put("ann", [entry(f"{number}-{n}")], space=SPACE)
                if n % 3 == 0:
                    store.delete("ann", [f"{number}-{n}"])

        reader = threading.Thread(target=follow)
        reader.start()
        _in_threads(write, 3)
        done.set()
        reader.join(30)
        assert known == scanned(store)

    def test_closing_twice_is_fine(self, open_store: OpenStore) -> None:
        store = open_store()
        store.close()
        store.close()

    def test_random_operations_leave_it_equal_to_the_oracle(self, open_store: OpenStore) -> None:
        check_against_oracle(open_store, steps=self.machine_steps, runs=self.machine_runs)


def _follow(known: dict[str, Row], store: MemoryStore, since: int) -> dict[str, Row]:
    """What an index that knew this at a generation knows now."""
    changes = store.scan("ann", space=SPACE, since=since)
    assert changes.generation == store.generation("ann")
    if changes.complete:
        known = {}
    known.update((row.id, row) for row in changes.rows)
    for id_ in changes.deleted:
        known.pop(id_, None)
    return known


def _in_threads(work: Callable[[int], None], count: int) -> None:
    failures: list[BaseException] = []

    def run(number: int) -> None:
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
