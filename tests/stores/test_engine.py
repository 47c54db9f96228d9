"""Searches in what a store's engine proposes: as good as those in memory, and nothing is held."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import timedelta
from itertools import count

import numpy as np
import pytest

from bethink import Conflict, Layered, Memory, MemoryStore, RAMStore, UsageError, proposals
from bethink.index.user import Selection
from bethink.stores.postgres import PostgresStore
from bethink.stores.qdrant import QdrantStore
from bethink.stores.redis import RedisStore
from bethink.testing.redisserver import RedisServer
from bethink.types import KNOWN
from tests.conftest import START

WORDS = [f"{first}{last}" for first in ("mor", "tal", "gre", "ben", "lis") for last in "aeiouylnst"]
names = (f"engine{n}" for n in count())


@pytest.fixture(scope="module")
def redis():
    with RedisServer(search=True) as server:
        yield server


@pytest.fixture(params=["postgres", "query engine", "vector sets", "qdrant"])
def store(request, postgres, redis):
    name = next(names)
    makers: dict[str, Callable[[], MemoryStore]] = {
        "postgres": lambda: PostgresStore(postgres.url(), schema=name),
        "query engine": lambda: RedisStore(redis.url, prefix=name, engine="search"),
        "vector sets": lambda: RedisStore(redis.url, prefix=name, engine="sets"),
        "qdrant": lambda: QdrantStore("qdrant://:memory:"),
    }
    with closing(makers[request.param]()) as store:
        yield store


@pytest.fixture
def open_memory(quick, clock):
    """A memory on a store that several may share; looking for something counts as no use."""
    with ExitStack() as stack:

        def opened(store, **options):
            return stack.enter_context(
                Memory(store, embedder=quick, clock=clock, count_uses=False, **options)
            )

        yield opened


@pytest.fixture
def by_engine(store, open_memory):
    return open_memory(store, index="engine")


@pytest.fixture
def in_memory(store, open_memory):
    return open_memory(store)


def sentences(seed, number):
    rng = np.random.default_rng(seed)
    ranks = np.minimum(rng.zipf(1.4, (number, 8)), len(WORDS)) - 1
    return [" ".join(WORDS[rank] for rank in some) for some in ranks.tolist()]


def said(seed, number, *speakers):
    """Messages of two speakers, in sessions of ten."""
    return [
        {
            "content": text,
            "kind": "message",
            "speaker": speakers[n % 2],
            "session_id": f"{speakers[0]} {n // 10}",
            "created_at": START - timedelta(minutes=1000 - n),
        }
        for n, text in enumerate(sentences(seed, number))
    ]


def known(seed, number):
    """Memories with everything that one can filter by."""
    return [
        {
            "content": text,
            "agent_id": f"agent {n % 10}",
            "importance": n % 20 / 20,
            "metadata": {"topic": f"topic {n % 15}", "number": n},
            "created_at": START - timedelta(hours=n),
        }
        for n, text in enumerate(sentences(seed, number))
    ]


def fill(memory, *items):
    for some in items:
        memory.add_many(some, user_id="ann")


def a_few(memory):
    fill(memory, said(1, 60, "Ann", "Ben"), said(2, 60, "user", "assistant"), known(3, 60))


def many(memory):
    fill(memory, known(4, 900))


def ids(hits):
    return [hit.item.id for hit in hits]


def assert_alike(found, expected):
    assert ids(found) == ids(expected)
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=1e-3)
    assert [hit.relevance for hit in found] == pytest.approx(
        [hit.relevance for hit in expected], abs=1e-3
    )


# --- the same hits


def test_where_everything_is_proposed_the_hits_are_the_same(by_engine, in_memory):
    a_few(in_memory)
    for query in [*sentences(5, 8), "What did you say about tale?", 'Who said "mora tali"?']:
        for limit in (3, 10, 200):
            found = by_engine.search(query, user_id="ann", limit=limit)
            assert_alike(found, in_memory.search(query, user_id="ann", limit=limit))
            assert len(found) == min(limit, 180)


@pytest.mark.parametrize(
    "narrowed",
    [
        {"kinds": ["semantic"], "min_importance": 0.9},
        {"kinds": ["message"], "session_id": "user 3"},
        {"agent_id": "agent 7"},
        {"where": {"topic": "topic 3"}},
        {"where": {"number": {"$lt": 5}}, "min_importance": 0.1},
        {"where": {"topic": "nothing of the kind"}},
    ],
)
def test_filters_leave_the_same(by_engine, in_memory, narrowed):
    a_few(in_memory)
    found = by_engine.search("tale grea", user_id="ann", limit=30, **narrowed)
    expected = in_memory.search("tale grea", user_id="ann", limit=30, **narrowed)
    assert sorted(ids(found)) == sorted(ids(expected))
    assert ids(found)[:1] == ids(expected)[:1]


def test_of_many_the_best_are_found(by_engine, in_memory):
    many(in_memory)
    same = [
        set(ids(by_engine.search(query, user_id="ann")))
        & set(ids(in_memory.search(query, user_id="ann")))
        for query in sentences(6, 8)
    ]
    assert min(map(len, same)) > 5
    assert sum(map(len, same)) >= 8 * 8


def test_a_narrow_filter_is_worth_asking_for_more(by_engine, in_memory):
    many(in_memory)
    for narrowed in (
        {"where": {"number": {"$in": [17, 400, 801]}}},
        {"where": {"topic": "topic 7"}, "min_importance": 0.85},
    ):
        found = by_engine.search("bens mora", user_id="ann", **narrowed)
        expected = in_memory.search("bens mora", user_id="ann", **narrowed)
        assert sorted(ids(found)) == sorted(ids(expected))
        assert found


def test_more_is_asked_for_up_to_a_bound(by_engine, in_memory, monkeypatch):
    many(in_memory)
    asked = []
    candidates = by_engine.store.candidates

    def counted(user_id, probe, *, space):
        asked.append(probe.limit)
        return candidates(user_id, probe, space=space)

    monkeypatch.setattr(proposals, "MOST", 500)
    monkeypatch.setattr(by_engine.store, "candidates", counted)
    assert by_engine.search("bens mora", user_id="ann", where={"topic": "none"}) == []
    assert asked == [200, 500]
    assert len(by_engine.search("bens mora", user_id="ann", limit=600)) == 600
    assert asked == [200, 500, 610]


def test_as_many_hits_as_asked_for(by_engine, in_memory):
    many(in_memory)
    assert len(by_engine.search("bens mora", user_id="ann", limit=850)) == 850


def test_without_an_embedder_words_propose(by_engine, in_memory, quick, monkeypatch):
    a_few(in_memory)

    def down(texts):
        raise ConnectionError

    in_memory.flush()
    monkeypatch.setattr(quick, "_fn", down)
    found = by_engine.search("greo", user_id="ann", limit=3)
    assert found.degraded
    assert all("greo" in hit.item.content for hit in found)


# --- what else looks


def test_a_context_is_the_same(by_engine, in_memory):
    fill(in_memory, said(1, 60, "Ann", "Ben"), known(3, 60))
    in_memory.add_many(
        [
            {"content": content, "speaker": speaker, "created_at": START + timedelta(minutes=n)}
            for n, (speaker, content) in enumerate(
                [("Ann", "Where did Ben go in spring?"), ("Ben", "Greenland, for two weeks!")]
            )
        ],
        user_id="ann",
        kind="message",
        session_id="travels",
    )
    expected = in_memory.recall("Greenland", user_id="ann", least=0)
    assert "Where did Ben go in spring?" in str(expected)
    assert str(by_engine.recall("Greenland", user_id="ann", least=0)) == str(expected)


def test_an_explanation_tells_what_was_not_proposed(by_engine, in_memory):
    many(in_memory)
    first = by_engine.search("tale grea mori", user_id="ann", limit=1)[0]
    told = by_engine.explain("tale grea mori", first.item.id, user_id="ann")
    assert (told.returned, told.rank) == (True, 1)
    everything = in_memory.search("tale grea mori", user_id="ann", limit=900)
    told = by_engine.explain("tale grea mori", everything[-1].item.id, user_id="ann")
    assert not told.returned
    assert told.searched < 900
    assert "did not propose it" in str(told)


def test_what_is_alike_is_found_by_the_engine(by_engine, in_memory):
    many(in_memory)
    text = sentences(4, 1)[0]
    vectors = in_memory.records.embed_texts([text])[text]
    selection = Selection(("semantic",))
    found = by_engine.records.near("ann", vectors, selection, 0.9)
    assert found
    assert sorted(found) == sorted(in_memory.records.near("ann", vectors, selection, 0.9))
    assert by_engine.records.near("bob", vectors, selection, 0.9) == []


def test_everything_else_works_and_nothing_is_held(by_engine, in_memory):
    a_few(by_engine)
    by_engine.remember("I moved to Lisbon in May.", user_id="ann", session_id="today")
    by_engine.remember("I moved to Lisbon in May!", user_id="ann", session_id="today")
    assert by_engine.sessions(user_id="ann") == in_memory.sessions(user_id="ann")
    listed = by_engine.get_user_memories(user_id="ann", kinds=KNOWN)
    assert listed == in_memory.get_user_memories(user_id="ann", kinds=KNOWN)
    assert len(listed) > 60
    oldest = listed[-1].id
    by_engine.update(oldest, user_id="ann", content="Porto is on the Douro.")
    assert by_engine.search("Porto", user_id="ann", limit=1)[0].item.id == oldest
    by_engine.forget(oldest, user_id="ann")
    assert oldest not in ids(by_engine.search("Porto", user_id="ann"))
    assert by_engine.recall("Lisbon", user_id="ann")
    assert by_engine.clear_session("today", user_id="ann")
    assert by_engine.search("Lisbon", user_id="bob") == []
    assert by_engine.records.open().cache.nbytes == 0
    assert in_memory.records.open().cache.nbytes > 0


# --- when the engine is asked


def test_a_user_who_grows_beyond_the_bound_goes_over_to_the_engine(store, open_memory, in_memory):
    bounded = open_memory(store, index_bytes=250_000)
    a_few(bounded)
    assert_alike(bounded.search("tale", user_id="ann"), in_memory.search("tale", user_id="ann"))
    assert not bounded.records.proposed("ann")
    many(bounded)
    bounded.search("tale", user_id="ann")
    assert bounded.records.proposed("ann")
    assert not bounded.records.proposed("bob")
    found = bounded.search("tale grea mori", user_id="ann")
    assert set(ids(found)) & set(ids(in_memory.search("tale grea mori", user_id="ann")))
    assert bounded.records.open().cache.nbytes == 0
    bounded.clear(user_id="ann")
    fill(bounded, known(7, 10))
    assert len(bounded.get_user_memories(user_id="ann")) == 10
    assert not bounded.records.proposed("ann")


def test_a_memory_that_was_embedded_anew_is_to_be_opened_again(by_engine, store):
    fill(by_engine, known(8, 5))
    store.switch(store.space(), "other/8")
    with pytest.raises(Conflict, match="embedded anew"):
        by_engine.search("tale", user_id="ann")


@pytest.mark.parametrize("make", [RAMStore, lambda: Layered(RAMStore(), RAMStore())])
def test_a_store_without_an_engine_is_refused(make, quick):
    with pytest.raises(UsageError, match="has no index of its own.*Leave out index='engine'"):
        Memory(make(), embedder=quick, index="engine")


def test_layers_that_have_engines_have_one_together(redis, postgres, open_memory):
    name = next(names)
    layers = Layered(RedisStore(redis.url, prefix=name), PostgresStore(postgres.url(), schema=name))
    in_memory, by_engine = open_memory(layers), open_memory(layers, index="engine")
    a_few(in_memory)
    for query in sentences(9, 3):
        for kinds in (["message"], ["semantic"], ["message", "semantic"]):
            found = by_engine.search(query, user_id="ann", kinds=kinds, limit=180)
            expected = in_memory.search(query, user_id="ann", kinds=kinds, limit=180)
            assert sorted(ids(found)) == sorted(ids(expected))
        assert_alike(found, expected)


def test_layers_of_which_one_has_no_engine_have_none():
    layers = Layered(RAMStore(), QdrantStore("qdrant://:memory:"))
    assert not hasattr(layers, "candidates")
    layers.close()
