"""From what was said to what is known: messages are kept, read, and settled against the rest.

Messages, what they teach and the note that they are still to be read are each written in one
step, so a process that dies at any moment leaves either something to be read or something learnt,
and never the same thing learnt twice.
"""

import hashlib
import json
import logging
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias, cast

from bethink.backlog import Backlog
from bethink.entries import indexed
from bethink.errors import Conflict, ModelError, for_the_log
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


Step: TypeAlias = Told | Forget
"""What one sentence teaches, or asks to be forgotten."""


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
        for pause in _pauses():
            kept, fresh, before = self._new(user_id, messages, session_id, agent_id)
            if not fresh:
                return self._delivered_before(user_id, kept, background=background)
            try:
                if background:
                    self._put_off(user_id, fresh)
                    return Remembered(kept, pending=True)
                return replace(self.learn(user_id, fresh, before), messages=kept)
            except Conflict:
                if pause is None or self._as_expected(user_id, {item.id: 0 for item in fresh}):
                    raise
                time.sleep(pause)  # someone else delivers the same messages at this moment
        raise AssertionError  # pragma: no cover (the last try returns or raises)

    def _delivered_before(
        self, user_id: str, kept: list[MemoryItem], *, background: bool
    ) -> Remembered:
        """Messages that are there already, and may still have to be read."""
        ids = {item.id for item in kept}
        waiting = [note.id for note in self.notes(user_id) if ids & set(_messages_of(note))]
        if background or not waiting:
            return Remembered(kept, pending=bool(waiting))
        caught = [self.catch_up(user_id, note_id) for note_id in waiting]
        return Remembered(
            kept,
            [item for one in caught for item in one.learnt],
            [id_ for one in caught for id_ in one.forgotten],
        )

    def _put_off(self, user_id: str, fresh: Sequence[MemoryItem]) -> None:
        note = self._note(user_id, fresh)
        versions = {item.id: 0 for item in fresh}
        self._records.put_if(user_id, [*fresh, note], versions, {})
        self._backlog.add(user_id, note.id)

    def _pick_up(self, user_id: str) -> None:
        """Go on with what another process, which is gone, left unread."""
        if self._backlog.looked_at(user_id):
            return
        before = self._records.now() - _ABANDONED
        notes = self.notes(user_id)
        for note in notes:
            if note.created_at < before:
                self._backlog.add(user_id, note.id)
        if all(note.created_at < before for note in notes):
            self._backlog.look_at(user_id)

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
    ) -> tuple[list[MemoryItem], list[MemoryItem], dict[str, str]]:
        """The records of messages, those that are not there yet, and what was said before each."""
        now = self._records.now()
        seen: Counter[str] = Counter()
        last = self._last(user_id, session_id)
        if len(messages) == 1 and last and _message_id(messages[0], session_id, seen) != last.id:
            seen = self._said_so_often(user_id, messages[0], session_id)
        else:
            seen = Counter()
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
        there = {item.id: item for item in self._records.fresh(user_id, [r.id for r in records])}
        kept = [there.get(record.id, record) for record in records]
        fresh = {record.id: record for record in records if record.id not in there}
        previous = [last, *kept[:-1]]
        before = {one.id: prior.content for one, prior in zip(kept, previous, strict=True) if prior}
        return kept, list(fresh.values()), before

    def _last(self, user_id: str, session_id: str | None) -> MemoryItem | None:
        """The newest message of a session."""
        if session_id is None:
            return None
        selection = Selection(("message",), session_id=session_id)
        ids = self._records.ids(user_id, selection)[-1:]
        return next(iter(self._records.get(user_id, ids)), None)

    def _said_so_often(self, user_id: str, one: Heard, session_id: str | None) -> Counter[str]:
        """How often a message was said that is said alone and is not the last one: it is new."""
        if one.id is not None or one.message.timestamp is not None:
            return Counter()
        digest, often = _digest(one), 0
        while True:
            seen = Counter({digest: often})
            if not self._records.get(user_id, [_message_id(one, session_id, seen)]):
                return Counter({digest: often})
            often += 1

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

    def learn(
        self, user_id: str, messages: Sequence[MemoryItem], before: Mapping[str, str]
    ) -> Remembered:
        """Keep new messages together with what they teach."""
        steps = self._read(user_id, messages, before)
        return self._kept(user_id, steps, messages, {item.id: 0 for item in messages})

    def catch_up(self, user_id: str, note_id: str) -> Remembered:
        """Learn what a note says is still to be read; nothing if someone else has."""
        for pause in _pauses():
            note = self._records.one(user_id, note_id)
            if note is None:
                return Remembered([])
            messages = self._records.get(user_id, _messages_of(note))
            steps = self._read(user_id, messages, self._before(user_id, messages))
            done = replace(note, data={**note.data, "messages": []}, version=note.version + 1)
            versions = {item.id: item.version for item in (note, *messages)}
            try:
                learnt = self._kept(user_id, steps, [done], versions)
            except Conflict:
                if pause is None or self._as_expected(user_id, versions):
                    raise
                time.sleep(pause)  # someone else reads it, or one of the messages is gone
            else:
                self._records.delete(user_id, [note_id])
                return replace(learnt, messages=messages)
        raise AssertionError  # pragma: no cover (the last try returns or raises)

    def _before(self, user_id: str, messages: Sequence[MemoryItem]) -> dict[str, str]:
        """What was said before each message."""
        prior = self._records.before(user_id, [item.id for item in messages])
        found = {item.id: item for item in self._records.get(user_id, list(prior.values()))}
        return {id_: found[other].content for id_, other in prior.items() if other in found}

    def _read(
        self, user_id: str, messages: Sequence[MemoryItem], before: Mapping[str, str]
    ) -> list[Step]:
        """What messages say, in the order in which they do."""
        said = sorted(messages, key=lambda item: item.created_at)  # of one moment, as delivered
        if self._llm is not None:
            try:
                return self._asked(user_id, said)
            except ModelError as error:
                _log.warning("Learning by rules instead: %s", for_the_log(error))
        return [step for item in said for step in _by_rules(item, before.get(item.id))]

    def _asked(self, user_id: str, said: Sequence[MemoryItem]) -> list[Step]:
        """What a language model reads in messages, beside what is known already."""
        texts = [without_echoes(item.content) for item in said]
        shown = [
            Said(place, message.role, message.name, item.created_at, text)
            for place, (item, text) in enumerate(zip(said, texts, strict=True))
            for message in [read_message(item)]
        ]
        answer = ask(cast("LLM", self._llm), shown, self._known(user_id, texts))
        told = [_told(one, said[one.source], "model") for one in answer.learnt]
        return [*answer.forget, *told]  # what is to be forgotten was said before it was said anew

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
        steps: Sequence[Step],
        records: Sequence[MemoryItem],
        versions: Mapping[str, int],
    ) -> Remembered:
        """Write records with all that was read, in one step; anew while others are quicker.

        What is to be forgotten goes first: should that be all that happens, the messages are
        still to be delivered or read, and the rest happens then.
        """
        texts = [item.text for item in records if indexed(item)]
        texts += [text_of(step.learnt) for step in steps if isinstance(step, Told)]
        vectors = self._records.embed_texts(texts)
        forgotten: dict[str, None] = {}
        for pause in _pauses():
            settled = Settling(self._records, user_id, vectors)
            learnt = dict.fromkeys(id_ for step in steps for id_ in settled.take(step))
            self._records.delete(user_id, settled.gone)
            forgotten |= dict.fromkeys(settled.gone)
            kept = [item for item in records if item.id not in settled.unsaid]
            needed = {**settled.versions, **versions}
            try:
                self._records.put_if(
                    user_id,
                    [*kept, *settled.changed.values()],
                    {id_: version for id_, version in needed.items() if id_ not in settled.gone},
                    vectors,
                    settled.unchanged,
                )
            except Conflict:
                ours = {id_: version for id_, version in versions.items() if id_ not in forgotten}
                if pause is None or not self._as_expected(user_id, ours):
                    raise
                time.sleep(pause)
            else:
                current = [settled.changed[id_] for id_ in learnt if id_ in settled.changed]
                return Remembered(list(records), current, [*forgotten, *settled.unsaid])
        raise AssertionError  # pragma: no cover (the last try returns or raises)

    def _as_expected(self, user_id: str, versions: Mapping[str, int]) -> bool:
        there = {item.id: item.version for item in self._records.store.get(user_id, list(versions))}
        return all(there.get(id_, 0) == version for id_, version in versions.items())


