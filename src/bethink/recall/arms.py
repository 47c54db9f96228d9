"""The arms of a search: what each way of looking says of each memory, times its weight.

A message among friends is found by the company that it keeps: its neighbours say what it is
about. In a chat with an assistant they do not, since every other one is a long answer; there the
session as a whole says it, and it counts who speaks and how early: people open with what they
want.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bethink.index.user import ASSISTANT, PEER, USER, Rows, Scores, UserIndex
from bethink.recall.plan import Event, Period, Plan
from bethink.recall.weights import Weights

Arms: TypeAlias = dict[str, Scores]
Chosen: TypeAlias = npt.NDArray[np.bool_]

_WEEK = 7 * 86_400 * 1_000_000  # in microseconds
_MENTIONS = 5
OWN = ("meaning", "words")
ARMS = (
    *OWN,
    "meaning nearby",
    "words before",
    "words around",
    "session's best",
    "session's meaning",
    "session's words",
    "speaker",
    "opening",
    "latest",
    "quoted",
    "period",
)


def arms_of(index: UserIndex, rows: Rows, plan: Plan, weights: Weights, dense: Scores) -> Arms:
    """Every arm that has something to say of these rows; `dense` is the index's for them."""
    own = {
        "meaning": weights.meaning * standardised(dense[rows]),
        "words": weights.words * standardised(index.lexical(plan.terms, reach=0)[rows]),
    }
    if index.linked or index.chats:
        arms = _in_sessions(index, rows, plan, weights, own | {"dense": dense})
    else:
        arms = _alone(own, weights)
    if plan.phrases:
        arms["quoted"] = weights.quoted * _quoted(index, rows, plan)
    if times := [*plan.periods, *_around_event(index, plan.event)]:
        arms["period"] = weights.period * _within(index.created(rows), times)
    return arms


def _alone(own: Mapping[str, Scores], weights: Weights) -> Arms:
    """All arms where nothing has neighbours: each memory is its own company, and its own best."""
    share = np.float32(1 + weights.sessions_best)
    meaning, words = (share * own[name] for name in OWN)
    return {
        "meaning": meaning,
        "words": words,
        "meaning nearby": weights.meaning_nearby * meaning,
        "words before": weights.words_before * words,
        "words around": weights.words_around * words,
    }


def _in_sessions(
    index: UserIndex, rows: Rows, plan: Plan, weights: Weights, own: Mapping[str, Scores]
) -> Arms:
    arms = {name: own[name] for name in OWN}
    chat = index.roles(rows) != PEER
    if not chat.all():
        nearby = _nearby(index, rows, plan, weights, own["dense"])
        arms |= _among_peers(index, rows, arms | nearby, chat, weights)
    if chat.any():
        arms |= _in_chats(index, rows, plan, weights, chat)
    return arms


def _nearby(index: UserIndex, rows: Rows, plan: Plan, weights: Weights, dense: Scores) -> Arms:
    """A memory with its neighbours in the conversation."""
    before, around = (index.lexical(plan.terms, reach=reach)[rows] for reach in (1, 2))
    return {
        "meaning nearby": weights.meaning_nearby * standardised(index.near(dense)[rows]),
        "words before": weights.words_before * standardised(before),
        "words around": weights.words_around * standardised(around),
    }


def _among_peers(
    index: UserIndex, rows: Rows, arms: Mapping[str, Scores], chat: Chosen, weights: Weights
) -> Arms:
    """What counts for all that was not said in a chat with an assistant.

    What was not said in any session is a session of its own, and its own best.
    """
    part = np.float32(weights.sessions_best)
    sessions = index.sessions_of(rows)
    sums: Scores = np.sum(list(arms.values()), axis=0)
    counted = dict(arms) | {"session's best": part * _best_of_session(sessions, sums)}
    if chat.any():
        for name in counted.keys() - set(OWN):
            counted[name] = np.where(chat, np.float32(0), counted[name])
    alone = (sessions < 0) & ~chat
    if alone.any():
        share = np.where(alone, 1 + part, np.float32(1))
        for name in arms:
            counted[name] = counted[name] * share
    return counted


