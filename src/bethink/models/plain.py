"""Any function from a prompt to a text, as a language model; and the door where one comes in."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeAlias, Unpack

from bethink.errors import BethinkError, ModelError, ModelUnavailable, UsageError
from bethink.models.ask import Ask, Said, asked
from bethink.models.base import LLM, Reply, Settings
from bethink.models.function import awaited
from bethink.models.url import open_llm

Function: TypeAlias = Callable[[str], str | Awaitable[str]]

_NAMES = {"user": "User", "assistant": "Assistant", "tool": "Tool"}


def as_llm(thing: LLM | Function | str) -> LLM:
    """The language model that is meant: one by name, the given one, or one around a function."""
    if isinstance(thing, str):
        return open_llm(thing)
    if isinstance(thing, type):
        raise UsageError(f"{thing.__name__} is a class: give an instance of it.")
    if isinstance(thing, LLM):
        return thing
    if callable(thing):
        return FunctionLLM(thing)
    raise UsageError(
        f"{thing!r} is no language model: give a function from a prompt to a text, an object with "
        "complete and stream, or a name such as anthropic:claude-haiku-4-5."
    )


class FunctionLLM:
    """Answers with a function, plain or ``async``, that takes a prompt and returns a text.

    A conversation becomes one prompt, with who said what. There are no tools and no schemas:
    `bethink.models.structured.ask` asks for the latter in words. What the function raises comes
    out as a `ModelError`.
    """

    native_schemas = False

    def __init__(self, fn: Function, *, name: str | None = None) -> None:
        if not callable(fn):
            raise UsageError(f"{fn!r} is not a function from a prompt to a text.")
        self.name = name or str(getattr(fn, "__qualname__", type(fn).__qualname__))
        self._fn = fn

    def __repr__(self) -> str:
        return f"FunctionLLM({self.name!r})"

    def __call__(self, prompt: str) -> str:
        asked(prompt, {})
        return self._checked(self._called(prompt))

    def complete(self, messages: Said, **settings: Unpack[Settings]) -> Reply:
        return Reply(self(prompt_of(_simple(asked(messages, settings)))))

    def stream(self, messages: Said, **settings: Unpack[Settings]) -> Iterator[str | Reply]:
        reply = self.complete(messages, **settings)
        yield reply.text
        yield reply

    async def acomplete(self, messages: Said, **settings: Unpack[Settings]) -> Reply:
        import asyncio  # noqa: PLC0415 (a plain program does without it)

        prompt = prompt_of(_simple(asked(messages, settings)))
        if not inspect.iscoroutinefunction(self._fn):
            return Reply(await asyncio.to_thread(self, prompt))
        try:
            return Reply(self._checked(await self._fn(prompt)))
        except BethinkError:
            raise
        except Exception as error:
            raise self._failed(error) from error

    async def astream(
        self, messages: Said, **settings: Unpack[Settings]
    ) -> AsyncIterator[str | Reply]:
        reply = await self.acomplete(messages, **settings)
        yield reply.text
        yield reply

    def _called(self, prompt: str) -> Any:
        try:
            answer = self._fn(prompt)
            return awaited(answer) if inspect.isawaitable(answer) else answer
        except BethinkError:
            raise
        # The function is the caller's: it may raise anything, and nothing of ours can fail here.
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> ModelError:
        return ModelError(f"{self.name} failed: {type(error).__name__}: {error}")

    def _checked(self, answer: Any) -> str:
        if not isinstance(answer, str):
            raise UsageError(f"{self.name} returned {type(answer).__name__}, not a text.")
        if not answer.strip():
            raise ModelUnavailable(f"{self.name} returned an empty answer.")
        return answer


def _simple(ask: Ask) -> Ask:
    if ask.tools or ask.schema is not None:
        raise UsageError("A plain function takes neither tools nor a schema, just a prompt.")
    return ask


def prompt_of(ask: Ask) -> str:
    """A conversation as one text. A single message is just what it says."""
    said = [message for message in ask.messages if message.role != "system"]
    before = [message.content for message in ask.messages if message.role == "system"]
    if len(said) == 1:
        return "\n\n".join([*before, said[0].content])
    lines = [f"{message.name or _NAMES[message.role]}: {message.content}" for message in said]
    return "\n\n".join([*before, *lines, "Assistant:"])
