import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.errors import ModelError, UsageError
from bethink.models import local
from bethink.models.local import BATCH_TOKENS, WINDOW, LocalEmbedder, Word, batches, spans

FILES = Path(local.__file__).with_name("minilm")
SENTENCES = [
    "I moved to Lisbon in March.",
    "Ok.",
    "My sister's name is Joanna, she lives in Oslo, and she adopted two cats last winter.",
    "",
    "The meeting was moved to Thursday at 3 pm because the train from Vienna was late again.",
    "東京は日本の首都です。",
]

embedder = LocalEmbedder()


def tokens(text):
    return len(embedder._model().tokens(text))


# --- vectors


def test_texts_that_mean_alike_are_closer_than_strangers():
    cat, kitten, market = embedder.embed(
        ["A cat is sleeping on the sofa.", "The kitten naps on the couch.", "Share prices fell."]
    )
    assert cat @ kitten > 0.5
    assert cat @ market < 0.3


def test_a_question_is_closest_to_its_answer():
    question, *facts = embedder.embed(
        [
            "Which food makes the user ill?",
            "I'm allergic to peanuts.",
            "I moved to Lisbon.",
            "My sister is called Joanna.",
        ]
    )
    assert np.argmax(facts @ question) == 0


def test_vectors_have_length_one_in_single_precision():
    vectors = embedder.embed(SENTENCES)
    assert vectors.shape == (len(SENTENCES), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(SENTENCES)), abs=1e-5)


def test_no_texts_give_no_vectors():
    assert embedder.embed([]).shape == (0, 384)


def test_vectors_come_in_the_order_of_their_texts():
    texts = [f"{'very ' * (at * 7 % 50)}short text number {at}" for at in range(40)]
    together = embedder.embed(texts)
    backwards = embedder.embed(texts[::-1])[::-1]
    assert together == pytest.approx(backwards, abs=1e-4)


def test_a_vector_does_not_depend_on_the_texts_beside_it():
    # Seen: at least 0.9999994. With one scale for a whole batch, which is how such models are
    # usually quantised, it was 0.944 for short texts beside long ones.
    alone = np.concatenate([embedder.embed([text]) for text in SENTENCES])
    crowd = embedder.embed([*SENTENCES, *(" ".join(["word"] * n) for n in range(1, 250, 7))])
    assert (alone * crowd[: len(SENTENCES)]).sum(axis=1).min() > 0.9999


def test_threads_that_call_at_once_get_the_same_vectors():
    fresh = LocalEmbedder()
    expected = embedder.embed(SENTENCES)
    with ThreadPoolExecutor(8) as pool:
        for vectors in pool.map(lambda _: fresh.embed(SENTENCES), range(16)):
            assert vectors == pytest.approx(expected, abs=1e-4)


def test_one_thread_and_several_find_the_same():
    texts = [f"This is sentence {at}, one of many in a long list." for at in range(100)]
    one, several = LocalEmbedder(threads=1).embed(texts), LocalEmbedder(threads=3).embed(texts)
    assert one == pytest.approx(several, abs=1e-4)


def test_special_tokens_in_a_text_are_only_text():
    plain, marked = embedder.embed(["the end", "[SEP] [PAD] [MASK] the end"])
    assert embedder.split("[SEP]") == ["[SEP]"]
    assert tokens("[SEP]") == 5
    assert np.isfinite(plain @ marked)


def test_half_a_surrogate_pair_is_embedded_and_not_refused():
    text = "smile \ud83d " * 200
    assert "".join(embedder.split("\ud83d")) == "\ud83d"
    assert np.isfinite(embedder.embed(embedder.split(text))).all()


# --- long texts


@pytest.mark.parametrize("text", ["", "short", "x" * 254, "a b " * 63])
def test_a_short_text_is_one_part(text):
    assert embedder.split(text) == [text]


def test_a_short_text_is_not_tokenised():
    assert LocalEmbedder(path=Path("nowhere")).split("no model is needed for this") == [
        "no model is needed for this"
    ]


def test_a_long_text_must_be_split_first():
    with pytest.raises(UsageError, match=r"Text 1 has 502 tokens.*call split\(\)"):
        embedder.embed(["short", "word " * 500])


def test_parts_overlap():
    text = " ".join(f"number{at}" for at in range(600))
    parts = embedder.split(text)
    assert len(parts) > 2
    for before, after in pairwise(parts):
        shared = " ".join(after.split()[:5])
        assert shared in before


