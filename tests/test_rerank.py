"""A second opinion on what was found."""

import logging
import math
import threading
from contextlib import contextmanager
from typing import Any

import pytest

from bethink import FunctionEmbedder, Memory, ModelUnavailable, TextsRefused, UsageError
from bethink.models.policy import Policy
from bethink.models.url import open_reranker
from bethink.rerank import POOL
from bethink.testing.models import ScriptedReranker
from bethink.testing.providers import Fault, ProviderServer
from tests.conftest import letters

LIKES = ["Likes tea", "Likes milk", "Likes ramen"]


class Own:
    """A reranker that does as it is told."""

    name = "own"

    def __init__(self, score):
        self.score = score


@pytest.fixture
def opened():
    """Opens memories with a reranker and something to rank."""
    memories = []

    def open_with(reranker, contents=LIKES, seconds=60.0):
        embedder = FunctionEmbedder(letters, name="letters", dimension=16)
        memory = Memory(embedder=embedder, reranker=reranker, rerank_seconds=seconds)
        memories.append(memory)
        memory.add_many(contents, user_id="ann")
        return memory

    yield open_with
    for memory in memories:
        memory.close()


def contents(hits):
    return [hit.item.content for hit in hits]


def test_without_a_reranker_nobody_is_asked(memory):
    memory.add_many(LIKES, user_id="ann")
    hits = memory.search("tea", user_id="ann")
    assert contents(hits)[0] == "Likes tea"
    assert hits.degraded is None
    assert all("reranker" not in hit.factors for hit in hits)


def test_a_reranker_changes_the_order_and_its_share_is_a_factor(opened):
    reranker = ScriptedReranker({"Likes ramen": 9.0})
    memory = opened(reranker)
    hits = memory.search("tea", user_id="ann", explain=True)
    assert contents(hits)[0] == "Likes ramen"
    assert hits[0].factors["reranker"] > 0 > hits[-1].factors["reranker"]
    assert hits.degraded is None
    assert reranker.queries == ["tea"]
    told = memory.explain("tea", hits[0].item.id, user_id="ann")
    assert "Most for it: reranker (+" in str(told)
    told = memory.explain("tea", hits[2].item.id, user_id="ann", limit=1)
    assert told.hit.factors["reranker"] < 0
    assert "Most is lost in reranker" in str(told)


def test_a_reranker_that_finds_all_alike_changes_nothing(opened):
    plain = contents(opened(None).search("tea", user_id="ann"))
    assert contents(opened(ScriptedReranker({})).search("tea", user_id="ann")) == plain


def test_numbers_of_any_size_are_an_opinion(opened):
    for size in (1e-300, 1e300):
        memory = opened(ScriptedReranker({"Likes ramen": size, "Likes milk": -size}))
        hits = memory.search("tea", user_id="ann")
        shares = {hit.item.content: hit.factors["reranker"] for hit in hits}
        assert shares["Likes milk"] < shares["Likes tea"] < shares["Likes ramen"] < math.inf


def test_a_context_is_made_of_what_the_reranker_prefers(opened):
    memory = opened(ScriptedReranker({"Likes ramen": 9.0}))
    context = memory.recall("tea", user_id="ann", least=0)
    assert contents(context.hits)[0] == "Likes ramen"


def test_only_the_best_are_asked_about_and_all_that_were_wanted_are_returned(opened):
    asked = []

    def score(query, texts):
        asked.extend(texts)
        return [float(len(text)) for text in texts]

    memory = opened(Own(score), [f"tea {n}" for n in range(POOL + 30)])
    hits = memory.search("tea", user_id="ann", limit=POOL + 20)
    assert (len(asked), len(hits)) == (POOL, POOL + 20)
    assert all("reranker" in hit.factors for hit in hits[:POOL])
    assert all("reranker" not in hit.factors for hit in hits[POOL:])
    last = memory.search("tea", user_id="ann", limit=POOL + 30)[-1]
    told = memory.explain("tea", last.item.id, user_id="ann", limit=5)
    assert told.rank > POOL
    assert "not among the best, which the reranker was asked about" in str(told)


def test_one_memory_alone_needs_no_second_opinion(opened):
    def score(query, texts):
        raise AssertionError

    assert len(opened(Own(score), ["Likes tea"]).search("tea", user_id="ann")) == 1


# --- what goes wrong


