"""What came out of memory is not learnt again as something new."""

import re

_HEADING = re.compile(r"^\s{0,3}#{1,4} [^\n]{1,60}$")
_CITED = re.compile(r"^\s*(?:[-*•] )?.*\S \[\d{1,4}\]\s*$")


def without_echoes(text: str) -> str:
    """A text without the lines of a context: headings, and lines that end in their source."""
    lines = text.split("\n")
    if not any(_CITED.match(line) for line in lines):
        return text
    kept = [line for line in lines if not _CITED.match(line) and not _HEADING.match(line)]
    return "\n".join(kept).strip()
