"""Text as a reader would take it, whatever it was disguised as. All of this is pure.

Hostile text hides from a search for phrases in invisible characters, letters of other scripts
that look alike, letters set apart by spaces, digits in the place of letters, character references
and Base64. Each disguise has its reading here.
"""

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What nobody sees: joiners, marks of direction, fillers, variation selectors, tags."""

_UNSEEN = re.compile(f"[{INVISIBLE}]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_EMPHASIS = re.compile(r"[*`~\"“”„«»‘’]+")
_HAN_GAP = re.compile("(?<=[\u3040-\u30ff\u3400-\u9fff])\\s+(?=[\u3040-\u30ff\u3400-\u9fff])")
_APART = re.compile(r"(?<!\w)(?:[^\W\d_][\s.\-_*·|/,]{1,3}){5,}[^\W\d_](?!\w)")
_NO_LETTER = re.compile(r"[\W\d_]+")
_BLOB = re.compile(r"(?<![\w+/=-])[\w+/-]{24,}={0,2}")
_MOST_BLOBS = 20

_PAIRS = (
    "аa еe оo рp сc уy хx іi јj ѕs ԁd һh ѵv ԛq ԝw ӏl ёe їi кk мm тt вb нh "
    "αa βb εe ηn ιi κk νv οo ρp τt υu χx γy ωw ıi ɡg ɑa"
)
_LOOKALIKES = {ord(pair[0]): pair[1] for pair in _PAIRS.split()}
_DIGITS = str.maketrans("013457@$!", "oieastasi")


def visible(text: str) -> str:
    """A text without what nobody sees, each character in its plainest form."""
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", _UNSEEN.sub("", text)))


def flat(text: str) -> str:
    """A text on one line, in small letters, without accents and emphasis."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text.casefold().replace("’", "'")))
    line = " ".join(_EMPHASIS.sub("", unicodedata.normalize("NFC", bare)).split())
    return _HAN_GAP.sub("", line)


def readings(text: str) -> Iterator[str]:
    """The flat text, and what it reads like where letters stand in for others; each once."""
    plain = flat(text)
    found = dict.fromkeys(
        [
            plain,
            flat(html.unescape(text)),
            plain.translate(_LOOKALIKES),
            plain.translate(_LOOKALIKES).translate(_DIGITS),
            " ".join(plain.replace("_", " ").split()),
        ]
    )
    yield from found


def spelt(text: str) -> list[str]:
    """Words whose letters were set apart, together again and without any space."""
    lower = flat(text).translate(_LOOKALIKES)
    return [_NO_LETTER.sub("", match[0]) for match in _APART.finditer(lower)]


def decoded(text: str) -> Iterator[str]:
    """The texts that stand in it in Base64."""
    for match in islice(_BLOB.finditer(text), _MOST_BLOBS):
        blob = match[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            inside = base64.b64decode(blob + "=" * (-len(blob) % 4)).decode()
        except (binascii.Error, ValueError):
            continue
        if inside.isprintable() or "\n" in inside:
            yield inside
