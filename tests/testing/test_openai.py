"""What is OpenAI's own: tools, structured output, the shape of a stream."""

import json

import openai
import pydantic
import pytest

from bethink.testing.providers import Fault, Reply, ToolCall

TOOL: ToolCall = {"id": "t1", "name": "search", "arguments": {"query": "green tea", "most": 3}}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "search",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}},
                "required": ["query"],
            },
        },
    }
]
QUESTION = {"role": "user", "content": "Is there tea?"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "t1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "t1", "content": "Yes."}


class Drink(pydantic.BaseModel):
    name: str
    cups: int
    hot: bool
    more: "Drink | None"


@pytest.fixture
def model(connect):
    return connect("openai")


def create(model, messages, **options):
    completions = model.client.chat.completions
    return model.run(completions.create(model="m", messages=messages, **options))


def test_a_tool_is_called_with_its_arguments_as_json(server, model):
    server.say(Reply(tool_calls=[TOOL], input_tokens=7, output_tokens=5))
    answer = create(model, [QUESTION], tools=TOOLS)
    [choice] = answer.choices
    [call] = choice.message.tool_calls
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", None)
    assert (call.id, call.type, call.function.name) == ("t1", "function", "search")
    assert json.loads(call.function.arguments) == TOOL["arguments"]
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (7, 5)
    assert answer._request_id == "req_00000001"


def test_a_tool_call_and_its_result_go_back_in(server, model):
    server.say(Reply(tool_calls=[TOOL]))
    called = create(model, [QUESTION], tools=TOOLS).choices[0].message
    server.say("There is.")
    answer = create(model, [QUESTION, called.to_dict(), RESULT], tools=TOOLS)
    assert answer.choices[0].message.content == "There is."


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([], "empty array"),
        ([QUESTION, RESULT], "must be a response to a preceeding message with 'tool_calls'"),
        ([QUESTION, CALLED], "did not have response messages: t1"),
        ([QUESTION, CALLED, QUESTION, RESULT], "did not have response messages: t1"),
        ([QUESTION, CALLED, {**RESULT, "tool_call_id": "t2"}], "must be a response to"),
        ([QUESTION, CALLED, RESULT, RESULT], "must be a response to"),
    ],
)
def test_tool_calls_must_be_answered_at_once(model, messages, complaint):
    with pytest.raises(openai.BadRequestError, match=complaint):
        create(model, messages)


def test_arguments_must_be_text(model):
    function = {"name": "search", "arguments": {"query": "tea"}}
    wrong = {**CALLED, "tool_calls": [{"id": "t1", "type": "function", "function": function}]}
    with pytest.raises(openai.BadRequestError, match="expected a string"):
        create(model, [QUESTION, wrong, RESULT])


@pytest.mark.parametrize(
    "choice", ["required", {"type": "function", "function": {"name": "search"}}]
)
def test_a_tool_that_must_be_called_is_called_without_a_script(model, choice):
    [choice] = create(model, [QUESTION], tools=TOOLS, tool_choice=choice).choices
    [call] = choice.message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == (
        "search",
        {"query": "text"},
    )


def test_structured_output_fits_its_schema_without_a_script(model):
    parse = model.client.chat.completions.parse
    answer = model.run(parse(model="m", messages=[QUESTION], response_format=Drink))
    drink = answer.choices[0].message.parsed
    assert drink == Drink(name="text", cups=0, hot=False, more=None)


def test_structured_output_with_a_fault_does_not_fit(server, model):
    server.fail(Fault.BAD_JSON)
    parse = model.client.chat.completions.parse
    with pytest.raises(pydantic.ValidationError):
        model.run(parse(model="m", messages=[QUESTION], response_format=Drink))


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "object"}, "additionalProperties"),
        (
            {
                "type": "object",
                "properties": {"drinks": {"type": "array", "items": {"type": "object"}}},
                "required": ["drinks"],
                "additionalProperties": False,
            },
            "'properties', 'drinks', 'items'",
        ),
        (
            {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "additionalProperties": False,
            },
            "Missing 'name'",
        ),
    ],
)
def test_a_strict_schema_must_be_strict(model, schema, complaint):
    asked = {"type": "json_schema", "json_schema": {"name": "d", "strict": True, "schema": schema}}
    with pytest.raises(openai.BadRequestError, match=complaint):
        create(model, [QUESTION], response_format=asked)


