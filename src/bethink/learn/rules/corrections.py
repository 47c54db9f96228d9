"""What takes back something that was said before."""

import re
from dataclasses import dataclass

from bethink.learn.rules.words import compiled

_FRAME = compiled(
    r"^(?:(?:sorry|oops|whoops|wait|hang on|hold on|no(?:,? no)*|ha|ah|lol|haha|actually|oh"
    r"|well|hm+|ok|sry|ugh|apologies|my (?:bad|mistake)|correction|scratch that|strike that"
    r"|i made a mistake|i mistyped(?: it| that)?|i misspoke|i was wrong|that(?: was|'s| is)"
    r" (?:wrong|not right|incorrect|a typo|a mistake)|typo(?: before)?|wrong \w+"
    r"|autocorrect|(?:i )?got (?:that|it) wrong|ignore that|let me correct (?:that|myself)"
    r"|to correct myself|edit|i meant to say|that should (?:be|have been)|small correction"
    r"|quick correction|one correction|i was right the first time|no wait|not quite|nope"
    r"|that's a typo)\b[,.:;!…-]*\s*)+"
)
_STRONG = compiled(
    r"\b(?:sorry|oops|whoops|correction|scratch that|strike that|mistake|mistyped|misspoke"
    r"|wrong|typo|autocorrect|ignore that|i meant|incorrect|right the first time|misspelled"
    r"|misspelt)\b"
)
_VALUE = r"[^,;:.!?]{1,60}?"
_SHAPES = (
    compiled(
        r"^(?:i meant|it is|it's|it should be|that is|make that|i should have said) (?:actually"
        rf" |now )?(?P<value>{_VALUE}),? (?:and )?(?:not|rather than|instead of)"
        rf" (?P<was>{_VALUE})(?P<rest> for [\w ]{{2,40}})?$"
    ),
    compiled(
        rf"^(?:it is |it's |i )?not (?P<was>{_VALUE})(?:,| but|, but| -+| —)? ?(?:i meant|it is"
        rf"|it's|but)? (?P<value>{_VALUE})$"
    ),
    compiled(
        rf"^i (?:said|wrote|put) (?P<was>{_VALUE})(?: earlier| before)?,? but (?:i meant|it is"
        rf"|it was)(?: actually)?"
        rf" (?P<value>{_VALUE})$"
    ),
    compiled(rf"^(?:i )?meant (?P<value>{_VALUE})$"),
    compiled(
        r"^it was right(?: the first time| before| after all| all along)?[:,]?"
        rf" (?P<value>{_VALUE})$"
    ),
    compiled(
        rf"^(?P<value>{_VALUE}) was (?:right|correct)(?: after all| the first time| all along)?$"
    ),
    compiled(rf"^(?:it is|it's) (?P<value>{_VALUE}) after all$"),
)
_TRAILING = compiled(r",? (?:and )?not (?:an? |the |on |in |to |at )?(?P<was>[^,;:.!?]{1,40})$")
_MEANT = compiled(r"\bI meant\b|^meant\b")
_HELPER = compiled(
    r"\b(?:do|does|did|am|is|are|was|were|will|would|can|have|has|had|could|should|or|but"
    r"|why|if|it|that|may"
    r"|might|must|hates?|and|of|to|for|still|so|definitely|really|probably)$"
)


@dataclass(frozen=True, slots=True)
class Correction:
    value: str
    was: str | None
    content: str


def unframed(sentence: str) -> tuple[str, bool]:
    """The sentence without what announces a correction, and whether it is announced."""
    found = _FRAME.match(sentence)
    if not found:
        return sentence, False
    return sentence[found.end() :], bool(_STRONG.search(found[0]))


def bare(sentence: str, *, announced: bool) -> Correction | None:
    """A correction of a value whose fact it does not name: "I meant Bern, not Basel"."""
    text = sentence.strip(" .!?")
    text = re.sub(r"^(?:just (?:checked|looked)[^:]{0,40}: ?)", "", text, flags=re.IGNORECASE)
    for shape in _SHAPES:
        if found := shape.match(text):
            value, was = _plain(found["value"]), found.groupdict().get("was")
            rest = (found.groupdict().get("rest") or "").strip()
            if not value or re.match(
                r"(?:to|that|what|it|this|I|we|you|my|in|on|at|for|sure|only|really|too|so"
                r"|very)\b",
                value,
            ):
                return None
            was = _plain(was) if was else None
            if (
                not announced
                and not _MEANT.search(sentence)
                and not (_telling(value) and (not was or _telling(was)))
            ):
                return None
            return Correction(value, was, _content(value, was, rest))
    return None


def replaced(clause: str) -> str | None:
    """What a clause says it is not: "I'm 34, not 33"."""
    found = _TRAILING.search(clause)
    if not found or _HELPER.search(clause[: found.start()]):
        return None
    return _plain(found["was"])


def _telling(value: str) -> bool:
    """Whether it is short, and a name or a number."""
    return len(value.split()) <= 4 and (value[:1].isupper() or value[:1].isdigit())


def _content(value: str, was: str | None, rest: str) -> str:
    tail = f" {rest}" if rest else ""
    if was:
        return f"The user meant {value}, not {was}{',' if tail else ''}{tail}."
    return f"The user says that {value} is right{tail}."


def _plain(value: str) -> str:
    return re.sub(r"^(?:a|an|the) ", "", value.strip(" '\""), flags=re.IGNORECASE)
