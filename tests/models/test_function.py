import asyncio
import functools
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bethink.errors import ModelError, ModelUnavailable, UsageError
from bethink.models.function import FunctionEmbedder, as_embedder, caller_loop
from bethink.models.local import LocalEmbedder


def lengths(texts):
    return [[len(text), 1.0, 2.0] for text in texts]


async def slow_lengths(texts):
    await asyncio.sleep(0)
    return lengths(texts)


class Client:
    """As people write them: made once, called often."""

    def __call__(self, texts):
        return lengths(texts)

    def embed_all(self, texts):
        return lengths(texts)


# --- what it takes


@pytest.mark.parametrize(
    "fn",
    [
        lengths,
        slow_lengths,
        Client(),
        Client().embed_all,
        functools.partial(lengths),
        lambda texts: np.array(lengths(texts)),
        lambda texts: [np.array(vector, np.float16) for vector in lengths(texts)],
        lambda texts: slow_lengths(texts),  # noqa: PLW0108
    ],
)
def test_anything_that_returns_vectors_embeds(fn):
    vectors = FunctionEmbedder(fn).embed(["a", "four"])
    assert vectors.dtype == np.float32
    expected = np.array([[1, 1, 2], [4, 1, 2]]) / np.sqrt([[6], [21]])
    assert vectors == pytest.approx(expected, abs=1e-3)


def test_the_function_gets_a_list():
    given = []

    def noting(texts):
        given.append(texts)
        return lengths(texts)

    FunctionEmbedder(noting, dimension=3).embed(("a", "b"))
    assert given == [["a", "b"]]


def test_texts_are_never_split():
    text = "word " * 10_000
    assert FunctionEmbedder(lengths).split(text) == [text]


@pytest.mark.parametrize(
    ("fn", "name"),
    [
        (lengths, f"{__name__}.lengths"),
        (Client(), f"{__name__}.Client"),
        (Client().embed_all, f"{__name__}.Client.embed_all"),
    ],
)
def test_the_name_is_that_of_the_function(fn, name):
    assert FunctionEmbedder(fn).name == name


def test_a_given_name_is_taken():
    assert FunctionEmbedder(lengths, name="ours").name == "ours"


@pytest.mark.parametrize("wrong", [None, 3, "text-embedding-3-small"])
def test_what_is_not_a_function_is_refused(wrong):
    with pytest.raises(UsageError, match="is not a function"):
        FunctionEmbedder(wrong)


def test_a_dimension_below_one_is_refused():
    with pytest.raises(UsageError, match="dimension is 0"):
        FunctionEmbedder(lengths, dimension=0)


# --- the dimension


def test_a_given_dimension_costs_no_call():
    def forbidden(texts):
        raise AssertionError(texts)

    assert FunctionEmbedder(forbidden, dimension=3).dimension == 3


def test_no_texts_cost_no_call_where_the_dimension_is_given():
    assert FunctionEmbedder(Client(), dimension=3).embed([]).shape == (0, 3)


def test_an_unknown_dimension_is_found_with_one_call_however_many_ask():
    calls = []

    def counted(texts):
        calls.append(texts)
        return lengths(texts)

    embedder = FunctionEmbedder(counted)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: embedder.dimension, range(32))) == {3}
    assert len(calls) == 1


def test_a_failed_look_at_the_dimension_is_tried_again():
    answers = [[], [[1.0, 2.0]]]
    embedder = FunctionEmbedder(lambda _: answers.pop(0))
    with pytest.raises(UsageError):
        embedder.dimension  # noqa: B018
    assert embedder.dimension == 2


# --- answers that are wrong


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ([[1, 2, 3]], "m returned 1 vectors for 2 texts."),
        ([[1, 2, 3]] * 3, "m returned 3 vectors for 2 texts."),
        ([[1, 2], [3, 4]], "m returned vectors of 2 numbers, not 3."),
        ([1, 2, 3], r"m returned an array of shape \(3,\), not one vector per text."),
        (None, r"m returned an array of shape \(\), not one vector per text."),
        ([[], []], r"m returned an array of shape \(2, 0\), not one vector per text."),
        ([[1, 2, 3], [1, 2]], "m did not return one list of numbers for each text"),
        ([["a", "b", "c"]] * 2, "m did not return one list of numbers for each text"),
        ({"data": []}, "m did not return one list of numbers for each text"),
        ([[1, 2, 3], [1, float("nan"), 3]], "m returned a vector with a number that is not finite"),
        ([[1, 2, 3], [1, float("inf"), 3]], "m returned a vector with a number that is not finite"),
        ([[1, 2, 3], [0, 0, 0]], "m returned a vector of only zeros."),
    ],
)
def test_a_wrong_answer_is_told_in_a_sentence(answer, complaint):
    with pytest.raises(UsageError, match=complaint):
        FunctionEmbedder(lambda _: answer, name="m", dimension=3).embed(["a", "b"])


