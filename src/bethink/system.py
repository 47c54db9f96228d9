"""One user's view of a memory: the same verbs, with the user, session and agent filled in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from bethink.types import SEARCHED, Changed, Fields, Hit, Kind, MemoryItem
from bethink.validate import check_optional_name, check_user

if TYPE_CHECKING:
    from bethink.memory import Memory


class AgentMemorySystem:
    """A memory bound to one user.

    What is added carries the session and the agent it is bound to. What is known about the user
    crosses sessions and agents, so searches look everywhere.
    """

    def __init__(
        self,
        memory: "Memory",
        user_id: str,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
    ) -> None:
        self.memory = memory
        self.user_id = check_user(user_id)
        self.session_id = check_optional_name(session_id, name="session_id")
        self.agent_id = check_optional_name(agent_id, name="agent_id")

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

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Iterable[Kind] = SEARCHED,
        min_importance: float = 0.0,
        where: Mapping[str, Any] | None = None,
    ) -> list[Hit]:
        """The memories that match best, of all sessions; see `Memory.search`."""
        return self.memory.search(
            query,
            user_id=self.user_id,
            limit=limit,
            kinds=kinds,
            min_importance=min_importance,
            where=where,
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

    def export(self) -> Iterator[str]:
        """All that is kept of the user, as lines of JSON."""
        return self.memory.export(user_id=self.user_id)
