"""Everything in one Redis server or cluster, shared by any number of machines."""

from bethink.stores.redis.store import RedisStore

__all__ = ["RedisStore"]
