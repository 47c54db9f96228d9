"""The JSON in what a model wrote, with or without what many put around it."""

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from bethink.models.base import Reply

_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_OPENED = re.compile(r"[{[]")
_MOST_BROKEN = 500  # brackets that open nothing: whoever writes more of them gives no answer


class Misfit(Exception):
    """What is wrong with an answer, in words that its author understands."""


def answer_in(reply: Reply, read: Callable[[str], Any]) -> Any:
    """The answer as `read` makes it of its JSON, which must be there, and fit, just once.

    The whole text is the answer if it is JSON; else what stands in a fence; else what stands
    anywhere.
    """
    if reply.stop == "length":
        raise Misfit("The answer was cut off: it must be shorter.")
    text = _THOUGHTS.sub("", reply.text).strip()
    try:
        _canonical(text)
    except (ValueError, RecursionError) as error:
        wrong = f"It is not JSON: {error}."
    else:
        return read(text)
    fenced = [block for block in _FENCED.findall(text) if _is_json(block)]
    try:
        return _only(fenced, read) if fenced else _only(_anywhere(text), read)
    except LookupError:
        raise Misfit(wrong) from None


def _only(candidates: list[str], read: Callable[[str], Any]) -> Any:
    """What the one candidate that fits is read as."""
    fitting: dict[str, Any] = {}
    misfits = []
    for written in candidates:
        try:
            fitting[_canonical(written)] = read(written)
        except Misfit as misfit:
            misfits.append(misfit)
    if len(fitting) > 1:
        raise Misfit("There are several answers in it, and they differ: give just one.")
    if not fitting and misfits:
        raise misfits[-1]
    return fitting.popitem()[1]


def _anywhere(text: str) -> list[str]:
    """All JSON objects and arrays that stand for themselves, and are no parts of broken ones."""
    at, around, found = 0, "", []
    broken = 0
    while opened := _OPENED.search(text, at):
        start = opened.start()
        around += text[at:start]
        at = _end(text, start) or start + 1
        if at > start + 1 and _is_balanced(around):
            found.append(text[start:at])
        else:
            around += text[start:at]
            broken += 1
        if broken > _MOST_BROKEN:
            return []
    return found if _is_balanced(around + text[at:]) else []


def _end(text: str, start: int) -> int | None:
    """Where the JSON that starts there ends; None if it is none."""
    try:
        _, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return end if _is_json(text[start:end]) else None


def _is_balanced(text: str) -> bool:
    return all(text.count(opened) == text.count(shut) for opened, shut in ("{}", "[]"))


def _is_json(text: str) -> bool:
    try:
        _canonical(text)
    except (ValueError, RecursionError):
        return False
    return True


def _canonical(written: str) -> str:
    """The same for the same JSON. What no JSON can hold, such as a number without end, is none."""
    made = json.dumps(
        json.loads(written, parse_constant=_refuse),
        sort_keys=True,
        ensure_ascii=False,
        allow_nan=False,
    )
    made.encode()
    return made


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number in it")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
