"""Text from outside as a quotation: on one line, and with no way out of it. All of this is pure.

What a tool, a document or an import says is data. In a prompt it stands between « and », which
do not occur inside, and nothing in it is a link, an image, a tag, a fence or a character that
nobody sees.
"""

import re
import unicodedata

from bethink.types import OUTSIDE, MemoryItem

OPEN, CLOSE = "«", "»"

_MARKS = str.maketrans("«≪《⟪⦅»≫》⟫⦆", "‹" * 5 + "›" * 5)
_SELECTORS = re.compile("[\u034f\u115f\u1160\u3164\uffa0\ufe00-\ufe0f\U000e0000-\U000e0fff]")
_TAG = re.compile(r"<(?=[^\s\d=<-])")
_LIVE = (
    ("![", "! ["),
    ("](", "] ("),
    ("]:", "] :"),
    ("][", "] ["),
    ("```", "'''"),
    ("~~~", "- - -"),
)
_GONE = {"Cf", "Cs", "Co", "Cn"}


def from_outside(item: MemoryItem) -> bool:
    """Whether a memory is neither the user's nor the assistant's word."""
    return item.origin in OUTSIDE


def quoted(text: str) -> str:
    """A text between marks that it cannot close."""
    return f"{OPEN}{harmless(text)}{CLOSE}"


def harmless(text: str) -> str:
    """A text on one line without marks of quotation, links, images, tags and hidden characters."""
    line = " ".join(_seen(text).translate(_MARKS).split())
    for live, dead in _LIVE:
        line = line.replace(live, dead)
    return _TAG.sub("‹", line)


def attributed(item: MemoryItem) -> str:
    """Who says it, and what: quoted if it comes from outside."""
    if not from_outside(item):
        return item.text
    said = item.content if item.speaker in (None, item.origin) else item.text
    return f"{item.origin} (quoted): {quoted(said)}"


def _seen(text: str) -> str:
    """A text without characters that are not seen; those that steer something become spaces."""
    if text.isascii() and text.isprintable():
        return text
    kinds = ((letter, unicodedata.category(letter)) for letter in _SELECTORS.sub("", text))
    return "".join(
        " " if kind in ("Cc", "Zl", "Zp") else letter for letter, kind in kinds if kind not in _GONE
    )
