"""Messages in the shapes that providers speak."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import UsageError
from bethink.types import Message, ToolCall
from bethink.wire import read_calls, shaped, system_of

CALL = ToolCall("c1", "weather", {"city": "Paris"})
TALK = [
    Message("system", "Be brief."),
    Message("user", "Hi, it's me.", name="Ann Lee"),
    Message("user", "Weather in Paris?"),
    Message("assistant", "Let me look.", tool_calls=(CALL,)),
    Message("tool", "18 °C", tool_call_id="c1"),
    Message("assistant", "18 degrees."),
]


def test_openai_has_system_and_tool_messages_and_arguments_as_text():
    assert shaped(TALK, "openai") == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi, it's me.", "name": "Ann_Lee"},
        {"role": "user", "content": "Weather in Paris?"},
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city": "Paris"}'},
                }
            ],
        },
        {"role": "tool", "content": "18 °C", "tool_call_id": "c1"},
        {"role": "assistant", "content": "18 degrees."},
    ]


def test_anthropic_takes_turns_and_hands_results_in_as_the_user():
    assert shaped(TALK, "anthropic") == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Ann Lee: Hi, it's me."},
                {"type": "text", "text": "Weather in Paris?"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Paris"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "18 °C"}],
        },
        {"role": "assistant", "content": "18 degrees."},
    ]
    assert system_of(TALK) == "Be brief."


def test_results_come_before_words_in_a_turn_of_anthropic():
    talk = [
        Message("user", "Go."),
        Message("assistant", "", tool_calls=(CALL,)),
        Message("tool", "18 °C", tool_call_id="c1"),
        Message("user", "Quickly!"),
    ]
    types = [block["type"] for block in shaped(talk, "anthropic")[-1]["content"]]
    assert types == ["tool_result", "text"]


def test_alternating_has_one_system_message_and_joins_what_one_side_said():
    talk = [Message("assistant", "Hello!"), *TALK[:3], Message("system", "Be kind.")]
    assert shaped(talk, "alternating") == [
        {"role": "system", "content": "Be brief.\n\nBe kind."},
        {"role": "user", "content": "…"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "Ann Lee: Hi, it's me.\n\nWeather in Paris?"},
    ]


MESSAGES = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["system", "user", "assistant"]),
        content=st.text(min_size=1, max_size=5),
    )
)


@given(MESSAGES, st.sampled_from(["alternating", "anthropic"]))
def test_turns_begin_with_the_user_and_alternate(messages, shape):
    roles = [turn["role"] for turn in shaped(messages, shape) if turn["role"] != "system"]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)


@given(MESSAGES)
def test_no_word_is_lost_in_any_shape(messages):
    for shape in ("openai", "alternating", "anthropic"):
        text = json.dumps([system_of(messages), shaped(messages, shape)], ensure_ascii=False)
        assert all(
            json.dumps(m.content.strip(), ensure_ascii=False)[1:-1] in text for m in messages
        )


@pytest.mark.parametrize("shape", ["alternating", "anthropic"])
def test_who_says_nothing_has_no_turn(shape):
    talk = [
        Message("system", " "),
        Message("user", "Hi."),
        Message("assistant", ""),
        Message("user", " \n"),
        Message("assistant", "Yes?"),
        Message("user", "Go."),
    ]
    assert shaped(talk, shape) == [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Yes?"},
        {"role": "user", "content": "Go."},
    ]


def test_where_nobody_says_anything_anthropic_hears_the_opening():
    assert shaped([Message("user", " ")], "anthropic") == [{"role": "user", "content": "…"}]


def test_what_anthropic_shall_continue_does_not_end_in_space():
    talk = [Message("user", "Hi."), Message("assistant", "I think ")]
    assert shaped(talk, "anthropic")[-1] == {"role": "assistant", "content": "I think"}


def test_a_tool_that_answers_nothing_has_answered():
    talk = [TALK[1], TALK[3], Message("tool", "", tool_call_id="c1")]
    [result] = shaped(talk, "anthropic")[-1]["content"]
    assert result == {"type": "tool_result", "tool_use_id": "c1", "content": ""}


def test_an_unknown_shape_is_refused():
    with pytest.raises(UsageError, match="openai, alternating, anthropic"):
        shaped(TALK, "pigeon")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        [CALL],
        [{"id": "c1", "name": "weather", "arguments": {"city": "Paris"}}],
        [{"id": "c1", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}],
        [{"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Paris"}}],
    ],
)
def test_tool_calls_are_read_in_every_shape(value):
    assert read_calls(value) == (CALL,)


def test_arguments_that_are_no_json_object_are_kept_as_they_came():
    [call] = read_calls([{"id": "1", "name": "f", "arguments": "{half"}])
    assert call.arguments == {"": "{half"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("call", "tool_calls must be a list"),
        ([3], "must be a dictionary"),
        ([{"name": "f"}], "The id of a tool call is missing"),
        ([{"id": "1"}], "The name of a tool call is missing"),
        ([{"id": "1", "name": "f"}] * 2, "the same id"),
    ],
)
def test_tool_calls_that_are_none_are_refused(value, message):
    with pytest.raises(UsageError, match=message):
        read_calls(value)
