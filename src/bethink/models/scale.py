"""How relevant a memory is, on a scale that means the same for every embedder.

Cosines do not: one model gives unrelated texts 0.05, another 0.7. So each model's are measured
once, on questions with and without their answers, and put on one scale.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from bethink.models.base import Vectors


class Scale(NamedTuple):
    """What cosine a model gives, on average, to a question and a statement."""

    unrelated: float
    """Where they have nothing to do with each other: relevance 0."""
    answered: float
    """Where the one answers the other: relevance 0.5."""

    def relevance(self, cosine: float) -> float:
        """From 0 to 1; straight lines between unrelated texts, answers, and the same text."""
        if cosine < self.answered:
            return max(0.0, 0.5 * (cosine - self.unrelated) / (self.answered - self.unrelated))
        return min(1.0, 0.5 + 0.5 * (cosine - self.answered) / (1 - self.answered))


_PAIRS = (
    ("Where does she live?", "She lives in Lisbon, near the river."),
    ("What is his favourite food?", "He loves spicy noodle soup more than anything."),
    ("Which programming language do we use?", "The backend is written in Go."),
    ("When is the dentist's appointment?", "The dentist expects me on Tuesday at nine."),
    ("What pets do they have?", "They have two cats and an old dog."),
    ("Who won the match yesterday?", "Our team won the game last night, three to one."),
    ("How much does the flat cost?", "The rent of the apartment is 900 a month."),
    ("What is she allergic to?", "Peanuts give her a rash, so she avoids them."),
    ("Which instrument does he play?", "He has played the cello since childhood."),
    ("Where did we go on holiday?", "We spent our vacation hiking in the Alps."),
    ("What went wrong with the deployment?", "The release failed because a certificate expired."),
    ("What does her brother do for work?", "Her brother is a nurse in a children's hospital."),
)

_KNOWN = {"all-MiniLM-L6-v2-int8-84d6898e": Scale(0.071, 0.505)}
"""Measured already: the built-in model, so that a first search need not wait for it."""


ANY_SCALE = Scale(0.0, 0.5)
"""For a model that cannot be measured."""


Embed: TypeAlias = Callable[[list[str]], Vectors]


def scale_of(name: str, ask: Embed, embed: Embed) -> Scale:
    """A model's scale. Embeds a dozen queries and texts, unless the model is a known one."""
    return _KNOWN.get(name) or measured(ask, embed)


def measured(ask: Embed, embed: Embed) -> Scale:
    questions = ask([question for question, _ in _PAIRS])
    statements = embed([statement for _, statement in _PAIRS])
    cosines = questions @ statements.T
    matching = np.eye(len(_PAIRS), dtype=bool)
    unrelated = min(float(cosines[~matching].mean()), 0.9)
    answered = float(cosines[matching].mean())
    if not unrelated < answered < 0.99:  # this model does not tell answers from anything else
        answered = (unrelated + 1) / 2
    return Scale(unrelated, answered)
