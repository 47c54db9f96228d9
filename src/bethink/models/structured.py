"""Answers of a given shape, from any language model.

A model with native schemas is asked for the schema; any other is told it in words. Either way the
answer is checked here. If it does not fit, the model is told what is wrong, once.
"""

import json
from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, Unpack, cast, overload

from bethink.errors import ModelError, UsageError
from bethink.models.ask import Said, messages_of
from bethink.models.base import LLM, Manner, Reply, Schema, Settings, Usage
from bethink.models.extras import needed
from bethink.models.plain import Function, as_llm
from bethink.models.reading import Misfit, answer_in
from bethink.models.schemas import closed, plain
from bethink.types import Message

if TYPE_CHECKING:
    from pydantic import BaseModel

    M = TypeVar("M", bound=BaseModel)

EXTRA = "structured"
_SHOWN = 200


class Form(Protocol):
    """What an answer must be."""

    @property
    def schema(self) -> Schema: ...

    def read(self, written: str) -> Any:
        """The answer as the caller wants it, from its JSON; `Misfit` says what is wrong with it."""


Conversation: TypeAlias = Generator[tuple[list[Message], Settings], Reply, tuple[Any, Usage]]


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
    return answered(llm, messages, _form(schema), **manner)[0]


def answered(
    llm: LLM | Function | str, messages: Said, form: Form, **manner: Unpack[Manner]
) -> tuple[Any, Usage]:
    """An answer that a form of the caller's own can read, and what it took."""
    model = as_llm(llm)
    talk = _conversation(model, messages, form, manner)
    try:
        said, also = next(talk)
        while True:
            said, also = talk.send(model.complete(said, **also))
    except StopIteration as done:
        made: tuple[Any, Usage] = done.value
        return made


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
        return done.value[0]


def _conversation(llm: LLM, messages: Said, form: Form, manner: Manner) -> Conversation:
    """What is said and heard, whoever carries it: yields what to ask, and is sent the replies."""
    said = messages_of(messages)
    native = llm.native_schemas and _keeps_to(llm, form.schema)
    settings: Settings = {**manner, "schema": form.schema if native else None}
    if not native:
        said = _told(said, _in_words(form.schema))
    reply = yield said, settings
    try:
        return answer_in(reply, form.read), reply.usage
    except Misfit as misfit:
        wrong, spent = str(misfit), reply.usage
    said += [Message("assistant", reply.text or "(nothing)"), Message("user", _repair(wrong))]
    reply = yield said, settings
    try:
        return answer_in(reply, form.read), spent + reply.usage
    except Misfit as misfit:
        wrong = str(misfit)
    heard = " ".join(reply.text.split())[:_SHOWN]
    raise ModelError(f"{llm.name} gave no answer of the right shape: {wrong} It said: {heard}")


def _keeps_to(llm: LLM, schema: Schema) -> bool:
    """Whether a model with schemas of its own takes this one. Some know it themselves."""
    known = getattr(llm, "takes_schema", None)
    return bool(known(schema)) if known is not None else closed(schema) is not None


def _told(said: list[Message], words: str) -> list[Message]:
    """The conversation with words at its end; some models want user and assistant in turns."""
    if said and said[-1].role == "user":
        return [*said[:-1], replace(said[-1], content=f"{said[-1].content}\n\n{words}")]
    return [*said, Message("user", words)]


def _in_words(schema: Schema) -> str:
    written = json.dumps(schema, ensure_ascii=False)
    return f"Answer with JSON only, and nothing around it. It must fit this JSON schema: {written}"


def _repair(wrong: str) -> str:
    return f"That does not fit: {wrong} Answer again, with the whole JSON and nothing else."


def _form(schema: Any) -> Form:
    if isinstance(schema, Mapping):
        return _Dictionary(schema)
    if hasattr(schema, "model_json_schema") and hasattr(schema, "model_validate_json"):
        return _Pydantic(schema)
    raise UsageError(f"{schema!r} is no schema: give a pydantic class or a JSON schema.")


class _Pydantic:
    def __init__(self, model: Any) -> None:
        package = needed("pydantic", EXTRA)
        try:
            self.schema: Schema = model.model_json_schema()
        except package.errors.PydanticInvalidForJsonSchema as error:
            raise UsageError(f"{model.__name__} has no JSON schema: {error.message}.") from None
        self._model = model
        self._error = package.ValidationError

    def read(self, written: str) -> Any:
        try:
            return self._model.model_validate_json(written)
        except self._error as error:
            found = cast("Any", error).errors(include_url=False, include_input=False)
            raise Misfit(_sentences((one["loc"], one["msg"]) for one in found)) from None


class _Dictionary:
    def __init__(self, schema: Schema) -> None:
        self.schema: Schema = plain(schema)
        package = needed("jsonschema", EXTRA)
        kind = package.validators.validator_for(self.schema, package.Draft202012Validator)
        try:
            kind.check_schema(self.schema)
        except package.SchemaError as error:
            raise UsageError(f"This is no JSON schema: {error.message}.") from None
        self._validator = kind(self.schema)

    def read(self, written: str) -> Any:
        answer = json.loads(written)
        found = list(self._validator.iter_errors(answer))
        if found:
            raise Misfit(_sentences((one.absolute_path, one.message) for one in found))
        return answer


def _sentences(found: Any) -> str:
    """What is wrong, where, in a few words each; five are enough to go on."""
    named = [(".".join(map(str, where)) or "the whole", what) for where, what in found]
    return "; ".join(f"{where}: {what}" for where, what in named[:5]) + "."
