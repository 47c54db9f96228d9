"""No key in any output: every way to fail, with a marked key, and everything that can be seen."""

import asyncio
import io
import json
import logging
import pickle
import traceback
from typing import Any, cast
from urllib.parse import quote, quote_plus

import pytest

from bethink.errors import BethinkError, UsageError
from bethink.models.failures import StatusError, understood
from bethink.models.keys import Key
from bethink.models.openai import OpenAILLM
from bethink.models.policy import Policy
from bethink.models.url import PROVIDERS, open_embedder, open_llm, open_reranker
from bethink.testing.providers import Fault
from bethink.types import Message
from tests.models.conftest import EMBEDDERS, RERANKERS, TALKERS

MARK = "sk-marked-4f9d2c71aa"
CASES = [
    *(("text", provider) for provider in TALKERS),
    *(("embeddings", provider) for provider in EMBEDDERS),
    *(("reranking", provider) for provider in RERANKERS),
]
FAULTS = [*Fault, None]


@pytest.fixture
def seen(capfd, monkeypatch):
    """All that is printed or logged, down to the last detail of every library."""
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    handler.format = lambda record: f"{record.getMessage()} {record.__dict__}"  # type: ignore[method-assign]
    root = logging.getLogger()
    loggers = [root, *map(logging.getLogger, ("openai", "anthropic", "httpx", "voyage", "asyncio"))]
    levels = [(logger, logger.level) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    root.addHandler(handler)

    def all_of_it():
        out, err = capfd.readouterr()
        return out + err + log.getvalue()

    yield all_of_it
    root.removeHandler(handler)
    for logger, level in levels:
        logger.setLevel(level)


def shown(error):
    """An error with all that hangs on it, and with the values in each frame."""
    tree = traceback.TracebackException.from_exception(error, capture_locals=True)
    parts = ["".join(tree.format()), repr(error), str(error), str(vars(error))]
    while error is not None:
        parts += [repr(error), str(error.args), str(vars(error))]
        error = error.__cause__ or error.__context__
    return "\n".join(parts)


def use(job, model):
    if job == "text":
        model("one two three")
        list(model.stream([Message("user", "one two three")]))
    elif job == "embeddings":
        model.embed(["one", "two"])
        asyncio.run(model.aembed_queries(["three"]))
    else:
        model.score("one", ["one", "two"])


@pytest.mark.parametrize(("job", "provider"), CASES)
def test_no_error_of_any_kind_shows_the_key(connect, server, seen, job, provider):
    quick = {"attempts": 2, "timeout": 0.1}
    model = connect(job, provider, api_key=MARK, policy=quick)
    everything = [repr(model), str(vars(model)), str(model.usage)]
    for fault in FAULTS:
        if fault is not None:
            server.fail(fault, times=2, provider=provider, retry_after=0.001)
        try:
            use(job, model)
        except BethinkError as error:
            everything.append(shown(error))
            everything.append(str(pickle.dumps(str(error))))
        server._script._plans.clear()
    assert any(MARK in str(request.headers) for request in server.requests)  # it was used
    assert len(everything) > 3
    assert MARK not in "\n".join(everything) + seen()


@pytest.mark.parametrize(("job", "provider"), CASES)
def test_a_provider_that_repeats_the_key_is_not_repeated(connect, server, seen, job, provider):
    server.poison(MARK)
    model = connect(job, provider, api_key=MARK, base_url=f"{server.url(provider)}/{MARK}")
    with pytest.raises(BethinkError) as caught:
        use(job, model)
    assert any(MARK in request.path for request in server.requests)
    assert MARK not in shown(caught.value)


def test_a_server_that_is_not_there_shows_no_key(connect, seen):
    for job, provider in CASES:
        model = connect(
            job, provider, api_key=MARK, base_url="http://127.0.0.1:9", policy={"attempts": 1}
        )
        with pytest.raises(BethinkError) as caught:
            use(job, model)
        assert MARK not in shown(caught.value)
    assert MARK not in seen()


def test_what_a_client_raised_does_not_hang_on_to_the_error(connect, server):
    server.fail(Fault.SERVER_ERROR, times=4)
    with pytest.raises(BethinkError) as caught:
        connect("text", "openai")("hello")
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_a_key_shows_itself_to_nobody():
    key = Key(MARK)
    assert MARK not in f"{key!r} {key} {[key]} {key.hidden_in(f'so {MARK} it is')}"
    assert key.reveal() == MARK
    assert not Key(None)
    assert not Key("  ")


@pytest.mark.parametrize("inside", ["\n", "\x00", "\x1b", " ", "\t", "é", "\u200b"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(inside):
    with pytest.raises(UsageError, match="The key holds what no key does") as caught:
        Key(f"sk-mar{inside}ked-4f9d")
    assert "ked-4f9d" not in f"{caught.value!r}"


def test_a_key_that_is_no_text_is_refused_and_not_shown():
    with pytest.raises(UsageError, match="of type bytes: give it as a text") as caught:
        Key(cast("Any", b"sk-marked"))
    assert "sk-marked" not in str(caught.value)


def test_what_surrounds_a_key_is_no_part_of_it():
    assert Key(f" {MARK}\n").reveal() == MARK


def test_a_key_is_hidden_however_it_is_spelled():
    key = Key("""sk/ma"rk'ed\\4f+9d""")
    value = key.reveal()
    for spelled in (value, repr(value), json.dumps(value), quote(value), quote_plus(value).lower()):
        assert "rk" not in key.hidden_in(f"it is {spelled}.")


def test_a_key_is_hidden_before_a_message_is_cut():
    for before in range(250, 310):
        error = StatusError(401, {}, f"{'x' * before} {MARK} is no good")
        assert MARK[:3] not in str(understood(error, "m", Key(MARK)))


def test_a_key_is_not_pickled():
    with pytest.raises(UsageError, match="cannot be pickled"):
        pickle.dumps(Key(MARK))


@pytest.mark.parametrize(("job", "provider"), CASES)
def test_a_client_that_cannot_be_made_or_used_is_told_without_the_key(connect, job, provider):
    policy = {"attempts": 1}
    model = connect(
        job, provider, api_key=MARK, base_url="http://localhost:abc", policy=policy, fresh=True
    )
    with pytest.raises(BethinkError) as caught:
        use(job, model)
    assert MARK not in shown(caught.value)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_openais_key_in_the_environment_is_sent_to_no_address_in_the_code(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", MARK)
    with OpenAILLM("m", base_url=server.url("openai")) as llm:
        llm("hello")
    assert MARK not in str(server.requests[-1].headers)


def test_openais_key_in_the_environment_is_sent_to_the_address_beside_it(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", MARK)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url("openai"))
    with OpenAILLM("m") as llm:
        llm("hello")
    assert MARK in str(server.requests[-1].headers)


def test_a_key_is_taken_from_the_caller_before_the_environment(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "second")
    assert Key.find("first", "SOME_KEY").reveal() == "first"
    assert Key.find(None, "OTHER_KEY", "SOME_KEY").reveal() == "second"


@pytest.mark.parametrize(
    "provider", [provider for provider in PROVIDERS.values() if provider.variables]
)
def test_a_key_is_read_from_the_usual_variable_and_missed_with_its_name(provider, monkeypatch):
    opens = {"text": open_llm, "embeddings": open_embedder, "reranking": open_reranker}
    for variable in (*provider.variables, "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    for job in provider.classes:
        with pytest.raises(UsageError, match=f"needs a key: set {provider.variables[0]}"):
            opens[job](f"{provider.name}:m")
    monkeypatch.setenv(provider.variables[-1], MARK)
    for job in provider.classes:
        assert MARK not in repr(opens[job](f"{provider.name}:m", policy=Policy()))