def _pauses() -> Iterator[float | None]:
    """How long to wait after each try that others overtook; None after the last."""
    deadline = time.monotonic() + _PATIENCE
    longest = 0.001
    while time.monotonic() < deadline:
        yield random.uniform(0, longest)  # noqa: S311 (no secret)
        longest = min(2 * longest, 0.1)
    yield None


def _messages_of(note: MemoryItem) -> list[str]:
    """The ids of the messages that a note is about."""
    return [str(id_) for id_ in cast("list[str]", note.data.get("messages", []))]


def _by_rules(item: MemoryItem, before: str | None) -> Iterator[Step]:
    """What a message says, by rules; in the order of its sentences."""
    text, role = without_echoes(item.content), read_message(item).role
    found = extract(text, at=item.created_at, role=role, asked=before)
    learnt = iter(told_once([one for one in found if isinstance(one, Learnt)]))
    for one in found:
        yield one if isinstance(one, Forget) else _told(next(learnt), item, "rule")


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
    digest = _digest(one)
    if message.timestamp is not None:
        return known_id("message", [session_id, digest, message.timestamp.isoformat()])
    seen[digest] += 1
    return known_id("message", [session_id, digest, str(seen[digest])])


def _digest(one: Heard) -> str:
    """The same for the same words of the same speaker."""
    message = one.message
    calls = [[call.name, dict(call.arguments)] for call in message.tool_calls]
    said = [message.role, message.name, message.content, message.tool_call_id, calls]
    written = json.dumps(said, sort_keys=True, default=str)
    return hashlib.blake2b(written.encode(), digest_size=16).hexdigest()
