"""The names of keys. Those of one user have one hash tag, so a cluster keeps them together."""

from dataclasses import dataclass
from hashlib import blake2b


@dataclass(frozen=True, slots=True)
class UserKeys:
    """A user's keys, named by a hash: a user's name may be any text, and a key is seen by many."""

    own: list[bytes]
    """Those that scripts are told, in their order."""
    records: bytes
    """What the keys of records begin with."""
    tag: str

    @property
    def meta(self) -> bytes:
        return self.own[0]

    @property
    def changes(self) -> bytes:
        return self.own[1]

    @property
    def expiring(self) -> bytes:
        return self.own[3]

    @property
    def index(self) -> bytes:
        return self.own[5]

    @property
    def said(self) -> bytes:
        return self.own[6]

    @property
    def words(self) -> bytes:
        return self.own[7]

    @property
    def vectors(self) -> bytes:
        return self.own[8]


_OWN = ("meta", "changes", "dead", "expiring", "earlier", "index", "said", "words", "vectors")


def user_keys(prefix: str, user_id: str) -> UserKeys:
    tag = blake2b(user_id.encode(), digest_size=16).hexdigest()
    start = f"{prefix}:{{{tag}}}:"
    return UserKeys([f"{start}{name}".encode() for name in _OWN], f"{start}r:".encode(), tag)


def store_keys(prefix: str) -> list[bytes]:
    """What is kept of the whole store: its marks, and the names of its users."""
    return [f"{prefix}:{{store}}:{name}".encode() for name in ("meta", "users")]
