"""When a remote model is asked again, how long it is waited for, and how many ask at once."""

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from bethink import FunctionEmbedder
from bethink.errors import ModelError, ModelRefused, ModelUnavailable, TextsRefused, UsageError
from bethink.models.base import Prices
from bethink.models.failures import Unusable
from bethink.models.keys import Key
from bethink.models.policy import Calls, Policy
from bethink.testing.providers import Fault
from bethink.types import Message
from tests.models.conftest import EMBEDDERS, QUICK

HELLO = [Message("user", "hello")]


def waits(server):
    return [b.when - a.when for a, b in pairwise(server.requests)]


# --- waiting


def test_what_the_provider_asks_to_wait_is_waited(connect, server):
    server.fail(Fault.RATE_LIMIT, retry_after=0.4)
    connect("text", "openai")("hello")
    [waited] = waits(server)
    assert 0.4 <= waited < 3


def test_a_wait_longer_than_the_deadline_is_not_begun(connect, server):
    server.fail(Fault.RATE_LIMIT, retry_after=60)
    with pytest.raises(ModelUnavailable) as caught:
        connect("text", "openai", policy={"deadline": 10})("hello")
    assert len(server.requests) == 1
    assert caught.value.retry_after == 60


def test_each_wait_is_twice_as_long(connect, server):
    server.fail(Fault.SERVER_ERROR, times=3)
    own = {"wait": 0.1, "longest_wait": 0.3, "jitter": 0}
    connect("text", "ollama", policy=own)("hello")
    first, second, third = waits(server)
    assert 0.1 <= first < second < third
    assert third >= 0.3


def test_a_call_ends_at_its_deadline_whatever_is_still_allowed(connect, server, side):
    server.fail(Fault.TIMEOUT, times=100)
    llm = connect("text", "openai", policy={"deadline": 0.4, "attempts": 100, "timeout": 0.15})
    llm.prepare()
    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match="did not answer within 0.4 seconds"):
        side.say(llm, "hello")
    assert time.monotonic() - began < 5


def test_a_stream_ends_at_its_deadline(connect, server, side):
    server.fail(Fault.TIMEOUT, times=100)
    llm = connect("text", "anthropic", policy={"deadline": 0.4, "attempts": 100, "timeout": 0.15})
    llm.prepare()
    with pytest.raises(ModelUnavailable, match="did not answer within 0.4 seconds"):
        side.pieces(llm, "hello")


def test_queueing_counts_towards_the_deadline(connect, server):
    server.delay = 0.3
    llm = connect("text", "ollama", policy={"deadline": 0.45, "concurrency": 1}, fresh=True)
    llm.prepare()
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(llm, "hello") for _ in range(4)]
    failed = [answer.exception() for answer in answers if answer.exception() is not None]
    assert len(failed) == 3
    assert all(isinstance(error, ModelUnavailable) for error in failed)


def test_making_the_client_counts_towards_the_deadline(connect, monkeypatch):
    llm = connect("text", "ollama", policy={"deadline": 0.2}, fresh=True)
    make = llm._clients._make

    def slowly():
        time.sleep(1)
        return make()

    monkeypatch.setattr(llm._clients, "_make", slowly)
    with pytest.raises(ModelUnavailable, match="The client of .* was not ready in time"):
        llm("hello")


def test_a_stream_that_waits_to_be_begun_again_leaves_its_place_to_others(connect, server):
    llm = connect("text", "ollama", policy={"concurrency": 1}, fresh=True)
    llm.prepare()
    server.fail(Fault.RATE_LIMIT, retry_after=1.5)
    with ThreadPoolExecutor(1) as pool:
        streamed = pool.submit(lambda: list(llm.stream(HELLO)))
        until(lambda: server.requests)
        began = time.monotonic()
        assert llm("hello") == "hello"
        assert time.monotonic() - began < 1
        assert streamed.result()[-1].text == "hello"


# --- the breaker


def broken(connect, server, **own):
    server.fail(Fault.SERVER_ERROR, times=100)
    own = {"attempts": 2, "failures": 3, "rest": 0.3} | own
    llm = connect("text", "ollama", policy=own, fresh=True)
    for _ in range(own["failures"]):
        with pytest.raises(ModelUnavailable, match="status 500"):
            llm("hello")
    return llm


