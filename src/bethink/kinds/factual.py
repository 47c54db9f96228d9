"""Facts: exact look-up, history, and validity in time."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Unpack, cast

from bethink import validate
from bethink.errors import UsageError
from bethink.ids import known_id
from bethink.index.user import Selection
from bethink.kinds.bound import Bound, Owner
from bethink.learn import statements
from bethink.learn.statements import began, order, recorded, same
from bethink.records import revision_ids
from bethink.times import as_utc
from bethink.types import JSON, MemoryItem, Metadata, head_id

_BETWEEN_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement of a fact.

    It holds from `valid_from` until `valid_to`, or until another statement of the same fact
    begins to hold, whichever is first; `recorded_at` is when it was said.
    """

    key: str
    value: Any
    confidence: float
    source: str | None
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    id: str
    """Of the record that keeps it."""


class FactualMemory(Bound):
    """What is true about a user, by key: what is so now, what was so, and what was believed.

    Every statement is kept. Of two that hold at one moment, the one that began later counts,
    and of two that began together, the one that was said later.
    """

    def __init__(self, **owner: Unpack[Owner]) -> None:
        super().__init__(**owner)

    def set_fact(
        self,
        key: str,
        value: Any,
        *,
        confidence: float = 1.0,
        source: str | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
    ) -> Fact:
        """State a fact; what was stated before becomes its history.

        Several processes may do so at once: each statement is kept, and one is current. With a
        `valid_from` before that of the current statement it only adds to the history. Saying
        again what is so already changes nothing.

        Args:
            key: What it is about, such as "home city".
            value: Any JSON.
            confidence: How sure it is, from 0 to 1.
            source: Where it is known from.
            valid_from: Since when it is so; now, if not given.
            valid_to: Until when; until something else is stated, if not given.
        """
        key = _check_key(key)
        start = validate.check_time(valid_from, name="valid_from")
        end = validate.check_time(valid_to, name="valid_to")
        data: dict[str, JSON] = {
            "key": key,
            "value": validate.check_json(value, name="value"),
            "confidence": validate.check_importance(confidence, name="confidence"),
            "source": _check_source(source),
        }

        stated: MemoryItem | None = None

        def rule(head: MemoryItem | None) -> Sequence[MemoryItem]:
            nonlocal stated
            if same := self._said_already(data, start, end, head):
                stated = same
                return []
            new = self._statement(data, start, end, head)
            records = statements.stated(head, new)
            stated = new if records[0] is new else records[-1]
            return records

        self._records.change(self.user_id, _id(key), rule)
        return _fact(cast("MemoryItem", stated))

    def _said_already(
        self,
        data: Metadata,
        start: datetime | None,
        end: datetime | None,
        head: MemoryItem | None,
    ) -> MemoryItem | None:
        """The statement that says just this, if there is one; it may have been learnt as well."""
        if head is None:
            return None
        if start is None:
            held = self._held([head], None, None).get(head.id)
            said = [held] if held else []
        else:
            late = start < began(head)
            said = self._records.get(self.user_id, revision_ids(head)) if late else [head]
        return next(
            (
                item
                for item in said
                if same({name: item.data.get(name) for name in data}, data)
                and not statements.ended(item)
                and item.valid_to == end
                and (start is None or began(item) == start)
            ),
            None,
        )

    def _statement(
        self,
        data: dict[str, JSON],
        start: datetime | None,
        end: datetime | None,
        head: MemoryItem | None,
    ) -> MemoryItem:
        now = self._records.now()
        if head is not None:  # clocks differ; what is said later is not said earlier
            now = max(now, recorded(head))
        # The same value with, say, a better source has been so for as long as before, and is still
        # known from what was said then.
        held = self._held([head], None, None).get(head.id) if head else None
        again = held if held and same(held.data["value"], data["value"]) else None
        if start is None:
            start = began(again) if again else now
        if end is not None and end <= start:
            raise UsageError(f"valid_to is {end.isoformat()}, not after {start.isoformat()}.")
        return MemoryItem(
            id=_id(str(data["key"])),
            user_id=self.user_id,
            content=_content(str(data["key"]), data["value"]),
            created_at=head.created_at if head else now,
            updated_at=now if head else None,
            kind="fact",
            agent_id=self.agent_id,
            session_id=self.session_id,
            data=data,
            valid_from=start,
            valid_to=end,
            sources=again.sources if again else (),
        )

    def get_fact(self, key: str, default: Any = None) -> Any:
        """The value that holds now, or the default if none does."""
        return self._value(key, None, None, default)

    def as_of(
        self,
        key: str,
        moment: datetime,
        *,
        believed_at: datetime | None = None,
        default: Any = None,
    ) -> Any:
        """The value that held at a moment, by what is known now or was known at another."""
        moment = as_utc(moment, name="moment")
        believed_at = validate.check_time(believed_at, name="believed_at")
        return self._value(key, moment, believed_at, default)

    def _value(
        self, key: str, moment: datetime | None, believed_at: datetime | None, default: Any
    ) -> Any:
        head = self._records.one(self.user_id, _id(_check_key(key)))
        if head is None:
            return default
        held = self._held([head], moment, believed_at).get(head.id)
        return default if held is None else held.data["value"]

    def values(self, key: str, *, at: datetime | None = None) -> list[Any]:
        """All values that hold now, or held at a moment, of a fact that may have several.

        Each of them is kept under a key of its own, such as "languages/french".
        """
        key = _check_key(key)
        return [
            fact.value
            for fact in self.facts(at=at)
            if fact.key == key or fact.key.startswith(f"{key}/")
        ]

    def facts(
        self, *, at: datetime | None = None, believed_at: datetime | None = None
    ) -> list[Fact]:
        """All that holds now or held at a moment, by key."""
        moment = validate.check_time(at, name="at")
        believed_at = validate.check_time(believed_at, name="believed_at")
        heads = self._records.select(self.user_id, Selection(("fact",)))
        stated = [head for head in heads if "key" in head.data]
        held = self._held(stated, moment, believed_at).values()
        return sorted(map(_fact, held), key=lambda fact: fact.key)

    def _held(
        self,
        heads: Sequence[MemoryItem],
        moment: datetime | None,
        believed_at: datetime | None,
    ) -> dict[str, MemoryItem]:
        """The statements that hold at a moment, or now, by the ids of their facts."""
        # By a clock that is behind, it is still not earlier than when a fact was stated.
        now = self._records.now()
        at = {head.id: moment or max(now, recorded(head)) for head in heads}
        # Where the newest statement has begun by then, no earlier one counts.
        behind = [head for head in heads if believed_at or began(head) > at[head.id]]
        stated = {head.id: [head] for head in heads}
        ids = [id_ for head in behind for id_ in revision_ids(head)]
        for item in self._records.get(self.user_id, ids):
            stated[head_id(item.id)].append(item)
        found = {id_: statements.held(some, at[id_], believed_at) for id_, some in stated.items()}
        return {id_: item for id_, item in found.items() if item is not None}

    def holding(
        self, heads: Sequence[MemoryItem], at: datetime | None = None
    ) -> dict[str, MemoryItem]:
        """Of facts that a search found, what holds at a moment, or now, by the facts' ids."""
        return self._held([head for head in heads if "key" in head.data], at, None)

    def history(self, key: str) -> list[Fact]:
        """Every statement of a fact, in the order in which they hold."""
        head = self._records.one(self.user_id, _id(_check_key(key)))
        if head is None:
            return []
        earlier = self._records.get(self.user_id, revision_ids(head))
        return [_fact(item) for item in sorted([*earlier, head], key=order)]

    def timeline(self, key: str) -> list[Fact]:
        """What was so, one after the other: without what was corrected or said again."""
        head = self._records.one(self.user_id, _id(_check_key(key)))
        if head is None:
            return []
        earlier = self._records.get(self.user_id, revision_ids(head))
        return [_fact(item) for item in statements.timeline([*earlier, head])]

    def forget_fact(self, key: str) -> bool:
        """Remove a fact with its whole history; says whether there was one."""
        return self._records.delete(self.user_id, [_id(_check_key(key))]) > 0


def _check_key(key: object) -> str:
    return validate.check_name(key, name="The key of a fact")


def _check_source(source: object) -> str | None:
    return None if source is None else validate.check_text(source, name="source", limit=1000)


def _id(key: str) -> str:
    return known_id("fact", [key])


def _content(key: str, value: JSON) -> str:
    """A fact as a line that is found by its words: "home city: London"."""
    words = _BETWEEN_WORDS.sub(" ", key).strip() or key
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{words}: {text}"[: validate.MAX_CONTENT]


def _fact(item: MemoryItem) -> Fact:
    return Fact(
        key=cast("str", item.data["key"]),
        value=item.data["value"],
        confidence=cast("float", item.data["confidence"]),
        source=cast("str | None", item.data["source"]),
        valid_from=began(item),
        valid_to=item.valid_to,
        recorded_at=recorded(item),
        id=item.id,
    )
