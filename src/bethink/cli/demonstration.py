"""What `bethink demo` shows: each step does one thing with a real file and prints what came out."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bethink import Embedder, Hit, LocalEmbedder, Memory, MemoryItem
from bethink.cli.phrases import shortened, size
from bethink.cli.screen import working
from bethink.cli.tables import metadata_text, scores, table
from bethink.errors import BethinkError

USER = "john"
KNOWN: list[dict[str, Any]] = [
    {"content": "Lives in Lisbon", "metadata": {"topic": "home"}},
    {"content": "Supports Arsenal", "metadata": {"topic": "sport"}},
    {"content": "Allergic to peanuts", "metadata": {"topic": "food"}, "importance": 1.0},
    {"content": "Loves a good ramen", "metadata": {"topic": "food"}},
    {"content": "Takes oat milk in his coffee", "metadata": {"topic": "food"}},
    {"content": "Works nights as a nurse", "metadata": {"topic": "work"}},
    {"content": "Booked flight BA117 for 3 June", "metadata": {"topic": "travel"}},
]
EXPIRY = timedelta(seconds=2)
NEXT = """\
from bethink import Memory

memory = Memory("agent.db")
memory.add("Supports Arsenal", user_id="john")
for hit in memory.search("which football team?", user_id="john"):
    print(hit.score, hit.item.content)"""
COMMANDS = """\
bethink add "Supports Arsenal" --user john
bethink search "which football team?" --user john
bethink --help"""

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


class Stage:
    """Where the demonstration takes place: a console, a file, and time to read."""

    def __init__(self, console: Console, path: Path, *, pause: float) -> None:
        self.path = path
        self._console = console
        self._pause = pause
        self._steps = 0
        self._after_table = False

    def heading(self, title: str) -> None:
        self._steps += 1
        self._after_table = False
        self._console.print()
        title = f"{self._steps}  {title}"
        self._console.rule(Text(title, style="bold"), align="left", style="dim")
        self._console.print()

    def say(self, what: RenderableType) -> None:
        if self._after_table:
            self._console.print()
            self._after_table = False
        self._console.print(what)

    def code(self, lines: str, style: str = "cyan") -> None:
        self.say(Padding(Text(lines, style=style), (0, 0, 0, 2), expand=False))

    def show(self, what: Table) -> None:
        self._console.print(Padding(what, (1, 0, 0, 2), expand=False))
        self._after_table = True

    def pause(self) -> None:
        time.sleep(self._pause)


def demonstrate(console: Console, *, pause: float) -> None:
    """Run every step in a temporary file, which is gone afterwards."""
    embedder = LocalEmbedder()
    with TemporaryDirectory(prefix="bethink-") as directory:
        stage = Stage(console, Path(directory) / "agent.db", pause=pause)
        with Memory(stage.path, embedder=embedder) as memory:
            for step in STEPS:
                step(stage, memory)
                stage.pause()
        _numbers(stage, embedder)
    stage.pause()
    _next(stage)


def _remember(stage: Stage, memory: Memory) -> None:
    stage.heading("Remember")
    stage.say(f"What an agent knows about {USER.title()}, in one file, with no server and no key:")
    stage.code(f'memory = Memory("{stage.path.name}")\nmemory.add_many(known, user_id="{USER}")')
    stage.show(_known_table(memory.add_many(KNOWN, user_id=USER)))


def _find(stage: Stage, memory: Memory) -> None:
    stage.heading("Find by meaning and by words")
    _search(stage, memory, "which football team does he like?")
    stage.say("Arsenal has no word in common with the question: its meaning was enough.")
    stage.pause()
    _search(stage, memory, "BA117")
    stage.say("And here it is the words that say most.")


def _share(stage: Stage, memory: Memory) -> None:
    stage.heading("Share the file with another process")
    stage.say("A second process opens the same file and adds something:")
    text = "Has a sister called Maya"
    stage.code(f'$ bethink add "{text}" --user {USER} --store {stage.path.name}')
    with working("Starting a second process"):
        answer = _add_elsewhere(text, stage.path)
    stage.code(answer, style="dim")
    stage.say("This process finds it at once:")
    _search(stage, memory, "does he have any siblings?", limit=2)


def _filter(stage: Stage, memory: Memory) -> None:
    stage.heading("Filter")
    _search(stage, memory, "what should I cook for him?", where={"topic": "food"})


def _change(stage: Stage, memory: Memory) -> None:
    stage.heading("Change, and keep what it was")
    [home] = memory.get_user_memories(user_id=USER, where={"topic": "home"})
    stage.code(f'memory.update(id, user_id="{USER}", content="Lives in Berlin since March")')
    memory.update(home.id, user_id=USER, content="Lives in Berlin since March")
    stage.code(f'memory.history(id, user_id="{USER}")')
    stage.show(_history_table(memory.history(home.id, user_id=USER)))


def _expire(stage: Stage, memory: Memory) -> None:
    seconds = round(EXPIRY.total_seconds())
    stage.heading("Let it expire")
    stage.code(
        f'memory.add("The door code is 4411", user_id="{USER}",\n'
        f"           expires_in=timedelta(seconds={seconds}))"
    )
    item = memory.add("The door code is 4411", user_id=USER, expires_in=EXPIRY)
    stage.say(f"Now:             {_answer(memory.get(item.id, user_id=USER))}")
    time.sleep(EXPIRY.total_seconds())
    stage.say(f"{seconds} seconds later: {_answer(memory.get(item.id, user_id=USER))}")


def _keep_apart(stage: Stage, memory: Memory) -> None:
    stage.heading("Keep users apart")
    _search(stage, memory, "which football team does he like?", user="mary")


STEPS: Sequence[Callable[[Stage, Memory], None]] = (
    _remember,
    _find,
    _share,
    _filter,
    _change,
    _expire,
    _keep_apart,
)


def _numbers(stage: Stage, embedder: Embedder) -> None:
    """What a search takes, measured here and now; bytes once the file is closed and whole."""
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


def _next(stage: Stage) -> None:
    stage.heading("Your turn")
    stage.say("In Python:")
    stage.code(NEXT)
    stage.say("In a shell:")
    stage.code(COMMANDS)


def _search(
    stage: Stage,
    memory: Memory,
    query: str,
    *,
    user: str = USER,
    limit: int = 3,
    where: dict[str, Any] | None = None,
) -> None:
    narrowed = "" if where is None else f",\n{'':14}where={json.dumps(where)}"
    stage.code(f'memory.search("{query}", user_id="{user}"{narrowed})')
    hits = memory.search(query, user_id=user, limit=limit, where=where)
    if hits:
        stage.show(_hits_table(hits))
    else:
        stage.say(f"{user.title()} has no memories, and sees none of {USER.title()}'s.")


def _add_elsewhere(text: str, path: Path) -> str:
    """What another process says when it has added a text."""
    arguments = ["add", text, "--user", USER, "--store", str(path)]
    done = subprocess.run(  # noqa: S603 (nothing here comes from outside)
        [sys.executable, "-m", "bethink.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BethinkError(f"The second process failed: {done.stderr.strip()}")
    return done.stdout.strip()


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


def _known_table(items: Sequence[MemoryItem]) -> Table:
    made = table("memory", "metadata", ">importance")
    for item in items:
        made.add_row(item.content, metadata_text(item.metadata), f"{item.importance:g}")
    return made


def _hits_table(hits: Sequence[Hit]) -> Table:
    made = table(">score", ">meaning", ">words", "memory")
    for hit in hits:
        style = "bold green" if hit is hits[0] else ""
        made.add_row(*scores(hit), Text(shortened(hit.item.content), style=style))
    return made


def _history_table(versions: Sequence[MemoryItem]) -> Table:
    made = table(">version", "memory")
    for item in versions:
        made.add_row(str(item.version), item.content)
    return made


def _answer(item: MemoryItem | None) -> str:
    return "nothing" if item is None else f"“{item.content}”"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
