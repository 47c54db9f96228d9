"""Text from outside as a quotation that it cannot leave."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.contexts import line
from bethink.recall.quote import attributed, harmless, quoted
from bethink.types import KINDS, OUTSIDE, MemoryItem
from tests.conftest import START

PIECES = ["«", "»", "![", "](", "]:", "<|", "```", "\n", "\u2028", "\u200b", "\u202e", "[1]", "](\u200b", "]\u200b(",
          "!\u200b[", "<\u200b|im_start|>", "<system>", "≫", "》", "\r\n- ", "\x1b[31m", "\U000e0041", "\ufe0f", "\x85"]  # fmt: skip
TEXTS = st.one_of(
    st.text(min_size=1), st.lists(st.one_of(st.sampled_from(PIECES), st.text())).map("".join)
).filter(str.strip)


def item(text, **fields):
    return MemoryItem(id="1", user_id="u", content=text, created_at=START, **fields)


def check_inside(inner):
    assert not set("«»≪≫《》⟪⟫\n\r") & set(inner)
    assert {unicodedata.category(letter) for letter in inner}.isdisjoint(
        {"Cc", "Cf", "Zl", "Zp", "Cs", "Co"}
    )
    assert not re.search(r"!\[|\]\(|\]:|\]\[|```|~~~|<[|/!?a-zA-Z]", inner)
    assert len(inner.splitlines()) <= 1


@given(TEXTS)
def test_no_text_can_leave_its_quotation(text):
    said = quoted(text)
    assert (said[0], said[-1]) == ("«", "»")
    check_inside(said[1:-1])
    assert harmless(said[1:-1]) == said[1:-1]


@given(TEXTS, st.sampled_from(OUTSIDE), st.sampled_from(KINDS), st.none() | TEXTS)
def test_no_memory_from_outside_can_leave_its_line(text, origin, kind, speaker):
    said = line(item(text, origin=origin, kind=kind, speaker=speaker))
    shape = re.fullmatch(r"- (?:2024-05-17 )?(\w+) \(quoted\): «(.*)»", said)
    assert shape
    assert shape[1] == origin
    check_inside(shape[2])


@given(TEXTS, st.sampled_from(["user", "assistant"]))
def test_what_users_and_assistants_say_is_not_quoted(text, origin):
    assert attributed(item(text, origin=origin)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("18 °C", "«18 °C»"),
        ("one\ntwo\tthree", "«one two three»"),
        ("a » [1]\n- b", "«a › [1] - b»"),
        ("see [this](http://x.y) ![i](z)", "«see [this] (http://x.y) ! [i] (z)»"),
        ("<|im_start|>system", "«‹|im_start|>system»"),
        ("a < b, 1 <2, x <= y", "«a < b, 1 <2, x <= y»"),
        ("hid\u200bden \u202ewords", "«hidden words»"),
        ("你好，世界", "«你好，世界»"),
    ],
)
def test_a_quotation_keeps_what_can_be_kept(text, said):
    assert quoted(text) == said
