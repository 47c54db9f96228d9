"""What each weight of a search brings, and whether weights that one data set likes suit another.

    python tools/weigh.py longmemeval_s realmem locomo

prints Markdown: what becomes of turn recall@10 on each set if a weight is 0, what becomes of the
AUROC if a sign of relevance is, and a few weights of chats, chosen on one set and measured on the
others. All differences are taken question by question, with the 95% interval of a bootstrap.

The directories are those that ``bethink bench recall`` takes, whose vectors it shares.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np

from bethink import LocalEmbedder, Memory
from bethink.bench.chance import interval
from bethink.bench.data import Conversation, Question
from bethink.bench.measures import Numbers, auroc
from bethink.bench.recall import keep, moment_of, places_of
from bethink.bench.survey import Survey, survey
from bethink.cli.opening import default_cache
from bethink.index.user import Rows, Selection, UserIndex
from bethink.models.cache import CachedEmbedder
from bethink.recall import relevance
from bethink.recall.fuse import Found, search
from bethink.recall.plan import Plan, plan
from bethink.recall.weights import WEIGHTS, Weights

NOW = datetime.now(UTC)
SIGNS = ("ALIKE", "WORDS", "SESSION", "UNSAID")
TOGETHER: Mapping[str, Sequence[str]] = {
    "all of meaning": ("meaning", "meaning_nearby", "sessions_meaning"),
    "all of words": ("words", "words_before", "words_around", "sessions_words"),
    "all of nearby": ("meaning_nearby", "words_before", "words_around"),
    "all factors": ("importance", "recent", "used", "outside"),
}
"""Weights that may stand in for each other, so that none is missed alone."""
GRID: Mapping[str, Sequence[float]] = {
    "sessions_meaning": (1.0, 2.0, 3.0),
    "speaker": (5.0, 7.0, 9.0),
    "opening": (1.0, 2.0, 3.0),
}
"""What is tried for chats. What goes on with a chat has weights of its own, which stay."""
CHOSEN_BY = 10

Scale: TypeAlias = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, or another's in its place: what is searched, for what."""

    index: UserIndex
    rows: Rows
    plan: Plan
    evidence: frozenset[int] = frozenset()

    def best(self, limit: int, weights: Weights = WEIGHTS) -> list[Found]:
        return search(self.index, self.rows, self.plan, limit=limit, weights=weights)

    def recall(self, weights: Weights) -> float:
        """The share of the evidence among the first ten."""
        found = {one.row for one in self.best(CHOSEN_BY, weights)}
        return len(found & self.evidence) / len(self.evidence)

    def relevance(self, scale: Scale) -> Callable[[], float]:
        """How relevant the best hit is, whatever the signs weigh by then."""
        best = self.best(1)
        rows, cosines = np.array([one.row for one in best]), [one.cosine for one in best]

        def weighed() -> float:
            if not best:
                return 0.0
            return relevance.relevances(self.index, self.plan, rows, cosines, scale)[0]

        return weighed


@dataclass(frozen=True, slots=True)
class Set:
    """A data set, ready to be searched in."""

    name: str
    measured: Sequence[Asked]
    own: Sequence[Asked]
    """The answerable questions, with another's in the place of each."""
    foreign: Sequence[Asked]
    scale: Scale

    @property
    def chats(self) -> bool:
        return any(asked.index.chats for asked in self.measured)

    def recall(self, weights: Weights = WEIGHTS) -> Numbers:
        return np.array([asked.recall(weights) for asked in self.measured])


def read(directory: Path, memory: Memory) -> Set:
    asked = survey(directory)
    measured: list[Asked] = []
    own: list[Asked] = []
    foreign: list[Asked] = []
    for conversation in asked.conversations():
        keep(conversation, memory, lambda _: None)
        for question, first, other in _asked(conversation, asked, memory):
            if question.abstention or not (question.evidence or question.sessions):
                continue
            if question.evidence:
                measured.append(first)
            if other is not None:
                own.append(first)
                foreign.append(other)
        memory.clear(user_id=conversation.id)
    return Set(directory.resolve().name, measured, own, foreign, memory.records.scale().relevance)


def _asked(
    conversation: Conversation, asked: Survey, memory: Memory
) -> Iterator[tuple[Question, Asked, Asked | None]]:
    """Each question about a conversation, and another's that is asked in its place."""
    items = memory.get_user_memories(user_id=conversation.id, kinds=["message"])
    with memory.records.open().cache.use(conversation.id, NOW) as index:
        rows = {str(item.metadata["turn"]): index.row_of(item.id) for item in items}
    places = places_of(conversation)
    for question in conversation.questions:
        before = None if question.asked_in is None else places[question.asked_in]
        where = None if before is None else {"place": {"$lt": before}}
        there = index.select(Selection(where=where), NOW)
        held = frozenset(row for turn in question.evidence if (row := rows.get(turn)) is not None)

        def made(
            text: str,
            evidence: frozenset[int] = frozenset(),
            question: Question = question,
            there: Rows = there,
        ) -> Asked:
            vector = memory.records.embed(text)
            at = moment_of(question) or NOW
            return Asked(index, there, plan(text, vector=vector, at=at), evidence)

        other = asked.foreign(conversation.id, question.id)
        yield question, made(question.text, held), made(other) if other else None


