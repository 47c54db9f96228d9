"""What is learnt beside what the store has: everything that changes, to be written in one step."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bethink.finding import Asked
from bethink.ids import known_id
from bethink.index.user import Selection
from bethink.learn.knowledge import MANY_VALUED, Forget, Learnt
from bethink.learn.settle import Line, Told, fact_key, plain, settle_memory
from bethink.learn.statements import recorded
from bethink.models.base import Vectors
from bethink.records import revision_ids
from bethink.text import query_terms
from bethink.types import KNOWN, MemoryItem

if TYPE_CHECKING:
    from bethink.records import Records

_NEAR = 0.7
"""The least cosine of memories that may say the same, or the opposite."""
_ALSO = {
    "address": "home",
    "birthday": "dates",
    "boss": "work",
    "city": "home",
    "diet": "health",
    "employer": "work",
    "hobby": "likes",
    "job": "work",
    "number": "phone",
}
"""What people call what is kept under other words."""
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

    def tell(self, told: Told) -> list[str]:
        """Take something in; returns the ids of the records that say it now."""
        if told.learnt.change == "corrects" and told.learnt.key is None:
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
        return [] if said is None else [said.id]

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
            made=told.made,
            sources=(told.source,),
        )
        there = self._records.one(self._user_id, note.id)
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
        """The fact that has the wrong value, or the one in which the right value was corrected."""
        heads = self._records.select(self._user_id, Selection(("fact",)))
        staged = {item.id: item for item in self.changed.values() if item.kind == "fact"}
        facts = [
            item for item in ({i.id: i for i in heads} | staged).values() if "key" in item.data
        ]
        if learnt.was is not None:
            found = [item for item in facts if plain(item.data["value"]) == plain(learnt.was)]
        else:
            right = plain(learnt.value)
            found = [item for item in facts if item.data.get("corrects") == right]
        return max(found, key=recorded, default=None)

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

    def _line(self, key: str) -> Line:
        """All that was ever stated of a fact."""
        if key not in self._lines:
            id_ = known_id("fact", [key])
            head = self._records.one(self._user_id, id_)
            found = [] if head is None else [head, *self._earlier(head)]
            self.before |= {item.id: item for item in found}
            self._lines[key] = Line(id_, key, found)
        return self._lines[key]

    def _earlier(self, head: MemoryItem) -> list[MemoryItem]:
        return self._records.get(self._user_id, revision_ids(head))

    def _remember(self, told: Told) -> list[str]:
        id_ = known_id("learnt", [plain(told.learnt.content)])
        kept = settle_memory(told, id_, self._near(told, id_))
        self.changed |= {item.id: item for item in kept}
        return [item.id for item in kept[:1]]

    def _near(self, told: Told, id_: str) -> list[MemoryItem]:
        """Memories that may say the same, or the opposite; what was just learnt among them."""
        vector = self._vectors.get(told.learnt.content)
        ids = {id_, *told.learnt.supersedes}
        if vector is not None:
            ids |= set(self._records.near(self._user_id, vector, Selection(("semantic",)), _NEAR))
        there = {item.id: item for item in self._records.get(self._user_id, list(ids))}
        self.before |= {one: item for one, item in there.items() if one not in self.before}
        new = {one: item for one, item in self.changed.items() if item.kind == "semantic"}
        current = [item for item in (there | new).values() if item.superseded_by is None]
        return sorted(current, key=lambda item: item.id != id_)

    def forget(self, wishes: Iterable[Forget]) -> list[str]:
        """The ids of what is known of these, and of the messages it was read in."""
        found: dict[str, None] = {}
        for wish in wishes:
            wanted = set(query_terms(wish.what)) - _EMPTY_WORDS
            if not wanted:
                continue
            asked = Asked(wish.what, Selection(KNOWN), 20)
            for hit in self._records.finding.search(self._user_id, asked):
                if wanted <= _words(hit.item):
                    found |= dict.fromkeys([hit.item.id, *hit.item.sources])
        for id_ in found:
            self.changed.pop(id_, None)
        return list(found)


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


def _words(item: MemoryItem) -> set[str]:
    """The words that a memory is called by."""
    category = str(item.metadata.get("category", ""))
    key = str(item.data.get("key", ""))
    said = set(query_terms(f"{item.content} {key} {category}"))
    called = [word for word, other in _ALSO.items() if other in (key, category)]
    return said | set(query_terms(" ".join(called)))
