"""What is believed of a model's answer about a batch of messages.

Every field is looked at by itself. What is out of place is left out, alone where the rest still
says something and with its entry where it does not; nothing is guessed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import combinations
from typing import Any, cast

from bethink.learn.knowledge import (
    CATEGORIES,
    CHANGES,
    MANY_VALUED,
    ONE_VALUED,
    Category,
    Change,
    Forget,
    Learnt,
)
from bethink.learn.repeats import same_words
from bethink.learn.trust import in_third_person, sound
from bethink.text import words

LONGEST = 300
"""Characters of a statement."""
MOST = 10
"""Things learnt from one message."""
_MOST_FORGOTTEN = 3  # things that one message asks to be forgotten
_MOST_REPLACED = 3  # memories that one statement replaces
_MOST_READ = 1_000  # entries of an answer
_YEARS = range(1900, 2201)
_PART_OF_DATE = re.compile(r"\d{4}(?:-\d\d)?")
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+|(?:https?://|www\.)\S+", re.IGNORECASE)
_AROUND = ".,;:!?()<>[]'\"“”‘’"  # what may stand around an address
_PHONE_ENDS = 6  # digits that tell one phone number from the next, whatever comes before them
_FACTS = (*ONE_VALUED, *MANY_VALUED)


@dataclass(frozen=True, slots=True)
class Batch:
    """What a model was shown, and what of it an answer may refer to."""

    places: Mapping[int, int]
    """Where the user's messages are, by the numbers that they were shown with."""
    texts: Mapping[int, str]
    """What the user and the assistant said, by place."""
    zones: Mapping[int, tzinfo | None]
    ids: Mapping[int, str]
    """Memories, by the numbers that they were shown with."""

    def holds(self, written: str) -> bool:
        """Whether somebody said all of these words."""
        wanted = set(words(written))
        return any(wanted <= set(words(text)) for text in self.texts.values())

    def holds_part(self, part: str) -> bool:
        return any(part in text.casefold() for text in self.texts.values())

    def holds_number(self, digits: str) -> bool:
        return any(digits in _digits(text) for text in self.texts.values())


@dataclass(frozen=True, slots=True)
class Believed:
    learnt: list[Learnt]
    forget: list[Forget]
    dropped: int
    """How many entries were not believed."""


def believed(answer: Mapping[str, Any], batch: Batch) -> Believed:
    """What may be kept of an answer, in the order of the messages that say it.

    Of entries that say the same, the first stays. Those of one message that contradict each other
    all go. Those of different messages all stay: the later one then wins over what was so before
    it, as if each message had been read by itself.
    """
    entries = [*_listed(answer, "learnt"), *_listed(answer, "forget")]
    read = [_learnt(entry, batch) for entry in _listed(answer, "learnt")]
    found = sorted(filter(None, read), key=lambda one: one.source)
    learnt = _capped(_distinct(_agreeing(found)))
    forget = _forgotten(_listed(answer, "forget"), batch)
    return Believed(learnt, forget, len(entries) - len(learnt) - len(forget))


def _listed(answer: Mapping[str, Any], name: str) -> list[Any]:
    entries = answer.get(name)
    return entries[:_MOST_READ] if isinstance(entries, list) else []


# --- one entry


def _learnt(entry: Any, batch: Batch) -> Learnt | None:
    if not isinstance(entry, dict):
        return None
    place = _place(entry.get("message"), batch)
    content = sound(entry.get("content"), most=LONGEST)
    change = entry.get("change") or "states"
    if place is None or content is None or change not in CHANGES or not in_third_person(content):
        return None
    category = entry.get("category")
    since, until = _period(entry, batch.zones[place])
    made = Learnt(
        content=content,
        category=cast("Category", category) if _among(category, CATEGORIES) else "other",
        importance=_share(entry.get("importance")),
        change=cast("Change", change),
        valid_from=since,
        valid_to=until,
        source=place,
        supersedes=_replaced(entry.get("supersedes"), batch),
        **_fact(entry, change),
    )
    return made if _is_said(made, batch) else None


def _place(number: Any, batch: Batch) -> int | None:
    return batch.places.get(number) if _is_whole(number) else None


def _fact(entry: Mapping[str, Any], change: str) -> dict[str, str | None]:
    """The key and the values of an entry, if it is about a fact that there is."""
    key, given = entry.get("key"), entry.get("value")
    value = _value(given)
    named = value is not None or (given is None and change == "ends")
    if not _among(key, _FACTS) or not named:
        return {}
    was = _value(entry.get("was")) if change == "corrects" else None
    return {"key": key, "value": value, "was": None if was == value else was}


