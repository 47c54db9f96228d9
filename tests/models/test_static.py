"""The very fast tier, and sentence-transformers."""

import sys
from types import ModuleType

import numpy as np
import pytest
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from bethink import Memory
from bethink.errors import UsageError
from bethink.models.sentence import SentenceEmbedder
from bethink.models.static import Model2VecEmbedder, WordLlamaEmbedder
from bethink.models.url import open_embedder


@pytest.fixture
def tiny(tmp_path):
    """A Model2Vec model that knows two words."""
    words = {"[UNK]": 0, "[PAD]": 1, "cat": 2, "dog": 3}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))  # noqa: S106 (no password)
    tokenizer.pre_tokenizer = Whitespace()
    vectors = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 2, 0]], np.float32)
    StaticModel(vectors, tokenizer).save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


def test_model2vec_embeds_from_a_directory(tiny):
    embedder = open_embedder(f"model2vec:{tiny}")
    assert embedder.embed(["cat", "dog", "dog dog"]).tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert embedder.dimension == 3
    assert embedder.name.startswith("model2vec:tiny-")


def test_texts_without_a_known_word_are_all_alike(tiny):
    vectors = Model2VecEmbedder(tiny).embed(["", "bird", "fish \ud800"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert (vectors == vectors[0]).all()


def test_long_texts_are_taken_whole(tiny):
    embedder = Model2VecEmbedder(tiny)
    text = "cat " * 3000 + "dog " * 3000
    assert embedder.split(text) == [text]
    [[cat, dog, _]] = embedder.embed([text])
    assert dog == pytest.approx(2 * cat, rel=1e-3)


def test_nothing_is_downloaded(tmp_path):
    with pytest.raises(UsageError, match="There is no Model2Vec model in"):
        Model2VecEmbedder("minishlab/potion-base-8M")


def test_wordllama_embeds_with_what_its_package_carries(tmp_path):
    embedder = open_embedder("wordllama:")
    cat, kitten, car = embedder.embed(["a small cat", "a young kitten", "the motor car"])
    assert cat @ kitten > cat @ car
    assert (embedder.dimension, embedder.name) == (256, "wordllama:l2_supercat")
    with Memory(tmp_path / "agent.db", embedder=embedder) as memory:
        memory.add("Has a kitten", user_id="ann")
        assert memory.search("cat", user_id="ann")


def test_wordllama_can_be_cut():
    assert WordLlamaEmbedder(dimension=64).embed(["a cat", ""]).shape == (2, 64)


@pytest.mark.parametrize(
    "make",
    [
        lambda: WordLlamaEmbedder(dimension=100),
        lambda: WordLlamaEmbedder("l3_supercat").embed(["a"]),
        lambda: WordLlamaEmbedder("nothing").embed(["a"]),
    ],
)
def test_what_wordllama_does_not_have_is_refused(make):
    with pytest.raises(UsageError, match="WordLlama has"):
        make()


class FakeTransformer:
    """What is used of sentence-transformers, which is too large to be installed for a test."""

    max_seq_length = 32

    def __init__(self, path, *, device, local_files_only):
        assert local_files_only

    def encode_document(self, texts, *, convert_to_numpy, show_progress_bar):
        assert (convert_to_numpy, show_progress_bar) == (True, False)
        return np.array([[len(text), 1.0] for text in texts])

    def encode_query(self, texts, *, convert_to_numpy, show_progress_bar):
        return self.encode_document(
            [f"query: {text}" for text in texts], convert_to_numpy=True, show_progress_bar=False
        )


@pytest.fixture
def transformers(monkeypatch):
    module = ModuleType("sentence_transformers")
    module.__spec__ = sys.__spec__
    module.SentenceTransformer = FakeTransformer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_sentence_transformers_tell_queries_from_documents(transformers, tmp_path):
    embedder = open_embedder(f"sentence:{tmp_path}")
    assert embedder.embed(["abc"]) == pytest.approx(np.array([[3, 1]]) / 10**0.5)
    assert SentenceEmbedder(tmp_path).embed_queries(["abc"])[0, 0] > 0.99
    assert embedder.dimension == 2
    assert embedder.embed([]).shape == (0, 2)
    assert len(embedder.split("word " * 100)) > 1


def test_sentence_transformers_come_from_a_directory(transformers, tmp_path):
    with pytest.raises(UsageError, match="is no directory"):
        SentenceEmbedder("sentence-transformers/all-MiniLM-L6-v2")
    assert SentenceEmbedder(tmp_path, name="ours").name == "ours"


def test_other_weights_in_the_same_directory_have_another_name(transformers, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    before = SentenceEmbedder(tmp_path).name
    (tmp_path / "README.md").write_text("A model.")
    assert SentenceEmbedder(tmp_path).name == before
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    assert SentenceEmbedder(tmp_path).name != before


@pytest.mark.parametrize("texts", ["hello", [None]])
def test_what_is_no_list_of_texts_is_refused(transformers, tmp_path, tiny, texts):
    for embedder in (SentenceEmbedder(tmp_path), Model2VecEmbedder(tiny)):
        with pytest.raises(UsageError, match="text"):
            embedder.embed(texts)
