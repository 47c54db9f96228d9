"""A conversation in few words, all of them its own."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from heapq import heapify, heappop, heappush
from typing import NamedTuple, TypeAlias

from bethink.learn.questions import is_open, is_question
from bethink.learn.salience import content, stress, worths
from bethink.learn.sentences import calls_by, statements
from bethink.recall.quote import harmless, quoted
from bethink.text import query_terms

_ANSWERED = 0.3
"""What a question is worth that someone answered: the answer says most of it."""
_OPEN = 1.5
_THRIFT = 0.85
"""How much tokens matter: at 1, crumbs would win over sentences."""
_MONTHS = (  # strftime would write them in the language of the process
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_ENDED = re.compile(r"[^\w\s)\]}\"'”’][)\]}\"'”’]*$")

Group: TypeAlias = tuple[date | None, str, bool]
"""What one speaker said on one day, from outside or not. It is marked once."""


class Said(NamedTuple):
    speaker: str
    content: str
    at: datetime | None = None
    outside: bool = False
    """Whether it is neither the user's nor the assistant's word: it is quoted."""


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    group: Group
    terms: Sequence[str]
    stress: float


def summarise(said: Sequence[Said], *, budget: int, count: Callable[[str], int]) -> str:
    """The most telling sentences of a conversation, in order, within `budget` tokens.

    Each day has its line, where there are several, and below it each speaker with what they said.
    Nothing is made up: all words are the speakers' own. The same conversation always gives the
    same summary. Where not one sentence fits the budget, it is empty.
    """
    found = _statements(said)
    picked = _pick(found, budget, count)
    fits = bisect_right(  # the first that are picked say most
        range(1, len(picked) + 1), budget, key=lambda most: count(_written(found, picked[:most]))
    )
    written = _written(found, picked[:fits])
    return written if count(written) <= budget else ""


def _statements(said: Sequence[Said]) -> list[Statement]:
    speakers = [one.speaker for one in said]
    contents = [one.content for one in said]
    calls = calls_by(set(speakers))
    named = set(query_terms(" ".join(set(speakers))))  # in the marks already
    found = []
    for at, one in enumerate(said):
        group = (one.at.date() if one.at else None, one.speaker, one.outside)
        for text in statements(one.content, calls):
            if terms := [term for term in content(text) if term not in named]:
                factor = stress(text)
                if is_question(text):
                    factor *= _OPEN if is_open(speakers, contents, at) else _ANSWERED
                found.append(Statement(text, group, terms, factor))
    return found


def _pick(found: Sequence[Statement], budget: int, count: Callable[[str], int]) -> list[int]:
    """The places of statements, best first: what each adds to those before it, for its tokens."""
    choice = _Choice(found, count)
    queue = [(-choice.score(at), at) for at in range(len(found))]
    heapify(queue)
    picked: dict[int, None] = {}
    while queue:
        _, at = heappop(queue)
        score, cost = choice.score(at), choice.cost(at)
        if at in picked or score == 0 or cost > budget:
            continue
        if queue and -score > queue[0][0]:  # others have said some of it since it was queued
            heappush(queue, (-score, at))
            continue
        picked[at] = None
        budget -= cost
        for cheaper in choice.take(at):
            heappush(queue, (-choice.score(cheaper), cheaper))
    return list(picked)


class _Choice:
    """What statements are still worth, and what they still cost, after others were taken."""

    def __init__(self, found: Sequence[Statement], count: Callable[[str], int]) -> None:
        self._found = found
        self._worth = worths((one.text for one in found), (one.terms for one in found))
        self._voices = _voices(Counter(one.group[1] for one in found))
        self._costs = [max(1, count(one.text)) for one in found]
        self._marks: dict[date | Group | None, int] = {}
        self._together: dict[Group, list[int]] = defaultdict(list)
        for at, one in enumerate(found):
            self._together[one.group].append(at)
        days = {group[0] for group in self._together}
        for group in self._together:
            day, speaker, outside = group
            self._marks[group] = count(f"\n{_line(speaker, '', outside=outside)}")
            self._marks[day] = count(f"\n{_day_mark(day, None)}") if day and len(days) > 1 else 0

    def cost(self, at: int) -> int:
        group = self._found[at].group
        return self._costs[at] + self._marks.get(group, 0) + self._marks.get(group[0], 0)

    def score(self, at: int) -> float:
        """What it adds, for its tokens."""
        one = self._found[at]
        worth = sum(self._worth[term] for term in one.terms)
        score: float = worth * one.stress * self._voices[one.group[1]] / self.cost(at) ** _THRIFT
        return score

    def take(self, at: int) -> list[int]:
        """Takes one. Gives those that are cheaper now, because their mark is there already."""
        one = self._found[at]
        self._worth.update(dict.fromkeys(one.terms, 0))
        self._marks.pop(one.group[0], None)
        return self._together[one.group] if self._marks.pop(one.group, None) else []


def _voices(statements: Mapping[str, int]) -> dict[str, float]:
    """What each speaker's statements weigh: those of someone who says little weigh more.

    An assistant or a tool says ten times as much as its user, but no more that is worth keeping.
    """
    fair = sum(statements.values()) / max(1, len(statements))
    return {speaker: (fair / number) ** 0.5 for speaker, number in statements.items()}


def _written(found: Sequence[Statement], picked: Sequence[int]) -> str:
    days: dict[date | None, dict[tuple[str, bool], list[str]]] = {}
    for one in (found[at] for at in sorted(picked)):
        day, speaker, outside = one.group
        days.setdefault(day, {}).setdefault((speaker, outside), []).append(one.text)
    return "\n".join(_lines(days))


def _lines(days: Mapping[date | None, Mapping[tuple[str, bool], Sequence[str]]]) -> Iterator[str]:
    last = None
    for day, speakers in days.items():
        if day is not None and len(days) > 1:
            yield _day_mark(day, last)
            last = day
        for (speaker, outside), texts in speakers.items():
            yield _line(speaker, _joined(texts), outside=outside)


def _day_mark(day: date, last: date | None) -> str:
    """The day; the year only where it changes."""
    same_year = last is not None and last.year == day.year
    mark = f"{day.day} {_MONTHS[day.month - 1]}"
    return mark if same_year else f"{mark} {day.year}"


def _line(speaker: str, text: str, *, outside: bool) -> str:
    """What a speaker said, after the speaker's name; quoted if it comes from outside."""
    if outside:
        return f"{harmless(speaker) or 'someone'} (quoted): {quoted(text)}"
    mark = f"{' '.join(speaker.split())}:" if speaker.strip() else ""
    return f"{mark} {text}".strip()


def _joined(texts: Sequence[str]) -> str:
    *others, last = texts
    return " ".join([*(text if _ENDED.search(text) else f"{text}." for text in others), last])
