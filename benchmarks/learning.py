"""What it costs to learn from messages, against embedding them and nothing else, in the same run.

    python benchmarks/learning.py            prints a table
    python benchmarks/learning.py --write    and writes it to benchmarks/results/learning.md

The messages are the utterances of the tests, each followed by an assistant's answer and then by
small talk of both, in sessions of twenty. CPU time of the whole process, the built-in embedder, no
language model.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measure import Row, report

from bethink import LocalEmbedder, Memory
from bethink.learn.extract import extract

UTTERANCES = Path(__file__).parents[1] / "tests" / "learn" / "utterances" / "tuning.jsonl"
ANSWER = "Thank you for telling me. Is there anything else that I should know about this?"
SESSION = 20
MESSAGES = 1000


def sessions() -> list[list[dict[str, Any]]]:
    lines = UTTERANCES.read_text(encoding="utf-8").splitlines()
    said = [json.loads(line)["said"] for line in lines if '"speaker": "user"' in line]
    messages = [
        {"role": role, "content": content}
        for n in range(MESSAGES // 4)
        for role, content in (
            ("user", said[n % len(said)]),
            ("assistant", f"{ANSWER} That was number {n}."),
            ("user", f"Could you look that up for me and sum it up in {n} words or fewer, please?"),
            ("assistant", f"Certainly. Here is what I found, in fewer than {n} words."),
        )
    ]
    return [messages[n : n + SESSION] for n in range(0, MESSAGES, SESSION)]


def rows(directory: Path) -> Iterator[Row]:
    embedder = LocalEmbedder()
    embedder.embed(["warm up"])
    bare = learning = 0
    learnt = 0
    with Memory(directory / "agent.db", embedder=embedder) as memory:
        memory.remember("Hello.", user_id="ann")
        for n, messages in enumerate(sessions()):  # interleaved, since machines are noisy
            texts = [f"{one['role']}: {one['content']}" for one in messages]
            began = time.process_time_ns()
            embedder.embed(texts)
            bare += time.process_time_ns() - began
            began = time.process_time_ns()
            found = memory.remember(messages, user_id="ann", session_id=str(n))
            learning += time.process_time_ns() - began
            learnt += len(found.learnt)
    share = bare / learning
    alone, together = (1e9 * MESSAGES / spent for spent in (bare, learning))
    yield Row(
        f"remember of {MESSAGES:,} messages, as a share of the bare embedder's throughput",
        f"{share:.0%} ({together:.0f} against {alone:.0f} a second)",
        "≥ 70%",
        share >= 0.7,
    )
    yield Row("memories learnt from them", str(learnt), "", kept=True)
    yield from reading()


def reading() -> Iterator[Row]:
    texts = [one["content"] for some in sessions() for one in some if one["role"] == "user"]
    now = datetime(2026, 5, 4, tzinfo=UTC)
    began = time.process_time_ns()
    for text in texts:
        extract(text, at=now)
    each = (time.process_time_ns() - began) / len(texts) / 1000
    yield Row("the rules alone, for one message", f"{each:.0f} µs", "≤ 500 µs", each <= 500)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="write the results as well")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        kept = report(rows(Path(name)), title="Learning", script="learning", write=given.write)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
