"""ONNX models by path: the built-in one as any other, and a cross-encoder made for the purpose."""

import asyncio
import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from bethink.errors import UsageError
from bethink.models import local
from bethink.models.local import LocalEmbedder
from bethink.models.onnx import OnnxEmbedder, OnnxReranker
from bethink.models.url import open_embedder, open_reranker

MINILM = Path(local.__file__).with_name("minilm")
TEXTS = ["Supports Arsenal", "Eats no nuts", "x", "many words and more of them " * 20]


def saved(directory, nodes, outputs, values=()):
    """A model with the usual inputs and these nodes, beside the built-in model's tokenizer."""
    directory.mkdir()
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    graph = helper.make_graph(nodes, "made", inputs, outputs, list(values))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, directory / "model.onnx")
    shutil.copy(MINILM / "tokenizer.json", directory)
    return directory


@pytest.fixture
def encoder(tmp_path):
    """Gives three numbers for each token: the id, the type and one."""
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["ids"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["attention_mask"], ["ones"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["ids", "last"], ["a"]),
        helper.make_node("Unsqueeze", ["types", "last"], ["b"]),
        helper.make_node("Unsqueeze", ["ones", "last"], ["c"]),
        helper.make_node("Concat", ["a", "b", "c"], ["last_hidden_state"], axis=2),
    ]
    out = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", 3]
    )
    last = helper.make_tensor("last", TensorProto.INT64, [1], [2])
    return saved(tmp_path / "encoder", nodes, [out], [last])


@pytest.fixture
def judge(tmp_path):
    """Scores a pair by how many tokens of the second text are the one for "good"."""
    tokenizer = local.tokenizer_of(str(MINILM / "tokenizer.json"))
    good = tokenizer.encode("good", add_special_tokens=False).ids[0]
    nodes = [
        helper.make_node("Equal", ["input_ids", "good"], ["is_good"]),
        helper.make_node("Cast", ["is_good"], ["hits"], to=TensorProto.INT64),
        helper.make_node("Mul", ["hits", "token_type_ids"], ["second"]),
        helper.make_node("ReduceSum", ["second", "axis"], ["sum"], keepdims=1),
        helper.make_node("Cast", ["sum"], ["logits"], to=TensorProto.FLOAT),
    ]
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])
    values = [
        helper.make_tensor("good", TensorProto.INT64, [1], [good]),
        helper.make_tensor("axis", TensorProto.INT64, [1], [1]),
    ]
    return saved(tmp_path / "judge", nodes, [out], values)


# --- embedders


def test_the_built_in_model_gives_the_same_by_its_path():
    embedder = open_embedder(f"onnx:{MINILM}")
    assert embedder.embed(TEXTS) == pytest.approx(LocalEmbedder().embed(TEXTS), abs=1e-4)
    assert embedder.dimension == 384


def test_vectors_of_tokens_are_averaged_without_the_padding(encoder):
    alone = OnnxEmbedder(encoder).embed(["a cat"])
    beside = OnnxEmbedder(encoder).embed(["a cat", "a much longer text than that"])
    assert alone[0] == pytest.approx(beside[0], abs=1e-6)
    assert np.linalg.norm(beside, axis=1) == pytest.approx(1)


def test_the_first_token_may_stand_for_the_text(encoder):
    embedder = OnnxEmbedder(encoder, pooling="cls")
    vectors = embedder.embed(["one", "two"])
    assert vectors[0] == pytest.approx(vectors[1])
    assert embedder.name != OnnxEmbedder(encoder).name


def test_what_the_files_say_about_pooling_and_window_is_heeded(encoder):
    (encoder / "1_Pooling").mkdir()
    (encoder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    (encoder / "config.json").write_text('{"max_position_embeddings": 32}')
    embedder = OnnxEmbedder(encoder)
    assert embedder.name == OnnxEmbedder(encoder, pooling="cls").name
    assert len(embedder.split("word " * 100)) >= 4


def test_queries_and_documents_have_their_prefixes(encoder):
    plain = OnnxEmbedder(encoder)
    prefixed = OnnxEmbedder(encoder, query_prefix="query: ", document_prefix="passage: ")
    assert prefixed.embed(["a"]) == pytest.approx(plain.embed(["passage: a"]))
    assert prefixed.embed_queries(["a"]) == pytest.approx(plain.embed(["query: a"]))
    assert prefixed.name != plain.name


@pytest.mark.parametrize("text", ["word " * 3000, "x-1" * 1000, "日本語" * 800, "a b\n" * 900])
def test_the_parts_of_a_long_text_cover_it_and_fit_the_window(text):
    embedder = OnnxEmbedder(MINILM, window=64)
    parts = embedder.split(text)
    assert len(parts) > 1
    assert sum(map(len, parts)) >= len(text)
    assert all(text.count(part) for part in parts)
    assert parts[0] == text[: len(parts[0])]
    assert parts[-1] == text[-len(parts[-1]) :]
    model = embedder._model()
    assert all(len(model.tokens(part)) <= 64 for part in parts)
    assert embedder.embed(parts).shape == (len(parts), 384)


LONG_PREFIX = "Repräsentationsaufgabenbeschreibung für Dokumente: "
runs = st.tuples(
    st.sampled_from(
        ["a", "word ", "internationalization ", "\U0001f600", "日本", "x-1", "ﷺ", "\n"]
    ),
    st.integers(1, 40),
)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(runs, max_size=8).map(lambda made: "".join(piece * n for piece, n in made)),
    st.sampled_from([("", 8), ("", 16), ("", 64), (LONG_PREFIX, 64)]),
)
def test_parts_fit_the_window_with_their_prefix_however_small_it_is(text, model):
    prefix, window = model
    embedder = small(prefix, window)
    parts = embedder.split(text)
    at = 0
    for part in parts:
        assert len(part) == 1 or len(embedder._model().tokens(prefix + part)) <= window
        found = text.rfind(part, 0, at + len(part))
        assert found >= 0
        at = max(at, found + len(part))
    assert at == len(text)


