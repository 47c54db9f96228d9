"""The arms of a search, and one score from them: their sum.

Each arm is a standardised score times a weight. A message among friends is found by the company
that it keeps: its neighbours say what it is about. In a chat with an assistant they do not, since
every other one is a long answer; there the session as a whole says it, and it counts who speaks.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bethink.index.user import ASSISTANT, PEER, USER, Rows, Scores, UserIndex
from bethink.text import Hashes

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
)
BEST = 0.5
"""How much of its session's best message counts as a message's own."""
SESSION_MEANING, SESSION_WORDS = 2.0, 1.0
OTHER_SPEAKER = -5.0
"""What it costs a message in a chat to be said by the one who was not asked about."""


@dataclass(frozen=True, slots=True)
class Found:
    """A row that a search found, with what each arm says of it."""

    row: int
    score: float
    arms: Mapping[str, float]
    cosine: float
    """Of its own vector with the query's."""


def search(
    index: UserIndex,
    rows: Rows,
    *,
    vector: npt.NDArray[np.float32],
    terms: Hashes,
    limit: int,
    of_assistant: bool = False,
) -> list[Found]:
    """The best of these rows, best first. `of_assistant`: what the assistant said is asked for."""
    if not len(rows):
        return []
    dense = index.dense(vector, rows)
    arms = _own(index, rows, dense, terms)
    if not (index.linked or index.chats):
        arms = _alone(arms)
    else:
        chat = index.roles(rows) != PEER
        if not chat.all():
            arms |= _among_peers(index, rows, arms | _nearby(index, rows, dense, terms), chat)
        if chat.any():
            arms |= _in_chats(index, rows, vector, terms, chat, of_assistant=of_assistant)
    total = np.sum(list(arms.values()), axis=0)
    return [
        Found(
            int(rows[n]),
            float(total[n]),
            {name: float(arms[name][n]) if name in arms else 0.0 for name in ARMS},
            float(dense[rows[n]]),
        )
        for n in _best(index, rows, total, limit)
    ]


def _own(index: UserIndex, rows: Rows, dense: Scores, terms: Hashes) -> dict[str, Scores]:
    return {
        "meaning": _standardised(dense[rows]),
        "words": _standardised(index.lexical(terms, reach=0)[rows]),
    }


def _nearby(index: UserIndex, rows: Rows, dense: Scores, terms: Hashes) -> dict[str, Scores]:
    """A memory with its neighbours in the conversation."""
    return {
        "meaning nearby": _standardised(index.near(dense)[rows]),
        "words before": _standardised(index.lexical(terms, reach=1)[rows]),
        "words around": _standardised(index.lexical(terms, reach=2)[rows]),
    }


def _alone(own: Mapping[str, Scores]) -> dict[str, Scores]:
    """All arms where nothing has neighbours: each memory is its own company, and its own best."""
    share = np.float32(1 + BEST)
    meaning, words = (share * own[name] for name in OWN)
    return {
        "meaning": meaning,
        "words": words,
        "meaning nearby": meaning,
        "words before": words,
        "words around": words,
    }


def _among_peers(
    index: UserIndex, rows: Rows, arms: Mapping[str, Scores], chat: npt.NDArray[np.bool_]
) -> dict[str, Scores]:
    """What counts for all that was not said in a chat with an assistant.

    What was not said in any session is a session of its own, and its own best.
    """
    sessions = index.sessions_of(rows)
    sums: Scores = np.sum(list(arms.values()), axis=0)
    best = np.where(chat, np.float32(0), BEST * _best_of_session(sessions, sums))
    share = np.where((sessions < 0) & ~chat, np.float32(1 + BEST), np.float32(1))
    near = {name: np.where(chat, np.float32(0), arms[name]) for name in arms if name not in OWN}
    own = {name: arms[name] for name in OWN}
    counted = {name: scores * share for name, scores in (own | near).items()}
    return counted | {"session's best": best}


def _best_of_session(sessions: Rows, scores: Scores) -> Scores:
    """For each row the best score in its session; 0 where it is in none."""
    best = np.zeros_like(scores)
    inside = sessions >= 0
    if inside.any():
        most = np.full(int(sessions.max()) + 1, -np.inf, np.float32)
        np.maximum.at(most, sessions[inside], scores[inside])
        best[inside] = most[sessions[inside]]
    return best


def _in_chats(
    index: UserIndex,
    rows: Rows,
    vector: npt.NDArray[np.float32],
    terms: Hashes,
    chat: npt.NDArray[np.bool_],
    *,
    of_assistant: bool,
) -> dict[str, Scores]:
    """A chat's session as a whole, and whether it is said by the one who is asked about."""
    sessions = index.sessions_of(rows)
    inside = chat & (sessions >= 0)
    other = index.roles(rows) == (USER if of_assistant else ASSISTANT)
    return {
        "session's meaning": SESSION_MEANING
        * _of_session(index.session_meaning(vector), sessions, inside),
        "session's words": SESSION_WORDS
        * _of_session(index.session_words(terms), sessions, inside),
        "speaker": np.where(other, np.float32(OTHER_SPEAKER), np.float32(0)),
    }


def _of_session(scores: Scores, sessions: Rows, inside: npt.NDArray[np.bool_]) -> Scores:
    """What its session scores among those searched, for each row; 0 where it is in none."""
    found = np.zeros(len(sessions), np.float32)
    searched = np.unique(sessions[inside])
    standard = np.zeros(len(scores), np.float32)
    standard[searched] = _standardised(scores[searched]) if len(searched) else 0
    found[inside] = standard[sessions[inside]]
    return found


def _standardised(scores: Scores) -> Scores:
    """In standard deviations from the mean, which makes different arms comparable."""
    spread = scores.std()
    return (scores - scores.mean()) / spread if spread > 1e-6 else np.zeros_like(scores)


def _best(index: UserIndex, rows: Rows, total: Scores, limit: int) -> list[int]:
    """Places of the best totals. Ties go to the newer memory, so every process agrees on them.

    Sums of floating-point numbers depend on their order in the last digits, so totals that
    differ by less than that count as ties.
    """
    pool = min(len(total), 2 * limit + 50)
    if pool < len(total):
        places = np.argpartition(-total, pool - 1)[:pool]
    else:
        places = np.arange(len(total))
    keys = index.keys(rows[places])
    rounded = np.round(total[places].astype(np.float64), 4).tolist()
    order = sorted(range(pool), key=lambda n: (rounded[n], keys[n]), reverse=True)
    return [int(places[n]) for n in order[:limit]]
