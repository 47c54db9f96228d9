"""How people introduce themselves."""

import re
from typing import Final

from bethink.learn.rules.words import compiled, listed

_INTRODUCED: Final = compiled(
    r"^(?:hi|hello|hey|hiya|yo|good \w+)(?: there| all| everyone)?[,!. ]+(?:i'?m|i am"
    r"|it'?s|this is)"
    r" (?P<name>[^\W\d_]+)(?: here| btw| by the way| again)?[.!]*$"
)
_SETTLED: Final = re.compile(
    r"^(?:(?:so|okay|ok|hi|hey|hello|um|uh|and|well)[, ]+)*(?:[Tt]his is (?P<full>[A-Z][\w'-]+"
    r" [A-Z][\w'-]+)\b(?= (?:I|and|from|here|calling))|(?P<short>[A-Z][\w'-]+) (?:will do"
    r"|is fine|'s fine|works fine)\b)|\b[Ss]ign (?:it|that|this)(?: off)?(?: as)? "
    r"(?P<signed>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)|\bI(?:'m| am) (?P<now>[A-Z][\w'-]+"
    r" [A-Z][\w'-]+) (?:now|these days)\b"
)
_MARKS: Final = ("his is ", "will do", " fine", "ign ", " now", "these days")
_NO_NAMES: Final = listed("It That This Anything Either Both Today Tomorrow Which Whatever English")
_THIS_IS: Final = re.compile(
    r"^(?:[Tt]his is |It's |It is )(?P<name>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w'-]+"
    r"(?: [A-Z][\w'-]+)+)(?: here| speaking| again)?[.!]*$"
)
_SPELT: Final = compiled(
    r"^(?:it is|it's) (?P<name>(?-i:[A-Z])[\w-]+),? (?:pronounced|with (?:a|an|two"
    r"|one)|spelled|spelt)\b"
)
_SIGNED: Final = re.compile(
    r"(?:[Kk]ind |[Bb]est |[Ww]arm )?(?:[Rr]egards|[Ss]incerely|[Bb]est wishes|[Cc]heers"
    r"|[Yy]ours(?: truly| sincerely| faithfully)?|[Mm]any thanks),\s+"
    r"(?P<name>[A-Z][\w'-]+(?: (?:de|van|von|der|den|la|le|da|dos|[A-Z][\w'-]+)){0,4})\s*$"
)
_MOODS: Final = listed(
    """
    good fine ok okay back here bored sorry new tired hungry lost stuck sad happy sick busy ready
    curious just not so in at on home done confused looking trying wondering writing great well
    alright fed cold hot late early angry mad worried nervous excited single alive dying dead free
    off out up vegan vegetarian pregnant from a an the interested working
    """
)


def introduced(sentence: str) -> str | None:
    """The name in "hi, im ann" and "This is Dr. Ann Lee"."""
    marked = any(mark in sentence for mark in _MARKS)
    if marked and (settled := _SETTLED.search(sentence)):
        name = next(filter(None, settled.groups()))
        return None if name in _NO_NAMES else name
    found = _INTRODUCED.match(sentence) or _THIS_IS.match(sentence)
    if not found or found["name"].lower() in _MOODS:
        return None
    name = found["name"]
    return name if name[0].isupper() else name.capitalize()


def spelt_out(sentence: str) -> tuple[str, str] | None:
    """A name and how it is said or written: "It's Katherine with a K"."""
    found = _SPELT.match(sentence)
    return (found["name"], sentence[found.start("name") :].rstrip(" .!")) if found else None


def signed(text: str) -> str | None:
    """The name under a letter."""
    found = _SIGNED.search(text)
    return found["name"] if found else None
