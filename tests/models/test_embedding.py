"""Many texts through a remote embedder."""

import math
import subprocess
import sys

import numpy as np
import pytest

from bethink import Memory
from bethink.errors import (
    ModelError,
    ModelRefused,
    ModelUnavailable,
    TextsRefused,
    UsageError,
)
from bethink.models.base import space_of
from bethink.models.batches import Limits
from bethink.models.url import open_embedder
from bethink.testing.providers import Fault
from bethink.testing.providers.vectors import vector
from tests.models.conftest import EMBEDDERS

embedders = pytest.mark.parametrize("provider", EMBEDDERS)

AT_ONCE = {"openai": 2048, "nebius": 2048, "ollama": 512, "voyage": 1000, "cohere": 96}
MANY = [f"text number {n}" for n in range(10_000)]
SOME = (0, 1, 95, 96, 999, 1000, 2047, 2048, 5000, 9999)


@embedders
def test_ten_thousand_texts_take_as_few_requests_as_the_limits_allow(connect, provider, server):
    embedder = connect("embeddings", provider, dimension=16)
    vectors = embedder.embed(MANY)
    assert len(server.requests) == math.ceil(10_000 / AT_ONCE[provider])
    assert vectors.shape == (10_000, 16)
    for at in SOME:
        assert vectors[at] == pytest.approx(vector(MANY[at], 16), abs=1e-5)


@embedders
def test_one_poisonous_text_is_found_and_named_and_the_rest_is_embedded(
    connect, side, provider, server
):
    texts = [f"text number {n}" for n in range(300)]
    texts[123] = "arsenic"
    server.poison("arsenic")
    embedder = connect("embeddings", provider)
    with pytest.raises(TextsRefused, match="refused 1 of 300 texts. text 123: ") as caught:
        side(embedder, "embed", texts)
    assert list(caught.value.refused) == [123]
    vectors = caught.value.vectors
    assert not vectors[123].any()
    for at in (0, 122, 124, 299):
        assert vectors[at] == pytest.approx(vector(texts[at], 16), abs=1e-5)
    batch = min(300, AT_ONCE[provider])
    assert len(server.requests) <= math.ceil(300 / batch) + 1 + 2 * math.ceil(math.log2(batch))


def test_two_poisonous_texts_are_both_named(connect, server):
    server.poison("arsenic")
    with pytest.raises(TextsRefused) as caught:
        connect("embeddings", "openai").embed(["a", "arsenic", "b", "c", "more arsenic"])
    assert list(caught.value.refused) == [1, 4]


def test_a_single_poisonous_text_costs_one_request(connect, server):
    server.poison("arsenic")
    with pytest.raises(TextsRefused, match="text 0: "):
        connect("embeddings", "voyage").embed(["arsenic"])
    assert len(server.requests) == 1


def test_a_model_that_refuses_everything_is_not_asked_for_each_text(connect, server):
    server.poison("")
    with pytest.raises(ModelRefused) as caught:
        connect("embeddings", "openai").embed([f"text {n}" for n in range(1000)])
    assert not isinstance(caught.value, TextsRefused)
    assert len(server.requests) == 2


def test_too_many_poisonous_texts_end_the_search(connect, server):
    server.poison("arsenic")
    texts = ["arsenic", "a"] * 500
    with pytest.raises(ModelRefused, match="More than 16 texts were refused"):
        connect("embeddings", "openai").embed(texts)
    assert len(server.requests) < 200


def test_a_request_that_was_estimated_too_small_is_sent_in_halves(connect, server):
    embedder = connect("embeddings", "cohere", fresh=True)
    embedder.limits = Limits(texts=150, tokens=10**9, window=1000)  # the server takes 96
    assert embedder.embed(MANY[:150]).shape == (150, 16)


def test_a_failing_part_ends_the_whole(connect, server):
    server.fail(Fault.SERVER_ERROR, times=4)
    with pytest.raises(ModelUnavailable):
        connect("embeddings", "cohere", policy={"concurrency": 1}).embed(MANY[:960])
    assert len(server.requests) == 4


def test_batches_are_fetched_side_by_side(connect, server):
    server.delay = 0.02
    connect("embeddings", "cohere", policy={"concurrency": 4}).embed(MANY[:960])
    assert server.most_in_flight == 4


