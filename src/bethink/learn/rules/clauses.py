"""Sentences and their clauses, without greetings, asides and questions."""

import re
from collections.abc import Iterator

from bethink.learn.rules.words import KIN, PET, compiled

# "3 p.m. on", "J. K. Rowling" and "Mrs. Dalloway" do not end a sentence.
_ENDS = re.compile(
    r"(?<=[.!?…])(?<!\b\w\.)(?<!\b(?:Dr|Mr|Ms|St|vs|No|pm|am)\.)(?<!\b(?:Mrs|Ave"
    r"|etc)\.)(?<!\bProf\.)[\"')\]]*\s+|\n+|[!?]+(?=[A-Z])"
)
_OPENING = compiled(
    r"^(?:[\W_]+|(?:absolutely|ah|aha|alright|also|and|anyways?|aw+|but|cool|definitely|eh"
    r"|ew+|exactly|good (?:morning|afternoon|evening|day)"
    r"|great|guess what|hello|hey(?: there)?|hi(?: there)?|hiya|honestly|nah|nope?|of"
    r" course|oh|ok|okay|oof|ooh|plus|right|so|sooo+|sure"
    r"|thank you(?: so much| very much)?|thanks(?: so much| a lot)?|though|totally|true"
    r"|ugh+|well|whoa|wow|yay|yeah|yep|yes|yup|ya|yo|then|also|quick (?:note|update"
    r"|question)|good news|bad news|update|fun fact"
    r"|at least|one thing(?: though)?|the thing is|thing is|the (?:truth|fact) is(?: that)?"
    r"|turns out(?: that)?|it turns out(?: that)?|you see|in (?:general|my case)|as for me"
    r"|for me|personally|speaking of which|fun story"
    r"|happy new year|merry christmas|please be aware(?: that)?|i should (?:mention|say"
    r"|add)(?: that)?|i (?:must|have to|gotta) (?:say|admit|confess)(?: that)?|let me"
    r" (?:add|say|tell you)(?: that)?|i(?: already)? (?:said|mentioned)(?: that)?|did i"
    r" (?:mention|say|tell you)(?: that)?|have i (?:mentioned|told you)(?: that)?|i just"
    r" (?:realised|realized|found out|learned|learnt)(?: that)?|(?:they have|they|the"
    r" doctors?|my doctor|the vet|doctors?|my gp) (?:found|say|says|said|think|told me"
    r"|confirmed)(?: that)?|you should know(?: that)?|i want you to know(?: that)?|it's"
    r" worth (?:noting|knowing|mentioning)(?: that)?|worth (?:noting|mentioning)(?: that)?"
    r"|i was told(?: (?:last|this) \w+| yesterday| today| recently)?(?: that)?(?= I (?:have"
    r"|am)\b)|(?:kindly|please) (?:note|be advised|be aware|bear in mind)(?: that)?|for"
    r" [\w ]{2,30}"
    r" purposes|(?:with \w+ )?i must (?:inform|tell) you(?: that)?|bro|dude|mate|man|fam"
    r"|ultimately|aye|because|since(?= (?:i|we|my) )|while|although|even though|seeing as|given"
    r" that|now"
    r" that|considering|basically|lately|apart from that|to be clear|in short|besides|funny"
    r" enough|the reason is(?: that)?|it's just(?: that)?|just|like|for now|first(?:ly| of"
    r" all| off)?|second(?:ly)?|final(?:ly)?|lastly|meanwhile|luckily|sadly|unfortunately"
    r"|fortunately|thankfully|hopefully)(?![\w'/-])[,.!:…]*)+\s*"
)
_TAIL = compiled(
    r"[,;]? (?:lol|haha|btw|by the way|you know|though|too much|i guess|i know|as well|or"
    r" something|and (?:stuff|so on|all that)|etc|or whatever|remember|right|don't judge"
    r"|finally|help|ugh|yay|sadly|unfortunately|luckily|thankfully|innit|eh|ok|okay"
    r"|actually|apparently|tbh|so yeah|so|sigh|woo+|yikes|oops|like mad|for some reason|as"
    r" always|as usual|wish me luck|watch me|please|pretty please|thanks|thank you|no lie"
    r"|fr|no cap|fam|bro|dude|man|mate)$"
)
_LAST = frozenset(
    """
    lol haha btw way know though much guess well something stuff on that etc whatever remember right
    judge finally help ugh yay sadly unfortunately luckily thankfully innit eh ok okay actually
    apparently tbh yeah so sigh yikes oops mad reason always usual luck me please thanks you lie fr
    cap fam bro dude man mate woo wooo
    """.split()  # noqa: SIM905 (to be read, not parsed)
)
"""The last words of such tails."""
_TAG = compiled(
    r",? (?:remember|right|you know|ok|okay|yeah|no|isn't it|huh|eh|innit|correct|see)\?+$"
)
_SUBJECT = (
    r"(?:i|we|my|our|mine|ours|he|she|it|they|you|your|his|her|its|their|this|that|these"
    r"|those|there|here|who|which|everyone|everybody|nobody|people|someone|me and)"
)
_PRONOUN = r"(?:i|we|he|she|it|they|you|this|that|these|there|me and|everyone|everybody)"
_FINITE = (
    r"(?:is|are|was|were|has|have|had|will|does|did|do|can|cannot|would|won't|\w{2,}ed"
    r"|lives?|works?|uses?|handles?|loves?|hates?|likes?|goes|go|plays?|teaches|runs?"
    r"|speaks?|needs?|eats?|drives?|makes?|wants?|starts?|moved|got|went|came|took|says?"
    r"|thinks?)"
)
_ASKING = (
    r"(?:what|why|how|where|when|who|which|whose|can|could|would|will|is|are|am|was|were|do"
    r"|does|did|should|shall|any|has|have you|have i|may i|got any|need|help|give|tell|show"
    r"|suggest|recommend|make|write|find|explain|please|pls|let|wish me|watch me|kill me"
    r"|ask|be gentle|forgive|think|thoughts|wondering|hoping you|looking for (?:some|a|any))"
)
_SPLIT = compiled(
    rf"\s*(?:;|\s[-–—]+\s|—|\.\.+|…|:(?=\s))\s*(?:(?:and|but|so) )?"
    rf"|,? (?:though|although|whereas|even though|because|yet)[ ,]+(?:then |now )?(?!not )"
    rf"|,? but[ ,]+(?=(?:{_SUBJECT}|{_ASKING}|the|now|then|for now|in the|at|also|when"
    r"|(?-i:[A-Z])[\w-]+(?:'s| is| has))(?:'s)?\b)"
    rf"|,? so (?=(?:{_SUBJECT}|{_ASKING}|no|now|the|all|stairs|every|don't|not)\b)"
    rf"|,? (?:and|or|while|which|who|whose|where) (?=(?:{_PRONOUN})(?:'s)? )"
    rf"|,? (?:and|while) (?=(?:my|our|the|his|her|their) [\w' -]{{1,40}}?(?: (?:{_FINITE})\b"
    r"|'s (?:going|gone|a|an|in|not|so|very|been)\b))"
    rf"|,? (?:and|or) (?=(?:{_ASKING}) (?:you|me|i|we|the|it|my|some|if|is|are|to)\b)"
    rf"|,\s*(?:and |or |so |then )*(?=(?:{_SUBJECT}|{_ASKING})(?:'s)?\b(?!/))"
    rf"|,\s*(?=[\w -]{{1,40}} \x01)|,\s*(?=[\w' ]{{1,60}}? (?:me|us|I)\b)"
    r"|,\s*(?=[\w' ]{1,40} (?:is|are|was|were|am|has|had|will|gets?|drives?|makes?|does"
    r"|have|shocks?|says?|tells?|allows?|cannot|can|do) )"
    r"|,\s*(?=(?:been|have been|have done|had|switched|started|stopped|moved|bought|sold"
    r"|hoping|favourite|living|working|studying|trying|currently|self|cycling|don't|doesn't"
    r"|born|got|fluent|native|allergic|originally|now|used)\b)"
    rf"| (?=(?:his|her|its|their) name(?:'s| is)\b)"
    r"|(?<! live)(?<! work) and (?:now )?(?=(?:work|live|moved|started|joined|study|teach)"
    r" (?:at|for|in|as|to)\b)"
    r"| (?=anyway,? |do not (?:forget|ask|judge|worry|@)|my (?:stomach|doctor|body|brain"
    r"|mum|mom) (?:says|hates|cannot))"
)
_QUESTION = compiled(
    r"^(?:and |but |so |or |like |also |ok |then |again )*(?:what|why|how|where|when|which"
    r"|whose|who|can|could|would|will|is|are|am|was|were|does|do (?:you|i|we|they|people)"
    r"|did|should|shall|any|has|have (?:you|i|we)|may i)\b(?!,)"
)
_MENTIONED = compiled(
    r"^(?:did I (?:mention|say|tell you)|have I (?:mentioned|told you))(?: that)? (?:I|my"
    r"|we|our)\b"
)
_DISLOCATED = compiled(
    rf"^((?:my|our) (?:{KIN}|{PET})(?: (?-i:[A-Z])[\w-]+)?),? (?:he|she|they|it) (?=\w)"
)
_DISLOCATED_THING = compiled(r"^((?:my|our) [\w-]+(?: [\w-]+)?(?<!ed)),? it (?=(?:is|has|\w+s)\b)")
_IDENTIFIED = compiled(
    r"\b(?P<kin>(?:my|our) [\w-]+(?: [\w-]+)?), (?:that is|that's|who is|called|named)"
    r" (?P<name>(?-i:[A-Z])[\w-]+), ?"
)
_NAMED = compiled(
    rf"(?:^|(?<= ))(?P<name>(?-i:[A-Z])[\w-]+), (?:that is |that's |who is |which is )?"
    rf"(?P<kin>(?:my|our) (?:[\w-]+ )?(?:{KIN}|{PET}))(?:, |$)"
)
_APPOSITION = compiled(
    r"\b(?P<kin>(?:my|our|the) [\w-]+(?: [\w-]+){0,2}), (?P<name>(?-i:[A-Z])[\w-]+(?: and"
    r" (?-i:[A-Z])[\w-]+)?), (?=\w)"
)
_WISH = compiled(
    r"^what I (?:(?:really|truly|most|always|actually) )*(?P<verb>want|would (?:like|love)"
    r"|like|love|enjoy|hate|dislike|cannot stand)(?P<best> best| most| more than"
    r" anything)?(?:, [^,]{1,60},)? (?:is|are) (?P<rest>(?!that\b|how\b|the way\b|your?\b"
    r"|this\b|it\b))"
)
_LEADING = compiled(
    r"^((?:as an?|as the|in|on|at|every|each|most|for|since|after|before|by|during|over"
    r"|next|last|this|once|twice|until|tomorrow|yesterday|two|three|currently|nowadays"
    r"|these days|usually|normally|sometimes|\w+ times)\b(?: (?!I\b|we\b)[^ ,;]+){0,9}),"
    r" (?=(?:I|we)\b)"
)
_PAIR = compiled(
    r"((?:^|, |: )(?:(?:my|our) [\w-]+(?: (?-i:[A-Z])[\w-]+)?|(?-i:[A-Z])[\w-]+|me)) and"
    r" ((?:I|me)\b|(?<=me and )(?:my [\w-]+|\w+))"
)
_THING_APPOSITION = compiled(r"^((?:my|our) [\w-]+(?: [\w-]+)?), (an? [^,]{2,50}), (?=\w)")


