"""Scripted models are models like any other."""

import asyncio

import numpy as np
import pytest

from bethink import Memory, ModelError, UsageError
from bethink.models.base import LLM, Reply, Reranker, Tool
from bethink.models.plain import as_llm
from bethink.models.structured import ask
from bethink.testing.models import ScriptedEmbedder, ScriptedLLM, ScriptedReranker
from bethink.types import Message, ToolCall

HELLO = [Message("user", "hello")]


def test_a_scripted_language_model_is_one():
    llm = ScriptedLLM(["fine"])
    assert isinstance(llm, LLM)
    assert as_llm(llm) is llm


def test_it_gives_whole_replies_with_tools_and_notes_all_that_it_was_asked():
    reply = Reply("", (ToolCall("c1", "weather"),), "tools")
    llm = ScriptedLLM([reply])
    assert llm.complete(HELLO, system="Be brief.", tools=[Tool("weather")], max_tokens=7) is reply
    [asked] = llm.asked
    assert (asked.max_tokens, asked.tools[0].name) == (7, "weather")
    assert llm.prompts == ["Be brief.\n\nhello"]


def test_it_streams_and_can_be_awaited():
    llm = ScriptedLLM(["one\ntwo"] * 3)

    async def main():
        return await llm.acomplete(HELLO), [piece async for piece in llm.astream(HELLO)]

    whole = Reply("one\ntwo")
    assert list(llm.stream(HELLO)) == ["one\n", "two", whole]
    assert asyncio.run(main()) == (whole, ["one\n", "two", whole])


@pytest.mark.parametrize("native", [False, True])
def test_it_answers_in_a_given_shape(native):
    llm = ScriptedLLM(['{"a": 1}'], native_schemas=native)
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    assert ask(llm, "?", schema) == {"a": 1}
    assert (llm.asked[0].schema == schema) is native


def test_a_scripted_embedder_gives_what_it_is_told_and_else_the_same_for_the_same_text():
    embedder = ScriptedEmbedder({"a": [3, 4]}, dimension=2)
    vectors = embedder.embed(["a", "b", "b"])
    assert vectors[0] == pytest.approx([0.6, 0.8])
    assert (vectors[1] == vectors[2]).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert embedder.texts == ["a", "b", "b"]
    assert embedder.embed([]).shape == (0, 2)


def test_a_memory_takes_it(tmp_path):
    down = ScriptedEmbedder({"down": ConnectionError("gone")})
    with Memory(tmp_path / "agent.db", embedder=down) as memory:
        memory.add("Supports Arsenal", user_id="john")
        assert memory.search("Supports Arsenal", user_id="john")
        memory.add("down", user_id="john")
        with pytest.raises(ModelError, match="gone"):
            memory.flush()


def test_a_scripted_reranker_scores_as_it_is_told():
    reranker = ScriptedReranker({"a": 0.9})
    assert isinstance(reranker, Reranker)
    assert reranker.score("q", ["b", "a"]) == [0.0, 0.9]
    assert asyncio.run(reranker.ascore("p", ["a"])) == [0.9]
    assert reranker.queries == ["q", "p"]


def test_an_embedder_has_the_dimension_of_the_vectors_that_it_is_told():
    embedder = ScriptedEmbedder({"x": [0.0, 2.0], "bad": ValueError("no")})
    assert embedder.dimension == 2
    assert embedder.embed(["x", "y"]).shape == (2, 2)


@pytest.mark.parametrize(
    ("vectors", "dimension"), [({"x": [1.0], "y": [1.0, 2.0]}, None), ({"x": [1.0, 2.0]}, 1)]
)
def test_an_embedder_with_vectors_of_several_lengths_is_refused(vectors, dimension):
    with pytest.raises(UsageError, match="The vectors have 1 and 2 numbers"):
        ScriptedEmbedder(vectors, dimension)