def test_long_texts_are_batched_by_their_tokens_and_split_at_the_window(connect, server):
    embedder = connect("embeddings", "openai")
    long = "many words " * 5000
    parts = embedder.split(long)
    assert len(parts) > 1
    embedder.embed(parts * 30)
    assert len(server.requests) > 1


def test_the_dimension_costs_one_short_request_at_most(connect, server):
    embedder = connect("embeddings", "voyage", fresh=True)
    assert [embedder.dimension, embedder.dimension] == [16, 16]
    assert len(server.requests) == 1


@embedders
def test_a_memory_takes_a_model_by_name_and_tells_queries_apart(
    server, provider, monkeypatch, tmp_path, connect
):
    embedder = connect("embeddings", provider)
    with Memory(tmp_path / "agent.db", embedder=embedder) as memory:
        memory.add("Supports Arsenal", user_id="john")
        [hit] = memory.search("Supports Arsenal", user_id="john", limit=1)
        assert hit.item.content == "Supports Arsenal"
        assert memory.store.space() == space_of(embedder) == f"{embedder.name}/16"
    kinds = [request.body.get("input_type") for request in server.requests]
    if provider in ("voyage", "cohere"):
        assert kinds[0] in ("document", "search_document")
        assert kinds[1] in ("query", "search_query")


def test_a_wrong_dimension_in_the_first_answer_is_not_believed_for_ever(connect, server, side):
    embedder = connect("embeddings", "openai", fresh=True)
    server.fail(Fault.WRONG_DIMENSION)
    assert side(embedder, "embed", ["a"]).shape == (1, 17)
    with pytest.raises(ModelError, match="vectors of 16 numbers, not 17 as in its first answer"):
        side(embedder, "embed", ["a"])
    for _ in range(2):
        assert side(embedder, "embed", ["a"]).shape == (1, 16)
    server.fail(Fault.WRONG_DIMENSION)
    with pytest.raises(ModelError, match="vectors of 17 numbers, not 16.$"):
        side(embedder, "embed", ["a"])
    assert side(embedder, "embed", ["a"]).shape == (1, 16)


@embedders
@pytest.mark.parametrize("dimension", [0, -3])
def test_a_dimension_below_one_is_refused(connect, provider, dimension):
    with pytest.raises(UsageError, match=f"dimension is {dimension}: give 1 or more"):
        connect("embeddings", provider, dimension=dimension)


@pytest.mark.parametrize("texts", ["hello", [None]])
def test_what_is_no_list_of_texts_is_refused(connect, server, side, texts):
    with pytest.raises(UsageError, match="text"):
        side(connect("embeddings", "voyage"), "embed", texts)
    assert server.requests == []


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        (None, "openai:m"),
        ("https://api.openai.com/v1", "openai:m"),
        ("http://localhost:8000/v1/", "openai:m@localhost:8000"),
        ("http://localhost:1234/v1", "openai:m@localhost:1234"),
        ("https://ann:secret@models.example/vllm/v1", "openai:m@models.example"),
    ],
)
def test_models_of_one_name_on_two_servers_have_two_names(base_url, name):
    made = open_embedder("openai:m", api_key="key-for-tests", base_url=base_url)
    assert made.name == name
    assert open_embedder(name, api_key="key-for-tests", base_url=base_url).name == name


def test_a_server_that_the_environment_names_is_in_the_name(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
    assert open_embedder("openai:m").name == "openai:m@localhost:8000"
    assert open_embedder("nebius:m", api_key="key-for-tests").name == "nebius:m"


MEASURE = """
import resource, sys
from bethink.models.url import open_embedder
embedder = open_embedder("openai:m", api_key="key-for-tests", base_url=sys.argv[1], dimension=128)
texts = [f"text number {n}" for n in range(int(sys.argv[2]))]
embedder.embed(texts[:2048])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
embedder.embed(texts)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measured in the kilobytes of Linux")
def test_memory_grows_by_little_more_than_the_vectors(server):
    count = 10_000
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, server.url("openai"), str(count)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    vectors = np.empty((count, 128), np.float32).nbytes / 1024
    assert int(run.stdout) < 3 * vectors + 20_000
