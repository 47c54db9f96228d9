"""Answers of a given shape, from models with schemas of their own and from those without."""

import asyncio
import json
from datetime import date
from types import MappingProxyType
from typing import Literal

import pytest
from openai.lib._pydantic import to_strict_json_schema
from pydantic import BaseModel, ConfigDict, Field

from bethink.errors import ModelError, UsageError
from bethink.models.base import Reply, Usage
from bethink.models.schemas import closed
from bethink.models.structured import aask, answered, ask
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
    assert "That does not fit: the whole: Input should be an object" in json.dumps(repair.body)


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
        f"Sure [as asked]: {ANN}",
        f"From [1] and [2]: {ANN}",
        f"<think>Use {{name}} and {{}}.</think>\n```json\n{ANN}\n```",
        f"{ANN}\n\nOnce more:\n\n{ANN}",
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
        ('{"name": "Ann", "age": NaN}', "NaN is no number"),
        ('{"name": "Ann", "age": 1e999}', "It is not JSON"),
        (ANN + ', "tags": []}', "It is not JSON"),
        ('{"people": ' + ANN + ", oops}", "It is not JSON"),
        ('{"people": ' + ANN, "It is not JSON"),
        (ANN + " No: " + ANN.replace("30", "31"), "several answers"),
        ("[1, 2]", "the whole: Input should be an object"),
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


def test_a_text_with_brackets_in_it_is_an_answer():
    assert ask(ScriptedLLM(['"see [1]"']), QUESTION, {"type": "string"}) == "see [1]"


def test_a_strict_class_takes_what_json_has_no_type_for():
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        when: date
        sizes: tuple[int, ...]

    answer = '{"when": "2024-01-02", "sizes": [1]}'
    assert ask(ScriptedLLM([answer]), QUESTION, Strict) == Strict(when=date(2024, 1, 2), sizes=(1,))


def test_the_words_are_a_part_of_what_the_user_said_last():
    model = ScriptedLLM(["no", ANN])
    ask(model, QUESTION, Person)
    assert [message.role for message in model.asked[0].messages] == ["user"]
    assert [message.role for message in model.asked[1].messages] == ["user", "assistant", "user"]
    assert model.prompts[1].count("must fit this JSON schema") == 1


def test_a_schema_may_be_a_dictionary_that_cannot_be_changed():
    assert ask(ScriptedLLM(["{}"]), QUESTION, MappingProxyType({"type": "object"})) == {}


def test_a_schema_that_points_at_nothing_is_refused():
    dangling = {"type": "object", "properties": {"a": {"$ref": "#/$defs/nothing"}}}
    with pytest.raises(UsageError, match="points at #/\\$defs/nothing, which is not in it"):
        ask(ScriptedLLM([]), QUESTION, dangling)


# --- schemas as providers want them


class Cup(BaseModel):
    size: int


class Tree(BaseModel):
    name: str
    parts: list["Tree"] = []
    above: "Tree | None" = Field(default=None, description="What it is a part of.")
    twin: "Tree" = Field(description="One just like it.")


class Described(BaseModel):
    cup: Cup = Field(description="The cup.")
    other: Cup | None = None
    shape: Literal["round", 3]


@pytest.mark.parametrize("model", [Person, Described])
def test_a_closed_schema_is_what_the_client_of_openai_makes(model):
    theirs = to_strict_json_schema(model)
    theirs.get("properties", {}).get("tags", {}).pop("default", None)
    assert closed(model.model_json_schema()) == theirs


def test_a_class_within_itself_is_closed():
    made = closed(Tree.model_json_schema())
    assert made is not None
    assert made["type"] == "object"
    assert made["properties"]["parts"]["items"] == {"$ref": "#/$defs/Tree"}
    assert "$ref" not in made


def test_a_choice_is_closed_as_a_choice_of_any():
    closed_choice = closed(
        {
            "type": "object",
            "properties": {"a": {"oneOf": [{"type": "string"}, {"type": "null"}]}},
        }
    )
    assert closed_choice is not None
    assert closed_choice["properties"]["a"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}


def test_an_object_that_may_be_null_is_closed_as_well():
    inner = {"type": ["object", "null"], "properties": {"z": {"type": "integer"}}}
    made = closed({"type": "object", "properties": {"a": inner}})
    assert made is not None
    assert made["properties"]["a"]["additionalProperties"] is False
    assert made["properties"]["a"]["required"] == ["z"]


@pytest.mark.parametrize(
    "part",
    [
        {},
        True,
        {"type": "array"},
        {"type": "object", "properties": {"z": {}}, "additionalProperties": {}},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"allOf": [{"type": "string"}, {"minLength": 2}]},
        {"$ref": "https://example.com/schema"},
    ],
)
def test_a_schema_with_an_open_part_cannot_be_closed(part):
    assert closed({"type": "object", "properties": {"a": part}}) is None


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"type": "array", "items": {"type": "integer"}}, "[1]"),
        ({"type": "object", "properties": {"a": {"title": "A"}}}, '{"a": [1]}'),
    ],
)
def test_what_cannot_be_said_in_the_schema_of_a_provider_is_said_in_words(
    connect, server, provider, schema, answer
):
    server.say(answer)
    assert ask(connect("text", provider), QUESTION, schema) == json.loads(answer)
    assert "must fit this JSON schema" in json.dumps(server.requests[0].body)


def test_a_schema_that_the_client_of_anthropic_cannot_transform_is_said_in_words(connect, server):
    maybe = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}
    server.say('{"a": null}')
    assert ask(connect("text", "anthropic"), QUESTION, maybe) == {"a": None}
    assert "output_config" not in server.requests[0].body


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


def test_a_text_of_nothing_but_brackets_is_soon_given_up():
    model = ScriptedLLM(["[" * 100_000, "{" * 100_000])
    with pytest.raises(ModelError, match="It is not JSON"):
        ask(model, QUESTION, Person)


def test_a_form_of_ones_own_reads_the_answer_and_is_told_what_it_took():
    class Length:
        schema = SCHEMA

        def read(self, written):
            return len(written)

    used = Usage(1, 20, 5)
    replies = [Reply("no", usage=used), Reply(ANN, usage=used)]
    assert answered(ScriptedLLM(replies), QUESTION, Length()) == (len(ANN), Usage(2, 40, 10))
