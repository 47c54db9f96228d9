"""What a language model is asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from bethink.errors import UsageError
from bethink.models.base import MAX_TOKENS, Schema, Settings, Tool
from bethink.types import Message


@dataclass(frozen=True, slots=True)
class Ask:
    """All that a language model is asked at once. The system's words are among the messages."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    schema: Schema | None = None
    max_tokens: int = MAX_TOKENS
    temperature: float | None = None


def asked(messages: Sequence[Message], settings: Settings) -> Ask:
    """What a caller asks, checked."""
    system, most = settings.get("system"), settings.get("max_tokens", MAX_TOKENS)
    said = (Message("system", system), *messages) if system else tuple(messages)
    if not any(message.role != "system" for message in said):
        raise UsageError("There is nothing to answer: give at least one message.")
    if most < 1:
        raise UsageError(f"max_tokens is {most}: give 1 or more.")
    return Ask(
        said,
        tuple(settings.get("tools", ())),
        settings.get("schema"),
        most,
        settings.get("temperature"),
    )