def test_a_model_that_keeps_failing_is_left_alone(connect, server):
    llm = broken(connect, server, rest=60)
    with pytest.raises(ModelUnavailable, match="failed 3 times in a row and is left alone"):
        llm("hello")
    assert len(server.requests) == 3 * 2


def test_after_the_rest_one_call_tries_and_success_closes_the_breaker(connect, server):
    llm = broken(connect, server)
    server._script._plans.clear()
    time.sleep(0.35)
    assert llm("hello") == llm("hello") == "hello"


def test_a_trial_that_fails_starts_the_rest_anew(connect, server):
    llm = broken(connect, server)
    time.sleep(0.35)
    with pytest.raises(ModelUnavailable, match="status 500"):
        llm("hello")
    with pytest.raises(ModelUnavailable, match="left alone"):
        llm("hello")


def test_only_one_call_tries_after_the_rest(connect, server):
    llm = broken(connect, server)
    server._script._plans.clear()
    time.sleep(0.35)
    server.delay = 0.2
    before = len(server.requests)
    with ThreadPoolExecutor(5) as pool:
        answers = [pool.submit(llm, "hello") for _ in range(5)]
    assert sum(answer.exception() is None for answer in answers) == 1
    assert len(server.requests) - before == 1


def test_a_refusal_is_no_failure_of_the_model(connect, server):
    llm = connect("text", "openai", api_key="wrong", policy={"failures": 1}, fresh=True)
    for _ in range(3):
        with pytest.raises(ModelError, match="does not accept the key"):
            llm("hello")


def test_a_model_that_comes_back_in_time_is_not_left_alone(connect, server):
    llm = connect("text", "ollama", policy={"attempts": 1, "failures": 2}, fresh=True)
    for _ in range(3):
        server.fail(Fault.SERVER_ERROR)
        with pytest.raises(ModelUnavailable):
            llm("hello")
        llm("hello")


def test_calls_that_found_no_place_are_no_failures_of_the_model(connect):
    llm = connect("text", "ollama", policy={"deadline": 0.5, "failures": 1}, fresh=True)
    llm.prepare()
    calls = llm._calls()
    calls._places = asyncio.Semaphore(0)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="waited 0.5 seconds for a place"):
            llm("hello")
    calls._places = asyncio.Semaphore(1)
    assert llm("hello") == "hello"
    assert llm.usage.requests == 1


def test_an_error_of_ones_own_is_no_sign_of_the_model(connect, server):
    own = {"attempts": 1, "failures": 2, "rest": 60}
    llm = connect("text", "anthropic", policy=own, fresh=True)
    for _ in range(2):
        server.fail(Fault.SERVER_ERROR)
        with pytest.raises(UsageError, match="does not take this schema"):
            llm.complete(HELLO, schema={"properties": {}})
        with pytest.raises(ModelUnavailable, match="status 500"):
            llm("hello")
    with pytest.raises(ModelUnavailable, match="left alone"):
        llm("hello")
    assert llm.usage.requests == len(server.requests) == 2


@pytest.mark.parametrize("provider", ["anthropic", "openai", "ollama"])
def test_half_a_character_is_refused_and_no_failure_of_the_model(connect, server, side, provider):
    llm = connect("text", provider, policy={"failures": 1}, fresh=True)
    for ask in (side.say, side.pieces):
        with pytest.raises(ModelRefused, match="cannot be sent this text: it holds half a char"):
            ask(llm, "a \ud83d b")
    assert llm.usage.requests == len(server.requests) == 0
    assert llm("hello") == "hello"


@pytest.mark.parametrize("provider", ["openai", "ollama", "cohere"])
def test_a_text_with_half_a_character_is_named_and_others_are_embedded(connect, side, provider):
    embedder = connect("embeddings", provider)
    with pytest.raises(TextsRefused, match="half a character") as caught:
        side(embedder, "embed", ["tea", "a \ud83d b", "milk"])
    assert list(caught.value.refused) == [1]
    assert [row.any() for row in caught.value.vectors] == [True, False, True]


@pytest.mark.parametrize(
    "wrong", [ValueError("x"), AttributeError("x"), TypeError("x"), RuntimeError("closed")]
)
def test_a_call_that_does_not_fit_the_client_is_not_tried_again(wrong):
    tried = []

    async def request():
        tried.append(1)
        raise wrong

    async def main():
        calls = Calls("m", QUICK, Key(None), Prices())
        with pytest.raises(ModelError) as caught:
            await calls.call(request)
        assert type(caught.value) is ModelError
        return calls.usage.requests

    assert (asyncio.run(main()), len(tried)) == (0, 1)


