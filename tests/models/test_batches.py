import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bethink.errors import UsageError
from bethink.models.batches import Limits, batches, split, tokens_in

LIMITS = Limits(texts=5, tokens=100, window=50)


@given(st.lists(st.text(max_size=200), max_size=40))
def test_every_text_is_in_one_batch_in_order_within_the_limits(texts):
    made = list(batches(texts, LIMITS))
    assert [at for rows in made for at in rows] == list(range(len(texts)))
    for rows in made:
        assert 1 <= len(rows) <= LIMITS.texts
        assert len(rows) == 1 or sum(tokens_in(texts[at]) for at in rows) <= LIMITS.tokens


@given(st.lists(st.text(max_size=60), max_size=40))
def test_no_batch_would_have_room_for_the_next_text(texts):
    made = list(batches(texts, LIMITS))
    for rows in made[:-1]:
        tokens = sum(tokens_in(texts[at]) for at in range(rows.start, rows.stop + 1))
        assert len(rows) == LIMITS.texts or tokens > LIMITS.tokens


pieces = st.sampled_from(
    ["a", "word ", "https://example.com/", "\U0001f600", "\u3000", "\n", "日本"]
)
long_texts = st.lists(st.tuples(pieces, st.integers(1, 150)), max_size=12).map(
    lambda runs: "".join(piece * times for piece, times in runs)
)


@given(st.text(max_size=3000) | long_texts, st.integers(8, 300))
@example("\U0001f600" * 120, 128)
@example("\U0001f600" * 1000, 256)
@example("see https://example.com/" + "a" * 50, 16)
def test_the_parts_of_a_text_fit_the_window_and_cover_it(text, window):
    parts = split(text, window)
    assert all(tokens_in(part) <= window for part in parts)
    at = 0
    for part in parts:
        found = text.rfind(part, 0, at + len(part))
        assert found >= 0
        at = max(at, found + len(part))
    assert at == len(text)


@pytest.mark.parametrize("window", [-1, 0, 7])
def test_a_window_without_room_for_words_is_refused(window):
    with pytest.raises(UsageError, match=f"window is {window}: give 8 tokens or more"):
        split("hello", window)
    with pytest.raises(UsageError, match=f"window is {window}: give 8 tokens or more"):
        Limits(texts=1, tokens=100, window=window)


@pytest.mark.parametrize(("texts", "tokens"), [(0, 100), (1, 0)])
def test_limits_that_no_text_keeps_to_are_refused(texts, tokens):
    with pytest.raises(UsageError, match="leaves no room for a text"):
        Limits(texts=texts, tokens=tokens, window=50)


def test_a_text_that_fits_is_left_alone():
    assert split("short enough", 50) == ["short enough"]


def test_parts_are_cut_between_words():
    parts = split("word " * 200, 50)
    assert len(parts) > 1
    assert all(part.startswith("word") for part in parts)
