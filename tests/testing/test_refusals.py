"""What the providers refuse, the server refuses."""

from typing import Any

import openai
import pytest
from pydantic import BaseModel

from bethink.testing.providers import ProviderServer
from tests.testing.clients import ERRORS, status
from tests.testing.conftest import Connect

USER = {"role": "user", "content": "Is there tea?"}
TOOL = {"name": "search", "input_schema": {"type": "object"}}
USE = {"type": "tool_use", "id": "t1", "name": "search", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "tea"}
ROUND = [{"role": "assistant", "content": [USE]}, {"role": "user", "content": [RESULT]}]


def refused(connect: Connect, provider: str, messages: Any, **options: Any) -> str:
    with pytest.raises(ERRORS[provider]) as caught:
        connect(provider).ask(messages, **options)
    assert status(caught.value) == 400
    return str(caught.value)


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([{"role": "wizard", "content": "x"}], "Invalid value: 'wizard'"),
        ([{"role": "user", "content": None}], "expected a string, got null"),
        ([USER, {"role": "assistant", "content": None}], "expected a string, got null"),
    ],
)
def test_openai_refuses_strange_messages(connect: Connect, messages: Any, said: str) -> None:
    assert said in refused(connect, "openai", messages)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_openai_refuses_to_say_less_than_one_token(connect: Connect, name: str) -> None:
    assert "integer below minimum" in refused(connect, "openai", [USER], **{name: 0})


def test_openai_refuses_names_of_tools_with_other_signs(connect: Connect) -> None:
    tool = {"type": "function", "function": {"name": "a b!", "parameters": {}}}
    assert "does not match pattern" in refused(connect, "openai", [USER], tools=[tool])


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["word " * 9000], "maximum context length is 8192"),
        (["word " * 4000] * 80, "max 300000 tokens per request"),
    ],
)
def test_openai_refuses_too_many_tokens_at_once(
    server: ProviderServer, texts: list[str], said: str
) -> None:
    with (
        openai.OpenAI(base_url=server.url("openai"), api_key="k", max_retries=0) as client,
        pytest.raises(openai.BadRequestError, match=said),
    ):
        client.embeddings.create(model="m", input=texts)


INNER = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"$ref": "#/$defs/Inner", "description": "x"}, "$ref cannot have keywords"),
        ({"title": "x"}, "must have a 'type' key"),
        ({"oneOf": [{"type": "null"}]}, "'oneOf' is not permitted"),
        ({"type": "array"}, "array schema missing items"),
        ({"type": ["object", "null"], "properties": {}}, "'additionalProperties' is required"),
    ],
)
def test_openai_refuses_strict_schemas_that_say_too_little(
    connect: Connect, part: Any, said: str
) -> None:
    schema = INNER | {"properties": {"a": part}, "required": ["a"], "$defs": {"Inner": INNER}}
    assert said in refused(connect, "openai", [USER], response_format=strict(schema))


@pytest.mark.parametrize("schema", [{"type": "array", "items": {"type": "string"}}, {}])
def test_openai_refuses_strict_schemas_of_no_object(connect: Connect, schema: Any) -> None:
    said = refused(connect, "openai", [USER], response_format=strict(schema))
    assert "schema must be a JSON Schema of 'type: \"object\"'" in said


def strict(schema: Any) -> Any:
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": schema},
    }


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([{"role": "user", "content": " "}], "must contain non-whitespace text"),
        ([USER, {"role": "assistant", "content": "I "}], "cannot end with trailing whitespace"),
        ([USER, *ROUND, *ROUND], "ids must be unique"),
    ],
)
def test_anthropic_refuses_strange_messages(connect: Connect, messages: Any, said: str) -> None:
    assert said in refused(connect, "anthropic", messages)


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ({**TOOL, "name": "bad name!"}, "tools.0.custom.name: String should match"),
        ({"name": "search"}, "tools.0.custom.input_schema: Field required"),
    ],
)
def test_anthropic_refuses_strange_tools(connect: Connect, tool: Any, said: str) -> None:
    assert said in refused(connect, "anthropic", [USER], tools=[tool])


def test_a_completion_ends_where_its_tokens_do(connect: Connect) -> None:
    said = connect("openai").ask([USER], max_tokens=2).choices[0]
    assert (said.message.content, said.finish_reason) == ("Is there", "length")
    said = connect("ollama").ask([USER], options={"num_predict": 1})
    assert (said.message.content, said.done_reason) == ("Is", "length")


class Tree(BaseModel):
    name: str
    parts: list["Tree"]


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_a_schema_within_itself_is_answered(connect: Connect, provider: str) -> None:
    schema = Tree.model_json_schema()
    form: dict[str, Any] = {"format": schema}
    if provider == "openai":
        answer = {"name": "answer", "schema": schema}
        form = {"response_format": {"type": "json_schema", "json_schema": answer}}
    assert Tree.model_validate_json(connect(provider).chat(**form)).parts == []


def test_what_the_server_cannot_do_is_an_error_that_names_it(connect: Connect) -> None:
    endless = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    with pytest.raises(ERRORS["ollama"], match="The test server failed: RecursionError") as caught:
        connect("ollama").chat(format=endless)
    assert status(caught.value) == 500
