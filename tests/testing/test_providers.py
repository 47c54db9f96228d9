"""What holds for every provider, through its official client, sync and async."""

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from bethink import UsageError
from bethink.testing.providers import ProviderServer, Reply
from tests.testing.clients import (
    ALL,
    CHATTING,
    EMBEDDING,
    ERRORS,
    KEYED,
    RERANKING,
    Connection,
    status,
)

MOST = {"openai": 2048, "nebius": 2048, "voyage": 1000, "cohere": 96}


# --- completions


@pytest.mark.parametrize("provider", CHATTING)
def test_what_is_said_is_answered_in_order_and_then_the_user_is_echoed(server, connect, provider):
    model = connect(provider)
    server.say("Paris.")
    server.say(Reply("Rome."))
    answers = [model.chat("Where to?") for _ in range(3)]
    assert answers == ["Paris.", "Rome.", "Where to?"]


@pytest.mark.parametrize("provider", CHATTING)
def test_a_stream_brings_the_same_text_in_pieces(server, connect, provider):
    server.say("Green tea,\n  with  honey — 茶 🍵.")
    model = connect(provider)
    texts = [model.streamed_text(part) for part in model.stream()]
    assert "".join(texts) == "Green tea,\n  with  honey — 茶 🍵."
    assert len([text for text in texts if text]) > 3


@pytest.mark.parametrize("provider", CHATTING)
def test_two_streams_fit_on_one_connection(server, connect, provider):
    model = connect(provider)
    for _ in range(2):
        assert "".join(map(model.streamed_text, model.stream("tea for two"))) == "tea for two"


# --- embeddings


@pytest.mark.parametrize("provider", EMBEDDING)
def test_vectors_are_of_length_one_and_depend_on_the_text_only(connect, provider):
    model = connect(provider)
    first, second, again = model.embed(["green tea", "coffee", "green tea"])
    assert first == again != second
    assert len(first) == 16
    assert math.hypot(*first) == pytest.approx(1, abs=1e-6)
    assert model.embed(["coffee"]) == [second]


@pytest.mark.parametrize("provider", EMBEDDING)
def test_a_request_may_ask_for_a_dimension(connect, provider):
    [vector] = connect(provider).embed(["green tea"], dimension=5)
    assert len(vector) == 5
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("provider", MOST)
def test_more_texts_than_the_provider_takes_are_refused(connect, provider):
    model, most = connect(provider), MOST[provider]
    assert len(model.embed(["tea"] * most, dimension=2)) == most
    with pytest.raises(ERRORS[provider], match=str(most)) as caught:
        model.embed(["tea"] * (most + 1), dimension=2)
    assert status(caught.value) == 400


@pytest.mark.parametrize("texts", [[], ["tea", ""]])
@pytest.mark.parametrize("provider", MOST)
def test_empty_input_is_refused(connect, provider, texts):
    with pytest.raises(ERRORS[provider]) as caught:
        connect(provider).embed(texts)
    assert status(caught.value) == 400


@pytest.mark.parametrize("provider", EMBEDDING)
def test_one_poisoned_text_spoils_its_request_and_no_other(server, connect, provider):
    model = connect(provider)
    server.poison("arsenic")
    with pytest.raises(ERRORS[provider]) as caught:
        model.embed(["tea", "tea with arsenic", "coffee"])
    assert status(caught.value) == 400
    assert len(model.embed(["tea", "coffee"])) == 2


# --- reranking


@pytest.mark.parametrize("provider", RERANKING)
def test_documents_are_ranked_by_the_words_they_share_with_the_query(connect, provider):
    documents = ["black coffee", "some green tea", "green paint"]
    model = connect(provider)
    assert model.rerank("Green tea!", documents) == [(1, 1.0), (2, 0.5), (0, 0.0)]
    assert model.rerank("Green tea!", documents, most=1) == [(1, 1.0)]


@pytest.mark.parametrize("provider", RERANKING)
def test_ranking_nothing_is_refused(connect, provider):
    with pytest.raises(ERRORS[provider]) as caught:
        connect(provider).rerank("tea", [])
    assert status(caught.value) == 400


