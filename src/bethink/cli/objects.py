"""Hits and contexts as JSON objects, for programs."""

from collections.abc import Mapping
from typing import Any

from bethink import Context, Hit, MemoryItem
from bethink.portable import as_json as record


def hit_object(hit: Hit) -> dict[str, Any]:
    """A hit; with its ranks, if the search was asked to explain."""
    ranks = {} if hit.ranks is None else {"ranks": dict(hit.ranks)}
    return {
        "score": hit.score,
        "relevance": hit.relevance,
        "arms": dict(hit.arms),
        "factors": dict(hit.factors),
        **ranks,
        "item": record(hit.item),
    }


def context_object(context: Context) -> dict[str, Any]:
    return {
        "text": context.text,
        "tokens": context.tokens,
        "sources": _records(context.sources),
    }


def _records(items: Mapping[int, MemoryItem]) -> dict[int, dict[str, Any]]:
    return {number: record(item) for number, item in items.items()}
