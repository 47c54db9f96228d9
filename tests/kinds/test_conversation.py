"""What was said in a session, and what of it a model is shown."""

import json
import threading
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink import ConversationMemory, FunctionEmbedder, Memory, ModelError, UsageError
from bethink.models.tokens import count_tokens
from bethink.testing.models import ScriptedLLM
from bethink.types import Message, ToolCall
from bethink.wire import texts as spoken
from tests.conftest import START, letters
from tests.kinds.talks import TALKS

QUICK = FunctionEmbedder(letters, name="letters", dimension=16)
SHAPES = ["openai", "alternating", "anthropic"]


def conversation(memory=None, **options):
    memory = memory or Memory(embedder=QUICK)
    return ConversationMemory(memory=memory, user_id="ann", session_id="s", **options)


def say(conversation, talk):
    for message in talk:
        conversation.add_message(
            message.role,
            message.content,
            name=message.name,
            tool_calls=message.tool_calls,
            tool_call_id=message.tool_call_id,
        )


def texts(shaped):
    return [message["content"] for message in shaped]


# --- for any sequence of messages


@settings(max_examples=60, deadline=None)
@given(TALKS, st.integers(1, 12), st.integers(1, 300), st.integers(1, 12), st.sampled_from(SHAPES))
def test_the_limits_hold_and_nothing_is_lost(talk, most, tokens, threshold, shape):
    def words(text):
        return len(text.split())

    kept = conversation(
        max_messages=most, max_tokens=tokens, summarize_threshold=threshold, count_tokens=words
    )
    for message in talk:
        say(kept, [message])
        found = kept.get_messages_for_llm(shape)
        assert 1 <= len(found) <= most
        apart = words(kept.system_prompt) if shape == "anthropic" else 0
        assert sum(map(words, spoken(found))) + apart <= tokens
        _check_pairs(found)
    assert [(m.role, m.content, m.name, m.tool_calls, m.tool_call_id) for m in kept.messages] == [
        (m.role, m.content, m.name, m.tool_calls, m.tool_call_id) for m in talk
    ]


def _check_pairs(shaped):
    """Every result, in either shape, comes straight after the message with its call."""
    open_calls: set[str] = set()
    for message in shaped:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        results += [message["tool_call_id"]] if message["role"] == "tool" else []
        assert set(results) <= open_calls
        if message["role"] == "tool":
            open_calls -= set(results)
        else:
            assert not open_calls - set(results)
            open_calls = {b["id"] for b in blocks if b["type"] == "tool_use"}
            open_calls |= {call["id"] for call in message.get("tool_calls", [])}
    assert not open_calls


@settings(max_examples=40, deadline=None)
@given(TALKS, st.integers(1, 12))
def test_export_then_import_is_the_identity(talk, threshold):
    first = conversation(summarize_threshold=threshold)
    say(first, talk)
    first.get_messages_for_llm()
    second = conversation(summarize_threshold=threshold)
    second.import_from(json.loads(json.dumps(first.export())))
    assert second.export() == first.export()
    assert second.messages == first.messages
    assert second.get_messages_for_llm() == first.get_messages_for_llm()


# --- adding


def test_it_works_with_nothing_else():
    kept = ConversationMemory()
    kept.add_message("user", "My name is Ann", channel="web")
    kept.add_message("assistant", "Hello Ann!")
    assert kept.get_messages_for_llm() == [
        {"role": "user", "content": "My name is Ann"},
        {"role": "assistant", "content": "Hello Ann!"},
    ]
    assert kept.messages[0].metadata == {"channel": "web"}
    assert kept.search("name")[0].content == "My name is Ann"


def test_messages_are_in_the_order_of_time(ram):
    kept = conversation(ram)
    kept.add_message("user", "second")
    kept.add_message("user", "third")
    kept.add_message("user", "first", timestamp=START - timedelta(hours=1))
    assert [m.content for m in kept.messages] == ["first", "second", "third"]
    assert [m.content for m in kept.get_last_n(2)] == ["second", "third"]