def _best_of_session(sessions: Rows, scores: Scores) -> Scores:
    """For each row the best score in its session; 0 where it is in none."""
    best = np.zeros_like(scores)
    inside = sessions >= 0
    if inside.any():
        most = np.full(int(sessions.max()) + 1, -np.inf, np.float32)
        np.maximum.at(most, sessions[inside], scores[inside])
        best[inside] = most[sessions[inside]]
    return best


def _in_chats(index: UserIndex, rows: Rows, plan: Plan, weights: Weights, chat: Chosen) -> Arms:
    """A chat's session as a whole, who speaks, and how early in it."""
    sessions = index.sessions_of(rows)
    inside = chat & (sessions >= 0)
    other = index.roles(rows) == (USER if plan.of_assistant else ASSISTANT)
    meaning = _of_session(index.session_meaning(plan.vector), sessions, inside)
    words = _of_session(index.session_words(plan.terms), sessions, inside)
    arms = {
        "session's meaning": weights.sessions_meaning * meaning,
        "session's words": weights.sessions_words * words,
        "speaker": np.where(other, np.float32(-weights.speaker), np.float32(0)),
        "opening": -_opening(plan, weights) * _centred(np.log1p(index.places(rows)), inside),
    }
    if plan.goes_on:
        newer = _sessions_after(index.created(rows), sessions, inside)
        arms["latest"] = -weights.latest * _centred(np.log1p(newer), inside)
    return arms


def _opening(plan: Plan, weights: Weights) -> float:
    return weights.opening_going_on if plan.goes_on else weights.opening


def _of_session(scores: Scores, sessions: Rows, inside: Chosen) -> Scores:
    """What its session scores among those searched, for each row; 0 where it is in none."""
    found = np.zeros(len(sessions), np.float32)
    searched = np.zeros(len(scores), bool)
    searched[sessions[inside]] = True
    standard = np.zeros(len(scores), np.float32)
    standard[searched] = standardised(scores[searched]) if searched.any() else 0
    found[inside] = standard[sessions[inside]]
    return found


def _sessions_after(created: Rows, sessions: Rows, inside: Chosen) -> Scores:
    """How many of the sessions searched are newer than each row's."""
    newer = np.zeros(len(sessions), np.float32)
    searched, places = np.unique(sessions[inside], return_inverse=True)
    last = np.full(len(searched), np.iinfo(np.int64).min)
    np.maximum.at(last, places, created[inside])
    order = np.sort(last)
    newer[inside] = (len(last) - np.searchsorted(order, last, side="right"))[places]
    return newer


def _centred(scores: Scores, inside: Chosen) -> Scores:
    """So that chats as a whole gain or lose nothing against other memories."""
    centred = np.zeros_like(scores)
    if inside.any():
        centred[inside] = scores[inside] - scores[inside].mean()
    return centred


def _quoted(index: UserIndex, rows: Rows, plan: Plan) -> Scores:
    """How many of the phrases each row has all words of."""
    found = np.zeros(len(index.ids), np.float32)
    for phrase in plan.phrases:
        found[index.holding(phrase)] += 1
    return found[rows]


def _around_event(index: UserIndex, event: Event | None) -> list[Period]:
    """When it must have been, if the event was when it was last spoken of."""
    if event is None:
        return []
    spoken_of = np.sort(index.created(index.holding(event.terms)))[-_MENTIONS:]
    return [(int(at) + event.earliest, int(at) + event.latest) for at in spoken_of]


def _within(created: Rows, times: Sequence[Period]) -> Scores:
    """1 for what is from one of these times, and less the further away it is: people tell late."""
    near = np.zeros(len(created))
    for start, end in times:
        away = np.maximum(np.maximum(start - created, created - end), 0)
        near = np.maximum(near, np.exp(-away / max(end - start, _WEEK)))
    return near.astype(np.float32)


def standardised(scores: Scores) -> Scores:
    """In standard deviations from the mean, which makes different arms comparable."""
    spread = scores.std()
    return (scores - scores.mean()) / spread if spread > 1e-6 else np.zeros_like(scores)
