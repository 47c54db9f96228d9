"""What every provider has: routes, keys, errors, and answers to put them in."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from bethink.testing.providers.faults import REFUSALS, Fault, Kind, Plan
from bethink.testing.providers.replies import Ask, Said, said
from bethink.testing.providers.script import Request, Script
from bethink.testing.providers.vectors import vectors

Body: TypeAlias = dict[str, Any]

MISSING_MODEL = "missing-model"
"""The name of a model that no provider knows."""
WRONG_KEY = "wrong"
"""A key that no provider accepts."""


class Refusal(Exception):
    """An error status, and what to say with it."""

    def __init__(
        self, status: int, message: str, *, code: str | None = None, param: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.param = status, message, code, param


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back over the wire: one body, or the parts of a stream."""

    body: bytes = b""
    parts: Sequence[bytes] | None = None
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, body: Body, **others: Any) -> "Answer":
        return cls(json.dumps(body).encode(), **others)


@dataclass(frozen=True, slots=True)
class Call:
    """A request, and what the script has for it."""

    request: Request
    plan: Plan | None
    script: Script
    number: int

    @property
    def fault(self) -> Fault | None:
        return self.plan.fault if self.plan else None

    @property
    def body(self) -> Body:
        if not isinstance(self.request.body, dict):
            raise Refusal(400, "The body of the request is not a JSON object.")
        return self.request.body

    def said(self, ask: Ask) -> Said:
        """The completion. One that a fault befalls uses up no reply, so that a retry gets it."""
        return said(ask, self.script.reply(keep=self.fault is not None), self.fault)

    def vectors(self, texts: Sequence[str], dimension: int | None) -> list[list[float]]:
        return vectors(texts, dimension or self.script.dimension, self.fault)

    def is_poisoned(self, texts: Iterable[str]) -> bool:
        return any(self.script.poisoned(text) for text in texts)


Route: TypeAlias = tuple[Kind, Callable[[Call], Answer]]


class Provider(ABC):
    """An API: how it is reached, and what it answers."""

    base: ClassVar[str] = "/v1"
    """What the address that its client is given ends with."""
    overloaded: ClassVar[int] = 503
    complaints: ClassVar[Mapping[Fault, str]]
    """What it says with an error status."""

    @abstractmethod
    def routes(self) -> Mapping[str, Route]:
        """What there is, by method and path."""

    @abstractmethod
    def admit(self, headers: Mapping[str, str]) -> None:
        """Refuse a request without a key, or with the wrong one."""

    @abstractmethod
    def error(self, refusal: Refusal, number: int) -> Body:
        """The body of an error."""

    def headers(self, number: int) -> Mapping[str, str]:  # noqa: ARG002 (for subclasses)
        """What comes with every answer."""
        return {}

    def kind(self, request: Request) -> Kind:
        kind, _ = self.routes().get(f"{request.method} {request.path}", (Kind.OTHER, None))
        return kind

    def answer(self, call: Call) -> Answer:
        try:
            return self._answer(call)
        except Refusal as refusal:
            return self._refused(refusal, call)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            return self._refused(Refusal(400, f"The request is malformed: {error!r}"), call)
        # Whatever else goes wrong here is ours: a client must hear of it, and not wait forever.
        except Exception as error:  # noqa: BLE001
            return self._refused(Refusal(500, f"The test server failed: {error!r}"), call)

    def _answer(self, call: Call) -> Answer:
        self.admit(call.request.headers)
        if call.fault in REFUSALS:
            raise self._planned(call.fault)
        _, route = self.routes().get(f"{call.request.method} {call.request.path}", (None, None))
        if route is None:
            raise self._unknown(call.request)
        return route(call)

    def _planned(self, fault: Fault) -> Refusal:
        status = {Fault.RATE_LIMIT: 429, Fault.SERVER_ERROR: 500, Fault.OVERLOADED: self.overloaded}
        code = "rate_limit_exceeded" if fault is Fault.RATE_LIMIT else None
        return Refusal(status[fault], self.complaints[fault], code=code)

    def _unknown(self, request: Request) -> Refusal:
        return Refusal(404, f"Invalid URL ({request.method} {request.path})")

    def _refused(self, refusal: Refusal, call: Call) -> Answer:
        wait = call.plan.retry_after if call.plan else None
        if wait is None and refusal.status == 429:
            wait = 1
        after = {} if wait is None else {"retry-after": f"{wait:g}"}
        return Answer.of(
            self.error(refusal, call.number),
            status=refusal.status,
            headers={**self.headers(call.number), **after},
        )


def bearer(headers: Mapping[str, str]) -> str:
    """The key in the usual place."""
    return headers.get("authorization", "").removeprefix("Bearer").strip()


def sse(data: Body | str, event: str | None = None) -> bytes:
    """One event of a stream."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {event}\n" if event else "").encode() + f"data: {text}\n\n".encode()
