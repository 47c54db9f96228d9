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
CALLED = {
    "name": "name, what the user is called",
    "age": "age, how old the user is",
    "birthday": "birthday, when the user was born",
    "home": "home, address, where the user lives",
    "work.employer": "employer, job, who the user works for",
    "work.role": "job, profession, what the user does for a living",
    "partner": "partner, wife, husband, who the user is with",
    "diet": "diet, what the user eats",
    "phone": "phone number",
    "email": "e-mail address",
    "car": "car, what the user drives",
    "languages": "languages that the user speaks",
    "pets": "pets, animals of the user",
    "hobby": "hobby, what the user does for fun",
    "allergies": "allergies, what the user cannot eat",
    "children": "children, kids, son, daughter",
    "siblings": "siblings, brother, sister",
}
"""What facts are asked for by, however they were told: "moved to Lyon" answers where one lives."""
MANY_VALUED = ("languages", "pets", "hobby", "allergies", "children", "siblings")
"""Facts whose values add up."""

ONE_OF_MANY = {
    "languages": "The user speaks {}.",
    "pets": "{} is a pet of the user.",
    "hobby": "A hobby of the user is {}.",
    "allergies": "The user is allergic to {}.",
    "children": "{} is a child of the user.",
    "siblings": "{} is a sibling of the user.",
}
"""How one value is stated, where a sentence that names several stands for another one already."""

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
