"""What a search costs beside the embedding of its query, in the same run.

    python benchmarks/recall.py            prints a table
    python benchmarks/recall.py --write    and writes it to benchmarks/results/searching.md

One user has so many messages in sessions of twenty: of friends, whose neighbours count, or of
chats with an assistant, whose sessions do. Everything but the embedding of a warm search for ten
hits is set against the built-in model's embedding of the same question. Texts and vectors are
synthetic and seeded, times are CPU time, medians of interleaved pairs, on one thread.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from measure import Ratio, Row, Synthetic, compare, report, texts

from bethink import LocalEmbedder, Memory

COUNTS = {5_000: 1.0, 20_000: 2.0, 100_000: None}
"""How many memories, and how many embeddings a search may take."""
SPEAKERS = {"friends": ("Ann", "Ben"), "chats": ("user", "assistant")}
SESSION = 20
BEGAN = datetime(2024, 5, 17, tzinfo=UTC)
QUESTIONS = (
    "word7 word77 word777 word3 word1234",
    "word2 word15 word402 word9 word88 word3012",
    "word11 word61 word5000 word5",
)
"""As many words of content as a question has, common ones and rare ones."""
SPOKEN = (
    "Where did we want to go on holiday with the children in the summer?",
    "What was the name of the restaurant that you told me about last week?",
    "How much did I pay for the new bicycle?",
)


def filled(path: Path, count: int, speakers: tuple[str, str]) -> Memory:
    memory = Memory(path, embedder=Synthetic(), index_bytes=4 * 1024**3)
    said = texts(count)
    for first in range(0, count, 10_000):
        memory.add_many(
            [
                {
                    "content": said[n],
                    "speaker": speakers[n % 2],
                    "session_id": f"s{n // SESSION}",
                    "created_at": BEGAN + timedelta(minutes=n),
                }
                for n in range(first, min(first + 10_000, count))
            ],
            user_id="ann",
            kind="message",
        )
    return memory


def searching(directory: Path, embedder: LocalEmbedder) -> Iterator[Row]:
    for company, speakers in SPEAKERS.items():
        seen: dict[int, Ratio] = {}
        for count, aim in COUNTS.items():
            with filled(directory / f"{company}{count}.db", count, speakers) as memory:
                seen[count] = against_embedding(memory, embedder)
            yield Row(
                f"a search among {count:,} messages of {company} but its embedding, against that",
                str(seen[count]),
                f"≤ {aim:g}×" if aim else "–",
                aim is None or seen[count].value <= aim,
            )
        yield from growing(company, seen)


def against_embedding(memory: Memory, embedder: LocalEmbedder) -> Ratio:
    given = Synthetic().vectors(1)[0].tolist()
    asked, spoken = itertools.cycle(QUESTIONS), itertools.cycle(SPOKEN)
    return compare(
        lambda: memory.search(next(asked), user_id="ann", embedding=given),
        lambda: embedder.embed([next(spoken)]),
        pairs=61,
    )


def growing(company: str, seen: dict[int, Ratio]) -> Iterator[Row]:
    """How much longer a search takes for so many times the memories."""
    for few, many in itertools.pairwise(seen):
        times, most = seen[many].ours / seen[few].ours, many / few
        yield Row(
            f"{many:,} messages of {company}, against {few:,}",
            f"{times:.1f}×",
            f"≤ {most:g}×",
            times <= most,
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="write the results as well")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows = searching(Path(name), LocalEmbedder())
        kept = report(
            rows, title="Searching", script="recall", write=given.write, results="searching"
        )
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
