"""Whether a statement stands on its own: it says who, and of what, without what was said before."""

import re

_POINTING = r"(?:it|that|this|them|those|these|(?:the|that|this) one|there|so|him|her)"
_LOST = (
    # Opens with a word that leans on the sentence before.
    re.compile(r"^(?:Especially|After|Before|One of|It|That|This|There|Which|Because|Since|And)\b"),
    # Its first object is something that nobody named.
    re.compile(
        rf"^The user(?:'s [\w-]+)?(?: [\w'-]+){{1,4}} {_POINTING}(?=[.,;]| (?:too|now|every|down|up"
        r"|on|in|with|all|out|as|was|is|again|for|because)\b)"
    ),
    re.compile(
        r"^The user (?:also )?(?:purchased|bought|ordered|got|has|made) (?:from|in|on|at|it)\b"
    ),
    re.compile(r"\b(?:so let (?:them|the user)|\w+-s\b|and be \w+s\b)"),
    # A moment that is over, or a feeling.
    re.compile(r"\b(?:on a high|freaked|slacking|in the mood|so peaceful|such an inspiration)\b"),
)


def stands_alone(content: str) -> bool:
    """Whether someone who has read nothing else understands a statement."""
    return not any(lost.search(content) for lost in _LOST)
