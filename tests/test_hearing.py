"""Messages as they are delivered, in any provider's shape."""

import pytest

from bethink import UsageError
from bethink.hearing import heard

PICTURE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
THOUGHT = {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm"}]}
EMPTY = {"role": "assistant", "content": ""}
NULL: dict[str, object] = {"role": "assistant", "content": None, "tool_calls": []}


def said(messages):
    return [(one.message.role, one.message.content) for one in heard(messages)]


@pytest.mark.parametrize("message", [PICTURE, THOUGHT, EMPTY, NULL], ids=str)
def test_a_history_is_kept_without_what_has_no_words(message):
    assert said([{"role": "user", "content": "Hi"}, message, "Bye"]) == [
        ("user", "Hi"),
        ("user", "Bye"),
    ]
    with pytest.raises(UsageError, match="no messages with words"):
        heard([message])


def test_what_a_tool_answers_may_be_empty():
    answer = {"role": "tool", "content": "", "tool_call_id": "c1"}
    assert said([answer]) == [("tool", "")]


def test_a_refusal_is_what_the_assistant_says():
    refused = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    assert said([refused]) == [("assistant", "I cannot help with that.")]


@pytest.mark.parametrize("content", ["", "Hi"])
@pytest.mark.parametrize("calls", [5, "call", {"id": "1"}], ids=str)
def test_tool_calls_that_are_no_list_are_refused(content, calls):
    with pytest.raises(UsageError, match="Message 0: tool_calls must be a list"):
        heard([{"role": "assistant", "content": content, "tool_calls": calls}])


@pytest.mark.parametrize(
    "message", [{"role": "user"}, {"text": "Hi"}, {"role": "king", "content": ""}], ids=str
)
def test_a_message_in_no_known_shape_is_refused_in_a_history_too(message):
    with pytest.raises(UsageError, match="Message 1"):
        heard(["Hi", message])
