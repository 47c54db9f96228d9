"""From a query to hits, and from a memory to why it is or is not among them."""

import logging
import math
from contextlib import closing
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink import FunctionEmbedder, Memory, NotFound, UsageError
from bethink.recall.arms import ARMS
from bethink.recall.factors import FACTORS, RERANKED
from bethink.testing.models import ScriptedReranker
from bethink.times import from_micros, to_micros
from bethink.types import ORIGINS, MemoryItem
from tests.conftest import START, letters

DAY = timedelta(days=1)
WORDS = ("tea", "milk", "Lisbon", "football", "Maya", "ramen", "the", "🎉")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
QUERIES = st.one_of(
    TEXTS,
    TEXTS.map(lambda text: f"What did you say about {text}?"),
    TEXTS.map(lambda text: f'Who said "{text}"?'),
    TEXTS.map(lambda text: f"I would like to go on about {text}. What do you think?"),
)
SAID = st.fixed_dictionaries(
    {
        "kind": st.just("message"),
        "speaker": st.sampled_from([None, "user", "assistant", "Ann", "Bob"]),
        "session_id": st.sampled_from([None, "monday", "tuesday"]),
    }
)
KNOWN = st.fixed_dictionaries({"kind": st.sampled_from(["semantic", "fact", "episode"])})
RECORDS = st.tuples(
    SAID | KNOWN,
    st.fixed_dictionaries(
        {
            "content": TEXTS,
            "importance": st.sampled_from([0.0, 0.3, 0.5, 1.0]),
            "origin": st.sampled_from(ORIGINS),
            "access_count": st.sampled_from([0, 1, 7, 500]),
            "flagged": st.booleans(),
            "created_at": st.integers(0, 400).map(lambda days: START - days * DAY),
        }
    ),
).map(lambda pair: {**pair[0], **pair[1]})
RERANKERS = st.none() | st.dictionaries(TEXTS, st.floats(-5, 5), max_size=5).map(ScriptedReranker)


def kept(fields, reranker=None):
    """A memory with these records of ann's."""
    embedder = FunctionEmbedder(letters, name="letters", dimension=16)
    memory = Memory(embedder=embedder, reranker=reranker, clock=lambda: START, rerank_seconds=60)
    items = [
        MemoryItem(
            id=f"{n:03}",
            user_id="ann",
            last_accessed=START if one["access_count"] else None,
            **one,
        )
        for n, one in enumerate(fields)
    ]
    memory.records.put_back("ann", items)
    return memory


def assert_adds_up(hit):
    assert set(hit.arms) == set(ARMS)
    assert set(hit.factors) - {RERANKED} == set(FACTORS)
    shares = [*hit.arms.values(), *hit.factors.values()]
    assert hit.score == pytest.approx(math.fsum(shares), abs=1e-3)
    assert 0 <= hit.relevance <= 1


@settings(deadline=None, max_examples=60)
@given(st.lists(RECORDS, min_size=1, max_size=30), QUERIES, st.integers(1, 12), RERANKERS)
def test_arms_and_factors_add_up_to_every_score_and_ranks_agree(fields, query, limit, reranker):
    with closing(kept(fields, reranker)) as memory:
        ids = [f"{n:03}" for n in range(len(fields))]
        told = [memory.explain(query, id_, user_id="ann", limit=limit) for id_ in ids]
        hits = memory.search(query, user_id="ann", limit=limit, explain=True)
        assert len(hits) == min(limit, len(fields))
        for hit in hits:
            assert_adds_up(hit)
            assert all(1 <= rank <= len(fields) for rank in hit.ranks.values())
        order = [hit.item.id for hit in hits]
        for id_, one in zip(ids, told, strict=True):
            assert_adds_up(one.hit)
            assert [hit.item.id for hit in one.hits] == order
            assert one.returned == (id_ in order) == (one.rank <= len(hits))
            if one.returned:
                assert one.rank == order.index(id_) + 1
                assert one.hit.score == pytest.approx(hits[one.rank - 1].score, abs=1e-3)
                assert one.hit.ranks == hits[one.rank - 1].ranks
            assert one.searched == len(fields)
        assert sorted(one.rank for one in told) == list(range(1, len(fields) + 1))