_BREATH = 11
_RUN_ON = compiled(
    r"\b(?P<word>[\w']+) (?=(?:I am|I have|I need|I will|it is|he is|she is|he has|she has|he will"
    r"|can you|that is|we have|we are|I switched|I moved|I meant|I used to|my \w+ is)\b)"
)
_BOUND = frozenset(
    """
    that what where when if because since as and but so or than while how why who which think know
    though although until before after whenever guess hope feel like say said mean means all thing
    things the time way reason case sure glad happy sorry afraid believe suppose whether everything
    anything something now then first maybe today here there once day place one moment minute
    """.split()  # noqa: SIM905 (to be read, not parsed)
)


def _paused(found: re.Match[str]) -> str:
    """With a comma where someone who speaks starts anew: "… to the truck I'm calling from …"."""
    return found[0] if found["word"].lower() in _BOUND else f"{found['word']}, "


_ROLE = compiled(
    r"^as (an? (?!(?:result|rule|kid|child|side|matter|bonus|gift|way|whole|reminder|backup"
    r"|start)\b)"
    r"[\w' -]{3,50}), (?:I|we|my)\b"
)
_RELATIVE = compiled(
    rf"\b(?P<who>(?:my|our) (?:[\w-]+ )?(?:{KIN}|{PET})(?: (?-i:[A-Z])[\w-]+)?),? (?:who|which)"
    r" (?P<what>(?:is|are|has|have|was|does|\w+s)(?: (?!is |are |was |will |and (?:I|we|how"
    r"|what))[^ ,?.;]+){1,9})"
)
"""What is said of someone beside the point: "my wife, who is from Porto,"."""


