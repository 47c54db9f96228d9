"""What is Anthropic's own: turns, tools, structured output, the events of a stream."""

from typing import Any

import anthropic
import pydantic
import pytest

from bethink.testing.providers import Fault, Reply, ToolCall

CALL: ToolCall = {"id": "t1", "name": "search", "arguments": {"query": "green tea", "most": 3}}
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
TOOLS: Any = [{"name": "search", "description": "Finds tea.", "input_schema": SCHEMA}]

QUESTION: Any = {"role": "user", "content": "Is there tea?"}
GREETING = {"role": "assistant", "content": "Hello."}
USE = {"type": "tool_use", "id": "t1", "name": "search", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "Yes."}
TEXT = {"type": "text", "text": "Thanks."}


class Drink(pydantic.BaseModel):
    name: str
    cups: int


@pytest.fixture
def model(connect):
    return connect("anthropic")


def assistant(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def test_a_message_has_blocks_a_reason_to_stop_and_usage(server, model):
    server.say(Reply("Let me see.", tool_calls=[CALL], input_tokens=7, output_tokens=5))
    message = model.ask([QUESTION], tools=TOOLS, system="Be brief.")
    text, use = message.content
    assert (text.type, text.text) == ("text", "Let me see.")
    assert (use.type, use.id, use.name, use.input) == (
        "tool_use",
        "t1",
        "search",
        CALL["arguments"],
    )
    assert (message.stop_reason, message.usage.input_tokens) == ("tool_use", 7)
    assert message.usage.output_tokens == 5
    assert message._request_id == "req_00000001"


def test_a_use_of_a_tool_and_its_result_go_back_in(server, model):
    server.say(Reply(tool_calls=[CALL]))
    message = model.ask([QUESTION], tools=TOOLS)
    server.say("There is.")
    used = {"role": "assistant", "content": [block.to_dict() for block in message.content]}
    answer = model.ask([QUESTION, used, user(RESULT, TEXT)], tools=TOOLS)
    assert answer.content[0].text == "There is."


@pytest.mark.parametrize(
    "messages",
    [
        [QUESTION, QUESTION],
        [QUESTION, GREETING, GREETING],
        [QUESTION, assistant(USE), user(RESULT), user(TEXT)],
        [QUESTION, {"role": "system", "content": "Be brief."}],
        [QUESTION, assistant(TEXT, USE), user(RESULT), GREETING, QUESTION],
    ],
)
def test_messages_of_the_same_role_are_one_turn(model, messages):
    assert model.ask(messages).stop_reason == "end_turn"


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([], "at least one message is required"),
        ([GREETING, QUESTION], 'first message must use the "user" role'),
        ([QUESTION, {"role": "tool", "content": "Yes."}], 'Unexpected role "tool"'),
        ([{"role": "user", "content": ""}], "must have non-empty content"),
        ([user({"type": "text", "text": ""})], "text content blocks must be non-empty"),
        ([QUESTION, assistant(USE)], "messages.1: `tool_use` ids were found without"),
        ([QUESTION, assistant(USE), user(TEXT)], "`tool_use` ids were found without .*: t1"),
        ([QUESTION, assistant(USE), user(TEXT, RESULT)], "`tool_use` ids were found without"),
        ([QUESTION, assistant(USE), GREETING, user(TEXT)], "`tool_use` ids were found without"),
        ([QUESTION, GREETING, user(RESULT)], "unexpected `tool_use_id` found in `tool_result`"),
        ([user(RESULT)], "unexpected `tool_use_id` found in `tool_result`"),
        ([user(USE)], "`tool_use` blocks can only be in `assistant` messages"),
    ],
)
def test_turns_that_the_api_does_not_take_are_refused(model, messages, complaint):
    with pytest.raises(anthropic.BadRequestError, match=complaint) as caught:
        model.ask(messages)
    assert caught.value.type == "invalid_request_error"


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "search"}])
def test_a_tool_that_must_be_used_is_used_without_a_script(model, choice):
    [use] = model.ask([QUESTION], tools=TOOLS, tool_choice=choice).content
    assert (use.name, use.input) == ("search", {"query": "text"})