def test_a_schema_needs_a_name(model):
    asked = {"type": "json_schema", "json_schema": {"schema": {}}}
    with pytest.raises(openai.BadRequestError, match="response_format.name"):
        create(model, [QUESTION], response_format=asked)


def test_json_without_a_schema_must_be_spoken_of(model):
    asked = {"type": "json_object"}
    with pytest.raises(openai.BadRequestError, match="must contain the word 'json'"):
        create(model, [QUESTION], response_format=asked)
    system = {"role": "system", "content": "Answer in JSON."}
    assert (
        create(model, [system, QUESTION], response_format=asked).choices[0].message.content == "{}"
    )


def test_an_answer_may_be_cut_short(server, model):
    server.say(Reply("There", truncated=True))
    assert create(model, [QUESTION]).choices[0].finish_reason == "length"


def test_parts_of_content_are_read(model):
    content = [{"type": "text", "text": "Is there tea?"}]
    answer = create(model, [{"role": "user", "content": content}])
    assert answer.choices[0].message.content == "Is there tea?"


def test_a_stream_ends_with_its_usage_where_that_is_asked_for(server, model):
    server.say(Reply("Green tea.", input_tokens=7, output_tokens=5))
    usage = {"include_usage": True}
    *parts, last = model.parts(create(model, [QUESTION], stream=True, stream_options=usage))
    assert {part.usage for part in parts} == {None}
    assert (last.choices, last.usage.total_tokens) == ([], 12)
    assert parts[-1].choices[0].finish_reason == "stop"
    assert parts[0].choices[0].delta.role == "assistant"
    assert len({part.id for part in [*parts, last]}) == 1


def test_a_stream_has_no_usage_otherwise(model):
    *_, last = model.parts(create(model, [QUESTION], stream=True))
    assert last.usage is None
    assert last.choices[0].finish_reason == "stop"


def test_tool_calls_come_in_pieces_in_a_stream(server, model):
    server.say(Reply("Let me see.", tool_calls=[TOOL, {**TOOL, "id": "t2"}]))
    parts = model.parts(create(model, [QUESTION], tools=TOOLS, stream=True))
    deltas = [call for part in parts for call in part.choices[0].delta.tool_calls or ()]
    assert [(call.index, call.id) for call in deltas if call.id] == [(0, "t1"), (1, "t2")]
    second = "".join(call.function.arguments for call in deltas if call.index == 1)
    assert json.loads(second) == TOOL["arguments"]
    assert parts[-1].choices[0].finish_reason == "tool_calls"


def test_embeddings_are_the_same_as_floats_and_in_base64(server, model):
    create = model.client.embeddings.create
    packed = model.run(create(model="m", input="tea"))
    floats = model.run(create(model="m", input=["tea"], encoding_format="float"))
    assert [one["encoding_format"] for one in (r.body for r in server.requests)] == [
        "base64",
        "float",
    ]
    assert packed.data[0].embedding == pytest.approx(floats.data[0].embedding, abs=0)
    assert packed.usage.total_tokens == 1


def test_tokens_are_embedded_as_well(model):
    create = model.client.embeddings.create
    one = model.run(create(model="m", input=[1, 2, 3])).data
    two = model.run(create(model="m", input=[[1, 2, 3], [4]])).data
    assert len(one) == 1
    assert one[0].embedding == two[0].embedding != two[1].embedding


def test_models_are_listed(model):
    assert [one.id for one in model.parts(model.client.models.list())] == [
        "chat-model",
        "embedding-model",
    ]


def test_an_error_has_the_shape_that_the_client_reads(server, model):
    with pytest.raises(openai.NotFoundError) as caught:
        model.embed(["tea"], model="missing-model")
    assert (caught.value.code, caught.value.type) == ("model_not_found", "invalid_request_error")
    assert caught.value.request_id == "req_00000001"
    server.fail(Fault.RATE_LIMIT)
    with pytest.raises(openai.RateLimitError) as limited:
        model.embed(["tea"])
    assert (limited.value.code, limited.value.type) == ("rate_limit_exceeded", "requests")
    assert limited.value.response.headers["retry-after"] == "1"


def test_what_there_is_not_is_a_404(model):
    with pytest.raises(openai.NotFoundError, match="Invalid URL"):
        model.run(model.client.moderations.create(input="tea"))


def test_a_request_that_makes_no_sense_is_a_400(model):
    with pytest.raises(openai.BadRequestError, match="malformed"):
        model.run(model.client.post("/chat/completions", cast_to=object, body={"model": "m"}))
