"""Words that point outside a statement, which then does not stand on its own."""

from typing import Final

from bethink.learn.rules.words import MONTH, compiled

_DANGLING: Final = compiled(
    r"(?<!/)\b(?:it(?! (?:rains|storms|snows|is (?:hot|cold|raining|sunny|dark)))(?<!with"
    r" \w{9} in it)"
    r"|this(?! (?:year|month|week|weekend|summer|winter|spring|autumn|fall|semester|term|morning"
    rf"|afternoon|evening|{MONTH}|christmas|easter|thanksgiving|coming|past)\b)|that (?:one"
    r"|is|was|means)"
    r"|these(?! days)|those|them|him|there|the same (?:thing|one|way|problem|issue|here)"
    r"|the (?:former|latter|above|following)|(?:for|of|at|with|about|like|love|hate|on|do|did|to)"
    r" that|each other|one another|the (?:first|second|third|last|other|next) one|you|your|yours"
    r"|so that|such that|what|as follows)\b"
)


_IN_IT: Final = compiled(r"\b(?:anything|everything|something) with .* in it\b")


def stands(text: str) -> bool:
    """Whether nothing in it points outside."""
    found = _DANGLING.search(text)
    if not found or _IN_IT.search(text):
        return True
    late = (
        found[0].lower() in ("it", "them", "him") and text.count(" ", 0, found.start()) >= _NAMED_BY
    )
    return late and not _DANGLING.search(text, found.end())


_NAMED_BY: Final = 6
"""After so many words, what "it" stands for was most likely named."""


BROKEN_OFF: Final = compiled(
    r"\b(?:my|our|the|a|an|with|of|to|for|and|or|but|at|from|because|that|than|as|by|very"
    r"|is|are|if|when)$"
)
