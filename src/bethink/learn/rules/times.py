"""When something happens, and how often."""

from typing import Final

from bethink.learn.rules.words import DAY, MONTH, compiled, listed

TIME: Final = compiled(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:next|last|this) (?:year|month|week|weekend|summer"
    r"|winter|spring|autumn|fall|christmas|easter|semester|term|night|afternoon|evening|morning"
    rf"|{MONTH}|{DAY})|on (?:the )?(?:\d|{DAY}|christmas|new year)|in (?:\d{{4}}|{MONTH}"
    r"|the (?:spring|summer|autumn|fall|winter|new year)|(?:a|an|one|two|three|four|five|six|\d+)"
    r" (?:days?|weeks?|months?|years?))|at the end of|from the \d+|the \d+(?:st|nd|rd|th)"
    rf"|{MONTH} \d+(?:st|nd|rd|th)?|\d+(?:st|nd|rd|th)? (?:of )?{MONTH}|by (?:the end"
    r"|summer|christmas|\d)"
    r"|over (?:the summer|christmas|easter)|day after tomorrow|(?:week|month|year|day)s? ago"
    rf"|for (?:{MONTH}|christmas|thanksgiving|easter)|from (?:\d+ )?{MONTH}|thanksgiving|since)\b"
)


OFTEN: Final = compiled(
    rf"\b(?:always|never|usually|often|every|each|daily|weekly|monthly|normally|generally|most"
    rf" days"
    rf"|sometimes|rarely|regularly|nights|{DAY}|by hand|for a living|before (?:work|bed|school"
    r"|breakfast)|after (?:work|school|dinner|lunch|noon)|once a|twice a|times a|from \w+"
    r" (?:to|till|until) \w+|when (?:I|we) (?:am|are|get|feel)|at (?:\d|\w+ o'clock|noon"
    r"|midnight|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|with"
    r" (?:lofi|music)|whenever)\b"
)


ADVERBS_OFTEN: Final = listed("always usually often sometimes rarely normally")