def test_the_rank_of_what_was_not_returned_is_its_place_in_a_longer_search():
    fields = [
        {"content": f"tea {'milk ' * (n % 7)}", "created_at": START + n * DAY, "access_count": 3}
        for n in range(120)
    ]
    with closing(kept(fields)) as memory:
        order = [hit.item.id for hit in memory.search("tea", user_id="ann", limit=120)]
        told = [memory.explain("tea", id_, user_id="ann", limit=10) for id_ in order]
        assert [one.rank for one in told] == list(range(1, 121))


# --- using, and whose it is


def test_to_explain_counts_as_no_use(memory):
    item = memory.add("Likes tea", user_id="ann")
    told = memory.explain("tea", item.id, user_id="ann")
    assert told.returned
    assert told.item.access_count == told.hits[0].item.access_count == 0
    memory.flush()
    assert memory.get(item.id, user_id="ann").access_count == 0


@pytest.mark.parametrize("other", ["bob", "nobody"])
def test_another_user_s_memory_is_not_found_and_nothing_is_told_about_it(memory, other):
    item = memory.add("Keeps a secret", user_id="ann", expires_in=DAY)
    memory.add("Likes tea", user_id="bob")
    with pytest.raises(NotFound) as caught:
        memory.explain("secret", item.id, user_id=other)
    assert str(caught.value) == f"This user has no memory with the id {item.id}."
    with pytest.raises(NotFound) as missing:
        memory.explain("secret", "no such id", user_id=other)
    assert str(missing.value) == str(caught.value).replace(item.id, "no such id")


def test_what_others_keep_does_not_change_an_explanation(memory):
    item = memory.add("Likes tea", user_id="ann")
    before = memory.explain("tea", item.id, user_id="ann")
    memory.add_many(["tea", "tea and milk", "tea in Lisbon"], user_id="bob")
    assert memory.explain("tea", item.id, user_id="ann") == before


# --- when it is asked


def test_a_search_that_is_asked_at_another_time_has_other_recent_memories(memory, clock):
    old = memory.add("tea", user_id="ann")
    clock.pass_by(300 * DAY)
    new = memory.add("tea", user_id="ann")
    recent = {
        hit.item.id: hit.factors["recent"]
        for hit in memory.search("tea", user_id="ann", at=clock.now + 365 * DAY)
    }
    assert recent[old.id] < recent[new.id] < 0.01
    recent = {
        hit.item.id: hit.factors["recent"] for hit in memory.search("tea", user_id="ann", at=START)
    }
    assert recent[old.id] == recent[new.id]


@pytest.mark.parametrize("at", [from_micros(-(2**55)), from_micros(2**56)])
def test_it_may_be_asked_in_any_year(memory, at):
    item = memory.add("tea", user_id="ann")
    assert to_micros(at)
    [hit] = memory.search("tea", user_id="ann", at=at)
    assert math.isfinite(hit.score)
    assert memory.explain("tea", item.id, user_id="ann", at=at).returned
    assert memory.recall("tea", user_id="ann", at=at, least=0) is not None


# --- what it has to do without


