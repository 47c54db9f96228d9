"""How much of what is asked about later survives when a conversation is summarised.

What is measured, in words: a question counts if all the turns that hold its answer are summarised
away. Its key words are the words of the answer that were said in those turns, without stop words
and the speakers' names. They survive if they are found in the summary, by their stems.

Two settings: long sessions, where all but the last ten turns of each session are summarised, each
session on its own; and whole conversations, where everything before the last session is
summarised at once. Beside the summary, three simple ways to get to the same length.
"""

import random
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from bethink.bench.data import Conversation, Question, Turn
from bethink.learn.sentences import statements
from bethink.learn.summarise import Said, summarise
from bethink.models.tokens import count_tokens
from bethink.text import STOP_WORDS, query_terms, terms

RECENT = 10
"""The turns at the end of a session that are kept word for word."""
DRAWS = 5
"""Random selections that are averaged over."""

Turns: TypeAlias = Sequence[Turn]
Way: TypeAlias = Callable[[Turns, int], list[str]]
"""Makes one or several texts of that many tokens at most, to be averaged over."""

_LONGEST_TOKEN = 66
"""Characters: no token that is counted is longer, with the space beside it."""
_STOPS = frozenset(terms(" ".join(STOP_WORDS)))


@dataclass(frozen=True, slots=True)
class Survival:
    """What one way of summarising keeps for one question, each a share from 0 to 1."""

    setting: str
    way: str
    words: float
    """Of the answer's key words."""
    whole: float
    """1 if all of them are there; less if it is an average."""


@dataclass(frozen=True, slots=True)
class Result:
    setting: str
    way: str
    questions: int
    words: float
    whole: float


def survivals(conversation: Conversation, tokens: int) -> Iterator[Survival]:
    """What each way keeps for each question of a conversation that can be measured."""
    for setting, split in SETTINGS.items():
        parts = split(conversation)
        asked = list(_measurable(conversation, parts))
        for way, make in WAYS.items():
            made = {
                place: [set(terms(text)) for text in make(parts[place], tokens)]
                for place in {place for _, places in asked for place in places}
            }
            for key_words, places in asked:
                draws = zip(*(made[place] for place in places), strict=True)
                shares = [_share(key_words, set().union(*draw)) for draw in draws]
                whole = fmean(share == 1 for share in shares)
                yield Survival(setting, way, fmean(shares), whole)


def results(measured: Sequence[Survival]) -> list[Result]:
    """The means over all questions, for each setting and way."""
    grouped: dict[tuple[str, str], list[Survival]] = {}
    for one in measured:
        grouped.setdefault((one.setting, one.way), []).append(one)
    return [
        Result(
            *key, len(found), fmean(one.words for one in found), fmean(one.whole for one in found)
        )
        for key, found in grouped.items()
    ]


def _long_sessions(conversation: Conversation) -> list[Turns]:
    return [turns[:-RECENT] for turns in conversation.sessions() if len(turns) > RECENT]


def _whole_conversation(conversation: Conversation) -> list[Turns]:
    earlier = conversation.sessions()[:-1]
    return [[turn for turns in earlier for turn in turns]] if earlier else []


SETTINGS: Mapping[str, Callable[[Conversation], list[Turns]]] = {
    "long sessions": _long_sessions,
    "whole conversation": _whole_conversation,
}


def _measurable(
    conversation: Conversation, parts: Sequence[Turns]
) -> Iterator[tuple[set[str], list[int]]]:
    """The key words of each question, and the places of the summaries they may survive in."""
    place = {turn.id: at for at, part in enumerate(parts) for turn in part}
    text = {turn.id: turn.text for turn in conversation.turns}
    speakers = set(terms(" ".join({turn.speaker for turn in conversation.turns})))
    for question in conversation.questions:
        if question.evidence and all(turn in place for turn in question.evidence):
            said = set(terms(" ".join(text[turn] for turn in question.evidence)))
            if key_words := _key_words(question) & said - speakers:
                yield key_words, sorted({place[turn] for turn in question.evidence})


def _key_words(question: Question) -> set[str]:
    return {term for term in query_terms(question.answer) if term not in _STOPS}


def _share(wanted: set[str], found: set[str]) -> float:
    return len(wanted & found) / len(wanted)


def _summary(turns: Turns, tokens: int) -> list[str]:
    said = [Said(turn.speaker, turn.text, turn.at) for turn in turns]
    return [summarise(said, budget=tokens, count=count_tokens)]


def _last(turns: Turns, tokens: int) -> list[str]:
    text = _transcript(turns)
    return [text[len(text) - _fitting(lambda size: text[len(text) - size :], len(text), tokens) :]]


def _first(turns: Turns, tokens: int) -> list[str]:
    text = _transcript(turns)
    return [text[: _fitting(lambda size: text[:size], len(text), tokens)]]


def _fitting(cut: Callable[[int], str], length: int, tokens: int) -> int:
    """The most characters that fit."""
    most = min(length, (tokens + 1) * _LONGEST_TOKEN)
    sizes = range(1, most + 1)
    return bisect_right(sizes, tokens, key=lambda size: count_tokens(cut(size)))


def _random(turns: Turns, tokens: int) -> list[str]:
    lines = [f"{turn.speaker}: {said}" for turn in turns for said in statements(turn.text) if said]
    costs = [(line, count_tokens(f"\n{line}")) for line in lines]
    return [_drawn(costs, tokens, random.Random(seed)) for seed in range(DRAWS)]  # noqa: S311


def _drawn(costs: Sequence[tuple[str, int]], tokens: int, chance: random.Random) -> str:
    """Lines in any order, each that still fits."""
    drawn: list[str] = []
    for line, cost in chance.sample(costs, len(costs)):
        if cost <= tokens:
            tokens -= cost
            drawn.append(line)
    return "\n".join(drawn)


def _transcript(turns: Turns) -> str:
    return "\n".join(f"{turn.speaker}: {turn.text}" for turn in turns)


WAYS: Mapping[str, Way] = {
    "summary": _summary,
    "last messages": _last,
    "first messages": _first,
    "random sentences": _random,
}
