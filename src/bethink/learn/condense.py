"""A conversation's summary: by a language model where there is one, and extracted otherwise."""

import logging
from collections.abc import Callable, Sequence
from importlib import resources

from bethink.errors import BethinkError, ModelError, for_the_log
from bethink.learn.summarise import Said, summarise
from bethink.recall.pack import Count, cut
from bethink.recall.quote import harmless, quoted
from bethink.validate import MAX_CONTENT, check_text

Write = Callable[[str], str]
"""A language model: from a prompt to its answer."""

_MOST_READ = 6_000  # tokens of conversation in one prompt
_MOST_MESSAGES = 2_000  # that are read again for an extract; what came before is in the last one
_log = logging.getLogger(__name__)


def condense(
    said: Sequence[Said],
    *,
    before: str,
    already: int,
    budget: int,
    count: Count,
    write: Write | None = None,
) -> str:
    """A summary of all that was said, within a budget.

    A model is given the summary `before`, which covers the first `already` messages, and only
    what came after. Should it fail, the summary is extracted from the messages themselves.
    """
    if write is not None:
        try:
            return _written(said[already:], before, budget, count, write)
        except BethinkError as error:
            _log.warning("The summary is extracted instead: %s", for_the_log(error))
    if len(said) > _MOST_MESSAGES:
        said = [Said("", before), *said[-_MOST_MESSAGES:]]
    return summarise(said, budget=budget, count=count)


def _written(said: Sequence[Said], before: str, budget: int, count: Count, write: Write) -> str:
    prompt = resources.files(__package__).joinpath("prompts/summarise.txt").read_text()
    summary = before
    for conversation in _pieces(said, count):
        filled = prompt.format(
            words=max(20, budget * 2 // 3), before=summary or "(nothing)", conversation=conversation
        )
        summary = answer(write, filled)
    return cut(summary, budget, count)


def _pieces(said: Sequence[Said], count: Count) -> list[str]:
    """The conversation as text, in pieces that a model can read at once."""
    pieces: list[list[str]] = [[]]
    room = _MOST_READ
    for one in said:
        day = f"{one.at:%Y-%m-%d} " if one.at else ""
        line = f"{day}{_told(one, count)}"
        if (size := count(line)) > room and pieces[-1]:
            pieces.append([])
            room = _MOST_READ
        pieces[-1].append(line)
        room -= size
    return ["\n".join(piece) for piece in pieces if piece]


def _told(one: Said, count: Count) -> str:
    """Who said it, and what; what comes from outside is quoted."""
    if one.outside:
        text = quoted(cut(harmless(one.content), _MOST_READ, count))
        return f"{harmless(one.speaker)} (quoted): {text}"
    return cut(f"{one.speaker}: {one.content}", _MOST_READ, count)


def answer(write: Write, prompt: str) -> str:
    """What a model answers to a prompt; whatever goes wrong is an error of ours."""
    try:
        heard = write(prompt)
    except BethinkError:
        raise
    # The function is the caller's and may raise anything; a conversation goes on without it.
    except Exception as error:
        raise ModelError(f"The model failed: {type(error).__name__}: {error}") from error
    return check_text(heard, name="The model's answer", limit=10 * MAX_CONTENT).strip()
