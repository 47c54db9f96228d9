"""How much of what people tell about themselves is learnt, and how much else.

A file holds one utterance a line, with what should be learnt from it::

    {"id": "u1", "category": "home", "said": "I live in Leeds now", "speaker": "user",
     "at": "2025-03-01T09:00:00+00:00", "learn": [{"has": ["Leeds"], "not": ["now"]}]}

A statement that is learnt is right if it holds all that a label `has`, one of its `any` if there
are some, and none of its `not`, whatever the case; all others are wrong. One statement may meet
several labels. What `forget` names must be asked to be forgotten.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from bethink.bench.chance import Drawn, interval
from bethink.bench.measures import Numbers
from bethink.errors import UsageError
from bethink.learn.extract import extract
from bethink.learn.knowledge import Forget
from bethink.types import ROLES, Role

Ends: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Label:
    """What a statement must hold, in the order in which it is written down."""

    has: tuple[str, ...]
    some: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    def fits(self, statement: str) -> bool:
        low = statement.lower()
        return (
            all(part.lower() in low for part in self.has)
            and (not self.some or any(part.lower() in low for part in self.some))
            and not any(part.lower() in low for part in self.none)
        )


@dataclass(frozen=True, slots=True)
class Utterance:
    id: str
    category: str
    said: str
    at: datetime
    role: Role
    labels: tuple[Label, ...]
    forget: tuple[str, ...] = ()

    @property
    def tells(self) -> bool:
        """Whether there is something to learn from it, or to forget."""
        return bool(self.labels or self.forget)


@dataclass(frozen=True, slots=True)
class Mark:
    """What was made of an utterance."""

    utterance: Utterance
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    met: int
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of so many, with its 95% interval over the utterances."""

    n: int
    share: float
    ends: Ends


@dataclass(frozen=True, slots=True)
class Figures:
    """`silent` is the share of the utterances without a label from which nothing was learnt."""

    utterances: int
    precision: Share | None
    recall: Share | None
    silent: Share | None

    def as_json(self) -> dict[str, Any]:
        named = {"precision": self.precision, "recall": self.recall, "silent": self.silent}
        return {
            "utterances": self.utterances,
            **{
                name: found and {"n": found.n, "share": found.share, "interval": found.ends}
                for name, found in named.items()
            },
        }


@dataclass(frozen=True, slots=True)
class Report:
    all: Figures
    categories: Mapping[str, Figures]

    def as_json(self) -> dict[str, Any]:
        categories = {name: some.as_json() for name, some in self.categories.items()}
        return {**self.all.as_json(), "categories": categories}


def utterances(path: Path) -> list[Utterance]:
    """All utterances of a file; a line that is none is an error that names it."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip():
            try:
                found.append(_utterance(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise UsageError(
                    f"Line {number} of {path} is not an utterance ({error!r}): it needs id, "
                    "category, said, at with a time zone, speaker and learn."
                ) from error
    return found


def marked(utterance: Utterance) -> Mark:
    """Learns from an utterance and holds it against its labels."""
    learnt = extract(utterance.said, at=utterance.at, role=utterance.role)
    statements = dict.fromkeys(one.content for one in learnt if not isinstance(one, Forget))
    forgets = dict.fromkeys(one.what for one in learnt if isinstance(one, Forget))
    wanted = [*((label, statements) for label in utterance.labels)]
    wanted += [(Label((what,)), forgets) for what in utterance.forget]
    right = {found for label, among in wanted for found in among if label.fits(found)}
    missed = [label for label, among in wanted if not any(map(label.fits, among))]
    everything = [*statements, *forgets]
    return Mark(
        utterance,
        right=tuple(one for one in everything if one in right),
        wrong=tuple(one for one in everything if one not in right),
        met=len(wanted) - len(missed),
        missed=tuple(", ".join(label.has) for label in missed),
    )


def report(marks: Sequence[Mark]) -> Report:
    """The figures in all and for each category, in the order in which they come first."""
    grouped: dict[str, list[Mark]] = {}
    for mark in marks:
        grouped.setdefault(mark.utterance.category, []).append(mark)
    return Report(_figures(marks), {name: _figures(some) for name, some in grouped.items()})


def _utterance(line: Mapping[str, Any]) -> Utterance:
    at, role = datetime.fromisoformat(line["at"]), line["speaker"]
    if at.tzinfo is None:
        raise ValueError("at has no time zone")
    if role not in ROLES:
        raise ValueError(f"speaker must be one of {', '.join(ROLES)}")
    labels = tuple(
        Label(tuple(one["has"]), tuple(one.get("any", ())), tuple(one.get("not", ())))
        for one in line["learn"]
    )
    forget = tuple(line.get("forget", ()))
    return Utterance(line["id"], line["category"], line["said"], at, role, labels, forget)


def _figures(marks: Sequence[Mark]) -> Figures:
    quiet = [mark for mark in marks if not mark.utterance.tells]
    return Figures(
        len(marks),
        precision=_share(marks, _learnt),
        recall=_share(marks, lambda mark: (mark.met, mark.met + len(mark.missed))),
        silent=_share(quiet, lambda mark: (int(not mark.wrong), 1)),
    )


def _learnt(mark: Mark) -> tuple[int, int]:
    return len(mark.right), len(mark.right) + len(mark.wrong)


def _share(marks: Sequence[Mark], counted: Callable[[Mark], tuple[int, int]]) -> Share | None:
    """How many of how many; None if there are none."""
    counts: Numbers = np.array(list(_counts(marks, counted)), np.float64).reshape(-1, 2)
    part, whole = counts.sum(axis=0).tolist()
    if not whole:
        return None
    share = part / whole

    def figure(drawn: Drawn) -> float:
        some, of = counts[drawn].sum(axis=0).tolist()
        return float(some / of) if of else float(share)

    low, high = interval(figure, len(counts)).tolist()
    return Share(int(whole), share, (low, high))


def _counts(
    marks: Sequence[Mark], counted: Callable[[Mark], tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Of the marks that have something to count."""
    return (found for found in map(counted, marks) if found[1])
