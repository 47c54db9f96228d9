"""The store protocol: the one narrow interface that a backend implements.

A store keeps a user's records and, beside each, two blobs that it need not understand: the
record's analysed terms and its vectors. It answers with what changed since a generation, so
that an index held elsewhere stays fresh. It never ranks, filters or reads a clock.

Promises, checked by `bethink.testing.StoreSuite`:

- Every call names one user and touches no other.
- A `put` is written whole or not at all, is idempotent by id and safe to repeat.
- `generation(user)` is 0 for a user with nothing, grows with every change of that user's
  records, and never takes a value twice, not even after `clear`.
- When a call has returned, every handle on the same data, in any process, sees its effect.
- Errors are `StoreError` (with the driver's error as the cause), `Conflict` or `UsageError`.

What a store may rely on: text is valid Unicode without NUL characters, metadata is finite JSON,
versions and counts fit 31 bits, and an item's user is the user of the call. A space is named
``model/dimension``, so that a store with a vector index of its own can tell one vector from the
next; vectors that do not fit such an index must still be kept and handed back.

A store whose engine drops expired records by itself may do so: no generation needs to move,
since readers look at `expires_at` with a clock of their own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from bethink.times import to_micros
from bethink.types import Kind, MemoryItem, Metadata, Origin


class Entry(NamedTuple):
    """A record and what is kept beside it: what is put into a store."""

    item: MemoryItem
    terms: bytes = b""
    """The analysed text, as packed by `bethink.text`."""
    vectors: bytes | None = b""
    """Little-endian float16 vectors in one space, one after the other; none if not embedded.

    In `put`, None leaves the vectors that the record has, in every space: its text is unchanged.
    """


class Row(NamedTuple):
    """What an index holds of a record. A user is ten thousand of these, so they are light."""

    id: str
    kind: Kind
    created_at: int
    """In microseconds since 1970, as is `expires_at`."""
    expires_at: int | None
    importance: float
    session_id: str | None
    agent_id: str | None
    speaker: str | None
    superseded_by: str | None
    origin: Origin
    flagged: bool
    metadata: Metadata
    terms: bytes
    vectors: bytes


def row_of(entry: Entry) -> Row:
    """The row of an entry that has just been put."""
    item = entry.item
    return Row(
        item.id,
        item.kind,
        to_micros(item.created_at),
        None if item.expires_at is None else to_micros(item.expires_at),
        item.importance,
        item.session_id,
        item.agent_id,
        item.speaker,
        item.superseded_by,
        item.origin,
        item.flagged,
        item.metadata,
        entry.terms,
        entry.vectors or b"",
    )


@dataclass(frozen=True, slots=True)
class Changes:
    """What a user's records became."""

    generation: int
    rows: Sequence[Row]
    """Added or changed, in no particular order."""
    deleted: Sequence[str] = ()
    """Ids that are gone."""
    complete: bool = False
    """True: `rows` is all there is, whatever the caller had before."""


@dataclass(frozen=True, slots=True)
class Use:
    """How often a record was returned, and when last."""

    count: int
    last: datetime


@dataclass(frozen=True, slots=True)
class Probe:
    """What an engine's own index is asked: which records may answer a query?"""

    vector: bytes
    """The query's, little-endian float32; empty where there is none."""
    terms: Sequence[int]
    """The query's terms as in `Entry.terms`: a record that has one of the rarest may answer."""
    limit: int
    """How many to propose by vector, and again by terms."""
    kinds: Sequence[Kind]
    agent_id: str | None = None
    session_id: str | None = None
    reach: int = 3
    """For each message proposed, so many before and after it in its session come along."""


class MemoryStore(Protocol):
    """Keeps records, each with its user. Safe to call from several threads at once."""

    def space(self) -> str | None:
        """The vector space in use (an embedder's identity), or None in a new store."""

    def switch(self, old: str | None, new: str) -> None:
        """Use the space `new` from now on and drop the vectors of all others.

        Moves every user's generation. Raises `Conflict`, and changes nothing, unless `old` is
        the space in use; if `new` is in use already, what is left to do is done.
        """

    def put(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        space: str,
        if_version: Mapping[str, int] | None = None,
    ) -> None:
        """Write records, each replacing the one with the same id and its vectors in all spaces.

        Of two with the same id, the last is kept. The use counts of a record are not written.
        `if_version` maps ids, of these records or others, to the version that must be there now
        (0: none). Raises `Conflict`, and writes nothing, when one is not, or when `space` is not
        the space in use.
        """

    def attach(self, user_id: str, vectors: Mapping[str, tuple[int, bytes]], *, space: str) -> int:
        """Give existing records vectors in a space, in use or not; says to how many.

        Moves the generation, but in a space that is not in use it need not. `vectors` maps ids
        to (version, vectors); records that are gone or have another version by now are passed
        over.
        """

    def get(self, user_id: str, ids: Sequence[str]) -> list[MemoryItem]:
        """The records with these ids, in this order, with their use counts; missing left out."""

    def scan(self, user_id: str, *, space: str, since: int = 0) -> Changes:
        """What changed after the generation `since`, with vectors in `space` where there are any.

        `since` comes from a scan of the same space. One that is unknown here, or ahead of the
        present generation, as after a backup was restored, is answered with everything
        (`complete`), which is always allowed.
        """

    def delete(self, user_id: str, ids: Iterable[str]) -> int:
        """Remove records with all that is kept beside them; says how many there were.

        The earlier states of a record, whose ids are its own followed by "@" and a number, go
        along with it, uncounted.
        """

    def clear(self, user_id: str) -> int:
        """Remove all that is kept of this user; says how many records there were."""

    def touch(self, user_id: str, uses: Mapping[str, Use]) -> None:
        """Add to use counts. Moves no generation; ids that are gone are passed over."""

    def sweep(self, now: datetime) -> int:
        """Remove every user's records that have expired, as `delete` does; says how many."""

    def generation(self, user_id: str) -> int:
        """Where this user's records have got to. Called before each search: must be quick."""

    def users(self) -> list[str]:
        """Every user who has records, sorted."""

    def close(self) -> None:
        """Let go of files and connections. Closing twice is fine; using it afterwards is not."""


class Proposing(MemoryStore, Protocol):
    """A store whose engine has indexes of its own, for users too large to hold in memory."""

    def candidates(self, user_id: str, probe: Probe, *, space: str) -> Sequence[Row]:
        """The records that may answer, current ones only, in no particular order.

        The nearest by vector, those that have the rarest of the terms, and the neighbours of
        both in their sessions. It proposes and never decides: whoever asks scores these rows
        with the same code as those of an index in memory.
        """
