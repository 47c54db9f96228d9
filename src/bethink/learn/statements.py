"""What was stated about one fact, and what holds at a moment by it. All of this is pure.

Every statement begins at some time and was said at some time. Of those that have begun by a
moment, the one that began last counts, and of two that began together the one said later: so the
order in which they arrive makes no difference. A statement may say that the fact has ended.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from bethink.types import MemoryItem, revision_id


def began(item: MemoryItem) -> datetime:
    return item.valid_from or item.created_at


def recorded(item: MemoryItem) -> datetime:
    """When it was said."""
    return item.updated_at or item.created_at


def order(item: MemoryItem) -> tuple[datetime, datetime, int]:
    return began(item), recorded(item), item.version


def same(one: object, other: object) -> bool:
    """Whether two values are the same JSON; True and 1, which Python takes for equal, are not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def ended(item: MemoryItem) -> bool:
    """Whether it says that nothing holds any more."""
    return bool(item.data.get("ended"))


def held(
    statements: Iterable[MemoryItem], moment: datetime, believed_at: datetime | None = None
) -> MemoryItem | None:
    """Of the statements of one fact, the one that held at a moment."""
    begun = [
        item
        for item in statements
        if began(item) <= moment and (believed_at is None or recorded(item) <= believed_at)
    ]
    last = max(begun, key=order, default=None)
    if last is None or ended(last):
        return None
    return None if last.valid_to is not None and last.valid_to <= moment else last


def stated(head: MemoryItem | None, new: MemoryItem) -> list[MemoryItem]:
    """A fact's records once something more is stated: the head is the statement that began last."""
    if head is None:
        return [new]
    if (began(new), recorded(new)) < (began(head), recorded(head)):
        return [head, _earlier(new, head)]
    return [new, _earlier(head, head)]


def _earlier(statement: MemoryItem, head: MemoryItem) -> MemoryItem:
    """A statement that is not the head, as part of the history."""
    return replace(
        statement,
        id=revision_id(head.id, head.version),
        version=head.version,
        superseded_by=head.id,
    )


def timeline(statements: Sequence[MemoryItem]) -> list[MemoryItem]:
    """The statements that ever held, in the order in which they did; none that was corrected."""
    last_said = {began(item): item for item in sorted(statements, key=order)}
    lasting: list[MemoryItem] = []
    for _, item in sorted(last_said.items()):
        again = lasting and same(lasting[-1].data["value"], item.data["value"])
        if not again or ended(lasting[-1]):
            lasting.append(item)
    return [item for item in lasting if not ended(item)]
