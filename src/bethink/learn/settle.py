"""New knowledge against old: what is added, merged or superseded. Pure.

Whatever is said becomes part of the record at the time at which it was said, so messages that
arrive late settle as if they had come in order. Nothing here reads a clock or a store.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeGuard

from bethink.learn import statements
from bethink.learn.alike import alike, opposed
from bethink.learn.knowledge import CALLED, MANY_VALUED, ONE_OF_MANY, Learnt
from bethink.learn.statements import began, recorded
from bethink.types import JSON, Made, MemoryItem, Origin

_ARTICLES = re.compile(r"^(?:the|a|an|my|our)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Told:
    """Something learnt, with the message that says it."""

    learnt: Learnt
    source: str
    """The message's id."""
    at: datetime
    """When it was said."""
    made: Made
    user_id: str
    origin: Origin = "user"
    session_id: str | None = None
    agent_id: str | None = None


def fact_key(learnt: Learnt) -> str | None:
    """Under which key a fact is kept: each value of a many-valued one has a key of its own."""
    if learnt.key not in MANY_VALUED:
        return learnt.key
    return None if learnt.value is None else f"{learnt.key}/{plain(learnt.value)}"


def told_once(learnt: Sequence[Learnt]) -> list[Learnt]:
    """The same, but for sentences that name several values: each is said by one of them only."""
    said: set[str] = set()
    found = []
    for one in learnt:
        if one.content in said and one.value and one.change == "states" and one.key in ONE_OF_MANY:
            one = replace(one, content=ONE_OF_MANY[one.key].format(one.value))  # noqa: PLW2901
        said.add(one.content)
        found.append(one)
    return found


def text_of(learnt: Learnt) -> str:
    """What is indexed of it."""
    called = CALLED.get(str(learnt.key))
    return f"{called}: {learnt.content}" if called else learnt.content


def plain(value: object) -> str:
    """A value as it is compared: the case, an article and a full stop make no difference."""
    return _ARTICLES.sub("", " ".join(str(value).split()).strip(" .!")).casefold()


# --- facts


class Line:
    """All statements of one fact, in whatever order they come."""

    def __init__(self, id_: str, key: str, found: Sequence[MemoryItem]) -> None:
        self.id = id_
        self.key = key
        self.statements = list(found)
        self.changed: dict[str, MemoryItem] = {}
        """Records to be kept, by their ids."""

    @property
    def head(self) -> MemoryItem | None:
        return next((item for item in self.statements if item.id == self.id), None)

    def tell(self, told: Told) -> MemoryItem | None:
        """Take in what was said; returns the statement that says it now, if any does."""
        learnt = told.learnt
        if learnt.change == "ends":
            return self._end(told)
        if learnt.change == "corrects":
            return self._correct(told)
        there = statements.held(self.statements, told.at)
        if _says(there, learnt.value) and not (learnt.valid_from or learnt.valid_to):
            return self._again(there, told)
        start = learnt.valid_from or told.at
        new = self._add(told, start)
        self._resume(start)
        self._correct_late(new, told)
        return new

    def _end(self, told: Told) -> MemoryItem | None:
        end = told.learnt.valid_to or told.learnt.valid_from or told.at
        there = statements.held(self.statements, end, told.at)
        named = told.learnt.value
        if there is not None and named is not None and not _says(there, named):
            return None  # something else is so by now
        new = self._add(told, end, ended=True)
        self._resume(end)
        return new

    def _correct(self, told: Told) -> MemoryItem:
        """Say what was so all the time, instead of what was said."""
        learnt = told.learnt
        wrong = self._corrected(told)
        if wrong is None:
            return self._add(told, learnt.valid_from or told.at)
        if _says(wrong, learnt.value) and learnt.valid_from is not None:
            return self._redate(told, wrong)
        return self._add(told, began(wrong))

    def _corrected(self, told: Told) -> MemoryItem | None:
        """The statement that is corrected: the one named, or else the one that holds."""
        before = [item for item in self.statements if recorded(item) <= told.at]
        if told.learnt.was is not None:
            named = [item for item in before if _says(item, told.learnt.was)]
            if named:
                return max(named, key=statements.order)
        return statements.held(before, told.at)

    def _redate(self, told: Told, wrong: MemoryItem) -> MemoryItem:
        """The same, but since another time: what was so before was so until then."""
        start = told.learnt.valid_from or told.at
        if start > began(wrong):
            others = [item for item in self.statements if began(item) < began(wrong)]
            earlier = statements.held(others, began(wrong))
            self._put(
                replace(
                    earlier or wrong,
                    id=self.id,
                    valid_from=began(wrong),
                    updated_at=told.at,
                    superseded_by=None,
                    data={**(earlier or wrong).data, "ended": earlier is None},
                )
            )
        return self._add(told, start)

    def _correct_late(self, new: MemoryItem, told: Told) -> None:
        """What is corrected already, though it arrives only now, was never so."""
        value = plain(new.data["value"])
        for item in list(self.statements):
            if item.data.get("corrects") == value and recorded(item) > told.at:
                self._put(replace(item, id=self.id, valid_from=began(new), superseded_by=None))

    def _again(self, there: MemoryItem, told: Told) -> MemoryItem:
        """What was said before is said again: its evidence adds up."""
        if told.source in there.sources:
            return there
        again = [*_list(there.data.get("again")), told.at.isoformat()]
        more = replace(
            there,
            sources=(*there.sources, told.source),
            data={**there.data, "again": sorted(again, key=str)},
        )
        self._replace(more)
        head = self.head
        if head is not None:  # so that whoever changes the fact meanwhile notices
            self._replace(replace(head, version=head.version + 1))
        return more

    def _resume(self, moment: datetime) -> None:
        """What began before something that arrives late, and was said after it, holds again."""
        affirmed = [
            (at, item)
            for item in self.statements
            if began(item) <= moment and not statements.ended(item) and item.valid_to is None
            for at in _said(item)
            if at > moment
        ]
        for at, item in sorted(affirmed, key=lambda pair: pair[0]):
            if not _says(statements.held(self.statements, at), item.data["value"]):
                again = replace(item, id=self.id, valid_from=at, updated_at=at, superseded_by=None)
                self._put(replace(again, data={**item.data, "again": []}))
                self._resume(at)

    def _replace(self, item: MemoryItem) -> None:
        self.statements = [one for one in self.statements if one.id != item.id] + [item]
        self.changed[item.id] = item

    def _add(self, told: Told, start: datetime, *, ended: bool = False) -> MemoryItem:
        learnt = told.learnt
        data: dict[str, JSON] = {
            "key": self.key,
            "value": None if ended else learnt.value,
            "confidence": 1.0,
            "source": None,
        }
        if called := CALLED.get(str(learnt.key)):
            data["called"] = called
        if ended:
            data["ended"] = True
        if learnt.was is not None:
            data["corrects"] = plain(learnt.was)
        head = self.head
        return self._put(
            MemoryItem(
                id=self.id,
                user_id=told.user_id,
                content=learnt.content,
                created_at=min(told.at, head.created_at) if head else told.at,
                updated_at=told.at,
                kind="fact",
                agent_id=told.agent_id,
                session_id=told.session_id,
                metadata={"category": learnt.category},
                importance=learnt.importance,
                data=data,
                valid_from=start,
                valid_to=None if ended else learnt.valid_to,
                origin=told.origin,
                made=told.made,
                sources=(told.source,),
            )
        )

    def _put(self, new: MemoryItem) -> MemoryItem:
        """Keep a statement beside the others; returns it as it is kept."""
        before = self.head
        head, *earlier = statements.stated(before, new)
        self._replace(replace(head, version=before.version + 1 if before else 1))
        for item in earlier:
            self._replace(item)
        return self.statements[-1 if head is not new else -1 - len(earlier)]


