"""Conversations of any kind, for property tests: with tool calls answered, late, twice or never."""

from hypothesis import strategies as st

from bethink.types import Message, ToolCall

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30
).filter(str.strip)
LONG = st.builds(
    lambda word, times: (word + " ") * times,
    st.sampled_from(["tea", "Zürich", "北京"]),
    st.integers(50, 400),
)
IDS = st.sampled_from(["c1", "c2", "c3"])
CALLS = st.lists(
    st.builds(
        ToolCall, IDS, st.sampled_from(["search", "read"]), st.fixed_dictionaries({"q": TEXTS})
    ),
    max_size=3,
    unique_by=lambda call: call.id,
).map(tuple)

MESSAGES = st.one_of(
    st.builds(Message, st.sampled_from(["user", "assistant", "system"]), TEXTS | LONG),
    st.builds(Message, st.just("user"), TEXTS, name=st.sampled_from(["Ann", "Bob Ray"])),
    st.builds(Message, st.just("assistant"), TEXTS, tool_calls=CALLS),
    st.builds(Message, st.just("assistant"), st.just(""), tool_calls=CALLS.filter(bool)),
    st.builds(Message, st.just("tool"), TEXTS | LONG | st.just(""), tool_call_id=IDS),
)
TALKS = st.lists(MESSAGES, min_size=1, max_size=25)