def _wished(found: re.Match[str]) -> str:
    return f"I {found['verb']} {found['rest']}"


def sentences(text: str) -> list[str]:
    return [found for part in _ENDS.split(text) if (found := part.strip())]


def clauses(sentence: str) -> Iterator[str]:
    """The clauses that state something, each without what opens or closes it in passing."""
    if sentence.endswith("?"):
        sentence = _TAG.sub("", sentence)
    yield from _beside(sentence)
    asked = sentence.endswith("?") and not _MENTIONED.match(sentence)
    sentence = _straight(_joined(trimmed(sentence)))
    if _QUESTION.search(sentence):
        return
    parts = [part.strip(" ,") for part in _SPLIT.split(sentence)]
    if asked:
        parts = parts[:-1]
    for part in parts:
        clause = trimmed(part.replace("\x01", "and"))
        if clause and not _QUESTION.search(clause):
            yield _once(clause)


def _beside(sentence: str) -> Iterator[str]:
    """What is told beside the point, even in a question: "as a nurse, …", "my son, who is two"."""
    if sentence[:3].lower() == "as " and (role := _ROLE.match(sentence)):
        yield f"I am {role[1]}"
    if " who " in sentence or " which " in sentence:
        yield from (f"{one['who']} {one['what']}" for one in _RELATIVE.finditer(sentence))


