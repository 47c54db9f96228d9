"""What may be believed of a model's words, and how others' words are put before a model.

What people write goes into prompts, and what models write goes into memory and from there into
other prompts. Neither may pass for an instruction on the way.
"""

import json
import re
import unicodedata
from typing import Any

from bethink.learn.suspicion import suspicious

_UNSAFE = re.compile(
    "[<\x7f-\x9f\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
"""What could end a line, open a tag or a chat's own marks, or not be seen by who looks."""
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ue000-\uf8ff\U000e0000-\U0010ffff]"
)
_FAINT = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_ROLES = "system|assistant|developer|user|human|tool|instructions?|prompt"
_INSTRUCTS = re.compile(
    rf"""
    (?:^|[\n.;!?>\]"'“‘(]\s*) [*_#\s]* (?:{_ROLES}) (?:\s+(?:message|prompt|note))? [*_]* \s* :
    | \b(?:ignore|disregard|forget|override|bypass|overrule)\b [^.!?]{{0,40}}
      \b(?:previous|prior|above|earlier|preceding|system|all|any|your|these|those)\b [^.!?]{{0,30}}
      \b(?:instructions?|prompts?|rules?|messages?|guidelines?|guardrails?|directions?|context
      |safeguards?|policy|policies)\b
    | \b(?:system\s+prompt|new\s+instructions?|jailbreak|developer\s+mode)\b
    | \byou\s+(?:are\s+now|must|have\s+to|shall|should\s+(?:always|now|never))\b
    | \bfrom\s+now\s+on,?\s+(?:you|the\s+(?:assistant|model|ai)|always|never)\b
    | \b(?:assistant|ai|llm|chatbot)\s+
      (?:must|shall|has\s+to|will\s+now|should\s+(?:always|never))\b
    | \bact\s+as\s+(?:an?\s+|the\s+)?(?:ai|dan|root|admin|system|developer)\b
    | <\s*/?\s*[a-z|!] | \[/?INST\] | ```
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FIRST_PERSON = re.compile(
    r"""
    (?:^|[.!?;:]\s+|\b(?:that|because|and|but|when|if|while|so)\s+)["'“‘]?
    (?:(?:I|We)(?:['’](?:m|ve|ll|d|re))?\s|(?:My|Our|Mine|Myself)\s
    |(?:Ich|Mein|Meine|Wir|Je|Nous|Yo|Eu|Io|Я|Мой|Моя|Мы)\s|J['’]|我|私|僕|俺)
    |\bI['’](?:m|ve|ll|d)\b|\b(?:my|our|myself|ourselves)\b
    |^["'“‘]?(?:You|Your)(?:['’](?:re|ve|ll|d))?\s
    """,
    re.VERBOSE,
)


def as_json_line(value: Any) -> str:
    """A value as JSON on one line, which nothing in it can leave, or be taken for a tag."""
    written = json.dumps(value, ensure_ascii=False)
    return _UNSAFE.sub(_escaped, written)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def sound(text: object, *, most: int) -> str | None:
    """A text of a model on one line, if it may be kept: short, visible and no instruction."""
    if not isinstance(text, str):
        return None
    line = " ".join(text.split())
    if not line or len(line) > most or _HIDDEN.search(line) or instructs(text):
        return None
    return line


def instructs(text: str) -> bool:
    """Whether a text reads like instructions to a model, or like the marks between its messages.

    A model repeats what it has read, so what is suspicious from outside is so from a model too.
    """
    seen = _FAINT.sub("", unicodedata.normalize("NFKC", text))
    return bool(_INSTRUCTS.search(seen)) or suspicious(text) is not None


def in_third_person(text: str) -> bool:
    """Whether a statement speaks neither as its subject nor to it. Titles may: My Fair Lady."""
    return not _FIRST_PERSON.search(text)
