"""Every fault, as it reaches the official clients of the providers that can have it."""

import json
import math
import time
from concurrent.futures import ThreadPoolExecutor

import aiohttp
import anthropic
import httpx
import httpx2
import openai
import pytest
import requests
import voyageai

from bethink.testing.providers import Fault, ProviderServer
from tests.testing.clients import (
    ALL,
    CHATTING,
    EMBEDDING,
    ERRORS,
    Connection,
    headers,
    status,
)

TIMEOUTS = (
    openai.APITimeoutError,
    anthropic.APITimeoutError,
    voyageai.error.Timeout,
    httpx.ReadTimeout,
)
BROKEN = (
    openai.APIConnectionError,
    anthropic.APIConnectionError,
    voyageai.error.APIConnectionError,
    aiohttp.ClientPayloadError,
    httpx.RemoteProtocolError,
    httpx2.RemoteProtocolError,
)
UNREADABLE = (json.JSONDecodeError, voyageai.error.APIError)


@pytest.mark.parametrize("provider", ALL)
def test_a_rate_limit_says_when_to_come_back(server, connect, provider):
    model = connect(provider)
    server.fail(Fault.RATE_LIMIT, times=2, retry_after=0.05)
    for _ in range(2):
        with pytest.raises(ERRORS[provider]) as caught:
            model.anything()
        assert status(caught.value) == 429
        if provider != "ollama":  # whose client keeps no headers
            assert headers(caught.value)["retry-after"] == "0.05"
    model.anything()


@pytest.mark.parametrize("provider", ALL)
def test_a_server_error_is_a_500(server, connect, provider):
    model = connect(provider)
    server.fail(Fault.SERVER_ERROR)
    with pytest.raises(ERRORS[provider]) as caught:
        model.anything()
    assert status(caught.value) == 500
    model.anything()


@pytest.mark.parametrize("provider", ALL)
def test_an_overload_has_the_providers_own_status(server, connect, provider):
    server.fail(Fault.OVERLOADED)
    with pytest.raises(ERRORS[provider]) as caught:
        connect(provider).anything()
    assert status(caught.value) == (529 if provider == "anthropic" else 503)


@pytest.mark.parametrize("provider", ALL)
def test_a_timeout_is_the_clients_to_notice(server, connect, provider):
    model = connect(provider, timeout=0.2)
    server.fail(Fault.TIMEOUT)
    with pytest.raises(TIMEOUTS):
        model.anything()
    model.anything()


def test_a_request_that_hangs_does_not_hold_up_closing():
    server = ProviderServer()
    server.fail(Fault.TIMEOUT)
    model = Connection("openai", server, None, key="secret", timeout=30)
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(model.embed, ["tea"])
        while not server.requests:
            time.sleep(0.01)
        begin = time.monotonic()
        server.close()
        assert time.monotonic() - begin < 5
        assert isinstance(hanging.exception(timeout=30), openai.APIConnectionError)
    model.close()


def test_a_client_that_gave_up_is_no_longer_in_flight(server):
    server.fail(Fault.TIMEOUT)
    model = Connection("openai", server, None, key="secret", timeout=0.2)
    with pytest.raises(openai.APITimeoutError):
        model.embed(["tea"])
    deadline = time.monotonic() + 10
    while server._in_flight and time.monotonic() < deadline:
        time.sleep(0.01)
    model.embed(["tea"])
    model.close()
    assert [request.in_flight for request in server.requests] == [1, 1]


@pytest.mark.parametrize("provider", CHATTING)
def test_a_stream_breaks_off_in_the_middle_and_is_whole_the_next_time(server, connect, provider):
    model = connect(provider)
    server.say("one two three four five six seven eight")
    server.fail(Fault.CUT_STREAM)
    texts: list[str] = []
    with pytest.raises(BROKEN):
        texts.extend(model.streamed_text(part) for part in model.stream())
    assert "".join(texts).startswith("one two")
    assert "eight" not in "".join(texts)
    assert "".join(map(model.streamed_text, model.stream())).endswith("seven eight")


@pytest.mark.filterwarnings("ignore:The 'warn' method:DeprecationWarning")  # Voyage's own
@pytest.mark.parametrize("provider", ALL)
def test_a_body_breaks_off_in_the_middle(server, connect, provider):
    model = connect(provider)
    server.fail(Fault.CUT_BODY)
    with pytest.raises((*BROKEN, requests.exceptions.ChunkedEncodingError)):
        model.anything()
    model.anything()


@pytest.mark.parametrize("provider", ALL)
def test_half_a_json_arrives_as_if_it_were_whole(server, connect, provider):
    model = connect(provider)
    server.fail(Fault.CUT_JSON)
    with pytest.raises((*UNREADABLE, *ERRORS.values())):
        model.anything()
    model.anything()