def test_tool_calls_and_their_results_come_back(ram):
    kept = conversation(ram)
    kept.add_message("user", "Weather in Paris?")
    calls = [{"id": "c1", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}]
    kept.add_message("assistant", None, tool_calls=calls)
    kept.add_message("tool", "", tool_call_id="c1")
    assert kept.messages[1].tool_calls == (ToolCall("c1", "weather", {"city": "Paris"}),)
    assert [m.content for m in kept.messages[1:]] == ["", ""]
    assert kept.search("weather paris", limit=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("robot", "Hi"), "There is no role 'robot'; the roles are system, user, assistant, tool"),
        (("user", ""), "content is empty"),
        (("user", " \n"), "content is empty"),
        (("user", 3), "content must be a string"),
        (("user", "a\0b"), "NUL"),
        (("assistant", ""), "content is empty"),
        (("tool", "18 °C"), "Pass tool_call_id"),
    ],
)
def test_a_message_that_cannot_be_kept_is_refused(ram, arguments, message):
    kept = conversation(ram)
    with pytest.raises(UsageError, match=message):
        kept.add_message(*arguments)
    assert kept.messages == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tool_calls": [{"id": "1", "name": "f"}]}, "Only an assistant calls tools"),
        ({"tool_call_id": "1"}, "is for what a tool answers"),
        ({"name": ""}, "name is empty"),
        ({"timestamp": START.replace(tzinfo=None)}, "timestamp has no time zone"),
        ({"what": object()}, "metadata must be JSON"),
    ],
)
def test_details_that_cannot_be_right_are_refused(ram, options, message):
    with pytest.raises(UsageError, match=message):
        conversation(ram).add_message("user", "Hi", **options)


@pytest.mark.parametrize("name", ["max_messages", "max_tokens", "summarize_threshold"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "many", None, True])
def test_limits_are_whole_numbers_of_at_least_one(name, value):
    with pytest.raises(UsageError, match=f"{name} must be a whole number of at least 1"):
        conversation(**{name: value})


def test_an_unknown_option_is_refused():
    with pytest.raises(UsageError, match="ConversationMemory has no option 'max_mesages'"):
        ConversationMemory(max_mesages=3)  # type: ignore[call-arg]


# --- what a model is shown


def test_long_conversations_are_shown_as_a_summary_and_the_last_messages(ram):
    kept = conversation(ram, summarize_threshold=6)
    for n in range(20):
        kept.add_message("user" if n % 2 == 0 else "assistant", f"Fact number {n} about Zurich.")
    found = kept.get_messages_for_llm()
    assert found[0]["role"] == "user"
    assert found[0]["content"].startswith("[Summary of the conversation so far]\n")
    assert texts(found)[-1] == "Fact number 19 about Zurich."
    assert 3 <= len(found) <= 7
    assert len(kept.messages) == 20
    assert kept.summary in found[0]["content"]


def test_the_summary_keeps_what_matters_of_what_is_no_longer_shown(ram):
    kept = conversation(ram, summarize_threshold=4)
    kept.add_message("user", "Hi there! How are you?")
    kept.add_message("user", "My sister Laura moves to Lisbon on 3 May with 2 cats.")
    kept.add_message("assistant", "Great, thanks for telling me!")
    for n in range(6):
        kept.add_message("user", f"ok {n}")
    kept.get_messages_for_llm()
    assert all(word in kept.summary for word in ("Laura", "Lisbon", "3 May", "2 cats"))


def test_a_session_can_be_gone_on_with_by_another_process(memory, reopen):
    first = conversation(memory, summarize_threshold=4)
    for n in range(8):
        first.add_message("user", f"note {n}")
    shown = first.get_messages_for_llm()
    assert conversation(reopen(), summarize_threshold=4).get_messages_for_llm() == shown


def test_a_new_session_shares_no_history(ram):
    conversation(ram).add_message("user", "Call me Ann")
    other = ConversationMemory(memory=ram, user_id="ann")
    assert other.get_messages_for_llm() == []
    assert other.search("Ann") == []
    assert ConversationMemory(memory=ram, user_id="bob", session_id="s").messages == []


def test_real_tokens_are_counted_and_the_count_can_be_replaced():
    long = "Tokenization of uncommon vocabulary. " * 40
    kept = conversation(max_tokens=50)
    kept.add_message("user", long)
    [message] = kept.get_messages_for_llm()
    assert count_tokens(message["content"]) <= 50
    assert message["content"].endswith("[…]")
    letters_only = conversation(max_tokens=50, count_tokens=len)
    letters_only.add_message("user", long)
    assert len(letters_only.get_messages_for_llm()[0]["content"]) <= 50


def test_a_model_is_shown_what_tools_answered_with_the_calls(ram):
    kept = conversation(ram, max_messages=4)
    kept.add_message("user", "Hello")
    kept.add_message("user", "Weather?")
    kept.add_message("assistant", "", tool_calls=[ToolCall("c1", "weather")])
    kept.add_message("tool", "18 °C", tool_call_id="c1")
    kept.add_message("user", "Thanks")
    assert [m["role"] for m in kept.get_messages_for_llm()] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]


