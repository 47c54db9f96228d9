"""The front door: what an agent remembers, by user."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, cast

from bethink import portable, tidy, validate
from bethink.entries import check_vector
from bethink.errors import Conflict, NotFound, UsageError
from bethink.finding import Asked
from bethink.hearing import Delivered, heard
from bethink.index.user import Selection
from bethink.items import check_changes, make_item, screened
from bethink.learn.consolidate import Consolidation, Rules
from bethink.models.base import LLM, Embedder, Reranker, model_in
from bethink.models.function import as_embedder
from bethink.recall.explain import Explanation
from bethink.recall.pack import Context
from bethink.recall.relevance import RELEVANT
from bethink.records import Records, revised, revision_ids
from bethink.rerank import Reranking
from bethink.stores.base import MemoryStore
from bethink.stores.url import open_store
from bethink.times import Clock, as_utc, from_micros, utc_now
from bethink.types import (
    KINDS,
    KNOWN,
    OF_A_SESSION,
    REVISION,
    SEARCHED,
    Changed,
    Fields,
    Hits,
    Kind,
    MemoryItem,
    Session,
    head_id,
)

if TYPE_CHECKING:
    from bethink.learning import Learning, Remembered
    from bethink.system import AgentMemorySystem


class Memory:
    """What an agent remembers about its users, in one place.

    Safe to share between threads; any number of processes may open the same file.

    Args:
        store: A file name, a URL, or a store object. The default lives and dies with this object.
        embedder: What turns text into vectors. The default runs on this machine and needs no
            key; any function from a list of texts to a list of vectors, sync or async, will do,
            and so will a name such as "voyage:voyage-3.5".
        durable: Flush each write to the disk, so that it survives a power cut as well.
        index_bytes: How much memory the indexes of users in use may take together.
        index: Where searches look: in arrays in "memory", which is exact, or, with "engine", in
            what the store's own engine proposes, so that this process holds nothing. A user who
            does not fit into `index_bytes` is searched by the engine anyhow, if there is one.
        count_uses: Whether what a search returns counts as used; not for those who only look.
        llm: A language model that reads what was said and says what is worth knowing, such as
            "anthropic:claude-haiku-4-5"; rules do, if not given.
        reranker: Who is asked for a second opinion on what a search found, such as
            "cohere:rerank-v3.5"; nobody, if not given.
        rerank_seconds: How long a search waits for that opinion.
        clock: What time it is. Tests pass their own.
    """

    def __init__(
        self,
        store: str | os.PathLike[str] | MemoryStore = ":memory:",
        *,
        embedder: Embedder | Callable[[list[str]], Any] | str | None = None,
        durable: bool = False,
        index_bytes: int = 512 * 1024 * 1024,
        index: Literal["memory", "engine"] = "memory",
        count_uses: bool = True,
        llm: LLM | str | None = None,
        reranker: Reranker | str | None = None,
        rerank_seconds: float = 1.0,
        clock: Clock = utc_now,
    ) -> None:
        if not isinstance(index_bytes, int) or index_bytes < 0:
            raise UsageError(f"index_bytes must be a number of bytes, not {index_bytes!r}.")
        if index not in ("memory", "engine"):
            raise UsageError(f"index must be 'memory' or 'engine', not {index!r}.")
        self.embedder = as_embedder(embedder)
        self.store = _store(store, self.embedder, durable=durable)
        self.records = Records(
            self.store,
            self.embedder,
            index_bytes=index_bytes,
            clock=lambda: as_utc(clock(), name="The clock's time"),
            count_uses=count_uses,
            reranking=_reranking(reranker, rerank_seconds),
            engine=index == "engine",
        )
        self._llm = _llm(llm)
        self._closed = False

    # --- keeping

    def add(self, content: str, *, user_id: str, **fields: Unpack[Fields]) -> MemoryItem:
        """Keep exactly this.

        Args:
            content: The text, up to 100,000 characters.
            user_id: Whose memory it is.
            **fields: `importance` (0 to 1), `metadata` (JSON), `expires_in` or `expires_at`,
                `agent_id`, `session_id`, `speaker`, `kind`, `created_at`, `valid_from`,
                `valid_to`, `origin` (whose word it is; what is not the user's or the assistant's
                is flagged if it reads like instructions), `sources`, `pinned`, and `embedding`
                for a vector of your own.
        """
        return self.add_many([content], user_id=user_id, **fields)[0]

    def add_many(
        self, items: Iterable[str | Mapping[str, Any]], *, user_id: str, **fields: Unpack[Fields]
    ) -> list[MemoryItem]:
        """Keep all of these, or, if one of them is wrong, none.

        Each item is a text, or a dictionary with `content` and any of the fields of `add`. The
        keywords hold for every item that does not say otherwise. Embedded in one batch, this is
        several times as fast as adding one by one.
        """
        user_id = validate.check_user(user_id)
        listed = validate.check_many(items, name="items")
        now, dimension = self.records.now(), self.records.open().dimension
        made = [make_item(item, fields, user_id, now, dimension) for item in listed]
        kept = [item for item, _ in made]
        self.records.put(user_id, kept, [vector for _, vector in made])
        return kept

    def update(
        self,
        item_id: str,
        *,
        user_id: str,
        if_version: int | None = None,
        **changed: Unpack[Changed],
    ) -> MemoryItem:
        """Change one memory and keep what it was in its history.

        `metadata` replaces the whole of it. Two updates at once both take effect; with
        `if_version` this one raises `Conflict` instead if the memory is no longer at it.
        """
        user_id = validate.check_user(user_id)
        item_id = validate.check_name(item_id, name="id")
        now = self.records.now()
        values = check_changes(changed, now)

        def rule(item: MemoryItem | None) -> list[MemoryItem]:
            if item is None or REVISION in item_id:
                raise _not_found(item_id)
            if if_version not in (None, item.version):
                raise Conflict(f"Memory {item_id} is at version {item.version}, not {if_version}.")
            if not item.data:
                new = replace(item, **values, updated_at=now)
                looked_at = "content" in values and "flagged" not in values
                return revised(item, screened(new) if looked_at else new)
            if own := values.keys() & {"content", "metadata", "valid_from", "valid_to"}:
                raise UsageError(
                    f"Memory {item_id} is a {item.kind}: its {min(own)} is changed by that kind's "
                    "own verbs."
                )
            return [replace(item, **values)]  # its history is for what it says

        return cast("MemoryItem", self.records.change(user_id, item_id, rule))

    # --- learning

    @cached_property
    def _learning(self) -> "Learning":
        """What reads messages; loaded when there are any."""
        from bethink.learning import Learning  # noqa: PLC0415

        return Learning(self.records, self._llm)

    def remember(
        self,
        messages: Delivered | Iterable[Delivered],
        *,
        user_id: str,
        session_id: str | None = None,
        agent_id: str | None = None,
        background: bool = False,
    ) -> "Remembered":
        """Keep what was said, word for word, and what is worth knowing of it as memories.

        A message that is delivered twice is kept once, and what it teaches is learnt once. All of
        a call is written, or nothing.

        Args:
            messages: The user's words; or one message or several, in the shape of OpenAI or
                Anthropic, each with an optional `timestamp`, `name` and `id`.
            user_id: Whose memory it is.
            session_id: Which conversation they belong to.
            agent_id: Which agent heard them.
            background: Return as soon as the messages are kept, and learn from them later: in
                this process, or in the next if this one ends before.
        """
        user_id = validate.check_user(user_id)
        session_id = validate.check_optional_name(session_id, name="session_id")
        agent_id = validate.check_optional_name(agent_id, name="agent_id")
        said = heard(messages)
        return self._learning.remember(
            user_id, said, session_id=session_id, agent_id=agent_id, background=background
        )

    def catch_up(self, *, user_id: str | None = None, all_users: bool = False) -> int:
        """Learn from all messages that were kept and not yet read; says how many notes of them."""
        notes = [
            (user, note.id)
            for user in self._users(user_id, all_users=all_users)
            for note in self._learning.notes(user)
        ]
        for user, note_id in notes:
            self._learning.catch_up(user, note_id)
        return len(notes)

    # --- finding

    def search(
        self,
        query: str,
        *,
        user_id: str,
        limit: int = 10,
        kinds: Iterable[Kind] = SEARCHED,
        agent_id: str | None = None,
        session_id: str | None = None,
        min_importance: float = 0.0,
        where: Mapping[str, Any] | None = None,
        embedding: Sequence[float] | None = None,
        at: datetime | None = None,
        explain: bool = False,
    ) -> Hits:
        """The memories that match best, by meaning and by words, best first.

        Looks at everything known about the user and everything said, and always returns its
        best hits. `kinds`, `agent_id`, `session_id`, `min_importance` and `where` narrow it.
        `at` is when it is asked, which "last week" refers to; `explain` adds to each hit its
        rank in everything that its score is made of.
        """
        user_id = validate.check_user(user_id)
        query = validate.check_text(query, name="query", limit=validate.MAX_QUERY)
        limit = validate.check_limit(limit)
        selection = _selection(kinds, agent_id, session_id, where, min_importance)
        vector = (
            None if embedding is None else check_vector(embedding, self.records.open().dimension)
        )
        return self.records.search(
            user_id,
            query,
            selection,
            limit=limit,
            vector=vector,
            at=validate.check_time(at, name="at"),
            explain=explain,
        )

    def recall(
        self,
        query: str,
        *,
        user_id: str,
        budget: int = 1000,
        limit: int = 20,
        kinds: Iterable[Kind] = SEARCHED,
        agent_id: str | None = None,
        session_id: str | None = None,
        where: Mapping[str, Any] | None = None,
        at: datetime | None = None,
        least: float = RELEVANT,
    ) -> Context:
        """The context for a prompt: what matters for a query, in at most `budget` tokens.

        Whole memories, the most useful first to get in: what is known, and what was said, in
        order of time and with the question that it answers. Nothing stands there twice, facts are
        as they are at the moment `at`, and each line ends in a number under which `sources` has
        its memory. What is less relevant than `least` is left out; if that is everything, the
        context is empty. A memory is shown or left out, never cut to fit, though one that is very
        long is shortened and says so. Only what is shown counts as used.
        """
        from bethink.contexts import recall  # noqa: PLC0415 (which is built on this)

        user_id = validate.check_user(user_id)
        query = validate.check_text(query, name="query", limit=validate.MAX_QUERY)
        selection = _selection(kinds, agent_id, session_id, where)
        at = validate.check_time(at, name="at")
        asked = Asked(query, replace(selection, flagged=False), validate.check_limit(limit), at)
        budget = validate.check_limit(budget, name="budget")
        least = validate.check_importance(least, name="least")
        return recall(self, user_id, asked, budget=budget, least=least)

    def profile(self, *, user_id: str, budget: int = 300) -> Context:
        """The essentials about a user, as text for a prompt of at most `budget` tokens.

        Facts that hold now, beginning with name, home, work, family and health; then what is
        pinned, and what is most important by now. Nothing stands there twice, and each line ends
        in a number under which `sources` has its memory. Nothing counts as used.
        """
        from bethink.portrait import profile  # noqa: PLC0415 (which is built on this)

        user_id = validate.check_user(user_id)
        return profile(self, user_id, validate.check_limit(budget, name="budget"))

    def explain(
        self,
        query: str,
        item_id: str,
        *,
        user_id: str,
        limit: int = 10,
        kinds: Iterable[Kind] = SEARCHED,
        agent_id: str | None = None,
        session_id: str | None = None,
        min_importance: float = 0.0,
        where: Mapping[str, Any] | None = None,
        at: datetime | None = None,
    ) -> Explanation:
        """Why a search like this returns a memory, or why it does not. Counts as no use."""
        user_id = validate.check_user(user_id)
        item_id = validate.check_name(item_id, name="id")
        query = validate.check_text(query, name="query", limit=validate.MAX_QUERY)
        selection = _selection(kinds, agent_id, session_id, where, min_importance)
        at = validate.check_time(at, name="at")
        asked = Asked(query, selection, validate.check_limit(limit), at)
        return self.records.finding.explain(user_id, item_id, asked)

    def get(self, item_id: str, *, user_id: str) -> MemoryItem | None:
        """One memory, or None if this user has none with that id."""
        user_id = validate.check_user(user_id)
        return self.records.one(user_id, validate.check_name(item_id, name="id"))

    def get_user_memories(
        self,
        *,
        user_id: str,
        limit: int | None = None,
        kinds: Iterable[Kind] = KNOWN,
        agent_id: str | None = None,
        session_id: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> list[MemoryItem]:
        """What is known about a user, the newest first; not what was said or is superseded."""
        user_id = validate.check_user(user_id)
        selection = _selection(kinds, agent_id, session_id, where)
        limit = None if limit is None else validate.check_limit(limit)
        newest = self.records.ids(user_id, selection)[::-1][:limit]
        return self.records.get(user_id, newest)

    def quarantine(self, *, user_id: str) -> list[MemoryItem]:
        """What is flagged, the newest first: text from outside that reads like instructions.

        It is found by `search`, and never part of a context or a prompt. What is harmless after
        all is released by `update(…, flagged=False)`, and the rest is removed by `forget`.
        """
        user_id = validate.check_user(user_id)
        trusted = set(self.records.ids(user_id, Selection(KINDS, flagged=False)))
        ids = self.records.ids(user_id, Selection(KINDS))[::-1]
        return self.records.get(user_id, [id_ for id_ in ids if id_ not in trusted])

    def history(self, item_id: str, *, user_id: str) -> list[MemoryItem]:
        """Every state that a memory was in, oldest first; the last is how it is now."""
        item = self.get(item_id, user_id=user_id)
        if item is None or REVISION in item_id:
            raise _not_found(item_id)
        return [*self.records.get(item.user_id, revision_ids(item)), item]

    # --- removing

    def forget(self, item_ids: str | Sequence[str], *, user_id: str) -> int:
        """Remove one memory or several, with their histories; says how many there were."""
        user_id = validate.check_user(user_id)
        ids = [id_ for id_ in validate.check_ids(item_ids) if REVISION not in id_]
        along = tidy.going_along(self.records, user_id, ids)
        removed = self.records.delete(user_id, ids)
        self.records.delete(user_id, along)
        return removed

    def clear(self, *, user_id: str | None = None, all_users: bool = False) -> int:
        """Remove all that is kept of one user, or, only if told so, of all; says how many."""
        users = self._users(user_id, all_users=all_users)
        return sum(self.records.clear(user) for user in users)

    def sweep(self) -> int:
        """Remove from the store what has expired, of every user; says how many.

        Expired memories are never returned, swept or not.
        """
        return self.store.sweep(self.records.now())

    # --- consolidating

    def consolidate(
        self,
        *,
        user_id: str,
        dry_run: bool = False,
        older_than: timedelta = timedelta(days=30),
        below: float = 0.15,
        grace: timedelta = timedelta(days=30),
    ) -> Consolidation:
        """Tidy up what is known about a user: of kind "semantic", and nothing else.

        What is said twice in almost the same words is merged. What is old, unimportant and out of
        use is pruned; what is new, pinned, flagged, used lately or of an importance of 0.75 never
        is. With `dry_run` nothing is changed. Doing it twice is doing it once, and several may do
        it at the same time.

        Args:
            user_id: Whose memory it is.
            dry_run: Only say what would be done.
            older_than: For how long what is pruned was neither changed nor used, at least.
            below: How important it is by now at most; importance fades with disuse.
            grace: For how long `undo_consolidation` can bring back what is gone.
        """
        user_id = validate.check_user(user_id)
        rules = Rules(
            older_than=validate.check_span(older_than, name="older_than"),
            below=validate.check_importance(below, name="below"),
            grace=validate.check_span(grace, name="grace", least=timedelta(seconds=1)),
        )
        dry_run = validate.check_flag(dry_run, name="dry_run")
        return tidy.consolidate(self.records, user_id, rules, dry_run=dry_run)

    def undo_consolidation(self, *, user_id: str) -> tidy.Restored:
        """Bring back what was merged or pruned and whose grace is not over; says what.

        It is as it was, and so is what it was merged into, but for what has been changed since;
        uses stay counted. What says the opposite of something that was learnt since stays away:
        the `left_out` of the answer names it.
        """
        return tidy.undo(self.records, validate.check_user(user_id))

    # --- sessions

    def sessions(self, *, user_id: str) -> list[Session]:
        """The conversations with a user, the one that was last gone on with first."""
        user_id = validate.check_user(user_id)
        spans = self.records.sessions(user_id)
        found = [
            Session(name, from_micros(span.first), from_micros(span.last), span.messages)
            for name, span in spans.items()
        ]
        return sorted(found, key=lambda session: (session.last, session.id), reverse=True)

    def clear_session(self, session_id: str, *, user_id: str) -> int:
        """Remove what was said and worked on in a session; says how many records there were.

        What was learnt in it stays.
        """
        session_id = validate.check_name(session_id, name="session_id")
        return self._clear_sessions([session_id], validate.check_user(user_id))

    def clear_user_sessions(self, *, user_id: str) -> int:
        """Remove all sessions of a user, as `clear_session` does."""
        user_id = validate.check_user(user_id)
        return self._clear_sessions(list(self.records.sessions(user_id)), user_id)

    def clear_sessions_before(
        self, moment: datetime, *, user_id: str | None = None, all_users: bool = False
    ) -> int:
        """Remove the sessions that were last gone on with before a moment."""
        before = as_utc(moment, name="moment")
        return sum(
            self._clear_sessions(
                [one.id for one in self.sessions(user_id=user) if one.last < before], user
            )
            for user in self._users(user_id, all_users=all_users)
        )

    def _clear_sessions(self, session_ids: Iterable[str], user_id: str) -> int:
        ids = [
            id_
            for session_id in session_ids
            for id_ in self.records.ids(user_id, Selection(OF_A_SESSION, session_id=session_id))
        ]
        return self.records.delete(user_id, ids)

    def _users(self, user_id: str | None, *, all_users: bool) -> list[str]:
        """The user, or, only if told so, all of them."""
        if all_users and user_id is None:
            return self.store.users()
        if all_users:
            raise UsageError("Pass user_id or all_users=True, not both.")
        if user_id is None:
            raise UsageError("Whose memory? Pass user_id=…, or all_users=True for everyone's.")
        return [validate.check_user(user_id)]

    # --- moving

    def export(self, *, user_id: str) -> Iterator[str]:
        """All that is kept of a user, history included, as lines of JSON."""
        user_id = validate.check_user(user_id)
        rows = self.store.scan(user_id, space=self.records.open().space).rows
        keys = sorted((row.created_at, row.id) for row in rows)
        items = self.records.get(user_id, [id_ for _, id_ in keys])
        there = {item.id for item in items}
        kept = [item for item in items if head_id(item.id) in there]  # no history without its end
        return portable.write(kept, user_id=user_id, at=self.records.now())

    def load(self, lines: Iterable[str], *, user_id: str) -> int:
        """Keep what `export` wrote, for this user; says how many records.

        What the user has already is left as it is, so loading the same lines twice changes
        nothing. One bad line, and nothing is loaded.
        """
        user_id = validate.check_user(user_id)
        now = self.records.now()
        read = portable.read(validate.check_many(lines, name="lines"), user_id=user_id)
        heads = [item.id for item in read if REVISION not in item.id and not item.expired(now)]
        there = self.store.get(user_id, heads)
        self.store.delete(user_id, [item.id for item in there if item.expired(now)])
        new = set(heads) - {item.id for item in there if not item.expired(now)}
        items = [item for item in read if head_id(item.id) in new and not item.expired(now)]
        self.records.put_back(user_id, items)
        return len(items)

    # --- the rest

    def for_user(
        self,
        user_id: str,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        task_id: str | None = None,
    ) -> "AgentMemorySystem":
        """The same memory, bound to one user, and to a session, an agent and a task if given."""
        from bethink.system import AgentMemorySystem  # noqa: PLC0415 (which is built on this)

        return AgentMemorySystem(
            self, user_id, session_id=session_id, agent_id=agent_id, task_id=task_id
        )

    def flush(self) -> None:
        """Wait until everything is learnt and embedded, and write what is held back."""
        if "_learning" in vars(self):
            self._learning.flush()
        self.records.flush()

    def close(self) -> None:
        """Write what is held back and let go of the file."""
        if not self._closed:
            self._closed = True
            if "_learning" in vars(self):
                self._learning.finish()
            self.records.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _store(
    store: str | os.PathLike[str] | MemoryStore, embedder: Embedder, *, durable: bool
) -> MemoryStore:
    """The store that is meant, if its vectors are the embedder's."""
    if not isinstance(store, str | os.PathLike):
        if not hasattr(store, "scan"):
            raise UsageError(f"{store!r} is not a store. Pass a file name such as agent.db.")
        if durable:
            raise UsageError("durable is for file names. Configure the store that you pass.")
        _check_model(store, embedder)
        return store
    opened = open_store(store, durable=durable)
    try:
        _check_model(opened, embedder)
    except UsageError:
        opened.close()
        raise
    return opened


