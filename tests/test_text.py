import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text import TERM, hashed, pack, query_terms, terms, words


def found(query, text):
    """How many of the query's terms are in the text."""
    return len(set(query_terms(query)) & set(terms(text)))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("running shoes", "He runs in old shoe leather"),
        ("café", "We met at the CAFE"),
        ("Munchen", "Er wohnt in München"),
        ("John", "That is John’s bicycle"),
        ("елка", "Ёлка стоит в углу"),
        ("北京", "我喜欢北京烤鸭"),
        ("猫", "我家有一只猫"),
        ("東京", "去年、東京タワーに行きました"),
        ("서울", "저는 서울에서 살아요"),
        ("กาแฟ", "ฉันชอบดื่มกาแฟทุกเช้า"),
        ("हिन्दी", "वह हिन्दी बोलती है"),
        ("தமிழ்", "அவர் தமிழ் பேசுகிறார்"),
        ("محمد", "اسمه مُحَمَّد"),
        ("שלום", "שָׁלוֹם עולם"),
        ("καφες", "Πίνει καφές κάθε πρωί"),
        ("ＡＢＣ", "the abc of it"),
        ("user id", "user_id=7"),
        ("4411", "The parking code is 4411."),
    ],
)
def test_a_word_is_found_whatever_its_script_case_or_ending(query, text):
    assert found(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [("上海", "我喜欢北京烤鸭"), ("cat", "concatenate"), ("हिन्दू", "वह हिन्दी बोलती है")],
)
def test_other_words_are_not_found(query, text):
    assert not found(query, text)


def test_words_of_spaced_scripts_with_vowel_signs_stay_whole():
    assert words("हिन्दी में बात") == ["हिन्दी", "में", "बात"]


def test_stop_words_are_left_out_of_queries_unless_there_is_nothing_else():
    assert query_terms("What is the name of his dog?") == ["name", "dog"]
    assert query_terms("The Who") == ["the", "who"]


def test_a_query_of_symbols_has_no_terms():
    assert query_terms("🎉🎉 !?") == []
    assert len(hashed([])) == 0


def test_packed_terms_are_sorted_and_counted():
    packed = np.frombuffer(pack("tea, Tea and more teas"), TERM)
    assert packed["term"].tolist() == sorted(packed["term"].tolist())
    assert packed["count"][packed["term"] == hashed(["tea"])[0]] == 3


def test_counts_stop_at_what_a_byte_holds():
    assert np.frombuffer(pack("tea " * 1000), TERM)["count"].tolist() == [255]


@given(st.text())
def test_any_text_can_be_packed(text):
    packed = np.frombuffer(pack(text), TERM)
    assert set(packed["term"].tolist()) == set(hashed(terms(text)).tolist())


@given(st.text())
def test_analysing_is_the_same_for_the_upper_case_of_ascii(text):
    if text.isascii():
        assert pack(text.upper()) == pack(text.lower())


def test_a_text_without_end_is_kept_in_pieces():
    found = words("x" * 1000 + " " + "é" * 1000)
    assert max(map(len, found)) <= 200
    assert sum(map(len, found)) == 2000
