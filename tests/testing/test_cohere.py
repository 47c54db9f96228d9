"""What is Cohere's own."""

import base64
import struct

import cohere
import pytest


@pytest.fixture
def model(connect):
    return connect("cohere")


def embed(connection, **options):
    given = {"model": "m", "texts": ["tea"], "input_type": "search_query", **options}
    return connection.run(connection.client.embed(**given))


def test_vectors_come_by_type(model):
    answer = embed(model, embedding_types=["float", "base64"])
    [floats], [packed] = answer.embeddings.float_, answer.embeddings.base64
    assert list(struct.unpack("<16f", base64.b64decode(packed))) == floats
    assert answer.meta.billed_units.input_tokens == 1


def test_floats_come_where_no_type_is_asked_for(model):
    assert len(embed(model).embeddings.float_) == 1


def test_other_types_are_refused(model):
    with pytest.raises(cohere.BadRequestError, match="float and base64 only"):
        embed(model, embedding_types=["int8"])


def test_a_text_must_say_what_it_is_for(model):
    with pytest.raises(cohere.BadRequestError, match="valid input_type must be provided"):
        embed(model, input_type="query")


def test_errors_have_an_id_and_a_message(model):
    with pytest.raises(cohere.NotFoundError) as caught:
        embed(model, model="missing-model")
    assert set(caught.value.body) == {"id", "message"}


def test_a_query_that_is_empty_is_refused(model):
    with pytest.raises(cohere.BadRequestError, match="query must not be empty"):
        model.rerank("", ["tea"])


def test_ranking_is_billed(model):
    answer = model.run(model.client.rerank(model="m", query="tea", documents=["tea"]))
    assert answer.meta.billed_units.search_units == 1
