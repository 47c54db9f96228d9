import random
import threading
import time
from contextlib import closing

import pytest

from bethink import Conflict, FunctionEmbedder, Memory, UsageError
from bethink.check import check
from bethink.entries import as_bytes, embed_whole, indexed
from bethink.models.base import space_of
from bethink.reembed import _embed_missing, reembed
from bethink.stores.redis import scripts
from tests.homes import SHARED, SORTS
from tests.movers import NEW, OLD, SPACE, backwards, change, fill, kept, put

CI, SOAK = 20, 100


@pytest.fixture
def filled(memory):
    memory.add_many([f"note {n}" for n in range(600)], user_id="ann")
    item = memory.add("Likes tea", user_id="bob")
    memory.update(item.id, user_id="bob", content="Likes coffee")
    return memory


def test_every_memory_is_embedded_anew_and_then_the_new_model_is_used(filled, tmp_path):
    seen = []
    made = reembed(filled.store, NEW, progress=lambda done, total: seen.append((done, total)))
    assert made == 601
    assert seen[-1] == (601, 601)
    assert check(filled.store) == []
    with Memory(tmp_path / "agent.db", embedder=NEW) as memory:
        assert memory.search("coffee", user_id="bob")[0].item.content == "Likes coffee"
        assert (
            len(memory.history(memory.get_user_memories(user_id="bob")[0].id, user_id="bob")) == 2
        )


def test_stopped_half_way_it_goes_on_from_there(filled):
    calls = 0

    def tired(texts):
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return backwards(texts)

    with pytest.raises(KeyboardInterrupt):
        reembed(filled.store, FunctionEmbedder(tired, name="backwards", dimension=8))
    assert filled.search("note 7", user_id="ann")  # still with the old model
    assert reembed(filled.store, NEW) < 601


def test_doing_it_again_makes_nothing(filled):
    reembed(filled.store, NEW)
    assert reembed(filled.store, NEW) == 0


def test_what_is_written_meanwhile_is_embedded_too(filled):
    def busy(texts):
        if filled.store.space().startswith("letters"):
            filled.add(f"written meanwhile {len(texts)}", user_id="cy")
        return backwards(texts)

    reembed(filled.store, FunctionEmbedder(busy, name="backwards", dimension=8))
    space = filled.store.space()
    for user_id in ("ann", "bob", "cy"):
        rows = filled.store.scan(user_id, space=space).rows
        assert all(row.vectors for row in rows if "@" not in row.id)


def test_a_process_with_the_old_model_is_told_to_open_again(filled):
    filled.search("note", user_id="ann")
    reembed(filled.store, NEW)
    with pytest.raises(Conflict, match="Open it again"):
        filled.search("note", user_id="ann")
    with pytest.raises(Conflict):
        filled.add("Likes milk", user_id="ann")


def unsound(store):
    """The records whose vectors are not exactly those that the new model gives their text."""
    assert store.space() == space_of(NEW)
    for user_id, (rows, items) in kept(store).items():
        assert rows.keys() == items.keys()
        for item in items.values():
            right = as_bytes(embed_whole([item.text], NEW)[0]) if indexed(item) else b""
            if rows[item.id].vectors != right:
                yield user_id, item.id


class Meanwhile:
    """Threads that do something again and again until they are told to stop."""

    def __init__(self, *jobs):
        self.errors = []
        self.rounds = [0] * len(jobs)
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(n, job)) for n, job in enumerate(jobs)
        ]

    def _run(self, number, job):
        try:
            while not self._stop.is_set():
                job()
                self.rounds[number] += 1
        except BaseException as error:  # noqa: BLE001 (told to the test)
            self.errors.append(error)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert self.errors == []


