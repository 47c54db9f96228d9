"""What it costs, measured here and now."""

import time
from collections.abc import Sequence
from statistics import median

from rich.table import Table

from bethink import Embedder, Memory
from bethink.cli.demonstration.stage import Stage
from bethink.cli.phrases import size
from bethink.cli.screen import working

_PEOPLE = (
    "His brother", "Her boss", "The neighbour", "A friend from school", "The dentist",
    "Their landlord", "An old colleague", "The new intern", "His uncle", "Her flatmate",
)  # fmt: skip
_DOES = (
    "talks about", "recommended", "is afraid of", "would pay for", "has given up",
    "dreams of", "never liked", "wrote about", "is good at", "was asked about",
)  # fmt: skip
_THINGS = (
    "long train journeys", "the swimming pool", "vegetarian restaurants", "jazz concerts",
    "learning Portuguese", "old motorbikes", "hiking in the Alps", "early meetings",
    "homemade bread", "black and white films",
)  # fmt: skip


def count_the_cost(stage: Stage, embedder: Embedder) -> None:
    """What a search takes; bytes once the file is closed and whole."""
    stage.heading("Count the cost")
    texts = _many_texts()
    before = stage.path.stat().st_size
    with (
        Memory(stage.path, embedder=embedder) as memory,
        working(f"Adding {len(texts):,} memories and searching them"),
    ):
        started = time.perf_counter()
        memory.add_many(texts, user_id="many")
        adding = (time.perf_counter() - started) / len(texts)
        embedding, rest = _time_searches(memory, texts[::25])
    each = (stage.path.stat().st_size - before) // len(texts)
    stage.say(f"With {len(texts):,} more memories, measured just now on this machine:")
    made = Table.grid(padding=(0, 2))
    made.add_column(justify="right", style="bold", no_wrap=True)
    made.add_row(_ms(embedding + rest), "a search, of which")
    made.add_row(_ms(embedding), "embed the query, on this machine too")
    made.add_row(_ms(rest), "find, rank and read the memories")
    made.add_row(_ms(adding), "a memory, when many are added at once")
    made.add_row(size(each), "a memory on disk, its vector included")
    stage.show(made)


def _time_searches(memory: Memory, queries: Sequence[str]) -> tuple[float, float]:
    """The median seconds that a query's embedding takes, and everything else."""
    embedding, rest = [], []
    for query in queries:
        started = time.perf_counter()
        [vector] = memory.embedder.embed([query])
        embedded = time.perf_counter()
        memory.search(query, user_id="many", embedding=vector.tolist())
        embedding.append(embedded - started)
        rest.append(time.perf_counter() - embedded)
    return median(embedding), median(rest)


def _many_texts() -> list[str]:
    """A thousand sentences, no two the same."""
    return [f"{one} {does} {thing}" for one in _PEOPLE for does in _DOES for thing in _THINGS]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
