import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.models.tokens import count_tokens

# Each with what the byte-pair encoding cl100k_base makes of it.
KNOWN = {
    "I moved to Lisbon in March.": 7,
    "My sister's name is Joanna, and she adopted two cats last winter.": 15,
    "Ok, see you at 7:30 pm!": 11,
}


@pytest.mark.parametrize("text", KNOWN)
def test_english_is_counted_as_large_models_count_it(text):
    assert count_tokens(text) == pytest.approx(KNOWN[text], rel=0.2)


@pytest.mark.parametrize("text", ["", " "])
def test_nothing_costs_nothing(text):
    assert count_tokens(text) == 0


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("วันนี้อากาศดีมาก", 14),
        ("今天天气很好，我们去公园吧。", 13),
        ("Сегодня хорошая погода", 8),
        ("🎉🎂🥳", 7),
        ("a1b2c3d4" * 40, 200),
        ("line\n" * 20, 38),
        ("EVERYONE SHOULD KNOW", 5),
        ("def f():\n        return 1", 8),
    ],
)
def test_what_the_tokenizer_overlooks_is_counted_too(text, least):
    assert count_tokens(text) >= least


def test_signs_that_repeat_are_not_counted_one_by_one():
    assert count_tokens("=" * 64) <= 8
    assert count_tokens(" " * 500) <= 8


def test_the_names_of_special_tokens_are_just_text():
    assert count_tokens("[SEP] and [UNK]") > 3


def test_half_a_surrogate_pair_is_counted():
    assert count_tokens("\ud83d") > 0


@given(st.text(), st.text())
def test_what_is_added_after_a_space_never_lowers_the_count(text, added):
    assert count_tokens(f"{text} {added}") >= count_tokens(text)


@given(st.text(max_size=300))
def test_no_text_costs_more_than_three_tokens_a_character(text):
    assert 0 <= count_tokens(text) <= 3 * len(text)


def test_threads_count_alike():
    texts = [f"word{n} and others" for n in range(200)]
    alone = [count_tokens(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(count_tokens, texts)) == alone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_counts_too():
    code = (
        "import os; from bethink.models.tokens import count_tokens as count\n"
        "count('before'); child = os.fork()\n"
        "if child == 0: os._exit(count('unheard-of words afterwards') < 4)\n"
        "print(os.waitpid(child, 0)[1])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "0\n"
    assert run.stderr == ""


def test_nothing_is_loaded_before_the_first_count():
    code = "import sys, bethink.models.tokens; print('tokenizers' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
