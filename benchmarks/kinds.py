"""What the kinds of memory cost, against the plain verbs in the same run.

    python benchmarks/kinds.py            prints a table
    python benchmarks/kinds.py --write    and writes it to benchmarks/results/kinds.md

Times are those of the calling thread: what embeds in the background is not waited for. The
embedder takes no time, but for the row that is about it.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from measure import Constant, Row, Synthetic, compare, cpu, report, texts

from bethink import AgentMemorySystem, Memory, create_memory_aware_prompt

MINE = time.thread_time_ns


def opened(path: Path) -> tuple[Memory, AgentMemorySystem]:
    memory = Memory(path, embedder=Constant(Synthetic().vectors(1)[0]))
    return memory, memory.for_user("ann", session_id="s", task_id="t")


def talking(directory: Path) -> Iterator[Row]:
    sentence = texts(1)[0].replace("word", "w")
    with Memory(directory / "local.db") as memory:
        conversation = memory.for_user("ann", session_id="s").conversation
        ratio = compare(
            lambda: conversation.add_message("user", sentence),
            lambda: memory.add(sentence, user_id="bob"),
            pairs=301,
            clock=MINE,
        )
    yield Row("add_message against add, which embeds", str(ratio), "≤ 0.5×", ratio.value <= 0.5)
    memory, ann = opened(directory / "talk.db")
    with memory:
        for text in texts(5000):
            ann.conversation.add_message("user", text)
        first = cpu(ann.conversation.get_messages_for_llm, MINE)
        yield Row(
            "a first summary of 5,000 messages", f"{first:.0f} ms", "≤ 1,500 ms", first <= 1500
        )
        ratio = compare(
            ann.conversation.get_messages_for_llm,
            lambda: memory.search("word7 word77", user_id="ann"),
            clock=MINE,
        )
        yield Row(
            "what a model is shown of 5,000 messages, against a search in them",
            str(ratio),
            "≤ 3×",
            ratio.value <= 3,
        )


def knowing(directory: Path) -> Iterator[Row]:
    memory, ann = opened(directory / "facts.db")
    with memory:
        value = iter(range(10**6))
        ratio = compare(
            lambda: ann.factual.set_fact("home", next(value)),
            lambda: memory.add("home: 1", user_id="bob"),
            pairs=301,
            clock=MINE,
        )
        yield Row("set_fact against add", str(ratio), "≤ 5×", ratio.value <= 5)
        item = memory.add("home: 1", user_id="bob")
        ratio = compare(
            lambda: ann.factual.get_fact("home"),
            lambda: memory.get(item.id, user_id="bob"),
            pairs=301,
            clock=MINE,
        )
        yield Row("get_fact, changed 300 times, against get", str(ratio), "≤ 2×", ratio.value <= 2)


def working(directory: Path) -> Iterator[Row]:
    memory, ann = opened(directory / "work.db")
    with memory:
        ann.working.set_task("Count")
        number = iter(range(10**6))
        ratio = compare(
            lambda: ann.working.add_result(f"result {next(number) % 50}", 1),
            lambda: memory.add("result 1", user_id="bob"),
            pairs=301,
            clock=MINE,
        )
        yield Row("a stored add_result against add", str(ratio), "≤ 5×", ratio.value <= 5)


def prompting(directory: Path) -> Iterator[Row]:
    memory, ann = opened(directory / "prompt.db")
    with memory:
        memory.add_many(texts(2000), user_id="ann")
        for n, text in enumerate(texts(500, seed=2)):
            ann.conversation.add_message("user", text)
            ann.factual.set_fact(f"fact {n % 50}", text)
        ann.conversation.get_messages_for_llm()
        ratio = compare(
            lambda: create_memory_aware_prompt(ann, "word7 word77 word777"),
            lambda: memory.search("word7 word77 word777", user_id="ann"),
            clock=MINE,
        )
        yield Row(
            "a prompt from 2,550 memories and 500 messages, against one search in them",
            str(ratio),
            "≤ 10×",
            ratio.value <= 10,
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="write the results as well")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        rows = chain(
            talking(directory), knowing(directory), working(directory), prompting(directory)
        )
        kept = report(rows, title="The kinds of memory", script="kinds", write=given.write)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
