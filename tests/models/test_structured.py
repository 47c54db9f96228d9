"""Answers of a given shape, from models with schemas of their own and from those without."""

import asyncio
import json

import pytest
from pydantic import BaseModel

from bethink.errors import ModelError, UsageError
from bethink.models.schemas import closed
from bethink.models.structured import aask, ask
from bethink.testing.models import ScriptedLLM
from bethink.testing.providers import Fault
from tests.models.conftest import TALKERS


class Person(BaseModel):
    name: str
    age: int
    tags: list[str] = []


SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}
ANN = '{"name": "Ann", "age": 30}'
QUESTION = "Who is Ann?"

talkers = pytest.mark.parametrize("provider", TALKERS)


# --- with native schemas


@talkers
def test_the_provider_is_asked_for_the_schema(connect, server, provider):
    server.say(ANN)
    assert ask(connect("text", provider), QUESTION, Person) == Person(name="Ann", age=30)
    [request] = server.requests
    assert "age" in json.dumps(request.body)
    assert "JSON schema" not in json.dumps(request.body)  # it is not said in words


@talkers
def test_it_can_be_awaited(connect, server, provider):
    server.say(ANN)
    person = asyncio.run(aask(connect("text", provider), QUESTION, Person))
    assert person == Person(name="Ann", age=30)


@talkers
def test_an_answer_that_does_not_fit_is_repaired_once(connect, server, provider):
    server.fail(Fault.BAD_JSON)
    server.say(ANN)
    assert ask(connect("text", provider), QUESTION, Person) == Person(name="Ann", age=30)
    _, repair = server.requests
    assert "That does not fit: the whole: Input should be a valid dict" in json.dumps(repair.body)


@talkers
def test_a_second_answer_that_does_not_fit_is_an_error_that_says_why(connect, server, provider):
    server.fail(Fault.BAD_JSON, times=10)
    llm = connect("text", provider)
    with pytest.raises(ModelError, match="no answer of the right shape: the whole: Input should"):
        ask(llm, QUESTION, Person)
    assert len(server.requests) == 2


def test_a_schema_that_is_open_by_design_is_asked_for_in_words(connect, server):
    class Anything(BaseModel):
        scores: dict[str, int]

    server.say('{"scores": {"a": 1}}')
    assert ask(connect("text", "openai"), QUESTION, Anything).scores == {"a": 1}
    assert "JSON schema" in json.dumps(server.requests[0].body)


def test_a_server_without_schemas_is_told_in_words(connect, server):
    server.say(ANN)
    llm = connect("text", "vllm", native_schemas=False)
    assert ask(llm, QUESTION, Person).name == "Ann"
    assert "response_format" not in server.requests[0].body


# --- in words


@pytest.mark.parametrize(
    "answer",
    [
        ANN,
        f"```json\n{ANN}\n```",
        f"Here it is:\n\n{ANN}\n\nAnything else?",
    ],
)
def test_json_is_found_whatever_is_around_it(answer):
    model = ScriptedLLM([answer])
    assert ask(model, QUESTION, Person) == Person(name="Ann", age=30)
    assert "must fit this JSON schema" in model.prompts[0]


@pytest.mark.parametrize(
    ("first", "complaint"),
    [
        ("I do not know.", "It is not JSON"),
        ('{"name": "Ann"', "It is not JSON"),
        ('{"name": "Ann", "age": "old"}', "age: Input should be a valid integer"),
        ("[1, 2]", "the whole: Input should be a valid dictionary"),
    ],
)
def test_what_was_wrong_is_said_when_asking_again(first, complaint):
    model = ScriptedLLM([first, ANN])
    assert ask(model, QUESTION, Person).age == 30
    assert complaint in model.prompts[1]
    assert first in model.prompts[1]


def test_what_was_wrong_twice_is_in_the_error():
    model = ScriptedLLM(["no", "never"])
    with pytest.raises(ModelError, match="It is not JSON.*It said: never"):
        ask(model, QUESTION, Person)
    assert len(model.prompts) == 2


def test_a_schema_may_be_a_dictionary():
    assert ask(ScriptedLLM([ANN]), QUESTION, SCHEMA) == {"name": "Ann", "age": 30}
    model = ScriptedLLM(['{"name": 3}', ANN])
    assert ask(model, QUESTION, SCHEMA)["age"] == 30
    assert "name: 3 is not of type 'string'" in model.prompts[1]
    assert "'age' is a required property" in model.prompts[1]


@pytest.mark.parametrize("wrong", [str, 3, None])
def test_what_is_no_schema_is_refused(wrong):
    with pytest.raises(UsageError, match="is no schema"):
        ask(ScriptedLLM([]), QUESTION, wrong)


def test_a_dictionary_that_is_no_schema_is_refused():
    with pytest.raises(UsageError, match="This is no JSON schema"):
        ask(ScriptedLLM([]), QUESTION, {"type": "thing"})


# --- schemas as providers want them


def test_a_closed_schema_requires_all_that_it_names():
    made = closed(Person.model_json_schema())
    assert made is not None
    assert made["additionalProperties"] is False
    assert made["required"] == ["name", "age", "tags"]
    assert "default" not in made["properties"]["tags"]


def test_a_property_may_be_called_like_a_part_of_a_schema():
    named = {
        "type": "object",
        "properties": {"default": {"type": "string"}, "type": {"type": "string"}},
    }
    made = closed(named)
    assert made is not None
    assert set(made["properties"]) == {"default", "type"}


def test_an_object_with_any_keys_cannot_be_closed():
    assert closed({"type": "object", "additionalProperties": {"type": "integer"}}) is None
    assert closed({"type": "object"}) is None
