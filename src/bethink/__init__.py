"""Bethink: the memory that any AI agent can be given."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bethink.errors import (
    BethinkError,
    Conflict,
    MissingExtra,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    NotFound,
    StoreError,
    StoreUnavailable,
    TextsRefused,
    UsageError,
)
from bethink.memory import Memory
from bethink.models.base import Embedder
from bethink.models.function import FunctionEmbedder
from bethink.models.local import LocalEmbedder
from bethink.stores.base import Changes, Entry, MemoryStore, Row, Use
from bethink.stores.ram import RAMStore
from bethink.stores.sqlite import SQLiteStore
from bethink.types import Hit, Hits, MemoryItem, Message, Session, ToolCall

if TYPE_CHECKING:
    from bethink.aio import (
        AsyncAgentMemorySystem,
        AsyncConversationMemory,
        AsyncEpisodicMemory,
        AsyncFactualMemory,
        AsyncMemory,
        AsyncSemanticMemory,
        AsyncWorkingMemory,
    )
    from bethink.kinds.conversation import ConversationMemory
    from bethink.kinds.episodic import Episode, EpisodicMemory
    from bethink.kinds.factual import Fact, FactualMemory
    from bethink.kinds.semantic import SemanticMemory
    from bethink.kinds.working import Step, WorkingMemory, WorkingState
    from bethink.learn.consolidate import Consolidation, Decay, Merge, Pruning
    from bethink.learning import Remembered
    from bethink.models.base import LLM, Reranker
    from bethink.models.tokens import count_tokens
    from bethink.prompt import create_memory_aware_prompt
    from bethink.recall.explain import Explanation
    from bethink.recall.pack import Context
    from bethink.stores.layered import Layered
    from bethink.system import AgentMemorySystem
    from bethink.tidy import Restored

__version__ = "0.1.0"

__all__ = [
    "LLM",
    "AgentMemorySystem",
    "AsyncAgentMemorySystem",
    "AsyncConversationMemory",
    "AsyncEpisodicMemory",
    "AsyncFactualMemory",
    "AsyncMemory",
    "AsyncSemanticMemory",
    "AsyncWorkingMemory",
    "BethinkError",
    "Changes",
    "Conflict",
    "Consolidation",
    "Context",
    "ConversationMemory",
    "Decay",
    "Embedder",
    "Entry",
    "Episode",
    "EpisodicMemory",
    "Explanation",
    "Fact",
    "FactualMemory",
    "FunctionEmbedder",
    "Hit",
    "Hits",
    "Layered",
    "LocalEmbedder",
    "Memory",
    "MemoryItem",
    "MemoryStore",
    "Merge",
    "Message",
    "MissingExtra",
    "ModelError",
    "ModelRefused",
    "ModelUnavailable",
    "NotFound",
    "Pruning",
    "RAMStore",
    "Remembered",
    "Reranker",
    "Restored",
    "Row",
    "SQLiteStore",
    "SemanticMemory",
    "Session",
    "Step",
    "StoreError",
    "StoreUnavailable",
    "TextsRefused",
    "ToolCall",
    "UsageError",
    "Use",
    "WorkingMemory",
    "WorkingState",
    "count_tokens",
    "create_memory_aware_prompt",
]


_ON_FIRST_USE = {
    "aio": (
        "AsyncAgentMemorySystem",
        "AsyncConversationMemory",
        "AsyncEpisodicMemory",
        "AsyncFactualMemory",
        "AsyncMemory",
        "AsyncSemanticMemory",
        "AsyncWorkingMemory",
    ),
    "kinds.conversation": ("ConversationMemory",),
    "kinds.episodic": ("Episode", "EpisodicMemory"),
    "kinds.factual": ("Fact", "FactualMemory"),
    "kinds.semantic": ("SemanticMemory",),
    "kinds.working": ("Step", "WorkingMemory", "WorkingState"),
    "learn.consolidate": ("Consolidation", "Decay", "Merge", "Pruning"),
    "learning": ("Remembered",),
    "models.base": ("LLM", "Reranker"),
    "models.tokens": ("count_tokens",),
    "prompt": ("create_memory_aware_prompt",),
    "recall.explain": ("Explanation",),
    "recall.pack": ("Context",),
    "stores.layered": ("Layered",),
    "system": ("AgentMemorySystem",),
    "tidy": ("Restored",),
}
_WHERE = {name: module for module, names in _ON_FIRST_USE.items() for name in names}


def __getattr__(name: str) -> Any:
    """What not every program needs, when it is first used: coming in is quick."""
    if name not in _WHERE:
        raise AttributeError(f"module 'bethink' has no attribute {name!r}")
    value = getattr(import_module(f"bethink.{_WHERE[name]}"), name)
    globals()[name] = value
    return value
