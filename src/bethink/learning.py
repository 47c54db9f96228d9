"""From what was said to what is known: messages are kept, read, and settled against the rest.

Messages, what they teach and the note that they are still to be read are each written in one
step, so a process that dies at any moment leaves either something to be read or something learnt,
and never the same thing learnt twice.
"""

import hashlib
import json
import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from bethink.backlog import Backlog
from bethink.entries import indexed
from bethink.errors import Conflict, ModelError
from bethink.finding import Asked
from bethink.hearing import Heard
from bethink.ids import known_id
from bethink.index.user import Selection
from bethink.kinds.messages import message_record, read_message
from bethink.learn.ask import Known, Said, ask
from bethink.learn.echo import without_echoes
from bethink.learn.extract import extract
from bethink.learn.knowledge import Forget, Learnt
from bethink.learn.settle import Told, text_of, told_once
from bethink.settling import Settling
from bethink.types import KNOWN, Made, MemoryItem
from bethink.validate import MAX_QUERY

if TYPE_CHECKING:
    from bethink.models.base import LLM
    from bethink.records import Records

_NOTE = "learn-"
"""How the ids of notes begin that say what is still to be read."""
_ABANDONED = timedelta(seconds=10)
"""After so long a note is taken to be of a process that is gone."""
_PATIENCE = 30.0  # seconds for what others keep overtaking
_SHOWN = 20
"""Memories that a model is shown beside what was said."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of messages: their records, what was learnt from them and what was forgotten.

    `learnt` holds what is new or has new evidence. `pending` tells that the messages are kept and
    still to be read.
    """

    messages: list[MemoryItem]
    learnt: list[MemoryItem] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    pending: bool = False


@dataclass(frozen=True, slots=True)
class _Read:
    """What messages say."""

    told: list[Told]
    forget: list[Forget]


