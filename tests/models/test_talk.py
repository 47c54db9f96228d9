"""Tool calls in what is said to a provider, and in what it answers."""

from bethink.models.talk import tool_calls
from bethink.types import Message, ToolCall


def test_calls_without_ids_get_ids_that_differ_from_answer_to_answer():
    calls = [call for _ in range(2) for call in tool_calls([{"id": None, "name": "f"}] * 2)]
    assert len({call.id for call in calls}) == 4


def test_ollama_is_told_the_tool_of_the_nearest_call_with_the_id(connect, server):
    talk = [Message("user", "Tea or rain?")]
    for name, found in (("search", "tea"), ("weather", "rain")):
        talk += [
            Message("assistant", "", tool_calls=(ToolCall("call_1", name),)),
            Message("tool", found, tool_call_id="call_1"),
        ]
    connect("text", "ollama").complete(talk)
    sent = server.requests[-1].body["messages"]
    assert [message.get("tool_name") for message in sent if message["role"] == "tool"] == [
        "search",
        "weather",
    ]


def test_anthropic_is_sent_nothing_empty(connect, server):
    llm = connect("text", "anthropic")
    reply = llm.complete([Message("user", "hi"), Message("assistant", ""), Message("user", "go")])
    assert reply.text.endswith("go")
    assert all(message["content"] for message in server.requests[-1].body["messages"])
