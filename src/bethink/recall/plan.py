"""What a query asks for, as far as its words tell."""

import re

_SAID = (
    r"(?:recommend|suggest|sa(?:id|y)|told|tell|mention|gave|give|provid|explain|list|remind|share"
    r"|wrote|write|describ|advis|creat|talk|discuss)\w*"
)
_OF_THE_ASSISTANT = re.compile(
    rf"\byou(?:r|'ve|’ve)?\b.{{0,40}}\b{_SAID}|\b{_SAID}\b.{{0,20}}\b(?:by|from) you\b"
    r"|\bour (?:last|previous|earlier|past) (?:chat|conversation|discussion|session)",
    re.IGNORECASE,
)


def asks_assistant(query: str) -> bool:
    """Whether it asks for what the assistant said, and not for what the user told."""
    return bool(_OF_THE_ASSISTANT.search(query))
