"""What is learnt beside what the store has: everything that changes, to be written in one step."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bethink.finding import Asked
from bethink.ids import known_id
from bethink.index.user import Selection
from bethink.learn.knowledge import MANY_VALUED, Forget
from bethink.learn.settle import Line, Told, fact_key, plain, settle_memory
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
        key = fact_key(told.learnt)
        if key is None:
            return self._remember(told)
        if told.learnt.key in MANY_VALUED and told.learnt.was is not None:
            self._never_was(told)
        line = self._line(key)
        said = line.tell(told)
        self.changed |= line.changed
        return [] if said is None else [said.id]

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


def _words(item: MemoryItem) -> set[str]:
    """The words that a memory is called by."""
    category = str(item.metadata.get("category", ""))
    key = str(item.data.get("key", ""))
    said = set(query_terms(f"{item.content} {key} {category}"))
    called = [word for word, other in _ALSO.items() if other in (key, category)]
    return said | set(query_terms(" ".join(called)))
