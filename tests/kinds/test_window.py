"""Which messages a model is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.kinds.window import Limits, paired, shown, unparted
from bethink.recall.quote import harmless
from bethink.types import Message, ToolCall
from bethink.wire import shaped, system_of, texts
from tests.kinds.talks import TALKS


def words(text):
    return len(text.split())


LIMITS = st.builds(
    Limits,
    st.integers(1, 12),
    st.integers(1, 300),
    st.just(words),
    st.sampled_from(["openai", "alternating", "anthropic"]),
)
SUMMARIES = st.none() | st.builds(Message, st.just("user"), st.sampled_from(["so far", "x " * 90]))


def said(role, content="", calls=(), answers=None):
    made = tuple(ToolCall(id_, "search", {"q": id_}) for id_ in calls)
    return Message(role, content, tool_calls=made, tool_call_id=answers)


@given(TALKS, SUMMARIES, LIMITS)
def test_the_limits_hold(talk, summary, limits):
    found = shown(talk, summary, limits)
    turns = shaped(found, limits.shape)
    assert 1 <= len(turns) <= limits.messages
    assert sum(map(words, texts(turns))) <= limits.tokens
    assert words(system_of(found)) <= limits.tokens


@given(TALKS, SUMMARIES, LIMITS)
def test_the_newest_message_is_there_whole_or_cut(talk, summary, limits):
    found = [message.content for message in shown(talk, summary, limits)]
    newest = talk[-1].content
    whole = any(newest in text or harmless(newest) in text for text in found)
    assert whole or any(text.endswith(("[…]", "…")) for text in found)


@given(TALKS, SUMMARIES, LIMITS)
def test_every_result_follows_its_call_and_every_call_has_its_result(talk, summary, limits):
    waiting: set[str | None] = set()
    for message in shown(talk, summary, limits):
        if message.role == "tool":
            assert message.tool_call_id in waiting
            waiting.discard(message.tool_call_id)
        else:
            assert not waiting
            waiting = {call.id for call in message.tool_calls}
    assert not waiting


@given(TALKS, LIMITS)
def test_what_is_shown_is_in_the_order_in_which_it_was_said(talk, limits):
    plain = [m for m in talk if not m.tool_calls and m.role != "tool"]
    places = [
        next(place for place, other in enumerate(plain) if other is message)
        for message in shown(talk, None, limits)
        if any(other is message for other in plain)
    ]
    assert places == sorted(places)


def test_results_are_moved_to_their_call_and_the_call_to_its_last_result():
    talk = [said("assistant", calls=["a", "b"]), said("tool", "1", answers="a"),
            said("user", "Wait!"), said("tool", "2", answers="b")]  # fmt: skip
    assert paired(talk) == [(talk[2],), (talk[0], talk[1], talk[3])]


def test_a_call_that_nobody_answered_becomes_text():
    talk = [said("assistant", "Looking.", calls=["a", "b"]), said("tool", "1", answers="a"),
            said("assistant", calls=["c"])]  # fmt: skip
    assert paired(talk) == [
        (said("assistant", 'Looking.\n[called search {"q": "b"}]', calls=["a"]), talk[1]),
        (said("assistant", '[called search {"q": "c"}]'),),
    ]


def test_a_result_of_no_call_becomes_text():
    [[message]] = paired([said("tool", "18 °C", answers="gone")])
    assert (message.role, message.content) == ("user", "[result] «18 °C»")


def test_what_the_system_said_first_stays_when_the_rest_goes():
    talk = [said("system", "Be kind."), *(said("user", f"note {n}") for n in range(20))]
    found = shown(talk, said("user", "Summary."), Limits(4, 99, words))
    assert [m.content for m in found] == ["Be kind.", "Summary.", "note 18", "note 19"]


def test_where_not_even_the_newest_fits_it_alone_is_shown_and_cut():
    talk = [said("user", "one"), said("user", "word " * 50)]
    [message] = shown(talk, said("user", "Summary."), Limits(9, 5, words))
    assert message.content == "word word word word […]"


def test_a_result_that_does_not_fit_with_its_call_is_shown_as_text():
    talk = [said("assistant", calls=["a"]), said("tool", "18 °C", answers="a")]
    [message] = shown(talk, None, Limits(1, 99, words))
    assert (message.role, message.content, message.tool_call_id) == (
        "user",
        "[result] «18 °C»",
        None,
    )


def test_where_the_user_must_come_first_there_is_room_for_an_opening():
    talk = [said("user", "Hi"), said("assistant", "Hello"), said("user", "So?")]
    limits = Limits(2, 99, words, "anthropic")
    assert [m.content for m in shown(talk, None, limits)] == ["So?"]


def test_results_that_are_too_long_together_are_all_shown_and_cut():
    talk = [
        said("user", "Look"),
        said("assistant", calls=["a", "b"]),
        said("tool", "x " * 40, answers="a"),
        said("tool", "y " * 40, answers="b"),
    ]
    found = shown(talk, None, Limits(9, 50, words))
    assert [message.role for message in found] == ["assistant", "tool", "tool"]
    assert all(message.content.endswith("[…]") for message in found[1:])


def test_thousands_of_messages_are_looked_through_quickly():
    """The number of times that a text is counted grows hardly faster than their number."""
    counted = []

    def count(text):
        counted.append(text)
        return 1

    talk = [said("user", f"note {n}") for n in range(4000)]
    assert len(shown(talk, None, Limits(3000, 10**6, count))) == 3000
    assert len(counted) < 40 * len(talk)


@given(TALKS, st.data())
def test_no_call_is_parted_from_its_result(talk, data):
    place = unparted(talk, data.draw(st.integers(0, len(talk))))
    for message in talk[place:]:
        calls_after = {c.id for m in talk[place:] for c in m.tool_calls}
        calls_before = {c.id for m in talk[:place] for c in m.tool_calls}
        if message.role == "tool" and message.tool_call_id in calls_before - calls_after:
            results_before = {m.tool_call_id for m in talk[:place]}
            # It has been answered before: this is a second answer, which belongs to no call.
            assert message.tool_call_id in results_before


@pytest.mark.parametrize("summary", [None, said("user", "So far.")])
def test_of_nothing_nothing_but_a_summary_is_shown(summary):
    assert shown([], summary, Limits(9, 99, words)) == ([summary] if summary else [])