def _value(value: Any) -> str | None:
    return sound(str(value) if _is_whole(value) else value, most=LONGEST)


def _share(number: Any) -> float:
    """How important it is; what is out of range says nothing about that."""
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return float(number) if is_number and 0 <= number <= 1 else 0.5


def _replaced(numbers: Any, batch: Batch) -> tuple[str, ...]:
    """The memories that are replaced, of those that were shown; who names many names none."""
    if not isinstance(numbers, list):
        return ()
    ids = [batch.ids[number] for number in numbers if _is_whole(number) and number in batch.ids]
    distinct = tuple(dict.fromkeys(ids))
    return distinct if len(distinct) <= _MOST_REPLACED else ()


def _period(
    entry: Mapping[str, Any], zone: tzinfo | None
) -> tuple[datetime | None, datetime | None]:
    since, until = (_moment(entry.get(name), zone) for name in ("valid_from", "valid_to"))
    return (None, None) if since and until and until <= since else (since, until)


def _moment(written: Any, zone: tzinfo | None) -> datetime | None:
    """A date or time of our days; a month or a year stands for its beginning."""
    if not isinstance(written, str):
        return None
    if _PART_OF_DATE.fullmatch(written):
        written = f"{written}-01-01"[:10]
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    if moment.year not in _YEARS:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone or UTC)).astimezone(UTC)


def _is_said(learnt: Learnt, batch: Batch) -> bool:
    """Whether what must be in the words of the conversation is: names, numbers and addresses.

    Nobody can work those out, so a model that has them from elsewhere has made them up.
    """
    value = learnt.value or ""
    addresses = _ADDRESS.findall(f"{learnt.content} {value}")
    if not all(batch.holds_part(one.strip(_AROUND).casefold()) for one in addresses):
        return False
    if learnt.key == "phone":
        return batch.holds_number(_digits(value)[-_PHONE_ENDS:])
    return learnt.key != "name" or batch.holds(value)


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _is_whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and abs(number) < 10**15


def _among(value: Any, known: Sequence[str]) -> bool:
    return isinstance(value, str) and value in known


# --- all of them


def _distinct(learnt: Iterable[Learnt]) -> list[Learnt]:
    """Each statement once, and each fact once for a message."""
    seen: set[Any] = set()
    kept = []
    for one in learnt:
        marks: set[Any] = {same_words(one.content)}
        if one.key:
            marks.add(
                (one.source, one.key, one.change, same_words(one.value or ""), one.valid_from)
            )
        if seen.isdisjoint(marks):
            kept.append(one)
        seen |= marks
    return kept


def _agreeing(learnt: Sequence[Learnt]) -> list[Learnt]:
    """All but those of which one message cannot say both."""
    groups: dict[tuple[int, str], list[Learnt]] = {}
    for one in learnt:
        if one.key:
            groups.setdefault((one.source, one.key), []).append(one)
    pairs = (pair for group in groups.values() for pair in combinations(group, 2))
    doubtful = {id(one) for pair in pairs if _contradict(*pair) for one in pair}
    return [one for one in learnt if id(one) not in doubtful]


def _contradict(one: Learnt, other: Learnt) -> bool:
    same = same_words(one.value or "") == same_words(other.value or "")
    if "ends" in (one.change, other.change):
        return same and one.change != other.change
    return one.key in ONE_VALUED and not same and _overlap(one, other)


def _overlap(one: Learnt, other: Learnt) -> bool:
    """Whether there is a time at which both are so."""
    return not any(
        first.valid_to and second.valid_from and first.valid_to <= second.valid_from
        for first, second in ((one, other), (other, one))
    )


def _capped(learnt: Iterable[Learnt]) -> list[Learnt]:
    count: Counter[int] = Counter()
    kept = []
    for one in learnt:
        count[one.source] += 1
        if count[one.source] <= MOST:
            kept.append(one)
    return kept


def _forgotten(entries: Sequence[Any], batch: Batch) -> list[Forget]:
    """What is to be forgotten, as far as the user's own message has the words for it."""
    kept: dict[tuple[int, tuple[str, ...]], Forget] = {}
    count: Counter[int] = Counter()
    for entry in entries:
        place = _place(entry.get("message"), batch) if isinstance(entry, dict) else None
        what = sound(entry.get("what"), most=LONGEST) if place is not None else None
        if place is None or what is None or not set(words(what)) <= set(words(batch.texts[place])):
            continue
        if words(what) and (place, same_words(what)) not in kept and count[place] < _MOST_FORGOTTEN:
            kept[place, same_words(what)] = Forget(what)
            count[place] += 1
    return list(kept.values())
