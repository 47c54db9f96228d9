"""Answers of a given shape, from any language model.

A model with native schemas is asked for the schema; any other is told it in words. Either way the
answer is checked here. If it does not fit, the model is told what is wrong, once.
"""

import json
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, Unpack, cast, overload

from bethink.errors import ModelError, UsageError
from bethink.models.base import LLM, Manner, Reply, Schema, Settings
from bethink.models.extras import needed
from bethink.models.plain import Function, as_llm
from bethink.models.schemas import closed
from bethink.types import Message

if TYPE_CHECKING:
    from pydantic import BaseModel

    M = TypeVar("M", bound=BaseModel)

EXTRA = "structured"
_SHOWN = 200


class Misfit(Exception):
    """What is wrong with an answer, in words that its author understands."""


class _Form(Protocol):
    """What an answer must be."""

    schema: Schema

    def read(self, answer: Any) -> Any:
        """The answer as the caller wants it."""


Conversation: TypeAlias = Generator[tuple[list[Message], Settings], Reply, Any]
Said: TypeAlias = str | Sequence[Message]


@overload
def ask(
    llm: LLM | Function | str, messages: Said, schema: "type[M]", **manner: Unpack[Manner]
) -> "M": ...
@overload
def ask(
    llm: LLM | Function | str, messages: Said, schema: Schema, **manner: Unpack[Manner]
) -> Any: ...
def ask(llm: Any, messages: Said, schema: Any, **manner: Unpack[Manner]) -> Any:
    """An answer that fits a schema: a pydantic class, or a JSON schema as a dictionary.

    Costs one call of the model, or two if the first answer does not fit. If the second does not
    fit either, a `ModelError` says what was wrong.
    """
    model = as_llm(llm)
    talk = _conversation(model, messages, _form(schema), manner)
    try:
        said, also = next(talk)
        while True:
            said, also = talk.send(model.complete(said, **also))
    except StopIteration as done:
        return done.value


@overload
async def aask(
    llm: LLM | Function | str, messages: Said, schema: "type[M]", **manner: Unpack[Manner]
) -> "M": ...
@overload
async def aask(
    llm: LLM | Function | str, messages: Said, schema: Schema, **manner: Unpack[Manner]
) -> Any: ...
async def aask(llm: Any, messages: Said, schema: Any, **manner: Unpack[Manner]) -> Any:
    """The same, awaited."""
    model = as_llm(llm)
    talk = _conversation(model, messages, _form(schema), manner)
    try:
        said, also = next(talk)
        while True:
            said, also = talk.send(await model.acomplete(said, **also))
    except StopIteration as done:
        return done.value


def _conversation(llm: LLM, messages: Said, form: _Form, manner: Manner) -> Conversation:
    """What is said and heard, whoever carries it: yields what to ask, and is sent the replies."""
    said = [Message("user", messages)] if isinstance(messages, str) else list(messages)
    native = llm.native_schemas and closed(form.schema) is not None
    settings: Settings = {**manner, "schema": form.schema if native else None}
    if not native:
        said.append(Message("user", _in_words(form.schema)))
    reply = yield said, settings
    try:
        return form.read(_json_in(reply))
    except Misfit as misfit:
        wrong = str(misfit)
    said += [Message("assistant", reply.text or "(nothing)"), Message("user", _repair(wrong))]
    reply = yield said, settings
    try:
        return form.read(_json_in(reply))
    except Misfit as misfit:
        wrong = str(misfit)
    heard = " ".join(reply.text.split())[:_SHOWN]
    raise ModelError(f"{llm.name} gave no answer of the right shape: {wrong} It said: {heard}")


def _in_words(schema: Schema) -> str:
    written = json.dumps(schema, ensure_ascii=False)
    return f"Answer with JSON only, and nothing around it. It must fit this JSON schema: {written}"


def _repair(wrong: str) -> str:
    return f"That does not fit: {wrong} Answer again, with the whole JSON and nothing else."


def _json_in(reply: Reply) -> Any:
    """The JSON in an answer, with or without the fence that many models put around it."""
    if reply.stop == "length":
        raise Misfit("The answer was cut off: it must be shorter.")
    starts = [at for at in map(reply.text.find, "{[") if at >= 0]
    text = reply.text[min(starts) :] if starts else reply.text.strip()
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError) as error:
        raise Misfit(f"It is not JSON: {error}.") from None


def _form(schema: Any) -> _Form:
    if isinstance(schema, Mapping):
        return _Dictionary(schema)
    if hasattr(schema, "model_json_schema") and hasattr(schema, "model_validate"):
        return _Pydantic(schema)
    raise UsageError(f"{schema!r} is no schema: give a pydantic class or a JSON schema.")


class _Pydantic:
    def __init__(self, model: Any) -> None:
        self.schema: Schema = model.model_json_schema()
        self._model = model
        self._error = needed("pydantic", EXTRA).ValidationError

    def read(self, answer: Any) -> Any:
        try:
            return self._model.model_validate(answer)
        except self._error as error:
            found = cast("Any", error).errors(include_url=False, include_input=False)
            raise Misfit(_sentences((one["loc"], one["msg"]) for one in found)) from None


class _Dictionary:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        package = needed("jsonschema", EXTRA)
        kind = package.validators.validator_for(schema, package.Draft202012Validator)
        try:
            kind.check_schema(schema)
        except package.SchemaError as error:
            raise UsageError(f"This is no JSON schema: {error.message}.") from None
        self._validator = kind(schema)

    def read(self, answer: Any) -> Any:
        found = list(self._validator.iter_errors(answer))
        if found:
            raise Misfit(_sentences((one.absolute_path, one.message) for one in found))
        return answer


def _sentences(found: Any) -> str:
    """What is wrong, where, in a few words each; five are enough to go on."""
    named = [(".".join(map(str, where)) or "the whole", what) for where, what in found]
    return "; ".join(f"{where}: {what}" for where, what in named[:5]) + "."
