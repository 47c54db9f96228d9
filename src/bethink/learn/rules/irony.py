"""Praise of what nobody praises: "Great, I love Mondays"."""

from typing import Final

from bethink.learn.rules.gates import words
from bethink.learn.rules.words import compiled, listed

_PRAISE: Final = compiled(
    r"\b(?:(?<!would )(?<!'d )love|loving|adore|enjoy|relish|thrilled|delighted|favou?rite"
    r"|(?:can'?t|can ?not) wait"
    r"|looking forward|nothing (?:like|beats)|yay|hooray|dream|fun|blessed|lucky|joy|treat"
    r"|bliss)\b"
    r"|^(?:oh|wow|well|ah)?,? ?(?:great|fantastic|brilliant|wonderful|lovely|perfect|excellent"
    r"|superb|marvellous|fabulous|amazing|awesome|splendid)\b"
)
_UNPLEASANT: Final = listed(
    """
    mondays monday taxes tax dentist traffic meeting meetings hold fine queue queues queuing
    queueing
    overtime hangover delays delayed delay cancelled canceled broke broken stuck drilling paperwork
    deadlines bills bureaucracy spam robocalls rejected ghosted fired overdraft mould mold leak
    leaking flooded vomit nits jury audit forms migraine migraines insomnia ignored yelled shouted
    screaming crashes crashing bugs outage commute commuting drill mosquito mosquitoes
    """
)
_SET_PHRASES: Final = compiled(
    r"\b(?:just what (?:I|we) needed|oh joy|lucky me|lucky us|(?:love|adore|enjoy) it when|love"
    r" that"
    r" for me|my idea of fun|what a (?:joy|treat|lovely surprise|delight)|how (?:fun|thrilling)"
    r"|(?:four|five"
    r"|three|[3-5]) ?am\b.*\b(?:bliss|dream|perfect))\b"
)
_NEVER_NICE: Final = compiled(
    r"\b(?:love|adore|enjoy|great|fantastic|brilliant|lovely)\b.*\b(?:at [3-5] ?am|for (?:two"
    r"|three|four"
    r"|five|six|\d) hours straight|all over again|yet another|again and again)\b"
)


def is_ironic(sentence: str) -> bool:
    """Whether a sentence praises what is unpleasant."""
    said = words(sentence)
    if said.isdisjoint(_SIGNS):
        return False
    if _SET_PHRASES.search(sentence) or _NEVER_NICE.search(sentence):
        return True
    return not said.isdisjoint(_UNPLEASANT) and bool(_PRAISE.search(sentence))


_SIGNS: Final = listed(
    """
    love loving adore enjoy relish thrilled delighted favourite favorite wait looking nothing yay
    hooray dream fun blessed lucky joy treat bliss great fantastic brilliant wonderful lovely
    perfect
    excellent superb marvellous fabulous amazing awesome splendid needed delight thrilling
    """
)
"""One of these is in all irony that is found here."""