def test_an_unknown_shape_is_refused(ram):
    kept = conversation(ram)
    kept.add_message("user", "Hi")
    with pytest.raises(UsageError, match="There is no shape 'xml'"):
        kept.get_messages_for_llm("xml")


def test_what_the_system_said_is_always_shown_and_given_apart_where_it_must_be(ram):
    kept = conversation(ram, summarize_threshold=3)
    kept.add_message("system", "Answer in French.")
    for n in range(9):
        kept.add_message("user", f"note {n}")
    assert kept.get_messages_for_llm()[0] == {"role": "system", "content": "Answer in French."}
    assert kept.system_prompt == "Answer in French."
    assert "French" not in json.dumps(kept.get_messages_for_llm("anthropic"))


# --- summaries by a model


def test_a_model_writes_the_summary_from_the_one_before_and_what_is_new(ram):
    prompts = []

    def llm(prompt):
        prompts.append(prompt)
        return f"Summary {len(prompts)}."

    kept = conversation(ram, summarize_threshold=4, llm=llm)
    for n in range(12):
        kept.add_message("user", f"note {n}")
        kept.get_messages_for_llm()
    assert kept.summary == f"Summary {len(prompts)}."
    assert "Summary 1." in prompts[1]
    assert "note 0" in prompts[0]
    assert "note 0" not in prompts[1]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "  ",
        None,
        7,
        "half \ud800",
        "nul \0",
        ModelError("down"),
        OSError("broken"),
        UsageError("no"),
    ],
)
def test_a_model_that_fails_is_replaced_by_an_extract(ram, caplog, answer):
    def llm(prompt):
        if isinstance(answer, Exception):
            raise answer
        return answer

    kept = conversation(ram, summarize_threshold=3, llm=llm)
    for n in range(6):
        kept.add_message("user", f"Laura has {n} cats in Lisbon.")
    kept.get_messages_for_llm()
    assert "Lisbon" in kept.summary
    assert "extracted instead" in caplog.text
    assert "broken" not in caplog.text


def test_a_model_that_writes_too_much_is_cut():
    kept = conversation(summarize_threshold=3, max_tokens=200, llm=lambda _: "word " * 5000)
    for n in range(6):
        kept.add_message("user", f"note {n}")
    assert sum(map(count_tokens, texts(kept.get_messages_for_llm()))) <= 200


def test_any_model_writes_summaries():
    async def function(prompt):
        return "By a function."

    scripted = ScriptedLLM(["By a model."] * 9)
    for llm, summary in ((function, "By a function."), (scripted, "By a model.")):
        kept = conversation(summarize_threshold=3, llm=llm)
        for n in range(6):
            kept.add_message("user", f"note {n}")
        kept.get_messages_for_llm()
        assert kept.summary == summary


@pytest.mark.parametrize("options", [{"llm": 5}, {"llm": "nobody:model"}, {"count_tokens": None}])
def test_a_model_or_a_count_that_cannot_be_called_is_refused(options):
    with pytest.raises(UsageError):
        conversation(**options)


# --- summaries that no longer fit


def test_what_is_forgotten_is_in_no_summary_any_more(ram):
    kept = conversation(ram, summarize_threshold=4)
    kept.add_message("user", "The PIN of my card is 4711.")
    for n in range(8):
        kept.add_message("user", f"My flat number {n} is in Lisbon.")
    kept.get_messages_for_llm()
    assert "4711" in kept.summary
    first = kept.get_last_items(9)[0]
    ram.forget(first.id, user_id="ann")
    assert kept.summary is None
    assert "4711" not in json.dumps(kept.get_messages_for_llm())


def test_what_arrives_late_is_in_the_next_summary(ram):
    kept = conversation(ram, summarize_threshold=4)
    for n in range(8):
        kept.add_message("user", f"My flat number {n} is in Lisbon.")
    kept.get_messages_for_llm()
    kept.add_message("user", "Laura is allergic to nuts.", timestamp=START - timedelta(days=1))
    assert "nuts" in json.dumps(kept.get_messages_for_llm())


def test_a_summary_of_what_was_cleared_meanwhile_is_not_kept(ram):
    def llm(prompt):
        conversation(ram).clear()
        return "The password is swordfish."

    kept = conversation(ram, summarize_threshold=3, llm=llm)
    for n in range(6):
        kept.add_message("user", f"note {n}")
    kept.get_messages_for_llm()
    kept.add_message("user", "A fresh start")
    assert texts(kept.get_messages_for_llm()) == ["A fresh start"]