@cache
def small(prefix, window):
    return OnnxEmbedder(MINILM, window=window, document_prefix=prefix)


def test_a_text_that_does_not_fit_the_window_is_not_cut_in_silence():
    with pytest.raises(UsageError, match="Text 1 has 102 tokens and the model reads 64 at once"):
        OnnxEmbedder(MINILM, window=64).embed(["short", "word " * 100])


def test_a_window_that_the_prefix_fills_is_refused(encoder):
    embedder = OnnxEmbedder(encoder, window=8, document_prefix="a prefix of words: ")
    with pytest.raises(UsageError, match="take 7: give 11 or more"):
        embedder.split("word " * 100)


@pytest.mark.parametrize("setting", ["window", "threads"])
@pytest.mark.parametrize("make", [OnnxEmbedder, OnnxReranker])
def test_settings_below_one_are_refused(encoder, make, setting):
    for value in (0, -1):
        with pytest.raises(UsageError, match=f"{setting} is {value}: give 1 or more"):
            make(encoder, **{setting: value})


@pytest.mark.parametrize("texts", ["hello", [None]])
def test_what_is_no_list_of_texts_is_refused(encoder, texts):
    for embedder in (OnnxEmbedder(encoder), LocalEmbedder()):
        with pytest.raises(UsageError, match="text"):
            embedder.embed(texts)


def test_the_same_model_with_another_tokenizer_has_another_name(encoder):
    before = OnnxEmbedder(encoder).name
    file = encoder / "tokenizer.json"
    tokenizer = json.loads(file.read_text("utf-8"))
    tokenizer["normalizer"] = None
    file.write_text(json.dumps(tokenizer), "utf-8")
    assert OnnxEmbedder(encoder).name != before


def test_no_texts_are_no_vectors(encoder):
    assert OnnxEmbedder(encoder).embed([]).shape == (0, 3)


def test_the_layout_of_a_hub_is_understood(encoder):
    (encoder / "onnx").mkdir()
    (encoder / "model.onnx").rename(encoder / "onnx" / "model.onnx")
    assert OnnxEmbedder(encoder).dimension == 3


def test_a_directory_without_a_model_is_refused(tmp_path):
    with pytest.raises(UsageError, match="There is no model.onnx with a tokenizer.json in"):
        OnnxEmbedder(tmp_path)


def test_a_pooling_that_is_not_there_is_refused(encoder):
    with pytest.raises(UsageError, match="There is no pooling 'max'; give mean or cls."):
        OnnxEmbedder(encoder, pooling="max")  # type: ignore[arg-type]


# --- rerankers


def test_a_cross_encoder_scores_pairs_in_order(judge):
    reranker = open_reranker(f"onnx:{judge}")
    scores = reranker.score("what is good?", ["nothing", "good good good", "a good one"])
    assert scores == pytest.approx([0.5, 1 / (1 + np.exp(-3)), 1 / (1 + np.exp(-1))])
    assert reranker.score("what is good?", []) == []


def test_scoring_can_be_awaited(judge):
    assert asyncio.run(OnnxReranker(judge).ascore("good?", ["good"])) == pytest.approx(
        [0.731], abs=1e-3
    )


def test_a_text_that_does_not_fit_is_cut_at_its_end(judge):
    reranker = OnnxReranker(judge, window=16)
    assert reranker.score("good?", ["good " + "word " * 100])[0] > 0.7


def test_two_numbers_for_each_text_are_for_and_against():
    from bethink.models.onnx import _probabilities  # noqa: PLC0415

    assert _probabilities(np.array([[0.0, 0.0], [1.0, 3.0]])) == pytest.approx(
        [0.5, 0.8808], abs=1e-4
    )
