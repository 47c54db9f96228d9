"""Every provider through its official client, plain and awaited, well-behaved and not."""

import time

import numpy as np
import pytest

from bethink.errors import ModelError, ModelRefused, ModelUnavailable
from bethink.models.base import Prices, Reply, Tool, Usage
from bethink.testing.providers import Fault
from bethink.testing.providers import Reply as Scripted
from bethink.types import Message, ToolCall
from tests.models.conftest import EMBEDDERS, RERANKERS, TALKERS

PASSING = [Fault.RATE_LIMIT, Fault.SERVER_ERROR, Fault.OVERLOADED, Fault.TIMEOUT]
HALF_ANSWERS = [Fault.CUT_BODY, Fault.CUT_JSON]

WEATHER = Tool(
    "weather",
    "Tells the weather.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)

talkers = pytest.mark.parametrize("provider", TALKERS)
embedders = pytest.mark.parametrize("provider", EMBEDDERS)
rerankers = pytest.mark.parametrize("provider", RERANKERS)


def named(fault):
    return fault.name.lower()


def patience(fault, timeout=0.8):
    """What a policy says for a fault: only where there is no answer is the time worth limiting."""
    return {"attempts": 3, "timeout": timeout} if fault is Fault.TIMEOUT else {"attempts": 3}


def passing(server, fault):
    """Lets a fault happen, and pass; gives how many requests that takes."""
    times = 1 if fault is Fault.TIMEOUT else 2
    server.fail(fault, times=times, retry_after=0.01)
    return times + 1


# --- language models


@talkers
def test_an_answer_comes_with_what_it_used(connect, side, provider, server):
    server.say(Scripted("Paris.", input_tokens=12, output_tokens=3))
    llm = connect("text", provider, prices=Prices(input=1, output=10), fresh=True)
    reply = side.say(llm, "The capital of France?")
    assert reply == Reply("Paris.", (), "end", Usage(1, 12, 3, cost=42e-6))
    assert llm.usage == reply.usage


@talkers
def test_a_stream_gives_pieces_and_then_the_whole(connect, side, provider, server):
    server.say(Scripted("It is Paris.", input_tokens=12, output_tokens=3))
    *pieces, reply = side.pieces(connect("text", provider), "The capital of France?")
    assert len(pieces) == 3
    assert "".join(pieces) == reply.text == "It is Paris."
    assert reply.usage == Usage(1, 12, 3)


@talkers
def test_a_prompt_is_answered_with_a_text(connect, provider):
    assert connect("text", provider)("Say this.") == "Say this."


@talkers
def test_all_that_is_said_arrives(connect, side, provider, server):
    llm = connect("text", provider)
    side(
        llm,
        "complete",
        [
            Message("user", "Is it raining?"),
            Message("assistant", "", tool_calls=(ToolCall("c1", "weather", {"city": "Oslo"}),)),
            Message("tool", "It rains.", tool_call_id="c1"),
            Message("user", "And now?"),
        ],
        system="Be brief.",
        tools=[WEATHER],
        max_tokens=77,
        temperature=0.25,
    )
    [request] = server.requests
    body = str(request.body)
    for part in ("Be brief.", "Is it raining?", "Oslo", "It rains.", "And now?", "77", "0.25"):
        assert part in body
    assert "Tells the weather." in body


@talkers
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_tools_are_asked_for(connect, side, provider, server, streamed):
    server.say(
        Scripted(tool_calls=[{"id": "c1", "name": "weather", "arguments": {"city": "Oslo"}}])
    )
    llm = connect("text", provider)
    ask = side.pieces if streamed else side.say
    reply = ask(llm, "Is it raining in Oslo?", tools=[WEATHER])
    reply = reply[-1] if streamed else reply
    assert reply.stop == "tools"
    [asked] = reply.tool_calls
    assert (asked.name, asked.arguments) == ("weather", {"city": "Oslo"})
    assert asked.id


@talkers
def test_an_answer_that_reached_its_length_says_so(connect, side, provider, server):
    server.say(Scripted("Par", truncated=True))
    assert side.say(connect("text", provider), "?", max_tokens=1).stop == "length"


@talkers
@pytest.mark.parametrize("fault", [*PASSING, *HALF_ANSWERS, Fault.EMPTY_CHOICES], ids=named)
def test_what_passes_is_tried_again(connect, side, provider, server, fault):
    expected = passing(server, fault)
    llm = connect("text", provider, policy=patience(fault))
    assert side.say(llm, "hello").text == "hello"
    assert len(server.requests) == expected


@talkers
@pytest.mark.parametrize("fault", [*PASSING, Fault.EMPTY_CHOICES], ids=named)
def test_a_stream_that_has_not_begun_is_tried_again(connect, side, provider, server, fault):
    expected = passing(server, fault)
    llm = connect("text", provider, policy=patience(fault))
    assert side.pieces(llm, "hello")[-1].text == "hello"
    assert len(server.requests) == expected


@talkers
@pytest.mark.parametrize("fault", [*PASSING, *HALF_ANSWERS, Fault.EMPTY_CHOICES], ids=named)
def test_what_does_not_pass_is_an_error_after_as_many_attempts_as_allowed(
    connect, side, provider, server, fault
):
    server.fail(fault, times=100, retry_after=0.01)
    llm = connect("text", provider, policy=patience(fault, 0.1))
    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match=f"^{llm.name} "):
        side.say(llm, "hello")
    assert len(server.requests) == 3
    assert time.monotonic() - began < llm._calls().policy.deadline