def _said(item: MemoryItem) -> list[datetime]:
    """When a statement was said, and said again."""
    again = (datetime.fromisoformat(str(at)) for at in _list(item.data.get("again")))
    return [recorded(item), *again]


def _list(value: object) -> list[JSON]:
    return value if isinstance(value, list) else []


def _says(item: MemoryItem | None, value: object) -> TypeGuard[MemoryItem]:
    if item is None or statements.ended(item):
        return False
    return plain(item.data["value"]) == plain(value)


# --- everything else


def settle_memory(told: Told, id_: str, near: Iterable[MemoryItem]) -> list[MemoryItem]:
    """What becomes of a memory beside those that are near it: records to be kept, its own first.

    The same again adds its evidence to what is there. What says the opposite, or is named as
    superseded, becomes history, unless it was said later.
    """
    near = list(near)
    for item in near:
        if alike(item.content, told.learnt.content):
            if told.source in item.sources:
                return []
            return [_supported(item, told)]
    new = _memory(told, id_)
    kept = [new]
    for item in near:
        if item.id in told.learnt.supersedes or opposed(item.content, new.content):
            if recorded(item) > told.at:
                return [replace(new, superseded_by=item.id, valid_to=recorded(item))]
            kept.append(superseded(item, id_, told.at))
    return kept


def superseded(item: MemoryItem, by: str, at: datetime) -> MemoryItem:
    return replace(item, superseded_by=by, valid_to=at, version=item.version + 1)


def _supported(item: MemoryItem, told: Told) -> MemoryItem:
    return replace(
        item,
        sources=(*item.sources, told.source),
        importance=max(item.importance, told.learnt.importance),
        version=item.version + 1,
    )


def _memory(told: Told, id_: str) -> MemoryItem:
    learnt = told.learnt
    return MemoryItem(
        id=id_,
        user_id=told.user_id,
        content=learnt.content,
        created_at=told.at,
        agent_id=told.agent_id,
        session_id=told.session_id,
        metadata={"category": learnt.category},
        importance=learnt.importance,
        valid_from=learnt.valid_from,
        valid_to=learnt.valid_to,
        origin=told.origin,
        made=told.made,
        sources=(told.source,),
    )