class Searcher:
    """Searches with the model in use, and opens the memory again when that has changed."""

    def __init__(self, store):
        self.store, self.models = store, [OLD, NEW]
        self.memory = Memory(store, embedder=OLD, count_uses=False)

    def __call__(self):
        try:
            hits = self.memory.search("always there", user_id="steady")
        except (Conflict, UsageError):
            assert self.store.space() == space_of(NEW)
            self.memory = Memory(self.store, embedder=NEW, count_uses=False)
            return
        assert [hit.item.content for hit in hits] == ["always there"]


def look(store):
    """See that no vector is one of another model."""
    for model in (OLD, NEW):
        for user_id in store.users():
            rows = store.scan(user_id, space=space_of(model)).rows
            assert {len(row.vectors) for row in rows} <= {0, 2 * model.dimension}


@pytest.mark.parametrize("sort", SORTS)
def test_any_store_is_embedded_anew_while_it_is_searched_and_written_to(homes, sort):
    store, rng = homes.open(sort), random.Random(7)
    fill(store, 60)
    put(store, "steady", "m", "always there")

    def slowly(texts):
        time.sleep(0.03)  # so that others come in between
        return backwards(texts)

    jobs = (
        lambda: change(store, rng, "meanwhile"),
        lambda: look(store),
        Searcher(store),
    )
    with Meanwhile(*jobs) as meanwhile:
        reembed(store, FunctionEmbedder(slowly, name=NEW.name, dimension=NEW.dimension))
        rounds = list(meanwhile.rounds)
        while any(now < before + 3 for now, before in zip(meanwhile.rounds, rounds, strict=True)):
            assert meanwhile.errors == []
            time.sleep(0.01)
    reembed(store, NEW)  # what a writer who was late has left without
    assert list(unsound(store)) == []
    assert check(store) == []
    assert reembed(store, NEW) == 0


@pytest.mark.parametrize("sort", SHARED)
@pytest.mark.parametrize("kills", [CI, pytest.param(SOAK, marks=pytest.mark.soak)])
def test_killed_at_any_moment_it_goes_on_from_there(homes, forker, sort, kills):
    rng = random.Random(kills)
    first = homes.new(sort)
    with closing(first.open()) as store:
        fill(store, 200)
    whole = forker.run("reembed", first)
    left = kills
    while left > 0:
        home = homes.new(sort)
        with closing(home.open()) as store:
            fill(store, 200)
            for step in range(10):
                left -= forker.run("reembed", home, seconds=rng.uniform(0, whole)) is None
                change(store, rng, f"between {step}")
            wanted = {user_id: items for user_id, (_, items) in kept(store).items()}
            forker.run("reembed", home)
            assert {user_id: items for user_id, (_, items) in kept(store).items()} == wanted
            assert list(unsound(store)) == []
            assert check(store) == []


def test_a_switch_that_did_not_reach_every_user_is_finished(homes):
    store = homes.open("redis")
    fill(store, 5)
    _embed_missing(store, NEW, None)
    store._server.run(scripts.SWITCH, store._store, SPACE, space_of(NEW))  # and then it was killed
    assert store.space() == space_of(NEW)
    reembed(store, NEW)
    assert list(unsound(store)) == []
    with pytest.raises(Conflict):
        store.put("user0", [], space=SPACE)
    assert {row.vectors for row in store.scan("user0", space=SPACE).rows} == {b""}


@pytest.mark.parametrize("sort", SORTS)
def test_a_record_made_anew_meanwhile_does_not_keep_the_vectors_of_the_old_one(homes, sort):
    store = homes.open(sort)
    store.switch(None, SPACE)
    put(store, "ann", "fact", "lives in Lisbon")

    def busy(texts):
        if "lives in Lisbon" in texts:
            store.delete("ann", ["fact"])
            put(store, "ann", "fact", "lives in Berlin")
        return backwards(texts)

    reembed(store, FunctionEmbedder(busy, name=NEW.name, dimension=NEW.dimension))
    assert store.get("ann", ["fact"])[0].version == 1
    assert list(unsound(store)) == []