def _straight(sentence: str) -> str:
    """With commas only where clauses end."""
    if "," not in sentence and sentence.count(" ") > _BREATH:
        sentence = _RUN_ON.sub(_paused, sentence)
    if "," in sentence:
        sentence = _LEADING.sub(r"\1 ", sentence, count=1)
    if " and " in sentence:
        sentence = _PAIR.sub("\\1 \x01 \\2", sentence)
    return _WISH.sub(_wished, sentence) if sentence[:4].lower() == "what" else sentence


def trimmed(clause: str) -> str:
    opening = _OPENING.match(clause)
    clause = clause[opening.end() :] if opening else clause
    clause = clause.rstrip(' .!?,;:…-*"')
    while clause.rpartition(" ")[2].lower() in _LAST and (shorter := _TAIL.search(clause)):
        clause = clause[: shorter.start()].rstrip(" ,.!;")
    return clause.strip()


def _once(clause: str) -> str:
    """Without the pronoun that says again whom it is about: "my dog he is old"."""
    if clause[:3].lower() not in ("my ", "our"):
        return clause
    return _DISLOCATED_THING.sub(r"\1 ", _DISLOCATED.sub(r"\1 ", clause))


def is_question(sentence: str) -> bool:
    return bool(_QUESTION.search(sentence))


def _joined(sentence: str) -> str:
    """With names and explanations beside what they name: "my eldest, that's Ann," is one person."""
    if "," not in sentence:
        return _once(sentence)
    sentence = _IDENTIFIED.sub(r"\g<kin> \g<name> ", sentence)
    sentence = _NAMED.sub(r"\g<kin> \g<name> ", sentence)
    sentence = _THING_APPOSITION.sub(r"\1 is \2 and ", sentence)
    sentence = _APPOSITION.sub(r"\g<kin> \g<name> ", sentence)
    return _once(sentence)