class Learning:
    """Learns from messages, with a language model where there is one."""

    def __init__(self, records: "Records", llm: "LLM | None" = None) -> None:
        self._records = records
        self._llm = llm
        self._backlog = Backlog(self.catch_up)

    def remember(
        self,
        user_id: str,
        messages: Sequence[Heard],
        *,
        session_id: str | None,
        agent_id: str | None,
        background: bool,
    ) -> Remembered:
        """Keep messages and learn from those that are new; at once, or in the background."""
        self._pick_up(user_id)
        while True:
            kept, fresh = self._new(user_id, messages, session_id, agent_id)
            if not fresh:
                return Remembered(kept)
            try:
                if background:
                    self._put_off(user_id, fresh)
                    return Remembered(kept, pending=True)
                return replace(self.learn(user_id, fresh), messages=kept)
            except Conflict:
                if self._as_expected(user_id, {item.id: 0 for item in fresh}):
                    raise
                # Someone else delivers the same messages at this moment.

    def _put_off(self, user_id: str, fresh: Sequence[MemoryItem]) -> None:
        note = self._note(user_id, fresh)
        versions = {item.id: 0 for item in fresh}
        self._records.put_if(user_id, [*fresh, note], versions, {})
        self._backlog.add(user_id, note.id)

    def _pick_up(self, user_id: str) -> None:
        """Go on with what another process, which is gone, left unread."""
        if self._backlog.new_here(user_id):
            before = self._records.now() - _ABANDONED
            for note in self.notes(user_id):
                if note.created_at < before:
                    self._backlog.add(user_id, note.id)

    def flush(self) -> None:
        """Wait until everything that this process put off is learnt."""
        self._backlog.flush()

    def finish(self) -> None:
        """Wait until everything that this process put off has been tried."""
        self._backlog.finish()

    # --- keeping

    def _new(
        self,
        user_id: str,
        messages: Sequence[Heard],
        session_id: str | None,
        agent_id: str | None,
    ) -> tuple[list[MemoryItem], list[MemoryItem]]:
        """The records of messages, and those of them that are not there yet."""
        now = self._records.now()
        seen: Counter[str] = Counter()
        records = []
        for place, one in enumerate(messages):
            when = one.message.timestamp or now + timedelta(microseconds=place)
            message = replace(one.message, timestamp=when)
            records.append(
                message_record(
                    message,
                    _message_id(one, session_id, seen),
                    now,
                    user_id=user_id,
                    session_id=session_id,
                    agent_id=agent_id,
                )
            )
        there = {item.id: item for item in self._records.get(user_id, [r.id for r in records])}
        kept = [there.get(record.id, record) for record in records]
        fresh = {record.id: record for record in records if record.id not in there}
        return kept, list(fresh.values())

    def _note(self, user_id: str, messages: Sequence[MemoryItem]) -> MemoryItem:
        """A record that says which messages are still to be read."""
        ids = [item.id for item in messages]
        return MemoryItem(
            id=known_id("learn", ids),
            user_id=user_id,
            content="Messages to learn from",
            created_at=self._records.now(),
            kind="working",
            data={"run": "learn", "messages": list(ids)},
        )

    def notes(self, user_id: str) -> list[MemoryItem]:
        """What is still to be read of a user's messages, oldest first."""
        selection = Selection(("working",))
        ids = [id_ for id_ in self._records.ids(user_id, selection) if id_.startswith(_NOTE)]
        return self._records.get(user_id, ids)

    # --- reading

    def learn(self, user_id: str, messages: Sequence[MemoryItem]) -> Remembered:
        """Keep new messages together with what they teach."""
        read = self._read(user_id, messages)
        return self._kept(user_id, read, messages, {item.id: 0 for item in messages})

    def catch_up(self, user_id: str, note_id: str) -> Remembered:
        """Learn what a note says is still to be read; nothing if someone else has."""
        note = self._records.one(user_id, note_id)
        if note is None:
            return Remembered([])
        ids = [str(id_) for id_ in cast("list[str]", note.data.get("messages", []))]
        messages = self._records.get(user_id, ids)
        read = self._read(user_id, messages)
        done = replace(note, data={**note.data, "messages": []}, version=note.version + 1)
        try:
            learnt = self._kept(user_id, read, [done], {note.id: note.version})
        except Conflict:
            if self._records.one(user_id, note_id) == note:
                raise
            learnt = Remembered([])  # someone else was quicker
        self._records.delete(user_id, [note_id])
        return replace(learnt, messages=messages)

    def _read(self, user_id: str, messages: Sequence[MemoryItem]) -> _Read:
        said = sorted(messages, key=lambda item: (item.created_at, item.id))
        if self._llm is not None:
            try:
                return self._asked(user_id, said)
            except ModelError as error:
                _log.warning("Learning by rules instead: %s", error)
        read = _Read([], [])
        before: str | None = None
        for item in said:
            role = read_message(item).role
            text = without_echoes(item.content)
            found = extract(text, at=item.created_at, role=role, asked=before)
            read.forget.extend(one for one in found if isinstance(one, Forget))
            learnt = told_once([one for one in found if isinstance(one, Learnt)])
            read.told.extend(_told(one, item, "rule") for one in learnt)
            before = item.content
        return read

    def _asked(self, user_id: str, said: Sequence[MemoryItem]) -> _Read:
        """What a language model reads in messages, beside what is known already."""
        texts = [without_echoes(item.content) for item in said]
        shown = [
            Said(place, message.role, message.name, item.created_at, text)
            for place, (item, text) in enumerate(zip(said, texts, strict=True))
            for message in [read_message(item)]
        ]
        answer = ask(cast("LLM", self._llm), shown, self._known(user_id, texts))
        return _Read(
            [_told(one, said[one.source], "model") for one in answer.learnt], list(answer.forget)
        )

    def _known(self, user_id: str, texts: Sequence[str]) -> list[Known]:
        """What is known already about what was said."""
        query = " ".join(" ".join(texts).split())[-MAX_QUERY:]
        if not query:
            return []
        asked = Asked(query, Selection(KNOWN, flagged=False), _SHOWN)
        hits = self._records.finding.search(user_id, asked)
        return [Known(hit.item.id, hit.item.content) for hit in hits]

    # --- settling

    def _kept(
        self,
        user_id: str,
        read: _Read,
        records: Sequence[MemoryItem],
        versions: Mapping[str, int],
    ) -> Remembered:
        """Write records with all that was read, in one step; anew while others are quicker."""
        texts = [item.text for item in records if indexed(item)]
        texts += [text_of(told.learnt) for told in read.told]
        vectors = self._records.embed_texts(texts)
        deadline = time.monotonic() + _PATIENCE
        while True:
            settled = Settling(self._records, user_id, vectors)
            learnt = dict.fromkeys(id_ for told in read.told for id_ in settled.tell(told))
            forgotten = settled.forget(read.forget)
            changed = list(settled.changed.values())
            needed = {**settled.versions, **versions}
            try:
                self._records.put_if(
                    user_id, [*records, *changed], needed, vectors, settled.unchanged
                )
            except Conflict:
                if self._as_expected(user_id, needed) or time.monotonic() > deadline:
                    raise
                if not self._as_expected(user_id, versions):
                    raise
            else:
                self._records.delete(user_id, forgotten)
                current = [settled.changed[id_] for id_ in learnt if id_ in settled.changed]
                return Remembered(list(records), current, forgotten)

    def _as_expected(self, user_id: str, versions: Mapping[str, int]) -> bool:
        there = {item.id: item.version for item in self._records.store.get(user_id, list(versions))}
        return all(there.get(id_, 0) == version for id_, version in versions.items())


def _told(learnt: Learnt, item: MemoryItem, made: Made) -> Told:
    return Told(
        learnt,
        source=item.id,
        at=item.created_at,
        made=made,
        user_id=item.user_id,
        origin=item.origin,
        session_id=item.session_id,
        agent_id=item.agent_id,
    )


def _message_id(one: Heard, session_id: str | None, seen: Counter[str]) -> str:
    """The same for the same message, however often it is delivered.

    Without an id of its own it is known by its time and words; without a time, by its words and
    by how often they were said before in the same delivery.
    """
    message = one.message
    if one.id is not None:
        return known_id("message", [session_id, one.id])
    calls = [[call.name, dict(call.arguments)] for call in message.tool_calls]
    said = [message.role, message.name, message.content, message.tool_call_id, calls]
    written = json.dumps(said, sort_keys=True, default=str)
    digest = hashlib.blake2b(written.encode(), digest_size=16).hexdigest()
    if message.timestamp is not None:
        return known_id("message", [session_id, digest, message.timestamp.isoformat()])
    seen[digest] += 1
    return known_id("message", [session_id, digest, str(seen[digest])])
