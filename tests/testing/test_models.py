"""Models that need no server."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bethink import UsageError
from bethink.testing.models import ScriptedLLM


def test_replies_come_in_order_and_prompts_are_kept():
    model = ScriptedLLM(["one", "two"])
    assert (model("first?"), model("second?")) == ("one", "two")
    assert model.prompts == ["first?", "second?"]


def test_an_exception_among_the_replies_is_raised():
    model = ScriptedLLM([ConnectionError("gone"), "back"])
    with pytest.raises(ConnectionError, match="gone"):
        model("first?")
    assert model("second?") == "back"
    assert model.prompts == ["first?", "second?"]


def test_a_call_too_many_is_told_in_a_sentence():
    model = ScriptedLLM([])
    with pytest.raises(UsageError, match="no reply left for call 1"):
        model("first?")


def test_each_reply_is_given_once_whichever_thread_asks():
    model = ScriptedLLM(map(str, range(200)))
    with ThreadPoolExecutor(8) as pool:
        assert sorted(map(int, pool.map(model, ["?"] * 200))) == list(range(200))
