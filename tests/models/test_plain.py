import asyncio
from typing import Any

import pytest

from bethink.errors import ModelError, ModelUnavailable, UsageError
from bethink.models.ask import Ask
from bethink.models.base import LLM, Reply, Tool
from bethink.models.plain import FunctionLLM, as_llm
from bethink.testing.models import ScriptedLLM
from bethink.types import Message, ToolCall

HELLO = [Message("user", "hello")]


def echo(prompt):
    return f"You said: {prompt}"


async def slow_echo(prompt):
    await asyncio.sleep(0)
    return echo(prompt)


@pytest.mark.parametrize("fn", [echo, slow_echo])
def test_any_function_from_a_prompt_to_a_text_is_a_language_model(fn):
    llm = as_llm(fn)
    assert isinstance(llm, LLM)
    assert llm("hi") == "You said: hi"
    assert llm.complete(HELLO) == Reply("You said: hello")
    assert list(llm.stream(HELLO)) == ["You said: hello", Reply("You said: hello")]


@pytest.mark.parametrize("fn", [echo, slow_echo])
def test_it_can_be_awaited(fn):
    llm = as_llm(fn)

    async def main():
        return await llm.acomplete(HELLO), [piece async for piece in llm.astream(HELLO)]

    reply, pieces = asyncio.run(main())
    assert reply == pieces[-1] == Reply("You said: hello")
    assert pieces[0] == "You said: hello"


def test_a_conversation_becomes_one_prompt_with_who_said_what():
    model = ScriptedLLM(["fine"])
    FunctionLLM(model).complete(
        [
            Message("user", "How are you?"),
            Message("assistant", "Well."),
            Message("user", "And now?", name="Ann"),
        ],
        system="Be brief.",
    )
    assert model.prompts == [
        "Be brief.\n\nUser: How are you?\n\nAssistant: Well.\n\nAnn: And now?\n\nAssistant:"
    ]


def test_a_single_message_is_the_prompt():
    model = ScriptedLLM(["fine"])
    FunctionLLM(model).complete(HELLO)
    assert model.prompts == ["hello"]


def test_a_language_model_is_left_as_it_is(connect):
    llm = connect("text", "ollama")
    assert as_llm(llm) is llm


@pytest.mark.parametrize("wrong", [FunctionLLM, 3, None, object()])
def test_what_is_no_language_model_is_refused(wrong):
    with pytest.raises(UsageError, match="is no language model|is a class"):
        as_llm(wrong)


def test_an_error_of_the_function_is_the_cause():
    def failing(prompt):
        raise ConnectionError(prompt)

    async def failing_later(prompt):
        await asyncio.sleep(0)
        raise ConnectionError(prompt)

    for fn in (failing, failing_later):
        with pytest.raises(ModelError, match="failed: ConnectionError: hi") as caught:
            as_llm(fn)("hi")
        assert isinstance(caught.value.__cause__, ConnectionError)
        with pytest.raises(ModelError, match="failed: ConnectionError: hello"):
            asyncio.run(as_llm(fn).acomplete(HELLO))


def test_an_answer_that_is_no_text_is_refused():
    with pytest.raises(UsageError, match="returned int, not a text"):
        as_llm(lambda _: 3)("hi")  # type: ignore[arg-type, return-value]


def test_an_empty_answer_is_an_error():
    with pytest.raises(ModelUnavailable, match="empty answer"):
        as_llm(lambda _: " ")("hi")


def test_there_are_neither_tools_nor_schemas():
    for settings in ({"tools": [Tool("t")]}, {"schema": {"type": "object"}}):
        with pytest.raises(UsageError, match="neither tools nor a schema"):
            as_llm(echo).complete(HELLO, **settings)


@pytest.mark.parametrize("settings", [{"messages": []}, {"messages": HELLO, "max_tokens": 0}])
def test_what_makes_no_sense_is_refused(settings):
    with pytest.raises(UsageError, match="nothing to answer|max_tokens is 0"):
        as_llm(echo).complete(**settings)


# --- what may be said, and how


@pytest.mark.parametrize(
    "said", ["hello", [{"role": "user", "content": "hello"}], {"role": "user", "content": "hello"}]
)
def test_a_text_and_dictionaries_are_messages_as_well(said):
    assert as_llm(echo).complete(said).text == "You said: hello"


def test_tool_calls_in_the_shape_of_openai_are_understood():
    model = ScriptedLLM(["fine"])
    function = {"name": "search", "arguments": '{"query": "tea"}'}
    call = {"id": "t1", "type": "function", "function": function}
    model.complete(
        [
            {"role": "user", "content": "tea?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": "found", "tool_call_id": "t1"},
        ]
    )
    _, called, found = model.asked[0].messages
    assert called.tool_calls == (ToolCall("t1", "search", {"query": "tea"}),)
    assert found.tool_call_id == "t1"


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("", "nothing to answer"),
        ("  ", "nothing to answer"),
        ([], "nothing to answer"),
        (None, "messages must be a list"),
        ([3], "must be a Message or a dictionary, not int"),
        ([{"role": "wizard", "content": "x"}], "no role 'wizard'"),
        ([{"role": "user", "content": 3}], "content of a message must be a text, not int"),
    ],
)
def test_what_cannot_be_answered_is_refused(said, complaint):
    with pytest.raises(UsageError, match=complaint):
        as_llm(echo).complete(said)


def test_an_empty_prompt_is_refused():
    with pytest.raises(UsageError, match="nothing to answer"):
        as_llm(echo)("")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"max_token": 5, "temprature": 0}, "no setting max_token, temprature; there are system"),
        ({"max_tokens": "5"}, "max_tokens is '5'"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"max_tokens": True}, "max_tokens is True"),
        ({"temperature": "hot"}, "temperature is 'hot'"),
        ({"system": 3}, "system must be a text"),
        ({"tools": "search"}, "tools must be a list"),
        ({"tools": [3]}, "A tool must be a Tool or a dictionary"),
        ({"tools": [{}]}, "The name of a tool must be a text"),
        ({"schema": 5}, "5 is no schema"),
        ({"schema": {"$ref": "#/$defs/x"}}, "points at #/\\$defs/x, which is not in it"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(settings, complaint):
    with pytest.raises(UsageError, match=complaint):
        ScriptedLLM(["fine"]).complete("hello", **settings)


def test_a_setting_that_is_none_is_not_set():
    model = ScriptedLLM(["fine"])
    nothing: dict[str, Any] = dict.fromkeys(
        ["system", "tools", "max_tokens", "temperature", "schema"]
    )
    model.complete("hello", **nothing)
    assert model.asked == [Ask((Message("user", "hello"),))]


def test_tools_may_be_dictionaries():
    model = ScriptedLLM(["fine"])
    parameters = {"type": "object", "properties": {"query": {"type": "string"}}}
    theirs = {"type": "function", "function": {"name": "search", "parameters": parameters}}
    tools: Any = [{"name": "look"}, theirs]
    model.complete("hello", tools=tools)
    assert model.asked[0].tools == (Tool("look"), Tool("search", parameters=parameters))
