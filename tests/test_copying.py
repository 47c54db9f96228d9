"""Copying between stores of every sort, with processes killed and others writing."""

import random
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from bethink import (
    Conflict,
    Layered,
    Memory,
    RAMStore,
    StoreError,
    StoreUnavailable,
    UsageError,
)
from bethink.check import check
from bethink.copying import Copied, copy, follow
from bethink.stores.base import Entry, Use
from bethink.testing.machine import scramble
from tests.homes import SORTS
from tests.movers import SPACE, START, change, fill, kept, put, start_writing

RING = ("ram", "sqlite", "postgres", "redis", "qdrant", "sqlite", "layered", "cached", "ram")
CI, SOAK = 20, 100


@pytest.fixture
def source(memory, clock):
    """A store with something of every kind, used, changed, expiring and superseded."""
    clock.now = datetime(2100, 5, 17, tzinfo=UTC)  # so that no server drops by itself what expires
    ann = memory.for_user("ann", session_id="s", task_id="t")
    item = memory.add("Likes tea", user_id="ann", metadata={"deep": {"er": [1, None, "é"]}})
    memory.update(item.id, user_id="ann", content="Likes coffee")
    memory.add("Goes soon", user_id="ann", expires_in=timedelta(days=1))
    ann.factual.set_fact("home city", "Lisbon")
    ann.factual.set_fact("home city", "Berlin")
    ann.conversation.add_message("user", "Which tea is there?")
    ann.episodic.record("Book a table", success=False, outcome="They never got it.")
    ann.working.add_result("found", {"x": 1})
    memory.add_many([f"note {n}" for n in range(120)], user_id="bob")
    memory.search("coffee", user_id="ann")
    memory.flush()
    return memory.store


# --- what comes along


def test_every_sort_of_store_can_be_copied_to_the_next(source, homes, clock):
    stores = [source, *map(homes.open, RING)]
    prints = {copy(here, there, clock=clock).fingerprint for here, there in pairwise(stores)}
    assert len(prints) == 1
    for store in stores[1:]:
        assert kept(store) == kept(source)
        assert check(store) == []


@pytest.mark.parametrize("sort", SORTS)
def test_whatever_a_store_may_hold_comes_along(homes, sort):
    for seed in range(4):
        oracle, target = RAMStore(), homes.open(sort)
        scramble(oracle, seed=seed)
        copy(oracle, target, users=["ann", "bob"])
        assert kept(target) == kept(oracle)
        scramble_on(oracle, seed)
        copy(oracle, target, users=["ann", "bob"], replace=True)
        assert kept(target) == kept(oracle)


def scramble_on(oracle, seed):
    """Change a store some more, in the space that it is in."""
    other = RAMStore()
    for n in range(100, 200):
        scramble(other, seed=seed + n, steps=40)
        if other.space() == oracle.space():
            break
        other = RAMStore()
    oracle._users = other._users


def test_all_that_is_found_in_one_is_found_in_the_other(source, homes, clock, quick):
    target = homes.open("sqlite")
    done = copy(source, target, embedder=quick, clock=clock)
    assert done.searches >= 4
    hits = [
        [
            hit.item
            for hit in Memory(store, embedder=quick, clock=clock).search("tea", user_id="ann")
        ]
        for store in (source, target)
    ]
    assert hits[0] == hits[1] != []


def test_copying_again_writes_nothing(source, clock):
    target = RAMStore()
    first = copy(source, target, clock=clock)
    again = copy(source, target, clock=clock)
    assert (first.written, again.written, again.removed) == (sum(first.records.values()), 0, 0)
    assert (again.records, again.fingerprint) == (first.records, first.fingerprint)


def test_use_counts_are_set_and_not_added(source, clock):
    target = RAMStore()
    for _ in range(3):
        copy(source, target, clock=clock)
        assert kept(target) == kept(source)
    [item] = [i for i in kept(source)["ann"][1].values() if i.content == "Likes coffee"]
    source.touch("ann", {item.id: Use(2, clock() + timedelta(minutes=1))})
    copy(source, target, clock=clock)
    assert kept(target) == kept(source)


def test_what_has_expired_stays_behind(source, clock):
    target = RAMStore()
    clock.pass_by(timedelta(days=2))
    copy(source, target, clock=clock)
    assert "Goes soon" not in {i.content for i in kept(target)["ann"][1].values()}
    assert copy(source, target, clock=clock).written == 0


