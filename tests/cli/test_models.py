import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink.models import local
from bethink.models.url import PROVIDERS
from bethink.testing.providers import Fault, ProviderServer
from bethink.testing.providers.ollama import Ollama
from bethink.testing.providers.provider import Refusal
from tests.cli.conftest import Shell

MARK = "sk-marked-4f9d2c71aa"
MINILM = Path(local.__file__).with_name("minilm")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        for variable in provider.variables:
            monkeypatch.delenv(variable, raising=False)
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST", "CO_API_URL"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer(dimension=16) as server:
        yield server


def test_providers_are_listed_with_what_they_offer_and_need(shell: Shell) -> None:
    said = shell.out("models")
    for provider in PROVIDERS.values():
        assert provider.name in said
    assert "set VOYAGE_API_KEY" in said
    assert "embeddings, reranking" in said
    assert "needs no key" in said
    assert max(map(len, said.splitlines())) <= 80


def test_what_is_configured_is_told_without_the_key(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", MARK)
    assert "set VOYAGE_API_KEY" not in shell.out("models")
    [voyage] = [row for row in shell.json("models") if row["provider"] == "voyage"]
    assert voyage == {
        "provider": "voyage",
        "offers": ["embeddings", "reranking"],
        "installed": True,
        "configured": True,
        "extra": "voyage",
        "variables": ["VOYAGE_API_KEY"],
    }
    assert MARK not in shell.out("models") + shell.out("models", "--json")


def test_what_is_not_installed_names_the_command(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bethink.models.extras.find_spec", lambda name: name != "cohere" or None)
    said = " ".join(shell.out("models").split())
    assert "'bethink[cohere]'" in said
    assert "'bethink[voyage]'" not in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai:some-model", "openai:some-model answered 'What is the capital of France?' in 0."),
        ("openai:an-embedding", "openai:an-embedding gave a vector of 16 numbers in 0."),
        ("voyage:rerank-2.5", "voyage:rerank-2.5 gave scores from 0.00 to 0.83 in 0."),
        ("anthropic:some-model", "anthropic:some-model answered"),
        ("cohere:embed-v4.0", "cohere:embed-v4.0 gave a vector of 16 numbers"),
    ],
)
def test_a_model_is_tried_and_told_in_a_sentence(
    shell: Shell, server: ProviderServer, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = PROVIDERS[name.partition(":")[0]]
    monkeypatch.setenv(provider.variables[0], MARK)
    out = shell.out("models", "test", name, "--base-url", server.url(provider.name))
    assert out.startswith(said)
    assert out.count("\n") == 1
    assert len(server.requests) == 1


def test_a_provider_is_tried_with_all_that_it_offers(
    shell: Shell, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", MARK)
    vector, scores = shell.json("models", "test", "voyage", "--base-url", server.url("voyage"))
    assert (vector["model"], vector["as"], vector["dimension"]) == (
        "voyage:voyage-3.5", "embeddings", 16,
    )  # fmt: skip
    assert (scores["model"], scores["as"], len(scores["scores"])) == (
        "voyage:rerank-2.5", "reranking", 2,
    )  # fmt: skip
    assert vector["seconds"] < 10


def test_a_model_may_be_tried_as_something_else(
    shell: Shell, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", MARK)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url("openai"))
    assert "a vector of 16" in shell.out("models", "test", "openai:bge-m3", "--as", "embeddings")


def test_a_model_on_this_machine_is_tried_by_its_path(shell: Shell) -> None:
    assert "a vector of 384 numbers" in shell.out("models", "test", f"onnx:{MINILM}")


@pytest.mark.parametrize(
    ("fault", "said"),
    [(Fault.SERVER_ERROR, "status 500"), (Fault.RATE_LIMIT, "status 429")],
)
def test_an_error_is_told_in_a_sentence_without_a_second_try(
    shell: Shell,
    server: ProviderServer,
    monkeypatch: pytest.MonkeyPatch,
    fault: Fault,
    said: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", MARK)
    server.fail(fault, times=5)
    error = shell.fails("models", "test", "openai:m", "--base-url", server.url("openai"))
    assert said in error
    assert MARK not in error
    assert len(server.requests) == 1


def test_an_error_is_json_for_programs(shell: Shell, server: ProviderServer) -> None:
    result = shell.run("models", "test", "ollama:missing-model", "--json", "--base-url",
                       server.url("ollama"))  # fmt: skip
    assert result.exit_code == 1
    assert "status 404" in json.loads(result.stdout)["error"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["test", "gpt-5"], "names no model"),
        (["test", "sentence"], "Give its directory: sentence:/path/of/a/model."),
        (["test"], "Which one? Give a provider"),
        (["try", "openai"], "'try' is not 'test'"),
        (["test", "voyage", "cohere"], "One at a time"),
        (["--as", "text"], "say test and its name"),
        (["--base-url", "http://localhost:1"], "say test and its name"),
        (["test", "ollama", "--base-url", "http://localhost:abc"], "is no address"),
        (["test", "ollama", "--base-url", "localhost"], "is no address"),
        (["test", f"onnx:{MINILM}", "--base-url", "http://localhost:1"], "runs on this machine"),
    ],
)
def test_what_cannot_be_tried_is_told(shell: Shell, words: list[str], said: str) -> None:
    assert said in shell.fails("models", *words, code=2)


def test_a_missing_key_is_told(shell: Shell) -> None:
    assert "set ANTHROPIC_API_KEY" in shell.fails("models", "test", "anthropic:m")


def test_what_is_missing_is_told_once_and_with_advice_for_a_shell(shell: Shell) -> None:
    said = shell.fails("models", "test", "voyage")
    assert said.split() == ["voyage", "needs", "a", "key:", "set", "VOYAGE_API_KEY."]


def test_a_name_is_not_told_twice(shell: Shell) -> None:
    said = shell.fails("models", "test", "ollama:m", "--base-url", "http://127.0.0.1:9")
    assert said.count("ollama:m") == 1
    assert "wordllama:" not in shell.fails("models", "test", "wordllama", "--as", "text")


def test_a_model_that_refuses_to_talk_is_tried_as_what_else_there_is(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mute(self: object, call: object) -> None:
        raise Refusal(400, '"bge-m3" does not support chat')

    monkeypatch.setattr(Ollama, "chat", mute)
    with ProviderServer(dimension=16) as server:
        url = server.url("ollama")
        assert "a vector of 16" in shell.out("models", "test", "ollama:bge-m3", "--base-url", url)


def test_an_embedder_does_not_pass_for_a_reranker(shell: Shell) -> None:
    said = shell.fails("models", "test", f"onnx:{MINILM}", "--as", "reranking")
    assert "no model for reranking" in " ".join(said.split())


def test_the_help_shows_what_belongs_together(shell: Shell) -> None:
    assert "[test NAME]" in shell.out("models", "--help")