def test_a_slow_reranker_is_not_waited_for_and_the_search_says_so(opened, caplog):
    go_on, done = threading.Event(), threading.Event()

    def score(query, texts):
        go_on.wait()
        done.set()
        return [0.0] * len(texts)

    plain = contents(opened(None).search("tea", user_id="ann"))
    with caplog.at_level(logging.WARNING):
        memory = opened(Own(score), seconds=0.01)
        hits = memory.search("tea", user_id="ann")
        context = memory.recall("tea", user_id="ann")
    assert not done.is_set()
    go_on.set()
    assert contents(hits) == plain
    assert hits.degraded == context.hits.degraded == "own took longer than 0.01 seconds."
    assert "Not reranked: own took longer" in caplog.text


def refusing(query, texts):
    raise ModelUnavailable("own is overloaded.")


def failing(query, texts):
    raise ZeroDivisionError("by zero")


@pytest.mark.parametrize(
    ("score", "says"),
    [
        (refusing, "own is overloaded."),
        (failing, "own failed: ZeroDivisionError."),
        (lambda query, texts: [math.nan] * len(texts), "did not give one number for each of 3"),
        (lambda query, texts: [math.inf] * len(texts), "did not give one number for each of 3"),
        (lambda query, texts: [1.0], "did not give one number for each of 3"),
        (lambda query, texts: [], "did not give one number for each of 3"),
        (lambda query, texts: None, "own failed: TypeError"),
        (lambda query, texts: ["good"] * len(texts), "own failed: ValueError"),
        (lambda query, texts: 7, "own failed: TypeError"),
        (lambda query, texts: [[1.0]] * len(texts), "did not give one number for each of 3"),
    ],
)
def test_a_reranker_that_fails_costs_nobody_the_search(opened, caplog, score, says):
    plain = contents(opened(None).search("tea", user_id="ann"))
    memory = opened(Own(score))
    hits = memory.search("tea", user_id="ann")
    assert contents(hits) == plain
    assert says in hits.degraded
    assert "by zero" not in caplog.text
    told = memory.explain("tea", hits[0].item.id, user_id="ann")
    assert told.hits.degraded == hits.degraded


def test_texts_that_a_reranker_refuses_do_not_spoil_the_others(opened):
    def score(query, texts):
        scores = [9.0 if text == "Likes ramen" else 0.0 for text in texts]
        raise TextsRefused("One was refused.", refused={0: "poison"}, vectors=scores)

    hits = opened(Own(score)).search("tea", user_id="ann")
    assert contents(hits)[0] == "Likes ramen"
    assert hits.degraded is None


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"reranker": object()}, "is not a reranker"),
        ({"reranker": "nobody:rerank"}, "nobody"),
        ({"reranker": ScriptedReranker({}), "rerank_seconds": 0}, "must be a number above 0"),
        ({"reranker": ScriptedReranker({}), "rerank_seconds": math.inf}, "number above 0"),
        ({"reranker": ScriptedReranker({}), "rerank_seconds": math.nan}, "number above 0"),
        ({"reranker": ScriptedReranker({}), "rerank_seconds": "long"}, "number above 0"),
        ({"reranker": ScriptedReranker({}), "rerank_seconds": True}, "number above 0"),
    ],
)
def test_what_is_no_reranker_or_no_time_is_refused(quick, settings, says):
    with pytest.raises(UsageError, match=says):
        Memory(embedder=quick, **settings)


# --- over the wire


@contextmanager
def at(server, provider):
    """A provider's reranker that asks the server, once for each search."""
    reranker: Any = open_reranker(
        f"{provider}:some-model",
        base_url=server.url(provider),
        api_key="a-key-for-tests",
        policy=Policy(timeout=20, deadline=30, attempts=1),
    )
    with reranker:
        yield reranker


@pytest.mark.parametrize("provider", ["cohere", "voyage"])
def test_a_provider_is_asked_over_the_wire_and_missed_when_it_is_down(opened, provider):
    with ProviderServer() as server, at(server, provider) as reranker:
        memory = opened(reranker, ["Maya", "Maya likes ramen", "Football on Sunday"])
        hits = memory.search("likes ramen", user_id="ann")
        assert contents(hits)[0] == "Maya likes ramen"
        assert hits.degraded is None
        assert hits[0].factors["reranker"] > 0
        [request] = server.requests
        assert request.body["query"] == "likes ramen"
        assert sorted(request.body["documents"]) == sorted(contents(hits))
        server.fail(Fault.SERVER_ERROR, provider=provider)
        hits = memory.search("likes ramen", user_id="ann")
        assert contents(hits)[0] == "Maya likes ramen"
        assert hits.degraded
        assert all("reranker" not in hit.factors for hit in hits)
        assert "a-key-for-tests" not in hits.degraded
