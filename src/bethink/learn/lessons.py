"""What a task that is over teaches: by a language model where there is one, else by comparison."""

import logging
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Protocol

from bethink.errors import BethinkError, ModelError, for_the_log
from bethink.learn.condense import Write, answer
from bethink.learn.trust import as_json_line, instructs, sound

PROMPT = "lesson-1"
"""Which prompt a model is asked with."""
LONGEST = 300
"""Characters of a lesson."""

_LONGEST_TASK = 80  # characters, as of all that follow
_LONGEST_OUTCOME = 200
_LONGEST_ACTION = 60
_LONGEST_ERROR = 120
_LONGEST_SHOWN = 300
_MOST_SHOWN = 6  # tasks that a model is shown beside the one that is over
_MOST_STEPS = 30  # of each of them, the last ones
_WORDS = 40
_MOST_NAMED = 2  # steps in a lesson
_CUT = "…"

_HEAD = re.compile(r"[^(\[{:=\n]+")
_ERROR = re.compile(
    r"\b(?:errors?|exception|fail(?:ed|s|ure)?|refused|denied|rejected|forbidden|unauthori[sz]ed"
    r"|time[d-]?\s?out|not found|invalid|unavailable|unable|cannot|could not|couldn['’]t|missing"
    r"|conflict|crash(?:ed)?|declined|traceback|no such|expired|sold out)\b"
    r"|\b(?:http|status|code)\W{0,3}[45]\d\d\b",
    re.IGNORECASE,
)
_ERROR_NAMES = ("error", "exception")
_SENTENCE_END = re.compile(r"(?<!\b[A-Z])[.!?](?=\s+[^a-z])|[。！？]")
_log = logging.getLogger(__name__)


class Done(Protocol):
    """A step of a task."""

    @property
    def action(self) -> str: ...
    @property
    def result(self) -> Any: ...


class Tried(Protocol):
    """A task that is over."""

    @property
    def task(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def success(self) -> bool: ...
    @property
    def steps(self) -> Sequence[Done]: ...


def lesson(episode: Tried, similar: Sequence[Tried] = (), llm: Write | None = None) -> str:
    """What to do, or not to do, the next time: one sentence or two, on one line.

    A model is shown the task and those like it. Without one, or should it fail, the lesson is
    what this task did and the others did not, or the other way round, where some worked and some
    did not; else the step that went wrong; else how it went.
    """
    if llm is not None:
        try:
            return _written(episode, similar, llm)
        except BethinkError as error:
            _log.warning("The lesson is found by comparison instead: %s", for_the_log(error))
    finding = _difference(episode, similar) or _mistake(episode)
    return _short(heading(episode) + finding) if finding else plain(episode)


def heading(episode: Tried) -> str:
    """What a lesson that was found by comparison begins with, so that it stands on its own."""
    return f"{_short(episode.task, _LONGEST_TASK)}: "


def plain(episode: Tried) -> str:
    """How it went, in a line: all there is to say of a task that nothing compares to."""
    went = "worked" if episode.success else "failed"
    task, outcome = _short(episode.task, _LONGEST_TASK), _short(episode.outcome, _LONGEST_OUTCOME)
    return f"{task} ({went}): {outcome}"


# --- by comparison


def _difference(episode: Tried, similar: Sequence[Tried]) -> str | None:
    """What went otherwise in tasks like this one that ended otherwise."""
    own = _actions(episode)
    others = [_actions(other) for other in similar if other.success != episode.success]
    others = [actions for actions in others if actions]
    if not own or not others:
        return None
    often = Counter(name for actions in others for name in actions)
    names = {name: said for actions in others for name, said in actions.items()}
    only_they = [names[name] for name, _ in often.most_common() if name not in own]
    only_here = [said for name, said in own.items() if name not in often]
    return (
        _worked(only_here, only_they) if episode.success else _failed(episode, only_here, only_they)
    )


def _worked(only_here: Sequence[str], only_they: Sequence[str]) -> str | None:
    if only_here:
        return f"It worked with {_named(only_here)}, which similar tasks that failed did not do."
    if only_they:
        return f"It worked without {_named(only_they)}, which similar tasks that failed did."
    return None


def _failed(episode: Tried, only_here: Sequence[str], only_they: Sequence[str]) -> str | None:
    if only_they:
        found = f"Similar tasks that worked did {_named(only_they)}, which was not done here."
    elif only_here:
        found = f"Similar tasks that worked did without {_named(only_here)}."
    else:
        return None
    mistake = _mistake(episode)
    return f"{mistake} {found}" if mistake else found


def _mistake(episode: Tried) -> str | None:
    """The last step of a failure that went wrong, and with what."""
    if episode.success:
        return None
    for step in reversed(episode.steps):
        error = _error_in(step.result)
        if error and step.action.strip():
            at = f"It failed at {_named([step.action])}"
            # What a tool says is from outside, and lessons end up in prompts.
            return f"{at}." if instructs(error) else f"{at}: {_sentence(error)}"
    return None


def _sentence(text: str) -> str:
    return _short(text, _LONGEST_ERROR).rstrip(".") + "."


def _error_in(result: Any) -> str | None:
    """The text of an error, if a result tells of one."""
    if isinstance(result, Mapping):
        named = [text for text in map(result.get, _ERROR_NAMES) if isinstance(text, str)]
        return next(filter(str.strip, named), None) or _error_in(list(result.values()))
    if isinstance(result, list | tuple):
        return next(filter(None, map(_error_in, result)), None)
    return result if isinstance(result, str) and _ERROR.search(result) else None


def _actions(episode: Tried) -> dict[str, str]:
    """What was done, by a name under which the same thing done with other arguments is the same."""
    found: dict[str, str] = {}
    for step in episode.steps:
        if head := _HEAD.match(step.action.strip()):
            action = " ".join(head[0].split()).rstrip(".!,; ")
            found.setdefault(action.casefold(), action)
    found.pop("", None)
    return found


def _named(actions: Sequence[str]) -> str:
    return " and ".join(f'"{_short(one, _LONGEST_ACTION)}"' for one in actions[:_MOST_NAMED])


def _short(text: str, most: int = LONGEST) -> str:
    """A text on one line, cut where a word ends if it is long."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    kept = line[: most - len(_CUT)]
    return (kept.rpartition(" ")[0] or kept).rstrip(" ,;:") + _CUT


# --- by a model


def _written(episode: Tried, similar: Sequence[Tried], write: Write) -> str:
    prompt = resources.files(__package__).joinpath(f"prompts/{PROMPT}.txt").read_text("utf-8")
    others = [as_json_line(_told(other)) for other in similar[:_MOST_SHOWN]]
    filled = prompt.format(
        words=_WORDS, episode=as_json_line(_told(episode)), similar="\n".join(others) or "(none)"
    )
    said = " ".join(answer(write, filled).split()).strip("\"'“”‘’`*")
    ends = [end.end() for end in _SENTENCE_END.finditer(said)]
    kept = sound(_short(said[: ends[0]] if ends else said), most=LONGEST)
    if kept is None:
        raise ModelError("The model gave no sentence that could be kept as a lesson.")
    return kept


def _told(episode: Tried) -> dict[str, Any]:
    return {
        "task": _short(episode.task),
        "worked": episode.success,
        "outcome": _short(episode.outcome),
        "steps": [
            {"action": _short(step.action), "result": _short(str(step.result), _LONGEST_SHOWN)}
            for step in episode.steps[-_MOST_STEPS:]
        ],
    }
