"""One user's view of a memory: all kinds of it in one place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from bethink.errors import UsageError
from bethink.hearing import Delivered
from bethink.ids import new_id
from bethink.kinds.bound import Bound, Owner
from bethink.kinds.conversation import ConversationMemory
from bethink.kinds.episodic import Episode, EpisodicMemory, episode_of
from bethink.kinds.factual import FactualMemory
from bethink.kinds.semantic import SemanticMemory
from bethink.kinds.working import WorkingMemory
from bethink.learn.consolidate import Consolidation
from bethink.memory import Memory
from bethink.models.tokens import count_tokens
from bethink.prompt import context_for, query_of
from bethink.recall.explain import Explanation
from bethink.recall.pack import Context, pack
from bethink.recall.relevance import RELEVANT
from bethink.tidy import Restored
from bethink.types import (
    SEARCHED,
    Changed,
    Fields,
    Hits,
    Kind,
    MemoryItem,
)
from bethink.validate import check_limit, check_optional_name

if TYPE_CHECKING:
    from bethink.learning import Remembered

TASK_TTL = timedelta(days=7)
"""How long the working memory of a task is kept after it was last touched."""
_OF_EACH = 2  # past tasks that worked, and that failed, are shown when one begins


class AgentMemorySystem(Bound):
    """All kinds of one user's memory, and the verbs of `Memory` with the user filled in.

    What is said belongs to one session; what is learnt crosses sessions and agents. What is
    added carries the session and the agent that the system is bound to.

    Args:
        memory: Where it is kept; in this process only, if not given.
        user_id: Whose memory it is.
        session_id: Which conversation; a new one, if not given.
        agent_id: Which agent writes.
        task_id: Which task of the session: its working memory is then kept with the rest, and
            shared by all who name both. Without one, working memory lives in this process.
    """

    def __init__(
        self,
        memory: Memory | None = None,
        user_id: str | None = None,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        task_id: str | None = None,
    ) -> None:
        super().__init__(memory=memory, user_id=user_id, session_id=session_id, agent_id=agent_id)
        self._named_session = self.session_id
        self.session_id: str = self.session_id or new_id(self._records.now())
        self.task_id = check_optional_name(task_id, name="task_id")

    @property
    def _owner(self) -> Owner:
        return {
            "memory": self.memory,
            "user_id": self.user_id,
            "session_id": self.session_id,
            "agent_id": self.agent_id,
        }

    # --- the kinds of memory; assign one of your own to configure it

    @cached_property
    def working(self) -> WorkingMemory:
        """The state of the task at hand."""
        if self.task_id is None:
            alone = Memory(clock=self._records.now)
            return WorkingMemory(memory=alone, user_id=self.user_id)
        owner: Owner = {**self._owner, "session_id": self._named_session}
        return WorkingMemory(task_id=self.task_id, ttl=TASK_TTL, **owner)

    @cached_property
    def conversation(self) -> ConversationMemory:
        """What is said in this session."""
        return ConversationMemory(**self._owner)

    @cached_property
    def semantic(self) -> SemanticMemory:
        """What was learnt."""
        return SemanticMemory(**self._owner)

    @cached_property
    def factual(self) -> FactualMemory:
        """What is true, by key."""
        return FactualMemory(**self._owner)

    @cached_property
    def episodic(self) -> EpisodicMemory:
        """What was tried, and how it went."""
        return EpisodicMemory(**self._owner)

    # --- all of them together

    def get_relevant_context(
        self, query: str, *, max_semantic_results: int = 3, budget: int = 1000
    ) -> Context:
        """What matters for a query, as text for a prompt of at most `budget` tokens.

        Who the user is, the task at hand, facts, knowledge, past tasks and what was said before;
        of each of the last four at most `max_semantic_results`. Each line ends in a number under
        which the context's `sources` has the memory it comes from.
        """
        limit = check_limit(max_semantic_results, name="max_semantic_results")
        budget = check_limit(budget, name="budget")
        sections = context_for(self, query, limit=limit, budget=budget)
        return pack(sections, budget=budget, count=count_tokens)

    def learn(
        self, content: str, *, importance: float = 0.5, source: str = "conversation"
    ) -> MemoryItem:
        """Keep a piece of knowledge, and where it comes from."""
        return self.semantic.add(content, importance=importance, metadata={"source": source})

    def start_task(self, task: str) -> list[Episode]:
        """Begin a task; returns the past tasks most like it with their lessons.

        The two most alike that worked and the two that failed, the most relevant first.
        """
        self.working.set_task(task)
        self.conversation.add_message("user", task)
        query = query_of(task)
        hits = [
            hit
            for success in (True, False)
            for hit in self.episodic.similar(query, _OF_EACH, success=success)
        ]
        hits.sort(key=lambda hit: -hit.relevance)
        return [episode_of(hit.item) for hit in hits]

    def record_step(self, thought: str, action: str, result: Any) -> None:
        """Keep a step of the task: what was thought, done and seen."""
        self.working.add_step(thought, action, result)

    def end_task(
        self,
        success: bool,  # noqa: FBT001 (the name of the verb says what it is about)
        outcome: str,
        *,
        lesson: str | None = None,
    ) -> Episode:
        """End the task: it becomes an episode, and working memory is cleared.

        Without a `lesson`, the episode's is made from how it differs from tasks like it.
        """
        state = self.working.state()
        if not state.run:
            raise UsageError("No task was started. Call start_task first.")
        episode = self.episodic.record(
            state.task,
            success=success,
            outcome=outcome,
            steps=state.steps,
            lesson=lesson,
            started_at=state.started_at and min(state.started_at, self._records.now()),
            run=state.run,
        )
        self.working.finish(state.run)
        return episode

    # --- the verbs of Memory

    def add(self, content: str, **fields: Unpack[Fields]) -> MemoryItem:
        """Keep exactly this; see `Memory.add`."""
        return self.add_many([content], **fields)[0]

    def add_many(
        self, items: Iterable[str | Mapping[str, Any]], **fields: Unpack[Fields]
    ) -> list[MemoryItem]:
        """Keep all of these; see `Memory.add_many`."""
        fields.setdefault("session_id", self.session_id)
        fields.setdefault("agent_id", self.agent_id)
        return self.memory.add_many(items, user_id=self.user_id, **fields)

    def remember(
        self, messages: Delivered | Iterable[Delivered], *, background: bool = False
    ) -> "Remembered":
        """Keep what was said in this session, and what is worth knowing; see `Memory.remember`."""
        return self.memory.remember(
            messages,
            user_id=self.user_id,
            session_id=self.session_id,
            agent_id=self.agent_id,
            background=background,
        )

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Iterable[Kind] = SEARCHED,
        min_importance: float = 0.0,
        where: Mapping[str, Any] | None = None,
        at: datetime | None = None,
        explain: bool = False,
    ) -> Hits:
        """The memories that match best, of all sessions; see `Memory.search`."""
        return self.memory.search(
            query,
            user_id=self.user_id,
            limit=limit,
            kinds=kinds,
            min_importance=min_importance,
            where=where,
            at=at,
            explain=explain,
        )

    def recall(
        self,
        query: str,
        *,
        budget: int = 1000,
        limit: int = 20,
        kinds: Iterable[Kind] = SEARCHED,
        where: Mapping[str, Any] | None = None,
        at: datetime | None = None,
        least: float = RELEVANT,
    ) -> Context:
        """The context for a prompt, of all sessions; see `Memory.recall`."""
        return self.memory.recall(
            query,
            user_id=self.user_id,
            budget=budget,
            limit=limit,
            kinds=kinds,
            where=where,
            at=at,
            least=least,
        )

    def profile(self, *, budget: int = 300) -> Context:
        """The essentials about the user; see `Memory.profile`."""
        return self.memory.profile(user_id=self.user_id, budget=budget)

    def explain(
        self,
        query: str,
        item_id: str,
        *,
        limit: int = 10,
        kinds: Iterable[Kind] = SEARCHED,
        min_importance: float = 0.0,
        where: Mapping[str, Any] | None = None,
        at: datetime | None = None,
    ) -> Explanation:
        """Why a search returns a memory, or why it does not; see `Memory.explain`."""
        return self.memory.explain(
            query,
            item_id,
            user_id=self.user_id,
            limit=limit,
            kinds=kinds,
            min_importance=min_importance,
            where=where,
            at=at,
        )

    def get(self, item_id: str) -> MemoryItem | None:
        """One memory, or None."""
        return self.memory.get(item_id, user_id=self.user_id)

    def get_user_memories(self, *, limit: int | None = None) -> list[MemoryItem]:
        """What is known about the user, the newest first."""
        return self.memory.get_user_memories(user_id=self.user_id, limit=limit)

    def update(self, item_id: str, **changed: Unpack[Changed]) -> MemoryItem:
        """Change one memory; see `Memory.update`."""
        return self.memory.update(item_id, user_id=self.user_id, **changed)

    def history(self, item_id: str) -> list[MemoryItem]:
        """Every state that a memory was in, oldest first."""
        return self.memory.history(item_id, user_id=self.user_id)

    def forget(self, item_ids: str | Sequence[str]) -> int:
        """Remove one memory or several."""
        return self.memory.forget(item_ids, user_id=self.user_id)

    def quarantine(self) -> list[MemoryItem]:
        """What is flagged, the newest first; see `Memory.quarantine`."""
        return self.memory.quarantine(user_id=self.user_id)

    def consolidate(
        self,
        *,
        dry_run: bool = False,
        older_than: timedelta = timedelta(days=30),
        below: float = 0.15,
        grace: timedelta = timedelta(days=30),
    ) -> Consolidation:
        """Merge what is said twice and prune what nobody needs; see `Memory.consolidate`."""
        return self.memory.consolidate(
            user_id=self.user_id,
            dry_run=dry_run,
            older_than=older_than,
            below=below,
            grace=grace,
        )

    def undo_consolidation(self) -> Restored:
        """Bring back what was merged or pruned; see `Memory.undo_consolidation`."""
        return self.memory.undo_consolidation(user_id=self.user_id)

    def export(self) -> Iterator[str]:
        """All that is kept of the user, as lines of JSON."""
        return self.memory.export(user_id=self.user_id)