# --- keys and models


@pytest.mark.parametrize("provider", KEYED)
def test_the_wrong_key_is_refused_with_the_providers_own_error(connect, provider):
    with pytest.raises(ERRORS[provider], match=r"(?i)invalid|incorrect") as caught:
        connect(provider, key="wrong").anything()
    assert status(caught.value) == 401


@pytest.mark.parametrize("provider", ALL)
def test_a_model_that_is_not_there_is_refused(connect, provider):
    model = connect(provider)
    with pytest.raises(ERRORS[provider], match="missing-model") as caught:
        model.embed(["tea"], model="missing-model") if provider in EMBEDDING else model.chat(
            model="missing-model"
        )
    assert status(caught.value) == (400 if provider == "voyage" else 404)


# --- what came in


def test_requests_are_kept_in_order_with_what_they_said(server):
    before = time.monotonic()
    for provider in ("openai", "voyage"):
        model = Connection(provider, server, None, key="secret", timeout=30)
        model.embed(["tea"])
        model.close()
    first, second = server.requests
    assert (first.provider, first.method, first.path) == ("openai", "POST", "/v1/embeddings")
    assert first.body == {"model": "m", "input": ["tea"], "encoding_format": "base64"}
    assert first.headers["authorization"] == "Bearer secret"
    assert (second.provider, second.path) == ("voyage", "/v1/embeddings")
    assert before <= first.when <= second.when <= time.monotonic()
    assert (first.in_flight, second.in_flight, server.most_in_flight) == (1, 1, 1)


def test_requests_at_the_same_time_are_counted():
    with ProviderServer(delay=0.3) as server, ThreadPoolExecutor(4) as pool:
        model = Connection("openai", server, None, key="secret", timeout=30)
        list(pool.map(lambda _: model.embed(["tea"]), range(4)))
        model.close()
        assert server.most_in_flight == 4
        assert sorted(request.in_flight for request in server.requests) == [1, 2, 3, 4]
        model = Connection("openai", server, None, key="secret", timeout=30)
        model.embed(["tea"])
        model.close()
        assert server.requests[-1].in_flight == 1


def test_the_delay_is_kept():
    with ProviderServer(delay=0.2) as server:
        model = Connection("ollama", server, None, key="", timeout=30)
        begin = time.monotonic()
        model.chat()
        model.close()
        assert time.monotonic() - begin >= 0.2


# --- the server


def test_each_server_has_its_own_address():
    with ProviderServer() as one, ProviderServer() as other:
        assert one.url("openai") != other.url("openai")


@pytest.mark.parametrize(
    ("provider", "end"),
    [
        ("openai", "/openai/v1"),
        ("nebius", "/nebius/v1"),
        ("anthropic", "/anthropic"),
        ("voyage", "/voyage/v1"),
        ("cohere", "/cohere"),
        ("ollama", "/ollama"),
    ],
)
def test_the_address_is_the_base_url_of_the_official_client(server, provider, end):
    url = server.url(provider)
    assert url.startswith("http://127.0.0.1:")
    assert url.endswith(end)


def test_what_is_no_name_of_a_provider_is_refused(server):
    with pytest.raises(UsageError, match="is no name of a provider"):
        server.url("https://api.openai.com")


def test_a_dimension_below_one_is_refused():
    with pytest.raises(UsageError, match="dimension is 0"):
        ProviderServer(dimension=0)


def test_closing_twice_is_allowed_and_leaves_no_thread():
    server = ProviderServer()
    server.close()
    server.close()
    assert "bethink-providers" not in {thread.name for thread in threading.enumerate()}


def test_an_open_connection_does_not_hold_up_closing():
    server = ProviderServer()
    model = Connection("openai", server, None, key="secret", timeout=30)
    model.embed(["tea"])
    begin = time.monotonic()
    server.close()
    assert time.monotonic() - begin < 5
    model.close()