def ablated(sets: Sequence[Set]) -> Iterator[str]:
    """What becomes of turn recall@10 without each weight."""
    plain = [one.recall() for one in sets]
    yield from _head("without", sets)
    yield _row("(all)", (f"{values.mean():.3f}" for values in plain))
    alone = {f"`{name}`": (name,) for name in asdict(WEIGHTS)}
    for said, names in {**alone, **TOGETHER}.items():
        without = replace(WEIGHTS, **dict.fromkeys(names, 0.0))
        cells = [_change(one.recall(without) - was) for one, was in zip(sets, plain, strict=True)]
        yield _row(said, cells)


def ablated_signs(sets: Sequence[Set]) -> Iterator[str]:
    """What becomes of the AUROC without each sign of relevance."""
    asked = [
        ([q.relevance(one.scale) for q in one.own], [q.relevance(one.scale) for q in one.foreign])
        for one in sets
        if one.own
    ]

    def told() -> list[tuple[Numbers, Numbers]]:
        return [
            (np.array([of() for of in own]), np.array([of() for of in foreign]))
            for own, foreign in asked
        ]

    plain = told()
    yield from _head("without", [one for one in sets if one.own])
    yield _row("(all)", (f"{auroc(*pair):.3f}" for pair in plain))
    for sign in SIGNS:
        with _without(sign):
            now = told()
        yield _row(f"`{sign}`", (_auroc_change(*pairs) for pairs in zip(plain, now, strict=True)))


@contextmanager
def _without(sign: str) -> Iterator[None]:
    weight = getattr(relevance, sign)
    setattr(relevance, sign, 0.0)
    try:
        yield
    finally:
        setattr(relevance, sign, weight)


def left_out(sets: Sequence[Set]) -> Iterator[str]:
    """The best of a grid on each set of chats, on all of them."""
    chats = [one for one in sets if one.chats]
    choices = [dict(zip(GRID, values, strict=True)) for values in product(*GRID.values())]
    tried = [[one.recall(replace(WEIGHTS, **choice)) for choice in choices] for one in chats]
    plain = [one.recall() for one in chats]
    yield from _head("chosen on", chats, "weights")
    ours = ", ".join(f"{name} {getattr(WEIGHTS, name):g}" for name in GRID)
    yield _row("(ours)", (ours, *(f"{values.mean():.3f}" for values in plain)))
    for one, found in zip(chats, tried, strict=True):
        best = int(np.argmax([values.mean() for values in found]))
        said = ", ".join(f"{name} {value:g}" for name, value in choices[best].items())
        changes = (_change(values[best] - was) for values, was in zip(tried, plain, strict=True))
        yield _row(one.name, (said, *changes))


def _head(first: str, sets: Iterable[Set], *more: str) -> Iterator[str]:
    names = [*more, *(one.name for one in sets)]
    yield _row(first, names)
    yield "|---|" + "---|" * len(names)


def _row(first: str, cells: Iterable[str]) -> str:
    return f"| {first} | {' | '.join(cells)} |"


def _change(differences: Numbers) -> str:
    low, high = interval(lambda drawn: differences[drawn].mean(), len(differences)).tolist()
    return _told(float(differences.mean()), low, high)


def _auroc_change(was: tuple[Numbers, Numbers], now: tuple[Numbers, Numbers]) -> str:
    def change(drawn: slice | Rows) -> float:
        before, after = (auroc(own[drawn], foreign[drawn]) for own, foreign in (was, now))
        return after - before

    low, high = interval(change, len(was[0])).tolist()
    return _told(change(slice(None)), low, high)


def _told(change: float, low: float, high: float) -> str:
    """A change with its interval; bold if it is more than chance."""
    if low == high == 0:
        return "0"
    mark = "**" if low > 0 or high < 0 else ""
    return f"{mark}{change:+.3f}{mark} ({low:+.3f} to {high:+.3f})"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("directories", nargs="+", type=Path, help="of data sets")
    given = options.parse_args()
    cache = default_cache() or Path()
    cache.mkdir(parents=True, exist_ok=True)
    made = CachedEmbedder(LocalEmbedder(), cache / "vectors.db", most_bytes=1024**3)
    with closing(made), Memory(":memory:", embedder=made, count_uses=False) as memory:
        sets = [read(directory, memory) for directory in given.directories]
    for title, lines in (
        ("Turn recall@10", ablated(sets)),
        ("AUROC of the best hit's relevance", ablated_signs(sets)),
        ("Turn recall@10, chosen on one set and measured on all", left_out(sets)),
    ):
        print(f"\n## {title}\n")
        for line in lines:
            print(line, flush=True)


if __name__ == "__main__":
    main()
