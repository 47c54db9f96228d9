"""What is learnt from something that was said, before it is settled against what is known."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

Category: TypeAlias = Literal[
    "name",
    "home",
    "work",
    "family",
    "pets",
    "dates",
    "likes",
    "dislikes",
    "goals",
    "plans",
    "possessions",
    "health",
    "habits",
    "skills",
    "requests",
    "other",
]
CATEGORIES: tuple[Category, ...] = get_args(Category)

ONE_VALUED = (
    "name",
    "pronouns",
    "age",
    "birthday",
    "home",
    "work.employer",
    "work.role",
    "partner",
    "diet",
    "phone",
    "email",
    "car",
    "answer language",
)
"""Facts of which one value is true at a time: a new one supersedes the old."""
MANY_VALUED = ("languages", "pets", "hobby", "allergies", "children", "siblings")
"""Facts whose values add up."""

Change: TypeAlias = Literal["states", "ends", "corrects"]
CHANGES: tuple[Change, ...] = get_args(Change)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """One thing worth knowing.

    `content` is a short statement in the third person that stands on its own; dates in it are
    absolute. Where it is about one of the facts above, `key` and `value` say so too. `change`
    tells whether it states something, says that something is no longer so (`value` is what ended,
    if it is named), or corrects what was never true (`was`, if it is named).
    """

    content: str
    category: Category
    importance: float = 0.5
    key: str | None = None
    value: str | None = None
    change: Change = "states"
    was: str | None = None
    valid_from: datetime | None = None
    """Since when it is so, if that was said."""
    valid_to: datetime | None = None
    source: int = 0
    """Which of the messages that were read says it, counted from 0."""
    supersedes: tuple[str, ...] = ()
    """Ids of memories that it replaces, as far as a model was shown any."""


@dataclass(frozen=True, slots=True)
class Forget:
    """What the user asked to be forgotten, in the user's words."""

    what: str