def test_only_some_users_can_be_copied(source, clock):
    target = RAMStore()
    assert copy(source, target, users=["bob"], clock=clock).records == {"bob": 120}
    assert target.users() == ["bob"]


def test_a_dry_run_counts_and_writes_nothing(source, clock):
    target = RAMStore()
    done = copy(source, target, dry_run=True, clock=clock)
    assert done.written == sum(done.records.values())
    assert (target.space(), target.users()) == (None, [])
    copy(source, target, clock=clock)
    target.delete("bob", [min(kept(target)["bob"][0])])
    assert copy(source, target, dry_run=True, clock=clock).written == 1


def test_how_far_it_is_is_told(source, clock):
    told = []
    copy(source, RAMStore(), clock=clock, progress=lambda *step: told.append(step))
    assert told[-1][1] == 1.0
    assert all(0 < part <= 1 for _, part in told)
    assert max(records for records, _ in told) > 120


# --- what is refused


def test_a_store_is_not_copied_onto_itself_whatever_it_is_called(homes):
    for sort in ("sqlite", "postgres", "redis", "layered", "cached"):
        home = homes.new(sort)
        one, other = homes.open(home), homes.open(home)
        fill(one, 3)
        before = kept(one)
        for target in (one, other):
            with pytest.raises(UsageError, match="Both are the same store"):
                copy(one, target)
        assert kept(one) == before


@pytest.mark.parametrize("layer", ["session", "long_term"])
def test_a_store_is_not_copied_onto_a_part_of_itself(layer):
    layered = Layered(RAMStore(), RAMStore())
    fill(layered, 3)
    with pytest.raises(UsageError, match="Both are the same store"):
        copy(layered, getattr(layered, layer))


def test_a_store_in_which_nothing_was_kept_is_refused():
    with pytest.raises(UsageError, match="is new"):
        copy(RAMStore(), RAMStore())


def test_vectors_of_another_model_are_refused_or_left_behind(source, clock):
    target = RAMStore()
    target.switch(None, "other/8")
    with pytest.raises(UsageError, match="--reembed"):
        copy(source, target, clock=clock)
    assert target.users() == []
    copy(source, target, reembed=True, clock=clock)
    rows, items = kept(target)["bob"]
    assert items == kept(source)["bob"][1]
    assert {row.vectors for row in rows.values()} == {b""}
    first = min(rows)
    target.attach("bob", {first: (1, b"x" * 16)}, space="other/8")
    assert copy(source, target, reembed=True, clock=clock).written == 0
    assert kept(target)["bob"][0][first].vectors == b"x" * 16


def ahead(target, how):
    """Let the target go on by itself."""
    if how == "a record":
        put(target, "user0", "new", "only here")
    elif how == "a version":
        put(target, "user0", "m1", "changed here")
    elif how == "another text":
        item = replace(target.get("user0", ["m1"])[0], content="changed here")
        target.put("user0", [Entry(item)], space=SPACE)
    else:
        target.touch("user0", {"m1": Use(7, START)})


@pytest.mark.parametrize("how", ["a record", "a version", "another text", "a use"])
def test_what_only_the_target_has_is_not_touched_unless_it_is_to_be_replaced(how):
    source, target = RAMStore(), RAMStore()
    fill(source, 5)
    copy(source, target)
    ahead(target, how)
    before = kept(target)
    with pytest.raises(Conflict, match="--replace"):
        copy(source, target)
    assert kept(target) == before
    copy(source, target, replace=True)
    assert kept(target) == kept(source)


def test_other_users_of_the_target_are_left_alone():
    source, target = RAMStore(), RAMStore()
    fill(source, 5)
    target.switch(None, SPACE)
    put(target, "someone", "x", "of someone else")
    copy(source, target, replace=True)
    assert [item.content for item in target.get("someone", ["x"])] == ["of someone else"]
    copy(source, target, users=["someone"], replace=True)
    assert "someone" not in target.users()


def test_a_source_that_changes_its_model_meanwhile_ends_it():
    class Restless(RAMStore):
        def scan(self, user_id, *, space, since=0):
            if self.space() == SPACE:
                self.switch(SPACE, "other/8")
            return super().scan(user_id, space=space, since=since)

    source = Restless()
    fill(source, 5)
    with pytest.raises(Conflict, match="another embedding model"):
        copy(source, RAMStore())