def test_characters_that_make_several_tokens_each_are_counted_right():
    text = "한국 " * 80
    assert len(text) < WINDOW < tokens(text)
    assert max(map(tokens, embedder.split(text))) <= WINDOW


def covered(text, parts):
    """Whether parts, each beginning within or right after the one before, make up the text."""
    end = 0
    for part in parts:
        start = text.rfind(part, 0, end + len(part))
        if start < 0:
            return False
        end = start + len(part)
    return end == len(text)


scripts = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(min_codepoint=0x0300, max_codepoint=0x0370), max_size=20),
    st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), max_size=60),
    st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=60),
    st.text("aeınştİß ##_-'.\t\n\u200b\u00ad", max_size=60),
    st.sampled_from(["word ", "unbelievably", "x" * 120, " " * 300, "🎉👩‍👩‍👧", "[SEP]"]),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(scripts, min_size=1, max_size=12), st.integers(1, 30))
def test_parts_fit_the_window_and_cover_every_character(pieces, times):
    text = "".join(pieces) * times
    parts = embedder.split(text)
    assert max(map(tokens, parts)) <= WINDOW
    assert covered(text, parts)


@given(st.lists(st.integers(1, 6), max_size=60))
def test_spans_hold_the_room_and_overlap_by_no_more_than_asked(sizes):
    words = [Word(start=at * 10, tokens=size) for at, size in enumerate(sizes)]
    length = len(words) * 10
    cuts = list(spans(words, length, room=12, overlap=4))
    inside = [[word for word in words if start <= word.start < end] for start, end in cuts]
    assert all(sum(word.tokens for word in part) <= 12 for part in inside)
    assert (cuts[0][0], cuts[-1][1]) == (0, length)
    for (_, end), (start, _) in pairwise(cuts):
        assert start <= end
        assert sum(word.tokens for word in words if start <= word.start < end) <= 4


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60))
def test_spans_go_on_whatever_the_length_of_a_word(sizes):
    words = [Word(start=at, tokens=size) for at, size in enumerate(sizes)]
    cuts = list(spans(words, len(words), room=12, overlap=4))
    assert (cuts[0][0], cuts[-1][1]) == (0, len(words))
    for start, end in cuts:
        assert end == start + 1 or sum(sizes[start:end]) <= 12
    for (_, before), (start, end) in pairwise(cuts):
        assert start <= before < end


@given(st.lists(st.integers(2, WINDOW), max_size=60))
def test_batches_hold_each_text_once_and_are_bounded_with_their_padding(lengths):
    together = list(batches(lengths))
    assert sorted(at for batch in together for at in batch) == list(range(len(lengths)))
    for batch in together:
        assert len(batch) * max(lengths[at] for at in batch) <= BATCH_TOKENS


# --- loading


def test_the_name_tells_which_file_made_the_vectors():
    digest = hashlib.sha256((FILES / "model.onnx").read_bytes()).hexdigest()
    assert LocalEmbedder(path=Path("nowhere")).name == f"all-MiniLM-L6-v2-int8-{digest[:8]}"


def test_nothing_heavy_is_imported_until_something_is_embedded():
    code = """
import sys
from bethink.models.local import LocalEmbedder
embedder = LocalEmbedder()
embedder.name, embedder.dimension, embedder.split("short")
print([name for name in ("onnxruntime", "tokenizers") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_refused(tmp_path, name):
    copy = shutil.copytree(FILES, tmp_path / "model")
    with (copy / name).open("r+b") as file:
        file.seek(1000)
        file.write(b"\0\0\0\0")
    with pytest.raises(ModelError, match=f"{name} is damaged"):
        LocalEmbedder(path=copy).embed(["text"])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"cannot be read: install bethink again") as caught:
        LocalEmbedder(path=tmp_path).embed(["text"])
    assert isinstance(caught.value.__cause__, OSError)


def test_fewer_threads_than_one_are_refused():
    with pytest.raises(UsageError, match="threads is 0"):
        LocalEmbedder(threads=0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_embeds_and_exits_without_a_word():
    code = """
import os, sys
from bethink.models.local import LocalEmbedder
embedder = LocalEmbedder()
texts = [f"sentence {at} of many, to use all threads" for at in range(64)]
before = embedder.embed(texts)
child = os.fork()
after = embedder.embed(texts)
assert abs(before - after).max() < 1e-4
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    # In a process of its own, since a test runner with threads should not fork.
    run = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
