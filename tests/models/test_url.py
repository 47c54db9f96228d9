from pathlib import Path
from typing import Any, cast

import pytest

from bethink import Memory
from bethink.errors import UsageError
from bethink.models import local
from bethink.models.base import LLM, Reranker
from bethink.models.function import as_embedder
from bethink.models.openai import NebiusLLM, OpenAIEmbedder
from bethink.models.url import PROVIDERS, open_embedder, open_llm, open_reranker

MINILM = Path(local.__file__).with_name("minilm")


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for provider in PROVIDERS.values():
        for variable in provider.variables:
            monkeypatch.setenv(variable, "key-for-tests")


def test_a_name_is_a_provider_and_a_model_that_may_have_colons_and_slashes():
    assert open_llm("nebius:deepseek-ai/DeepSeek-V3:fast").name == (
        "nebius:deepseek-ai/DeepSeek-V3:fast"
    )
    assert isinstance(open_llm("nebius:m"), NebiusLLM)
    assert isinstance(open_embedder("openai:text-embedding-3-small"), OpenAIEmbedder)


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda provider: provider.name)
def test_what_is_opened_has_the_right_shape(provider):
    for job in provider.models:
        model = provider.open(job, provider.models[job], {})
        if job == "text":
            assert isinstance(model, LLM)
        elif job == "reranking":
            assert isinstance(model, Reranker)
        else:
            assert as_embedder(model) is model


def test_settings_reach_the_provider():
    embedder = open_embedder("openai:m", dimension=8, name="ours")
    assert (embedder.name, embedder.dimension) == ("ours", 8)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("gpt-5", "'gpt-5' names no model: give a provider, a colon and its model"),
        ("mistral:small", "names no model"),
        ("openai:", "Which model. Give its name, such as openai:gpt-5-mini."),
        ("openai", "Which model"),
        ("voyage:voyage-3.5", "voyage offers embeddings and reranking, but no text."),
    ],
)
def test_a_name_that_leads_nowhere_is_told_in_a_sentence(name, complaint):
    with pytest.raises(UsageError, match=complaint):
        open_llm(name)


def test_a_name_that_is_no_text_is_told_in_a_sentence():
    with pytest.raises(UsageError, match="The name of a model is of type NoneType: give a text"):
        open_llm(cast("Any", None))


def test_the_model_is_named_once():
    with pytest.raises(UsageError, match="openai has no setting model"):
        open_llm("openai:m", model="x")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("policy", "policy is of type dict: give a Policy."),
        ("prices", "prices is of type dict: give a Prices."),
    ],
)
def test_a_setting_of_another_type_is_named(name, complaint):
    with pytest.raises(UsageError, match=complaint):
        open_llm("openai:m", **{name: {"attempts": 1}})


def test_a_setting_that_is_not_there_is_named_and_its_value_is_not():
    with pytest.raises(UsageError, match="openai has no setting apikey") as caught:
        open_llm("openai:m", apikey="sk-secret")
    assert "sk-secret" not in str(caught.value)


def test_no_reranker_without_one():
    with pytest.raises(UsageError, match="openai offers text and embeddings, but no reranking"):
        open_reranker("openai:m")


def test_a_memory_takes_the_name_of_a_model(tmp_path):
    name = f"onnx:{MINILM}"
    with Memory(tmp_path / "agent.db", embedder=cast("Any", name)) as memory:
        memory.add("Supports Arsenal", user_id="john")
        [hit] = memory.search("football", user_id="john", limit=1)
    assert hit.item.content == "Supports Arsenal"
