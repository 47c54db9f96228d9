"""What was found, as text within a budget."""

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.recall.pack import Line, Section, cut, pack
from bethink.types import MemoryItem
from tests.conftest import START


def words(text):
    return len(text.split())


def item(n):
    return MemoryItem(id=str(n), user_id="ann", content=f"memory {n}", created_at=START)


SECTIONS = st.lists(
    st.builds(
        Section,
        st.sampled_from(["", "## Title"]),
        st.lists(
            st.builds(
                Line,
                st.text("ab \n", min_size=1, max_size=40),
                st.floats(0, 10),
                st.none() | st.integers(0, 9).map(item),
            ),
            max_size=6,
        ),
    ),
    max_size=4,
)


@given(SECTIONS, st.integers(0, 60))
def test_a_budget_is_never_exceeded_and_every_number_has_its_source(sections, budget):
    context = pack(sections, budget=budget, count=words)
    assert context.tokens == words(context) <= budget
    for number, source in context.sources.items():
        assert f"[{number}]" in context
        assert source in [line.item for section in sections for line in section.lines]


def test_the_most_useful_gets_in_first_and_is_read_in_order():
    lines = [Line("first and dull", 1), Line("second", 3), Line("third", 2)]
    context = pack([Section("Title", lines)], budget=5, count=words)
    assert context == "Title\nsecond\nthird"


def test_a_title_without_lines_is_left_out():
    assert (
        pack([Section("Title", []), Section("", [Line("line")])], budget=99, count=words) == "line"
    )


def test_a_context_is_a_string_that_survives_being_copied():
    context = pack([Section("", [Line("tea", item=item(1))])], budget=99, count=words)
    assert json.dumps(context) == '"tea [1]"'
    assert f"{context}!" == "tea [1]!"
    assert context.text == "tea [1]"
    assert type(context.text) is str
    for other in (copy.copy(context), copy.deepcopy(context), pickle.loads(pickle.dumps(context))):  # noqa: S301
        assert (other, other.sources, other.tokens) == (context, context.sources, context.tokens)


@given(st.text(max_size=60), st.integers(1, 30))
def test_a_cut_text_fits_and_says_so(text, budget):
    short = cut(text, budget, len)
    assert len(short) <= budget
    assert short == text or short.endswith(("[…]", "…"))


@pytest.mark.parametrize(
    ("budget", "short"), [(3, "one two […]"), (1, "[…]"), (9, "one two three four")]
)
def test_as_much_as_fits_of_a_text_is_kept(budget, short):
    assert cut("one two three four", budget, words).strip() == short