@pytest.mark.parametrize(
    "passing", [OSError("x"), EOFError("x"), json.JSONDecodeError("x", "", 0), Unusable("x")]
)
def test_networks_and_answers_that_fail_are_tried_again(passing):
    async def request():
        raise passing

    async def main():
        calls = Calls("m", QUICK, Key(None), Prices())
        with pytest.raises(ModelUnavailable):
            await calls.call(request)
        return calls.usage.requests

    assert asyncio.run(main()) == QUICK.attempts


def test_an_answer_says_how_many_requests_it_took(connect, server, side):
    llm = connect("text", "openai")
    server.fail(Fault.SERVER_ERROR, times=2)
    assert side.say(llm, "hello").usage.requests == 3
    server.fail(Fault.SERVER_ERROR)
    assert side.pieces(llm, "hello")[-1].usage.requests == 2
    assert side.say(llm, "hello").usage.requests == 1


# --- how many at once


@pytest.mark.parametrize("provider", ["anthropic", "openai", "ollama"])
def test_two_hundred_async_calls_never_exceed_the_limit(connect, server, provider):
    server.delay = 0.01
    llm = connect("text", provider, policy={"concurrency": 8}, fresh=True)

    async def main():
        return await asyncio.gather(
            *(llm.acomplete([Message("user", f"number {n}")]) for n in range(200))
        )

    replies = asyncio.run(main())
    assert [reply.text for reply in replies] == [f"number {n}" for n in range(200)]
    assert server.most_in_flight == 8
    assert len(server.requests) == 200


def test_threads_and_loops_share_the_limit(connect, server):
    server.delay = 0.02
    llm = connect("text", "ollama", policy={"concurrency": 3}, fresh=True)

    async def several():
        await asyncio.gather(*(llm.acomplete(HELLO) for _ in range(5)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: asyncio.run(several()) if n % 2 else llm("hello"), range(16)))
    assert server.most_in_flight == 3


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_cancelling_a_call_ends_its_request_and_frees_its_place(connect, server, streamed):
    server.fail(Fault.TIMEOUT)
    llm = connect("text", "openai", policy={"concurrency": 1}, fresh=True)

    async def endless():
        if streamed:
            return [piece async for piece in llm.astream(HELLO)]
        return await llm.acomplete(HELLO)

    async def main():
        stuck = asyncio.create_task(endless())
        await asyncio.to_thread(until, lambda: server.requests)
        waiting = asyncio.create_task(llm.acomplete(HELLO))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        stuck.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stuck
        return await asyncio.wait_for(waiting, 10)

    assert asyncio.run(main()).text == "hello"
    assert len(server.requests) == 2
    until(lambda: server._in_flight == 0)


def until(true):
    ends = time.monotonic() + 10
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_leaving_a_stream_early_frees_its_place(connect, server):
    llm = connect("text", "anthropic", policy={"concurrency": 1}, fresh=True)
    for _ in range(3):
        for piece in llm.stream([Message("user", "one two three")]):
            assert piece == "one "
            break
    assert llm("hello") == "hello"


def test_cancelling_one_of_many_does_not_touch_the_others(connect, server):
    server.delay = 0.05
    llm = connect("text", "ollama", policy={"concurrency": 2}, fresh=True)

    async def main():
        tasks = [asyncio.create_task(llm.acomplete(HELLO)) for _ in range(10)]
        await asyncio.sleep(0.06)
        for task in tasks[::3]:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    done = asyncio.run(main())
    assert sum(not isinstance(reply, BaseException) for reply in done) >= 6
    assert all(isinstance(reply, asyncio.CancelledError) or reply.text == "hello" for reply in done)


# --- whoever calls


def test_calls_from_many_threads_share_one_client(connect):
    llm = connect("text", "openai", fresh=True)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(llm, ["hello"] * 32)) == {"hello"}


def test_a_model_outlives_the_loop_that_first_used_it(connect):
    llm = connect("text", "anthropic", fresh=True)
    for _ in range(3):
        assert asyncio.run(llm.acomplete(HELLO)).text == "hello"
    assert llm("hello") == "hello"


def test_a_plain_call_inside_a_loop_blocks_it_and_answers(connect):
    llm = connect("text", "ollama")

    async def main():
        return llm("hello")

    assert asyncio.run(main()) == "hello"


