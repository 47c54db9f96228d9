"""A store in Qdrant: on a server, in a cluster, or in the client's own local mode."""

from importlib.util import find_spec

from bethink.errors import MissingExtra

if find_spec("qdrant_client") is None:
    raise MissingExtra("qdrant-client", "qdrant")

from bethink.stores.qdrant.store import QdrantStore

__all__ = ["QdrantStore"]