def test_bad_json_is_in_the_input_of_a_tool_as_well(server, model):
    server.fail(Fault.BAD_JSON)
    [use] = model.ask([QUESTION], tools=TOOLS, tool_choice={"type": "any"}).content
    assert use.input == {"unexpected": True}


def test_structured_output_fits_its_schema_without_a_script(server, model):
    parse = model.client.messages.parse
    options = {"model": "m", "max_tokens": 100, "messages": [QUESTION], "output_format": Drink}
    assert model.run(parse(**options)).parsed_output == Drink(name="text", cups=0)
    assert server.requests[0].body["output_config"]["format"]["type"] == "json_schema"
    server.fail(Fault.BAD_JSON)
    with pytest.raises(pydantic.ValidationError):
        model.run(parse(**options))


def test_a_schema_must_be_closed(model):
    config = {"format": {"type": "json_schema", "schema": SCHEMA}}
    with pytest.raises(anthropic.BadRequestError, match="additionalProperties"):
        model.ask([QUESTION], output_config=config)


def test_a_stream_has_the_events_of_the_api(server, model):
    server.say(Reply("Let me see.", tool_calls=[CALL], input_tokens=7, output_tokens=5))
    events = model.parts(model.ask([QUESTION], tools=TOOLS, stream=True))
    kinds = [event.type for event in events if event.type != "content_block_delta"]
    block = ["content_block_start", "content_block_stop"]
    assert kinds == ["message_start", *block, *block, "message_delta", "message_stop"]
    assert events[0].message.usage.input_tokens == 7
    assert (events[-2].delta.stop_reason, events[-2].usage.output_tokens) == ("tool_use", 5)


async def whole_later(manager):
    async with manager as stream:
        return await stream.get_final_message()


def whole(manager):
    with manager as stream:
        return stream.get_final_message()


def test_the_client_puts_a_stream_together_again(server, model):
    server.say(Reply("Let me see.", tool_calls=[CALL]))
    manager = model.client.messages.stream(
        model="m", max_tokens=100, messages=[QUESTION], tools=TOOLS
    )
    message = model.run(whole_later(manager) if model.runner else whole(manager))
    text, use = message.content
    assert (text.text, use.input) == ("Let me see.", CALL["arguments"])
    assert message.stop_reason == "tool_use"


def test_a_refusal_says_so_in_a_stream(server, model):
    server.fail(Fault.CONTENT_FILTER)
    events = model.parts(model.ask([QUESTION], stream=True))
    assert events[-2].delta.stop_reason == "refusal"
    assert events[-2].delta.stop_details.type == "refusal"


def test_an_answer_may_be_cut_short(server, model):
    server.say(Reply("There", truncated=True))
    assert model.ask([QUESTION]).stop_reason == "max_tokens"


def test_tokens_are_counted_without_an_answer(server, model):
    server.say("kept")
    count = model.client.messages.count_tokens
    counted = model.run(count(model="m", messages=[QUESTION], system="Be brief."))
    assert counted.input_tokens == 5
    assert model.chat() == "kept"


def test_an_error_has_the_shape_that_the_client_reads(server, model):
    kinds: dict[Fault, tuple[type[anthropic.APIStatusError], str]] = {
        Fault.RATE_LIMIT: (anthropic.RateLimitError, "rate_limit_error"),
        Fault.SERVER_ERROR: (anthropic.InternalServerError, "api_error"),
        Fault.OVERLOADED: (anthropic.InternalServerError, "overloaded_error"),
    }
    for fault, (error, kind) in kinds.items():
        server.fail(fault)
        with pytest.raises(error) as caught:
            model.chat()
        assert caught.value.type == kind
        assert caught.value.request_id is not None
        assert caught.value.request_id in str(caught.value.body)
