"""Bethink: the memory that any AI agent can be given."""

from typing import TYPE_CHECKING, Any

from bethink.errors import (
    BethinkError,
    Conflict,
    MissingExtra,
    ModelError,
    ModelUnavailable,
    NotFound,
    StoreError,
    StoreUnavailable,
    UsageError,
)
from bethink.memory import Memory
from bethink.models.base import Embedder
from bethink.models.function import FunctionEmbedder
from bethink.models.local import LocalEmbedder
from bethink.stores.base import Changes, Entry, MemoryStore, Row, Use
from bethink.stores.ram import RAMStore
from bethink.stores.sqlite import SQLiteStore
from bethink.system import AgentMemorySystem
from bethink.types import Hit, MemoryItem

if TYPE_CHECKING:
    from bethink.aio import AsyncAgentMemorySystem, AsyncMemory

__version__ = "0.1.0"

__all__ = [
    "AgentMemorySystem",
    "AsyncAgentMemorySystem",
    "AsyncMemory",
    "BethinkError",
    "Changes",
    "Conflict",
    "Embedder",
    "Entry",
    "FunctionEmbedder",
    "Hit",
    "LocalEmbedder",
    "Memory",
    "MemoryItem",
    "MemoryStore",
    "MissingExtra",
    "ModelError",
    "ModelUnavailable",
    "NotFound",
    "RAMStore",
    "Row",
    "SQLiteStore",
    "StoreError",
    "StoreUnavailable",
    "UsageError",
    "Use",
]


def __getattr__(name: str) -> Any:
    """The async names on first use: loading asyncio costs more than the rest together."""
    if name in ("AsyncAgentMemorySystem", "AsyncMemory"):
        from bethink import aio  # noqa: PLC0415 (the point of it)

        return getattr(aio, name)
    raise AttributeError(f"module 'bethink' has no attribute {name!r}")
