"""What is learnt beside what the store has: everything that changes, to be written in one step."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from bethink.ids import known_id
from bethink.index.user import Selection
from bethink.learn.knowledge import CALLED, MANY_VALUED, Forget, Learnt
from bethink.learn.settle import (
    Line,
    Told,
    fact_key,
    plain,
    settle_memory,
    superseded,
    text_of,
)
from bethink.learn.statements import ended, recorded
from bethink.models.base import Vectors
from bethink.records import revision_ids
from bethink.text import query_terms
from bethink.tidy import going_along
from bethink.types import KNOWN, REVISION, MemoryItem, head_id

if TYPE_CHECKING:
    from bethink.records import Records

_NEAR = 0.7
"""The least cosine of memories that may say the same, or the opposite."""
_LATE = timedelta(days=90)
"""For so long something may arrive that was corrected already."""
_CALLED = {
    key: frozenset(query_terms(f"{key} {words}"))
    for key, words in {
        **CALLED,
        "home": "home address city town street where i live home city",
        "work.employer": "job work employer company boss workplace",
        "work.role": "job work role profession title",
        "name": "name full name surname",
    }.items()
}
"""The words that facts are called by."""
_EMPTY_WORDS = frozenset(
    query_terms("old new everything anything thing stuff that told said about")
)


class Settling:
    """Takes in what was learnt, one thing after the other, and collects what is to be written."""

    def __init__(
        self, records: "Records", user_id: str, vectors: Mapping[str, Vectors | None]
    ) -> None:
        self._records = records
        self._user_id = user_id
        self._vectors = vectors
        self._lines: dict[str, Line] = {}
        self.before: dict[str, MemoryItem] = {}
        """The records as they were read, by their ids."""
        self.changed: dict[str, MemoryItem] = {}
        """The records as they are to be, by their ids."""
        self.gone: list[str] = []
        """The ids of records in the store that are to be forgotten."""
        self.unsaid: list[str] = []
        """The ids of messages that are to be forgotten before they are kept."""

    @property
    def versions(self) -> dict[str, int]:
        """What must still be so when they are written."""
        return {
            id_: self.before[id_].version if id_ in self.before else 0
            for id_ in self.changed
            if "@" not in id_
        }

    @property
    def unchanged(self) -> set[str]:
        """The ids of those whose text, and so whose vector, stays as it is."""
        return {
            id_
            for id_, item in self.changed.items()
            if id_ in self.before and self.before[id_].text == item.text
        }

    def take(self, step: Told | Forget) -> list[str]:
        """Take in what one sentence says; returns the ids of the records that say it now."""
        if isinstance(step, Forget):
            self._forget(step)
            return []
        return self.tell(step)

    def tell(self, told: Told) -> list[str]:
        """Take something in; returns the ids of the records that say it now."""
        learnt = told.learnt
        if learnt.change == "corrects" and learnt.key is None and (learnt.value or learnt.was):
            return self._correct(told)
        if fact_key(told.learnt) is None:
            return self._remember(told)
        ids = self._state(told)
        waiting = self._waiting(told)
        return ids if waiting is None else self._state(waiting)

    def _state(self, told: Told) -> list[str]:
        if told.learnt.key in MANY_VALUED and told.learnt.was is not None:
            self._never_was(told)
        line = self._line(str(fact_key(told.learnt)))
        said = line.tell(told)
        self.changed |= line.changed
        if said is None:
            return []
        self._supersede(told, line.id)
        return [said.id]

    def _supersede(self, told: Told, by: str) -> None:
        """Make history of the memories that a model says this fact replaces."""
        for item in self._records.fresh(self._user_id, told.learnt.supersedes):
            if item.kind == "semantic" and not item.pinned and item.superseded_by is None:
                self.before[item.id] = item
                self.changed[item.id] = superseded(item, by, told.at)

    def _correct(self, told: Told) -> list[str]:
        """Correct a value that is named without saying of what: of the fact that has it."""
        wrong = self._wrong(told.learnt)
        if wrong is not None:
            return self._state(_corrected(told, wrong))
        if told.learnt.was is None:
            return []
        # What it corrects may still arrive.
        note = MemoryItem(
            id=_correction_id(told.learnt.was),
            user_id=self._user_id,
            content=told.learnt.content,
            created_at=told.at,
            kind="working",
            data={"run": "correction", "value": told.learnt.value, "was": told.learnt.was},
            expires_at=self._records.now() + _LATE,
            made=told.made,
            sources=(told.source,),
        )
        there = next(iter(self._records.fresh(self._user_id, [note.id])), None)
        self.before |= {} if there is None else {there.id: there}
        self.changed[note.id] = replace(note, version=there.version + 1 if there else 1)
        return []

    def _waiting(self, told: Told) -> Told | None:
        """The correction of what was just told, if that arrived before it."""
        if told.learnt.change != "states" or told.learnt.value is None:
            return None
        id_ = _correction_id(told.learnt.value)
        note = self.changed.get(id_) or self._records.one(self._user_id, id_)
        if note is None or note.created_at < told.at:
            return None
        value = str(note.data["value"])
        learnt = replace(
            told.learnt,
            change="corrects",
            value=value,
            was=told.learnt.value,
            content=_with(told.learnt.content, told.learnt.value, value),
            valid_from=None,
        )
        return replace(told, learnt=learnt, at=note.created_at, source=note.sources[0])

    def _wrong(self, learnt: Learnt) -> MemoryItem | None:
        """The statement with the wrong value, or the one in which the right value was corrected.

        None where there is no such statement, or where two facts have one.
        """
        lines = [self._line(str(head.data["key"])) for head in self._facts()]
        if learnt.was is not None:
            wrong = plain(learnt.was)
            found = [one for one in _stated(lines) if plain(one.data["value"]) == wrong]
        else:
            right = plain(learnt.value)
            found = [one for one in _stated(lines) if one.data.get("corrects") == right]
        if len({one.data["key"] for one in found}) != 1:
            return None
        return max(found, key=recorded)

    def _facts(self) -> list[MemoryItem]:
        """All facts that are stated, by what is to be kept now."""
        heads = self._records.select(self._user_id, Selection(("fact",)))
        staged = {item.id: item for item in self.changed.values() if item.kind == "fact"}
        there = {item.id: item for item in heads} | staged
        return [item for item in there.values() if "key" in item.data and REVISION not in item.id]

    def _never_was(self, told: Told) -> None:
        """One of several values was wrong: it never held."""
        wrong = self._line(f"{told.learnt.key}/{plain(told.learnt.was)}")
        if wrong.head is not None and wrong.head.valid_from is not None:
            content = f"It was wrong that: {wrong.head.content}"
            taken_back = replace(
                told.learnt,
                change="ends",
                value=None,
                was=None,
                content=content,
                valid_from=wrong.head.valid_from,
            )
            wrong.tell(replace(told, learnt=taken_back))
            self.changed |= wrong.changed
            head = self.changed[wrong.id]  # which says nothing that anyone should find
            self.changed[wrong.id] = replace(head, superseded_by=told.source)

    def _line(self, key: str) -> Line:
        """All that was ever stated of a fact."""
        if key not in self._lines:
            id_ = known_id("fact", [key])
            head = next(iter(self._records.fresh(self._user_id, [id_])), None)
            found = [] if head is None else [head, *self._earlier(head)]
            self.before |= {item.id: item for item in found}
            self._lines[key] = Line(id_, key, found)
        return self._lines[key]

    def _earlier(self, head: MemoryItem) -> list[MemoryItem]:
        return self._records.get(self._user_id, revision_ids(head))

    def _remember(self, told: Told) -> list[str]:
        id_ = known_id("learnt", [plain(told.learnt.content), told.agent_id])
        near, there = self._near(told, id_)
        kept = settle_memory(told, id_, near)
        if kept and kept[0].id == id_ and there is not None and there.version >= kept[0].version:
            kept[0] = replace(kept[0], version=there.version + 1)
        self.changed |= {item.id: item for item in kept}
        return [item.id for item in kept[:1]]

    def _near(self, told: Told, id_: str) -> tuple[list[MemoryItem], MemoryItem | None]:
        """Memories that may say the same, or the opposite, and the one that has this id.

        Only those that say it of themselves: what is flagged, comes from elsewhere, will expire or
        no longer holds is no evidence, and what is pinned is not to be replaced.
        """
        vector = self._vectors.get(text_of(told.learnt))
        ids = {id_, *told.learnt.supersedes}
        if vector is not None:
            ids |= set(self._records.near(self._user_id, vector, Selection(("semantic",)), _NEAR))
        there = {item.id: item for item in self._records.fresh(self._user_id, list(ids))}
        self.before |= {one: item for one, item in there.items() if one not in self.before}
        all_ = there | {one: item for one, item in self.changed.items() if one != id_ or one in ids}
        near = [item for item in all_.values() if _is_like(item, told)]
        return sorted(near, key=lambda item: item.id != id_), all_.get(id_)

    # --- forgetting

    def _forget(self, wish: Forget) -> None:
        """Forget what is known of something, and the messages it was read in."""
        wanted = set(query_terms(wish.what)) - _EMPTY_WORDS
        keys = {key for key, called in _CALLED.items() if wanted and wanted <= called}
        known = self._records.select(self._user_id, Selection(KNOWN))
        found = [item for item in known if wanted and _is_meant(item, wanted, keys)]
        staged = [item for item in self.changed.values() if _is_meant(item, wanted, keys)]
        history = [one for item in found for one in (item, *self._earlier(item))]
        messages = [id_ for item in (*history, *staged) for id_ in item.sources]
        there = {item.id for item in self._records.get(self._user_id, messages)}
        gone = [item.id for item in found] + [id_ for id_ in messages if id_ in there]
        gone += going_along(self._records, self._user_id, [item.id for item in found])
        self.gone += [id_ for id_ in dict.fromkeys(gone) if id_ not in self.gone]
        self.unsaid += [id_ for id_ in messages if id_ not in there]
        for item in (*found, *staged):
            self._drop(item)

    def _drop(self, item: MemoryItem) -> None:
        """Go on as if a record had never been."""
        for known in (self.before, self.changed):
            for id_ in [one for one in known if head_id(one) == item.id]:
                del known[id_]
        key = str(item.data.get("key"))
        self._lines[key] = Line(known_id("fact", [key]), key, [])


def _stated(lines: Iterable[Line]) -> list[MemoryItem]:
    """All statements that say something."""
    return [one for line in lines for one in line.statements if not ended(one)]


def _is_like(item: MemoryItem, told: Told) -> bool:
    """Whether a memory can be evidence for, or be replaced by, what was told."""
    return (
        item.kind == "semantic"
        and item.superseded_by is None
        and not item.flagged
        and not item.pinned
        and item.expires_at is None
        and item.origin == told.origin
        and item.agent_id == told.agent_id
        and (item.valid_to is None or item.valid_to > told.at)
    )


def _is_meant(item: MemoryItem, wanted: set[str], keys: set[str]) -> bool:
    """Whether someone who asks for something to be forgotten means this memory."""
    if item.pinned or item.kind not in KNOWN:
        return False
    key = str(item.data.get("key", "")).partition("/")[0]
    if keys:
        return key in keys
    return wanted <= set(query_terms(f"{item.content} {key}"))


def _correction_id(value: str) -> str:
    return known_id("correction", [plain(value)])


def _corrected(told: Told, wrong: MemoryItem) -> Told:
    """A correction with the key of what it corrects, and in its words."""
    key = str(wrong.data["key"]).partition("/")[0]
    was, value = str(wrong.data["value"]), str(told.learnt.value)
    content = _with(wrong.content, was, value)
    learnt = replace(told.learnt, key=key, was=was, content=content)
    return replace(told, learnt=learnt)


def _with(content: str, was: str, value: str) -> str:
    """A statement with another value."""
    found = re.search(re.escape(was), content, re.IGNORECASE)
    if found is None:
        return f"{content.rstrip('.')} (corrected: {value})."
    return content[: found.start()] + value + content[found.end() :]
