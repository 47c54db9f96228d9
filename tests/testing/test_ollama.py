"""What is Ollama's own."""

import json
from urllib.request import Request, urlopen

import ollama
import pydantic
import pytest

from bethink.testing.providers import Fault, Reply, ToolCall

CALL: ToolCall = {"id": "t1", "name": "search", "arguments": {"query": "green tea", "most": 3}}
QUESTION = {"role": "user", "content": "Is there tea?"}


class Drink(pydantic.BaseModel):
    name: str
    cups: int


@pytest.fixture
def model(connect):
    return connect("ollama")


def search(query: str) -> str:
    """Finds tea."""
    return query


def test_a_tool_is_called_and_its_result_goes_back_in(server, model):
    server.say(Reply(tool_calls=[CALL], input_tokens=7, output_tokens=5))
    answer = model.ask([QUESTION], tools=[search])
    [call] = answer.message.tool_calls
    assert (call.function.name, call.function.arguments) == ("search", CALL["arguments"])
    assert (answer.prompt_eval_count, answer.eval_count) == (7, 5)
    result = {"role": "tool", "tool_name": "search", "content": "Yes."}
    server.say("There is.")
    assert model.ask([QUESTION, answer.message, result]).message.content == "There is."


def test_a_tool_is_called_in_a_stream(server, model):
    server.say(Reply(tool_calls=[CALL]))
    called, end = model.stream(tools=[search])
    assert called.message.tool_calls[0].function.arguments == CALL["arguments"]
    assert (called.done, end.done, end.done_reason) == (False, True, "stop")


def test_structured_output_fits_its_schema_without_a_script(server, model):
    text = model.chat(format=Drink.model_json_schema())
    assert Drink.model_validate_json(text) == Drink(name="text", cups=0)
    assert model.chat(format="json") == "{}"
    server.fail(Fault.BAD_JSON)
    with pytest.raises(pydantic.ValidationError):
        Drink.model_validate_json(model.chat(format=Drink.model_json_schema()))


def test_an_answer_may_be_cut_short(server, model):
    server.say(Reply("There", truncated=True))
    assert model.ask([QUESTION]).done_reason == "length"


def test_no_text_has_no_vectors_and_that_is_no_error(model):
    assert model.embed([]) == []


def test_one_text_may_come_alone(model):
    assert model.embed("tea") == model.embed(["tea"])


def test_models_are_listed(model):
    names = [one.model for one in model.run(model.client.list()).models]
    assert names == ["chat-model:latest", "embedding-model:latest"]


def test_an_error_is_a_sentence(model):
    with pytest.raises(ollama.ResponseError) as caught:
        model.chat(model="missing-model")
    assert caught.value.error == "model 'missing-model' not found"


def test_it_tells_its_version(server):
    with urlopen(f"{server.url('ollama')}/api/version") as answer:  # noqa: S310
        assert list(json.load(answer)) == ["version"]


def test_it_streams_unless_told_not_to(server):
    body = json.dumps({"model": "m", "messages": [QUESTION]}).encode()
    with urlopen(Request(f"{server.url('ollama')}/api/chat", body)) as answer:  # noqa: S310
        assert [json.loads(line)["done"] for line in answer] == [False, False, False, True]
