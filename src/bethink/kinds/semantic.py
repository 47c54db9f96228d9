"""Semantic memory: what was learnt, found by meaning and by words."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Unpack

from bethink import validate
from bethink.errors import UsageError
from bethink.kinds.bound import Bound, Owner
from bethink.learn.consolidate import Consolidation
from bethink.memory import Memory
from bethink.models.base import Embedder
from bethink.types import Hit, MemoryItem, Metadata


class SemanticMemory(Bound):
    """Long-term knowledge about a user.

    Args:
        embedding_fn: What turns texts into vectors, for a memory of its own; see `Memory`.
        similarity_threshold: The least relevance that `search` returns, from 0 to 1; see
            `Hit.relevance`. None, the default, returns the best there is.
        **owner: `memory`, `user_id`, `session_id`, `agent_id`. Without a memory it is kept in
            this process only.
    """

    def __init__(
        self,
        embedding_fn: Embedder | Callable[[list[str]], Any] | str | None = None,
        similarity_threshold: float | None = None,
        **owner: Unpack[Owner],
    ) -> None:
        if embedding_fn is not None:
            if owner.get("memory") is not None:
                raise UsageError(
                    "The memory has an embedder. Pass embedding_fn or memory, not both."
                )
            owner = {"user_id": "user", **owner, "memory": Memory(embedder=embedding_fn)}
        super().__init__(**owner)
        self.similarity_threshold = (
            None
            if similarity_threshold is None
            else validate.check_importance(similarity_threshold, name="similarity_threshold")
        )

    def add(
        self, content: str, importance: float = 0.5, metadata: Metadata | None = None
    ) -> MemoryItem:
        """Keep a piece of knowledge."""
        return self.memory.add(
            content,
            user_id=self.user_id,
            importance=importance,
            metadata=metadata,
            session_id=self.session_id,
            agent_id=self.agent_id,
        )

    def search(self, query: str, limit: int = 5, min_importance: float = 0.0) -> list[Hit]:
        """What matches best, of all sessions, best first."""
        hits = self.memory.search(
            query,
            user_id=self.user_id,
            limit=limit,
            kinds=["semantic"],
            min_importance=min_importance,
        )
        least = self.similarity_threshold
        return [hit for hit in hits if least is None or hit.relevance >= least]

    def update_importance(self, memory_id: str, importance: float) -> MemoryItem:
        """Say how important a memory is, from 0 to 1."""
        return self.memory.update(memory_id, user_id=self.user_id, importance=importance)

    def forget(self, memory_id: str) -> bool:
        """Remove a memory; says whether there was one."""
        return self._forget(memory_id, "semantic")

    def consolidate(
        self,
        *,
        older_than: timedelta = timedelta(days=30),
        below: float = 0.15,
        dry_run: bool = False,
    ) -> Consolidation:
        """Merge what is said twice and prune what nobody needs; see `Memory.consolidate`."""
        return self.memory.consolidate(
            user_id=self.user_id, older_than=older_than, below=below, dry_run=dry_run
        )
