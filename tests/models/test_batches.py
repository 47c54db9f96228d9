from hypothesis import given
from hypothesis import strategies as st

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


@given(st.text(max_size=3000))
def test_the_parts_of_a_text_fit_the_window_and_cover_it(text):
    parts = split(text, LIMITS.window)
    assert all(tokens_in(part) <= LIMITS.window for part in parts)
    at = 0
    for part in parts:
        found = text.find(part, max(0, at - len(part)))
        assert 0 <= found <= at
        at = max(at, found + len(part))
    assert at == len(text)


def test_a_text_that_fits_is_left_alone():
    assert split("short enough", 50) == ["short enough"]


def test_parts_are_cut_between_words():
    parts = split("word " * 200, 50)
    assert len(parts) > 1
    assert all(part.startswith("word") for part in parts)
