"""What is liked in passing: an answer, an idea, what was just shown."""

from typing import Final

from bethink.learn.rules.words import compiled

LIKED: Final = compiled(
    r"^(?:(?:really|also|just|so|especially|very|both|that|to) )*(?:it|this|that|these"
    r"|those|him|her|them|you|your|the"
    r" (?:[\w-]+ )*(?:idea|way|first|second|third|fourth|last|sound|look|one|options?"
    r"|suggestions?|version|thought|concept"
    r"|feel|fact|result|design|other|new|more|approach|list|part|tip|tips|point|structure"
    r"|tone|title)"
    r"|how|what|know|see|hear|think|add|ask|get|have|make|be|use|find|share|thank|understand"
    r"|discuss|explore|do|either|all of|option|seeing|hearing|idea|where|when you|there|a"
    r" (?:shorter|longer|better"
    r"|different|more)|something|some|anything$|everything|if|and|but|talking|shared?|yours"
    r"|his|many|most|what's|lots)\b"
    r"|.*\b(?:idea|ideas|suggestions?|options?|recommendations?|approach)$|sure\b|all the\b"
    r"|(?:both )?the (?!(?:\w+ )?(?:ocean|sea|beach|outdoors|mountains|winter|summer|autumn"
    r"|rain|snow|cold|heat|sun"
    r"|theatre|theater|cinema|gym|smell|taste|countryside|forest|woods|water|night|morning"
    r"|mornings|blues|city|colou?r|great"
    r"|piano|guitar|violin|\d0s|sixties|seventies|eighties"
    r"|nineties)\b)(?:(?-i:[a-z])[\w'-]* ?(?:and the )?){1,5}$"
)
