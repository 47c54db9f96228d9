"""How much each arm and each factor counts.

An arm is multiplied by its weight; a factor is the most, in standard deviations, by which it moves
a memory. All are round numbers. Among friends they are the plain sum, and half of the session's
best. Those of chats were chosen with ``tools/weigh.py``: what counts for questions on
LongMemEval_S, what counts where a query goes on with a chat on RealMem, since hardly any query of
the other sets does. LoCoMo was only measured. What each brings stands in ``docs/searching.md``.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    meaning: float = 1.0
    words: float = 1.0
    meaning_nearby: float = 1.0
    words_before: float = 1.0
    words_around: float = 1.0
    sessions_best: float = 0.5
    """How much of its session's best message counts as a message's own."""
    sessions_meaning: float = 2.0
    sessions_words: float = 1.0
    speaker: float = 7.0
    """What it costs a message in a chat to be said by the one who was not asked about."""
    opening: float = 2.0
    """What it costs to be said later in a chat, for each logarithm of its place."""
    opening_going_on: float = 3.0
    """The same where the query goes on with a chat."""
    latest: float = 2.0
    """Where a query goes on with a chat: what older sessions cost, for each logarithm."""
    quoted: float = 2.0
    """What all words of a phrase that the query quotes are worth, wherever they stand together."""
    period: float = 2.0
    """What being from the time that the query asks about is worth."""

    importance: float = 0.5
    recent: float = 0.2
    used: float = 0.2
    outside: float = 0.5
    """What it costs a memory that it is not the user's or the assistant's word."""


WEIGHTS = Weights()