@pytest.mark.parametrize("kind", [ValueError, ConnectionError, KeyError])
def test_an_error_of_the_function_is_the_cause(kind):
    def failing(texts):
        raise kind(texts[0])

    async def failing_later(texts):
        await asyncio.sleep(0)
        failing(texts)

    for fn in (failing, failing_later):
        with pytest.raises(ModelError, match=rf"^m failed: {kind.__name__}: ") as caught:
            FunctionEmbedder(fn, name="m", dimension=3).embed(["no such model"])
        assert isinstance(caught.value.__cause__, kind)


def test_an_error_of_ours_passes_as_it_is():
    def busy(_):
        raise ModelUnavailable("busy")

    with pytest.raises(ModelUnavailable, match=r"^busy$"):
        FunctionEmbedder(busy, dimension=3).embed(["a"])


# --- async functions


class LoopBound:
    """Like a client with open connections: works only on the loop that it was first used on."""

    def __init__(self):
        self.loop = None

    async def __call__(self, texts):
        running = asyncio.get_running_loop()
        self.loop = self.loop or running
        if self.loop is not running:
            raise RuntimeError("attached to a different loop")
        await asyncio.sleep(0.001)
        return lengths(texts)


def test_a_client_bound_to_a_loop_works_across_calls_and_threads():
    embedder = FunctionEmbedder(LoopBound())
    embedder.embed(["a"])
    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(lambda _: embedder.embed(["a"]), range(32)))) == 32


def test_async_functions_run_on_the_callers_loop_where_there_is_one():
    client = LoopBound()
    embedder = FunctionEmbedder(client)

    async def main():
        caller_loop.set(asyncio.get_running_loop())
        await asyncio.to_thread(embedder.embed, ["a"])
        assert client.loop is asyncio.get_running_loop()

    asyncio.run(main())


def test_a_thread_with_a_running_loop_may_call_without_a_deadlock():
    embedder = FunctionEmbedder(slow_lengths)

    async def main(*, known):
        caller_loop.set(asyncio.get_running_loop() if known else None)
        return embedder.embed(["a"])

    assert asyncio.run(main(known=True)).shape == (1, 3)
    assert asyncio.run(main(known=False)).shape == (1, 3)


def test_a_function_that_waits_for_its_own_embedder_is_told_so():
    async def circular(texts):
        return embedder.embed(texts)

    embedder = FunctionEmbedder(circular, dimension=3)
    with pytest.raises(UsageError, match="must not wait for its own embedder"):
        embedder.embed(["a"])


@pytest.mark.parametrize("closed", [False, True])
def test_a_loop_that_has_stopped_is_not_used(closed):
    stopped = asyncio.new_event_loop()
    if closed:
        stopped.close()
    token = caller_loop.set(stopped)
    try:
        assert FunctionEmbedder(slow_lengths).embed(["a"]).shape == (1, 3)
    finally:
        caller_loop.reset(token)
        stopped.close()


def test_a_loop_that_stops_in_the_middle_is_an_error_and_no_wait_without_end():
    begun, errors = threading.Event(), []

    async def endless(_):
        begun.set()
        await asyncio.sleep(3600)

    def call(loop):
        caller_loop.set(loop)
        try:
            FunctionEmbedder(endless, dimension=3).embed(["a"])
        except ModelError as error:
            errors.append(error)

    async def main():
        thread = threading.Thread(target=call, args=[asyncio.get_running_loop()])
        thread.start()
        await asyncio.to_thread(begun.wait)
        return thread

    asyncio.run(main()).join(timeout=30)
    assert len(errors) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_runs_async_functions():
    code = """
import os, sys
from bethink.models.function import FunctionEmbedder
async def fn(texts):
    return [[1.0, 2.0] for _ in texts]
embedder = FunctionEmbedder(fn)
embedder.embed(["a"])
child = os.fork()
assert embedder.embed(["a"]).shape == (1, 2)
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    run = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


# --- the door


def test_nothing_means_the_built_in_model_shared_by_all():
    assert isinstance(as_embedder(None), LocalEmbedder)
    assert as_embedder(None) is as_embedder(None)


def test_an_embedder_is_taken_as_it_is():
    embedder = FunctionEmbedder(lengths)
    assert as_embedder(embedder) is embedder


def test_taking_an_embedder_does_not_call_its_model():
    def forbidden(texts):
        raise AssertionError(texts)

    as_embedder(FunctionEmbedder(forbidden))


def test_a_function_is_wrapped():
    assert as_embedder(lengths).embed(["a"]).shape == (1, 3)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (LocalEmbedder, "LocalEmbedder is a class: give an instance of it."),
        ("all-MiniLM-L6-v2", "names no model: give a provider, a colon and its model"),
        (object(), "is no embedder: give a function"),
    ],
)
def test_anything_else_is_refused_with_a_hint(wrong, complaint):
    with pytest.raises(UsageError, match=complaint):
        as_embedder(wrong)