def test_a_search_without_its_embedder_goes_by_words_and_says_so(tmp_path, quick, caplog):
    with Memory(tmp_path / "agent.db", embedder=quick) as memory:
        memory.add_many(["Likes tea", "Supports Arsenal"], user_id="ann")
        assert memory.search("tea", user_id="ann").degraded is None

    def down(texts):
        raise ConnectionError("down")

    away = FunctionEmbedder(down, name="letters", dimension=16)
    with (
        caplog.at_level(logging.WARNING),
        Memory(tmp_path / "agent.db", embedder=away) as memory,
    ):
        hits = memory.search("tea", user_id="ann")
        assert hits[0].item.content == "Likes tea"
        assert hits.degraded == "The embedder is out of reach, so words alone decided."
        assert memory.recall("tea", user_id="ann").hits.degraded == hits.degraded
        told = memory.explain("tea", hits[0].item.id, user_id="ann")
        assert told.hits.degraded == hits.degraded


# --- bad input


def asked(memory, verb, **changed):
    arguments = {"query": "tea", "user_id": "ann", **changed}
    if verb == "explain":
        arguments["item_id"] = memory.add("Likes tea", user_id="ann").id
    return getattr(memory, verb)(**arguments)


VERBS = pytest.mark.parametrize("verb", ["search", "recall", "explain"])


@VERBS
@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"query": ""}, "query is empty"),
        ({"query": " \n\t"}, "query is empty"),
        ({"query": None}, "query must be a string"),
        ({"query": "x" * 100_000}, "query has 100,000 characters; the limit is 10,000"),
        ({"query": "tea\0"}, "a NUL character"),
        ({"user_id": None}, "user_id is missing"),
        ({"user_id": ""}, "user_id is missing"),
        ({"limit": 0}, "limit must be a whole number of at least 1"),
        ({"limit": True}, "limit must be a whole number"),
        ({"kinds": ["gossip"]}, "no kind 'gossip'; the kinds are"),
        ({"kinds": None}, "kinds must be a list"),
        ({"agent_id": ""}, "agent_id is empty"),
        ({"session_id": 7}, "session_id must be a string"),
        ({"where": {"a": {"$near": 1}}}, "the operators are"),
        ({"where": []}, "where must be a dictionary"),
        ({"at": datetime(2024, 5, 17)}, "at has no time zone"),  # noqa: DTZ001
        ({"at": "yesterday"}, "at must be a datetime"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(memory, verb, bad, says):
    memory.add("Likes tea", user_id="ann")
    with pytest.raises(UsageError, match=says):
        asked(memory, verb, **bad)


@pytest.mark.parametrize("budget", [0, -1, True, 2.5, "many", None])
def test_a_budget_is_a_whole_number_of_tokens(memory, budget):
    with pytest.raises(UsageError, match="budget must be a whole number of at least 1"):
        memory.recall("tea", user_id="ann", budget=budget)


@pytest.mark.parametrize("least", [-0.1, 1.1, math.nan, True, "high", None])
def test_the_least_relevance_is_a_number_from_0_to_1(memory, least):
    with pytest.raises(UsageError, match="least must be a number from 0 to 1"):
        memory.recall("tea", user_id="ann", least=least)


@pytest.mark.parametrize("bad", [None, "", 7, "x" * 300])
def test_an_id_is_a_text(memory, bad):
    with pytest.raises(UsageError, match="id "):
        memory.explain("tea", bad, user_id="ann")


@VERBS
def test_leaving_the_user_out_is_an_error(memory, verb):
    with pytest.raises(TypeError, match="user_id"):
        getattr(memory, verb)("tea", **({"item_id": "1"} if verb == "explain" else {}))


@VERBS
@pytest.mark.parametrize("query", ["the who is it", "🎉🎉", "?!", "\u200b.", "x" * 10_000, '""'])
def test_a_strange_query_gets_a_sensible_answer(memory, verb, query):
    memory.add("Likes tea", user_id="ann")
    assert asked(memory, verb, query=query) is not None
    if verb == "recall":
        assert "Likes tea" in memory.recall(query, user_id="ann", least=0)


@VERBS
def test_where_there_is_nothing_nothing_is_found(memory, verb):
    if verb == "explain":
        with pytest.raises(NotFound):
            memory.explain("tea", "1", user_id="ann")
    else:
        assert not asked(memory, verb)
