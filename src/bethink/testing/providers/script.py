"""What the next requests get, and what came in."""

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from bethink.testing.providers.faults import Kind, Plan
from bethink.testing.providers.replies import Reply


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came in."""

    provider: str
    method: str
    path: str
    """As the provider would see it, such as ``/v1/embeddings``."""
    headers: Mapping[str, str]
    """With names in lower case."""
    body: Any
    """The parsed JSON; None if there was none."""
    when: float
    """In seconds, by `time.monotonic`."""
    in_flight: int
    """How many requests were being handled when it arrived, itself included."""

    @property
    def streamed(self) -> bool:
        """Whether the answer is to be a stream, which is what Ollama does unless told not to."""
        fields = self.body if isinstance(self.body, dict) else {}
        return bool(fields.get("stream", self.path == "/api/chat"))


class Script:
    """Replies, faults and poisoned texts, for any number of threads."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._lock = threading.Lock()
        self._replies: deque[Reply] = deque()
        self._plans: list[Plan] = []
        self._poisons: set[str] = set()
        self._numbers = count(1)

    def say(self, reply: Reply) -> None:
        with self._lock:
            self._replies.append(reply)

    def plan(self, plan: Plan) -> None:
        with self._lock:
            self._plans.append(plan)

    def poison(self, text: str) -> None:
        with self._lock:
            self._poisons.add(text)

    def reply(self, *, keep: bool) -> Reply | None:
        """The next reply, which stays the next one if it is to be kept."""
        with self._lock:
            if not self._replies:
                return None
            return self._replies[0] if keep else self._replies.popleft()

    def planned(self, request: Request, kind: Kind) -> Plan | None:
        """The first plan that waits for this request; one time less is left of it."""
        with self._lock:
            for plan in self._plans:
                if plan.waits_for(request.provider, request.path, kind, streamed=request.streamed):
                    plan.times -= 1
                    return plan
        return None

    def poisoned(self, text: str) -> bool:
        with self._lock:
            return any(poison in text for poison in self._poisons)

    def number(self) -> int:
        """A number that was not given before."""
        return next(self._numbers)