def _llm(llm: LLM | str | None) -> LLM | None:
    if isinstance(llm, str):
        from bethink.models.url import open_llm  # noqa: PLC0415 (loaded when used)

        return open_llm(llm)
    if llm is not None and not callable(getattr(llm, "complete", None)):
        raise UsageError(f"{llm!r} is not a language model: it has no complete(messages).")
    return llm


def _reranking(reranker: Reranker | str | None, seconds: float) -> Reranking | None:
    if reranker is None:
        return None
    if isinstance(reranker, str):
        from bethink.models.url import open_reranker  # noqa: PLC0415 (loaded when used)

        reranker = open_reranker(reranker)
    if not callable(getattr(reranker, "score", None)):
        raise UsageError(f"{reranker!r} is not a reranker: it has no score(query, texts).")
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 < seconds < float("inf"):
        raise UsageError(f"rerank_seconds must be a number above 0, not {seconds!r}.")
    return Reranking(reranker, seconds=float(seconds))


def _selection(
    kinds: Iterable[Kind],
    agent_id: str | None,
    session_id: str | None,
    where: Mapping[str, Any] | None,
    min_importance: float = 0.0,
) -> Selection:
    """What a caller narrows a search or a listing to, checked."""
    return Selection(
        validate.check_kinds(kinds),
        validate.check_optional_name(agent_id, name="agent_id"),
        validate.check_optional_name(session_id, name="session_id"),
        validate.check_importance(min_importance, name="min_importance"),
        where,
    )


def _check_model(store: MemoryStore, embedder: Embedder) -> None:
    """Refuse a store whose vectors come from another model; vectors of two models never mix."""
    space = store.space()
    if space is not None and model_in(space) != embedder.name:
        raise UsageError(
            f"This memory was embedded with {model_in(space)}, not with {embedder.name}. "
            "Open it with the former, or embed it anew with `bethink reembed`."
        )


def _not_found(item_id: str) -> NotFound:
    return NotFound(f"This user has no memory with the id {item_id}.")
