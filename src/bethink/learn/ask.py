"""Learning with a language model: one question for a batch of messages, and a distrusted answer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from bethink.errors import ModelError, UsageError
from bethink.learn.believe import Batch, believed
from bethink.learn.knowledge import (
    CATEGORIES,
    CHANGES,
    MANY_VALUED,
    ONE_VALUED,
    Forget,
    Learnt,
)
from bethink.learn.trust import as_json_line
from bethink.models.base import LLM, Schema, Usage
from bethink.models.plain import Function, as_llm
from bethink.models.reading import Misfit
from bethink.models.structured import answered
from bethink.types import Role

PROMPT = "learn-1"
"""Which prompt is asked with. One that asks otherwise has another name, and a file of its own."""

_READ: tuple[Role, ...] = ("user", "assistant")
"""Whose messages a model is shown. What tools say is no matter of the user's, and often a trap."""
_LONGEST_SHOWN = 6_000  # characters of one message
_LONGEST_KNOWN = 300  # characters of one memory
_MOST_TOKENS = 4_096  # of an answer
_CUT = " […]"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Said(NamedTuple):
    """One message. Its number is what the model calls it by."""

    number: int
    role: Role
    name: str | None
    time: datetime | None
    text: str


class Known(NamedTuple):
    """A memory that is kept already."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class Answer:
    learnt: list[Learnt]
    """In the order of the messages; a `source` is a message's place among those given."""
    forget: list[Forget]
    usage: Usage
    dropped: int = 0
    """How many entries of the answer were not believed."""


def ask(llm: LLM | Function | str, said: Sequence[Said], known: Sequence[Known] = ()) -> Answer:
    """What a model finds worth knowing in messages, and which known memories that replaces.

    Costs one call, or two if the first answer is no JSON of the right shape; none where the user
    says nothing. Every entry of the answer is checked against the messages. Whatever goes wrong
    with the model, so that there is no answer to go by, is a `ModelError`: learn by rules then.
    """
    batch = _batch(said, known)
    if not batch.places:
        return Answer([], [], Usage())
    model = as_llm(llm)
    try:
        answer, usage = answered(
            model, _shown(said, known), _Form(), system=_prompt(), max_tokens=_MOST_TOKENS
        )
    except ModelError:
        raise
    # The model may be the caller's own and raise anything; a conversation goes on without it.
    except Exception as error:
        raise ModelError(f"{model.name} failed: {type(error).__name__}: {error}") from error
    found = believed(answer, batch)
    return Answer(found.learnt, found.forget, usage, found.dropped)


def _batch(said: Sequence[Said], known: Sequence[Known]) -> Batch:
    if len({one.number for one in said}) < len(said):
        raise UsageError("Two messages have the same number: give each one of its own.")
    read = [(place, one) for place, one in enumerate(said) if one.role in _READ]
    return Batch(
        places={one.number: place for place, one in read if one.role == "user" and one.text},
        texts={place: one.text[:_LONGEST_SHOWN] for place, one in read},
        zones={place: one.time.tzinfo if one.time else None for place, one in read},
        ids={number: one.id for number, one in enumerate(known, 1)},
    )


# --- the question


@cache
def _prompt() -> str:
    prompt = resources.files(__package__).joinpath(f"prompts/{PROMPT}.txt").read_text("utf-8")
    lists = {"categories": CATEGORIES, "one": ONE_VALUED, "many": MANY_VALUED}
    return prompt.format(**{name: ", ".join(values) for name, values in lists.items()})


def _shown(said: Sequence[Said], known: Sequence[Known]) -> str:
    """The messages and memories, each on a line of JSON that it cannot leave."""
    memories = [
        as_json_line({"memory": number, "content": _cut(one.content, _LONGEST_KNOWN)})
        for number, one in enumerate(known, 1)
    ]
    messages = [as_json_line(_message(one)) for one in said if one.role in _READ]
    return "\n".join(["Known:", *(memories or ["(nothing)"]), "", "Messages:", *messages])


def _message(said: Said) -> dict[str, Any]:
    shown = {
        "message": said.number,
        "role": said.role,
        "name": said.name,
        "time": said.time and _written(said.time),
        "text": _cut(said.text, _LONGEST_SHOWN),
    }
    return {name: value for name, value in shown.items() if value is not None}


def _written(time: datetime) -> str:
    """A time with its day of the week, which "on Friday" is worked out from."""
    return f"{_DAYS[time.weekday()]} {time:%Y-%m-%d %H:%M}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + _CUT


# --- the answer


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}
_LEARNT = _object(
    message=_NUMBER,
    content=_TEXT,
    category={"type": "string", "enum": list(CATEGORIES)},
    importance={"type": "number"},
    key=_or_null({"type": "string", "enum": [*ONE_VALUED, *MANY_VALUED]}),
    value=_or_null(_TEXT),
    change={"type": "string", "enum": list(CHANGES)},
    was=_or_null(_TEXT),
    valid_from=_or_null(_TEXT),
    valid_to=_or_null(_TEXT),
    supersedes={"type": "array", "items": _NUMBER},
)
SCHEMA = _object(
    learnt={"type": "array", "items": _LEARNT},
    forget={"type": "array", "items": _object(message=_NUMBER, what=_TEXT)},
)
"""What an answer looks like, as JSON schema."""


class _Form:
    """The shape of an answer: strict where a model keeps to it, and read entry by entry here."""

    schema: Schema = SCHEMA

    def read(self, written: str) -> dict[str, Any]:
        try:
            answer = json.loads(written, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            raise Misfit(f"It is not JSON: {error}.") from None
        if not isinstance(answer, dict) or not isinstance(answer.get("learnt"), list):
            raise Misfit('the whole: It must be an object with a list "learnt".')
        if not isinstance(answer.get("forget") or [], list):
            raise Misfit("forget: It must be a list.")
        return answer


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise Misfit("An object has the same name twice.")
    return made