@talkers
def test_a_stream_that_breaks_off_is_an_error_and_not_begun_anew(connect, side, provider, server):
    server.fail(Fault.CUT_STREAM, times=100)
    with pytest.raises(ModelUnavailable):
        side.pieces(connect("text", provider), "one two three four")
    assert len(server.requests) == 1


@pytest.mark.parametrize("provider", [name for name in TALKERS if name != "ollama"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_withheld_answer_is_refused_and_not_asked_for_again(
    connect, side, provider, server, streamed
):
    server.fail(Fault.CONTENT_FILTER, times=100)
    llm = connect("text", provider)
    with pytest.raises(ModelRefused, match=f"^{llm.name} withheld its answer"):
        (side.pieces if streamed else side.say)(llm, "hello")
    assert len(server.requests) == 1


@pytest.mark.parametrize("provider", [name for name in TALKERS if name != "ollama"])
def test_a_wrong_key_is_told_at_once(connect, side, provider, server):
    llm = connect("text", provider, api_key="wrong")
    with pytest.raises(ModelError, match="does not accept the key") as caught:
        side.say(llm, "hello")
    assert not isinstance(caught.value, ModelUnavailable)
    assert len(server.requests) == 1


@talkers
def test_a_model_that_is_not_there_is_told_at_once(connect, side, provider, server):
    llm = connect("text", provider, model="missing-model")
    with pytest.raises(ModelError, match="status 404") as caught:
        side.say(llm, "hello")
    assert not isinstance(caught.value, ModelUnavailable)
    assert len(server.requests) == 1


@talkers
def test_a_server_that_is_not_there_is_an_error_after_all_attempts(connect, provider):
    llm = connect("text", provider, base_url="http://127.0.0.1:9/v1", fresh=True)
    with pytest.raises(ModelUnavailable, match=f"^{llm.name} "):
        llm("hello")
    assert llm.usage.requests == 4


def test_a_server_of_ones_own_needs_no_key(connect, side, server):
    assert side.say(connect("text", "vllm", api_key=None), "hello").text == "hello"
    assert side(connect("embeddings", "vllm", api_key=None), "embed", ["a"]).shape == (1, 16)
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer none"}


# --- embedders


@embedders
def test_vectors_come_in_order_with_length_one(connect, side, provider, server):
    embedder = connect("embeddings", provider, prices=Prices(input=1), fresh=True)
    vectors = side(embedder, "embed", ["red apple", "blue sky", "red apple"])
    assert (vectors.shape, vectors.dtype) == ((3, 16), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert (vectors[0] == vectors[2]).all()
    assert (vectors[0] != vectors[1]).any()
    assert embedder.dimension == 16
    assert embedder.usage == Usage(1, 6, 0, cost=6e-6)
    assert len(server.requests) == 1


@embedders
def test_the_name_is_the_provider_and_the_model(connect, provider):
    name, _, _ = connect("embeddings", provider).name.partition("@")
    assert name == f"{provider}:some-model"


@embedders
def test_another_dimension_is_asked_for(connect, side, provider):
    embedder = connect("embeddings", provider, dimension=8)
    assert embedder.dimension == 8
    assert side(embedder, "embed", ["a"]).shape == (1, 8)


@embedders
def test_no_texts_are_no_vectors(connect, side, provider, server):
    assert side(connect("embeddings", provider, fresh=True), "embed", []).shape == (0, 16)
    assert side(connect("embeddings", provider, dimension=8), "embed", []).shape == (0, 8)
    assert len(server.requests) == 1  # where the dimension was not known


@pytest.mark.parametrize("provider", ["voyage", "cohere"])
def test_queries_and_documents_are_told_apart(connect, side, server, provider):
    embedder = connect("embeddings", provider)
    side(embedder, "embed_queries", ["a"])
    side(embedder, "embed", ["a"])
    [query, document] = [request.body["input_type"] for request in server.requests]
    assert (query, document) in {("query", "document"), ("search_query", "search_document")}


@embedders
@pytest.mark.parametrize("fault", [*PASSING, *HALF_ANSWERS, Fault.WRONG_COUNT], ids=named)
def test_vectors_that_fail_to_come_are_asked_for_again(connect, side, provider, server, fault):
    expected = passing(server, fault)
    embedder = connect("embeddings", provider, policy=patience(fault))
    assert side(embedder, "embed", ["a", "b"]).shape == (2, 16)
    assert len(server.requests) == expected


@embedders
@pytest.mark.parametrize("fault", [*PASSING, *HALF_ANSWERS, Fault.WRONG_COUNT], ids=named)
def test_vectors_that_never_come_are_an_error_after_as_many_attempts_as_allowed(
    connect, side, provider, server, fault
):
    server.fail(fault, times=100, retry_after=0.01)
    embedder = connect("embeddings", provider, policy=patience(fault, 0.1))
    with pytest.raises(ModelUnavailable, match=f"^{embedder.name} "):
        side(embedder, "embed", ["a", "b"])
    assert len(server.requests) == 3


@embedders
def test_vectors_of_another_length_are_an_error(connect, side, provider, server):
    embedder = connect("embeddings", provider)
    side(embedder, "embed", ["a"])
    server.fail(Fault.WRONG_DIMENSION)
    with pytest.raises(ModelError, match=r"vectors of 17 numbers, not 16"):
        side(embedder, "embed", ["a"])


@embedders
def test_vectors_that_are_not_normalised_are_made_so(connect, side, provider, server):
    server.fail(Fault.NOT_NORMALISED)
    vectors = side(connect("embeddings", provider), "embed", ["a"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)


# --- rerankers


@rerankers
def test_scores_come_in_the_order_of_the_texts(connect, side, provider):
    reranker = connect("reranking", provider)
    scores = side(reranker, "score", "red apple", ["blue sky", "red sky", "red apple"])
    assert scores == pytest.approx([0, 0.5, 1])
    assert side(reranker, "score", "red apple", []) == []


@rerankers
def test_more_texts_than_fit_a_request_are_scored_in_several(connect, side, provider, server):
    texts = [f"number {n}" for n in range(2500)]
    scores = side(connect("reranking", provider), "score", "number 2400", texts)
    assert len(server.requests) == 3
    assert (len(scores), int(np.argmax(scores))) == (2500, 2400)


@rerankers
@pytest.mark.parametrize("fault", [*PASSING, *HALF_ANSWERS], ids=named)
def test_scores_that_fail_to_come_are_asked_for_again(connect, side, provider, server, fault):
    expected = passing(server, fault)
    reranker = connect("reranking", provider, policy=patience(fault))
    assert side(reranker, "score", "a", ["a", "b"]) == [1, 0]
    assert len(server.requests) == expected


@rerankers
@pytest.mark.parametrize("fault", [*PASSING, *HALF_ANSWERS], ids=named)
def test_scores_that_never_come_are_an_error_after_as_many_attempts_as_allowed(
    connect, side, provider, server, fault
):
    server.fail(fault, times=100, retry_after=0.01)
    reranker = connect("reranking", provider, policy=patience(fault, 0.1))
    with pytest.raises(ModelUnavailable, match=f"^{reranker.name} "):
        side(reranker, "score", "a", ["a", "b"])
    assert len(server.requests) == 3