def test_a_batch_that_fails_leaves_nothing_of_it_and_the_next_call_goes_on():
    class Tired(RAMStore):
        puts = 0

        def put(self, user_id, entries, **more):
            self.puts += 1
            if self.puts == 3:
                raise StoreUnavailable("Out of reach.")
            super().put(user_id, entries, **more)

    source, target = RAMStore(), Tired()
    fill(source, 300)
    with pytest.raises(StoreUnavailable):
        copy(source, target)
    done = kept(target)
    assert {user: len(rows) for user, (rows, _) in done.items()} == {"user0": 256}
    again = copy(source, target)
    assert again.written == 3 * 375 - 256
    assert kept(target) == kept(source)


def test_a_target_that_does_not_keep_what_it_is_given_is_found_out():
    class Forgetful(RAMStore):
        def put(self, user_id, entries, **more):
            super().put(user_id, entries[1:], **more)

    source = RAMStore()
    fill(source, 5)
    with pytest.raises(StoreError, match="still differs after 5 rounds"):
        copy(source, Forgetful())


# --- killed


@pytest.mark.parametrize(("here", "there"), [("sqlite", "sqlite"), ("postgres", "redis")])
@pytest.mark.parametrize("kills", [CI, pytest.param(SOAK, marks=pytest.mark.soak)])
def test_killed_at_any_moment_it_goes_on_and_nothing_is_lost_or_doubled(
    homes, forker, here, there, kills
):
    rng = random.Random(kills)
    home = homes.new(here)
    with closing(home.open()) as source:
        fill(source, 300)
        wanted = kept(source)
    whole = forker.run("copy", home, homes.new(there))
    left = kills
    while left > 0:
        target = homes.new(there)
        for _ in range(10):
            left -= forker.run("copy", home, target, seconds=rng.uniform(0, whole)) is None
        forker.run("copy", home, target)
        with closing(target.open()) as store:
            assert kept(store) == wanted
            assert check(store) == []


# --- following


@pytest.mark.parametrize(
    ("here", "there"), [("sqlite", "postgres"), ("redis", "sqlite"), ("postgres", "redis")]
)
def test_what_others_write_delete_and_clear_meanwhile_is_followed(homes, here, there):
    home = homes.new(here)
    source, target = homes.open(home), homes.open(there)
    fill(source, 40)
    said: list[Copied] = []
    writers = [start_writing(home, seed, 150) for seed in range(2)]
    done = follow(
        source,
        target,
        stop=lambda: all(writer.poll() is not None for writer in writers),
        agreed=said.append,
    )
    assert [writer.returncode for writer in writers] == [0, 0]
    assert kept(target) == kept(source)
    assert done.fingerprint == copy(source, target).fingerprint
    assert done.written > 160


def test_following_ends_when_nothing_has_changed_for_a_while_and_says_when_both_agree():
    source, target, rng = RAMStore(), RAMStore(), random.Random(1)
    fill(source, 40)
    said: list[Copied] = []

    def write_on(done):
        said.append(done)
        assert kept(target) == kept(source)
        if len(said) < 5:
            for n in range(20):
                change(source, rng, f"{len(said)}-{n}")

    follow(source, target, idle=0.1, agreed=write_on)
    assert len(said) == 5
    assert kept(target) == kept(source)


def test_a_user_who_is_cleared_meanwhile_is_cleared_in_both():
    source, target = RAMStore(), RAMStore()
    fill(source, 40)
    follow(source, target, idle=0.1, agreed=lambda _: source.clear("user1"))
    assert target.users() == ["user0", "user2"]
    assert target.generation("user1") == 0


def test_uses_that_come_last_are_not_forgotten():
    source, target = RAMStore(), RAMStore()
    fill(source, 5)
    follow(source, target, idle=0.1, agreed=lambda _: source.touch("user0", {"m1": Use(3, START)}))
    assert kept(target) == kept(source)


def test_a_record_made_anew_under_its_old_id_is_followed():
    source, target = RAMStore(), RAMStore()
    fill(source, 8)

    def make_anew(_):
        if source.get("user0", ["m0"])[0].access_count:
            source.delete("user0", ["m0"])
            put(source, "user0", "m0", "another")

    follow(source, target, idle=0.1, agreed=make_anew)
    assert kept(target) == kept(source)
    assert target.get("user0", ["m0"])[0].content == "another"


def test_one_who_writes_to_the_target_while_it_follows_loses_nothing():
    source, target = RAMStore(), RAMStore()
    fill(source, 5)
    with pytest.raises(Conflict, match="such as new"):
        follow(source, target, idle=0.1, agreed=lambda _: put(target, "user0", "new", "here"))
    assert [item.content for item in target.get("user0", ["new"])] == ["here"]
