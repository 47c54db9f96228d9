"""What the kinds of memory have in common: whose they are, and where it is kept."""

from typing import TypedDict, Unpack

from bethink.errors import UsageError
from bethink.learn.condense import Write
from bethink.memory import Memory
from bethink.models.base import LLM
from bethink.records import Records
from bethink.types import Kind
from bethink.validate import check_optional_name, check_user


class Owner(TypedDict, total=False):
    """Whose memory it is. Without a `memory` it is one of its own, in this process only."""

    memory: Memory | None
    user_id: str | None
    session_id: str | None
    agent_id: str | None


class Bound:
    """One kind of memory of one user."""

    def __init__(self, **owner: Unpack[Owner]) -> None:
        if unknown := owner.keys() - Owner.__annotations__.keys():
            raise UsageError(f"{type(self).__name__} has no option {min(unknown)!r}.")
        memory, user_id = owner.get("memory"), owner.get("user_id")
        if memory is None and user_id is None:
            user_id = "user"  # nobody else's memories are there to be mistaken for these
        if memory is not None and not isinstance(memory, Memory):
            raise UsageError(f"memory must be a Memory, not {type(memory).__name__}.")
        self.memory = Memory() if memory is None else memory
        self.user_id = check_user(user_id)
        self.session_id = check_optional_name(owner.get("session_id"), name="session_id")
        self.agent_id = check_optional_name(owner.get("agent_id"), name="agent_id")

    @property
    def _records(self) -> Records:
        return self.memory.records

    def _forget(self, item_id: str, kind: Kind) -> bool:
        """Remove a record if it is of this kind; says whether there was one."""
        item = self.memory.get(item_id, user_id=self.user_id)
        if item is None or item.kind != kind:
            return False
        return self.memory.forget(item_id, user_id=self.user_id) > 0


def opened(llm: LLM | Write | str | None) -> Write | None:
    """The language model that is meant, if any."""
    if llm is None:
        return None
    from bethink.models.plain import as_llm  # noqa: PLC0415 (most memories need no model)

    return as_llm(llm)