def test_a_call_that_would_wait_for_itself_is_told_so(connect):
    llm = connect("text", "ollama")

    async def embed(texts):
        llm("hello")  # blocks the loop that its answer would come on
        return [[1.0] for _ in texts]

    with pytest.raises(UsageError, match="would wait for itself: call the async method"):
        FunctionEmbedder(embed, dimension=1).embed(["a"])


def test_async_functions_may_await_a_model_where_they_run(connect):
    llm = connect("text", "ollama")

    async def embed(texts):
        reply = await llm.acomplete(HELLO)
        return [[len(reply.text), 1.0] for _ in texts]

    assert FunctionEmbedder(embed).embed(["a"]).shape == (1, 2)


@pytest.mark.parametrize("provider", EMBEDDERS)
def test_a_closed_model_opens_again(connect, side, provider):
    embedder = connect("embeddings", provider, fresh=True)
    with embedder:
        embedder.embed(["a"])
    assert side(embedder, "embed", ["a"]).shape == (1, 16)
    side(embedder, "close")
    side(embedder, "close")
    assert side(embedder, "embed", ["a"]).shape == (1, 16)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "ollama"])
def test_closing_a_model_waits_for_the_calls_under_way(connect, server, provider):
    llm = connect("text", provider, fresh=True)
    llm.prepare()
    server.delay = 0.3
    server.fail(Fault.SERVER_ERROR)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(llm, "hello")
        until(lambda: server.requests)
        llm.close()
        assert answer.result() == "hello"
    assert len(server.requests) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_asks_with_a_client_of_its_own(server):
    code = f"""
import os, sys
from bethink.models.url import open_embedder, open_llm
llm = open_llm("openai:m", api_key="key-for-tests", base_url={server.url("openai")!r})
embedder = open_embedder("voyage:m", api_key="key-for-tests", base_url={server.url("voyage")!r})
llm("hello"), embedder.embed(["a"])
child = os.fork()
assert llm("hello") == "hello"
assert embedder.embed(["a"]).shape == (1, 16)
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_an_interrupted_wait_cancels_the_request(connect, server):
    server.fail(Fault.TIMEOUT)
    llm = connect("text", "ollama", fresh=True)

    def interrupt():
        until(lambda: server.requests)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        llm("hello")
    thread.join()
    until(lambda: server._in_flight == 0)


# --- what may be set


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"attempts": 0}, "attempts is 0: give a whole number, 1 or more."),
        ({"attempts": 2.5}, "attempts is 2.5: give a whole number, 1 or more."),
        ({"concurrency": 0}, "concurrency is 0: give a whole number, 1 or more."),
        ({"concurrency": "3"}, "concurrency is '3': give a whole number, 1 or more."),
        ({"failures": -1}, "failures is -1: give a whole number, 0 or more."),
        ({"timeout": math.nan}, "timeout is nan: give more than 0 seconds."),
        ({"wait": -1}, "wait is -1: give 0 seconds or more."),
        ({"longest_wait": None}, "longest_wait is None: give 0 seconds or more."),
        ({"jitter": -1}, "jitter is -1: give 0 seconds or more."),
        ({"rest": -1}, "rest is -1: give 0 seconds or more."),
        ({"timeout": 0}, "timeout is 0: give more than 0 seconds."),
        ({"deadline": -1}, "deadline is -1: give more than 0 seconds."),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(wrong, complaint):
    with pytest.raises(UsageError, match=complaint):
        Policy(**wrong)


# --- streams


def test_a_stream_that_shows_signs_of_life_is_waited_for():
    async def thinking():
        for _ in range(6):
            await asyncio.sleep(0.1)
            yield ""
        yield "so"
        yield ""
        yield "it is"

    async def main():
        calls = Calls("m", Policy(timeout=0.4, deadline=20), Key(None), Prices())
        return [piece async for piece in calls.stream(thinking)], calls.usage.requests

    assert asyncio.run(main()) == (["so", "it is"], 1)


def test_a_stream_that_gives_nothing_is_tried_again_and_then_an_error():
    async def silent():
        for _ in range(2):
            yield ""

    async def main():
        calls = Calls("m", QUICK, Key(None), Prices())
        with pytest.raises(ModelUnavailable, match="m ended its answer before it began"):
            [piece async for piece in calls.stream(silent)]
        return calls.usage.requests

    assert asyncio.run(main()) == QUICK.attempts
