"""What is Voyage's own."""

import pytest
import voyageai
from voyageai.api_resources.embedding import Embedding


@pytest.fixture
def model(connect):
    return connect("voyage")


def test_the_client_asks_for_base64_and_says_what_a_text_is_for(server, model):
    answer = model.run(model.client.embed(["green tea"], model="m", input_type="query"))
    assert answer.total_tokens == 2
    assert server.requests[0].body["encoding_format"] == "base64"
    assert server.requests[0].body["input_type"] == "query"


def test_a_kind_of_input_that_there_is_not_is_refused(model):
    with pytest.raises(voyageai.error.InvalidRequestError, match="'query' or 'document'"):
        model.run(model.client.embed(["tea"], model="m", input_type="search_query"))


def test_vectors_other_than_floats_are_refused(model):
    with pytest.raises(voyageai.error.InvalidRequestError, match="floats only"):
        model.run(model.client.embed(["tea"], model="m", output_dtype="int8"))


def test_ranking_tells_the_documents_and_the_tokens(model):
    answer = model.run(model.client.rerank("tea", ["coffee", "green tea"], model="m"))
    assert [one.document for one in answer.results] == ["green tea", "coffee"]
    assert answer.total_tokens == 5


def test_more_than_a_thousand_documents_are_refused(model):
    with pytest.raises(voyageai.error.InvalidRequestError, match="at most 1000"):
        model.rerank("tea", ["tea"] * 1001)


def test_the_fields_of_another_api_are_refused(server, model):
    with pytest.raises(voyageai.error.InvalidRequestError, match="'dimensions' is not supported"):
        Embedding.create(
            input=["tea"],
            model="m",
            dimensions=8,
            api_key="secret",
            base_url=server.url("voyage"),
        )