def test_one_who_shows_little_of_a_session_hides_nothing_from_others(ram):
    small = conversation(ram, max_messages=1, max_tokens=20, summarize_threshold=1)
    for n in range(10):
        small.add_message("user", f"note {n}")
    assert len(small.get_messages_for_llm()) == 1
    assert len(conversation(ram).get_messages_for_llm()) == 10


def test_the_newest_message_is_shown_even_if_others_go_on_meanwhile(ram):
    def llm(prompt):
        other = conversation(ram, summarize_threshold=4)
        for n in range(20):
            other.add_message("user", f"theirs {n}")
        other.get_messages_for_llm()
        return "So far."

    kept = conversation(ram, summarize_threshold=4, llm=llm)
    for n in range(10):
        kept.add_message("user", f"mine {n}")
    assert texts(kept.get_messages_for_llm())[-1] == "theirs 19"


def test_a_clock_that_is_set_back_keeps_the_order(ram, clock):
    kept = conversation(ram)
    kept.add_message("user", "first")
    clock.pass_by(-timedelta(seconds=5))
    kept.add_message("assistant", "second")
    assert [m.content for m in kept.messages] == ["first", "second"]


# --- embedding later


def test_a_message_is_found_by_words_at_once_and_by_meaning_when_the_embedder_is_ready(tmp_path):
    ready = threading.Event()

    def slow(texts):
        if any(text.startswith("user:") for text in texts):
            ready.wait(10)
        return letters(texts)

    embedder = FunctionEmbedder(slow, name="letters", dimension=16)
    with Memory(tmp_path / "agent.db", embedder=embedder) as memory:
        kept = conversation(memory)
        kept.add_message("user", "My dog is called Rex")
        assert kept.search("Rex")[0].content == "My dog is called Rex"
        ready.set()
        memory.flush()
        [hit] = memory.search("user: My dog is called Rex", user_id="ann")
        assert hit.relevance > 0.999


def test_an_embedder_that_is_down_costs_no_message(tmp_path):
    def down(texts):
        if any(text.startswith("user:") for text in texts):
            raise OSError("no network")
        return letters(texts)

    embedder = FunctionEmbedder(down, name="letters", dimension=16)
    with Memory(tmp_path / "agent.db", embedder=embedder) as memory:
        kept = conversation(memory)
        kept.add_message("user", "My dog is called Rex")
        with pytest.raises(ModelError, match="no network"):
            memory.flush()
        kept.add_message("user", "He is two years old")
        assert [m.content for m in kept.messages] == ["My dog is called Rex", "He is two years old"]
        assert kept.search("Rex", limit=1)[0].content == "My dog is called Rex"


# --- removing and moving


def test_clearing_removes_this_session_only(ram):
    kept, other = conversation(ram), ConversationMemory(memory=ram, user_id="ann", session_id="t")
    for one in (kept, other):
        one.add_message("user", "Hi")
    kept.clear()
    assert (kept.messages, kept.summary, len(other.messages)) == ([], None, 1)


def test_importing_into_a_conversation_with_messages_is_refused(ram):
    kept = conversation(ram)
    kept.add_message("user", "Hi")
    with pytest.raises(UsageError, match="Import into a new session"):
        kept.import_from(kept.export())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "must be a dictionary"),
        ({"messages": [{"role": "user", "content": "Hi"}, 3]}, "Message 1 cannot be imported"),
        ({"messages": [{"role": "elf", "content": "Hi"}]}, "There is no role 'elf'"),
        ({"messages": [{"role": "user", "content": "Hi", "timestamp": "noon"}]}, "timestamp must"),
        ({"messages": [], "summary": "x", "summarized": 2}, "summarized must be from 0 to 0"),
        ({"messages": [{"role": "user", "content": 0}]}, "content must be a string"),
        ({"messages": "Hi"}, "messages must be a list"),
    ],
)
def test_what_cannot_be_imported_is_refused_whole(ram, data, message):
    kept = conversation(ram)
    with pytest.raises(UsageError, match=message):
        kept.import_from(data)
    assert kept.messages == []


def test_a_summary_of_messages_that_are_not_there_is_kept_as_a_message(ram):
    kept = conversation(ram)
    kept.import_from(
        {"summary": "She is called Ann.", "messages": [{"role": "user", "content": "Hi"}]}
    )
    assert texts(kept.get_messages_for_llm()) == [
        "[Summary of the conversation so far]\nShe is called Ann.",
        "Hi",
    ]


def test_records_that_were_only_added_are_messages_too(ram):
    ram.add("Hello", user_id="ann", kind="message", speaker="Bob", session_id="s")
    assert conversation(ram).messages == [Message("user", "Hello", START, name="Bob")]
