"""When a remote model is asked again, how long it is waited for, and how many ask at once."""

import asyncio
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
from bethink.errors import ModelError, ModelUnavailable, UsageError
from bethink.models.base import Prices
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
    llm._clients()  # importing the client is no part of it
    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match="did not answer within 0.4 seconds"):
        side.say(llm, "hello")
    assert time.monotonic() - began < 5


def test_a_stream_ends_at_its_deadline(connect, server, side):
    server.fail(Fault.TIMEOUT, times=100)
    llm = connect("text", "anthropic", policy={"deadline": 0.4, "attempts": 100, "timeout": 0.15})
    with pytest.raises(ModelUnavailable, match="did not answer within 0.4 seconds"):
        side.pieces(llm, "hello")


def test_queueing_counts_towards_the_deadline(connect, server):
    server.delay = 0.3
    llm = connect("text", "ollama", policy={"deadline": 0.45, "concurrency": 1}, fresh=True)
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(llm, "hello") for _ in range(4)]
    failed = [answer for answer in answers if answer.exception() is not None]
    assert len(failed) == 3
    assert all(isinstance(answer.exception(), ModelUnavailable) for answer in failed)


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
        ({"attempts": 0}, "attempts is 0: give 1 or more."),
        ({"concurrency": 0}, "concurrency is 0: give 1 or more."),
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