@pytest.mark.parametrize("provider", EMBEDDING)
def test_vectors_have_one_number_too_many(server, connect, provider):
    server.fail(Fault.WRONG_DIMENSION)
    assert [len(vector) for vector in connect(provider).embed(["tea", "coffee"])] == [17, 17]


@pytest.mark.parametrize("provider", EMBEDDING)
def test_there_is_one_vector_too_few(server, connect, provider):
    model = connect(provider)
    server.fail(Fault.WRONG_COUNT)
    assert model.embed(["tea", "coffee"]) == model.embed(["tea"])


@pytest.mark.parametrize("provider", EMBEDDING)
def test_vectors_are_not_of_length_one(server, connect, provider):
    server.fail(Fault.NOT_NORMALISED)
    [vector] = connect(provider).embed(["tea"])
    assert math.hypot(*vector) == pytest.approx(3, abs=1e-5)


@pytest.mark.parametrize("fault", [Fault.EMPTY_CHOICES, Fault.CONTENT_FILTER])
@pytest.mark.parametrize("provider", CHATTING)
def test_a_completion_says_nothing_and_its_reply_is_kept(server, connect, provider, fault):
    model = connect(provider)
    server.say("Paris.")
    server.fail(fault)
    answer = model.ask([{"role": "user", "content": "Where to?"}])
    if provider == "anthropic":
        refused = fault is Fault.CONTENT_FILTER
        assert (answer.content, answer.stop_reason) == ([], "refusal" if refused else "end_turn")
    elif provider == "ollama":
        assert (answer.message.content, answer.done) == ("", True)
    elif fault is Fault.EMPTY_CHOICES:
        assert answer.choices == []
    else:
        assert answer.choices[0].finish_reason == "content_filter"
    assert model.chat() == "Paris."


@pytest.mark.parametrize("fault", [Fault.EMPTY_CHOICES, Fault.CONTENT_FILTER])
@pytest.mark.parametrize("provider", CHATTING)
def test_a_stream_says_nothing(server, connect, provider, fault):
    model = connect(provider)
    server.fail(fault)
    assert "".join(map(model.streamed_text, model.stream())) == ""


@pytest.mark.parametrize("provider", CHATTING)
def test_bad_json_is_json_that_does_not_fit(server, connect, provider):
    server.fail(Fault.BAD_JSON)
    assert json.loads(connect(provider).chat("Answer in JSON.")) == {"unexpected": True}


# --- which requests a fault befalls


def test_a_fault_may_be_for_one_provider_only(server):
    ours = Connection("openai", server, None, key="secret", timeout=30)
    theirs = Connection("nebius", server, None, key="secret", timeout=30)
    server.fail(Fault.SERVER_ERROR, provider="nebius")
    ours.embed(["tea"])
    with pytest.raises(openai.InternalServerError):
        theirs.embed(["tea"])
    ours.close()
    theirs.close()


def test_a_fault_may_be_for_one_path_only(server):
    model = Connection("openai", server, None, key="secret", timeout=30)
    server.fail(Fault.SERVER_ERROR, path="embeddings")
    model.chat()
    with pytest.raises(openai.InternalServerError):
        model.embed(["tea"])
    model.close()


def test_a_fault_waits_for_a_request_that_it_can_befall(server):
    model = Connection("openai", server, None, key="secret", timeout=30)
    server.fail(Fault.WRONG_DIMENSION)
    server.fail(Fault.CUT_STREAM)
    assert model.chat("tea") == "tea"
    [vector] = model.embed(["tea"])
    assert len(vector) == 17
    with pytest.raises(openai.APIConnectionError):
        list(model.stream())
    model.close()


def test_a_fault_may_take_its_time(server):
    model = Connection("openai", server, None, key="secret", timeout=30)
    server.fail(Fault.SERVER_ERROR, delay=0.2)
    begin = time.monotonic()
    with pytest.raises(openai.InternalServerError):
        model.embed(["tea"])
    assert time.monotonic() - begin >= 0.2
    model.close()


def test_a_client_that_retries_gets_through(server):
    server.fail(Fault.RATE_LIMIT, times=2, retry_after=0.05)
    with openai.OpenAI(base_url=server.url("openai"), api_key="secret", max_retries=2) as client:
        assert len(client.embeddings.create(model="m", input="tea").data) == 1
    waits = [b.when - a.when for a, b in zip(server.requests, server.requests[1:], strict=False)]
    assert all(0.05 <= wait < 5 for wait in waits)
