"""What the user asks to be remembered, to be forgotten, and always to be done."""

import re

from bethink.learn.rules.words import LANGUAGE, compiled

_PLEASE = (
    r"(?:please|pls|can you|could you|would you|will you|kindly|also|and|so|ok|okay|hey|now"
    r"|just|I would like you to|I want you to|I need you to|I'd like you to|you can|you"
    r" should|you may|thanks|btw|oh|do(?= remember)|would you be (?:so kind|good enough)(?:"
    r" as)? to"
    r"|I would be (?:most |very |so )?grateful if(?:,? (?:in future|from now on),)? you"
    r" (?:would|could)|for me)[, ]+"
)
_ABOUT = (
    r"(?:what (?:I|you) (?:told|said|know|have|stored|saved|remember|mentioned|shared)(?:"
    r" to)?(?: you)?(?: about)? ?|everything|anything|all|that|the fact that|the (?:bit"
    r"|part|thing|stuff|info|information|details)|of|you (?:know|have|stored|saved"
    r"|remember)|I (?:ever )?(?:told|said|mentioned)(?: to)?(?: you)?|about|on|regarding|my"
    r" data on|any (?:mention|record|memory) of)"
)
_FORGET = compiled(
    rf"^(?:{_PLEASE})*(?:I do not want you (?:holding on to|keeping|remembering|storing"
    rf"|knowing)|forget|stop remembering|do not remember|un-?remember)(?: {_ABOUT})*"
    r" (?P<what>\S.*)"
)
_DELETE = compiled(
    rf"^(?:{_PLEASE})*(?:delete|erase|wipe|remove|scrub|drop|clear|purge)(?: {_ABOUT})*"
    r" (?P<what>\S.*)"
)
_STORED = compiled(
    r"\b(?:from|in|off|out of) (?:your |the )?(?:memory|memories|records?|notes|system"
    r"|files?|history|database)\b|\byou (?:know|have|stored|saved|remember)\b|\babout me\b"
    r"|\b(?:told|said to) you\b"
)
_FROM = compiled(
    r",? (?:from|in|off|out of) (?:your |the )?(?:memory|memories|records?|notes|system"
    r"|files?|history|database)\b.*| please$|,? (?:ok|okay|thanks|thank you)$"
)
_NOTHING = compiled(
    r"^(?:it|that|this|about it|about that|the whole thing|I said (?:anything|that|it)"
    r"|everything else|to \w+|what I (?:just )?said|the last|the previous|the first|the"
    r" second|the (?:title|logo|header|line|comma)|formalities|them)\b[.!]*$|^(?:to|how|if"
    r"|why|which|when) "
)

_REMEMBER = compiled(
    rf"^(?:{_PLEASE})*(?:(?:(?:do not|never) forget|remember) (?:that(?! time)|this:?)"
    r"|(?:do not|never) forget(?! (?:to|about|the|that|this)\b)|remember for me(?: that)?"
    r"|remember(?!,| (?:that"
    r"|this|when|how|the|to|if|what|who|why|where|me"
    r"|us|you|it|them|him|her)\b)|(?:please )?(?:make|take) a (?:mental )?note(?: of this|"
    r" that)?|note(?: down)?(?: that)?|keep in mind(?: that)?|bear in mind(?: that)?|save"
    r" (?:this|the following)(?: for later)?|store (?:this|that)|write (?:this )?down(?:"
    r" that)?|jot down(?: that)?|for (?:future reference|the record|your (?:records"
    r"|information|memory))|remind yourself(?: that)?|add to your (?:memory|notes)(?:"
    r" that)?|you should (?:know|remember)(?: that)?|put this in your (?:memory"
    r"|notes))[:,]? (?P<what>\S.*)"
)
_STANDING = compiled(
    r"\b(?:always|from now on|from here on|from today|in (?:the )?future|going forward"
    r"|going forwards|never|ever|ever again|every time|each time|at all times|by default|in"
    r" (?:all|every) (?:your )?(?:answers?|replies|responses|messages?|conversations?)|any"
    r" time|whenever)\b"
)
_ORDER = compiled(
    rf"^(?:{_PLEASE}|(?:from (?:now|here|today) on|in (?:the )?future|going forwards?|as a"
    r" rule|by default|always|never|(?:do not|never) ever|(?:when|whenever|every time|each"
    r" time|if) (?:I|you|we) [^,]{2,60},|for (?:all )?future (?:answers|replies"
    r"|reference)),? )*(?:always |never |do not (?:ever )?|only |stop |avoid |no longer"
    r" )?(?P<verb>answer|reply|respond|write|speak|talk|use|call|address|give|keep|suggest"
    r"|recommend|explain|assume|show|include|add|format|convert|be|refer|send|tell|put"
    r"|quote|cite|ask|remind|stick|start|end|skip|leave|mention|translate|sign|treat|make"
    r"|round|spell|spoil|drop|cut|stick|correct|ping|remember|bin|lose|switch|calling|using"
    r"|suggesting|adding|asking|giving|saying|telling"
    r"|recommending|apologi[sz]ing|ending|starting|writing|default|check|prefer|begin|avoid"
    r"|wrap|say|provide|respect|offer|interrupt|text|message|contact|book|order|print"
    r"|return|repeat|apologi[sz]e|list|summari[sz]e|shorten|schedule)\b"
)
_ASKED = compiled(r"^(?:can|could|would|will) you\b")
_MEANT = compiled(
    r"^(?:so )?when(?:ever)? I (?:say|write|mention|talk about) .+ I (?:always )?mean "
)
_WANTED = compiled(
    r"^(?:going forward|from now on|in future),? (?:please |kindly )|^please,? always (?:you"
    r" )?\w+|^I would be (?:most |very |so )?grateful if .*\b(?:future|always)\b|"
    r"^I would (?:rather|prefer it if) you\b|^no [\w ]+ (?:please,? )?ever$|^you can stop"
    r" \w+ing\b|"
    rf"^(?:{_PLEASE})*(?:no|only|british|american|metric|plain|short|bullet|formal|less|more) .*"
    r"\b(?:all (?:my|your|the)|every|from now on|going forward|always)\b|^I (?:would (?:like"
    r"|prefer)"
    r"|want|need|prefer) (?:all|your|every) .*\b(?:replies|answers|responses|messages|emails)\b"
    rf"|^(?:{_PLEASE})*(?:do not|never) (?:ping|call|message|text|remind|schedule|contact|wake"
    rf"|email)"
    r" (?:me\b|anything\b)|\b(?:metric|imperial) units\b|\bevery time correct\b"
)
_ONCE = compiled(
    r"\b(?:this (?:one|time|reply|answer|once)|just this|only this|for now|today only|below"
    r"|above|this (?:text|email|code|paragraph|list|story|essay|sentence|question|function"
    r"|file|table|message|letter|image))\b"
)
_STYLE = compiled(
    rf"^(?:{_PLEASE})*(?:(?:keep|make) (?:your|the|all) (?:answers?|replies|responses"
    r"|messages|explanations|emails)|stop (?:calling|using|adding|saying|apologi[sz]ing"
    r"|asking|giving|suggesting|starting|ending)|do not (?:call me|use (?:emojis?|emoticons"
    r"|bullet|slang|jargon|markdown|em dashes|exclamation))|no (?:emojis?|bullet points?"
    r"|markdown|jargon|slang|small talk)(?: please)?$|give me (?:the )?(?:times|dates"
    r"|temperatures|prices|distances|measurements|units|weights|recipes) in|(?:speak|talk"
    r"|write|reply|answer) (?:to )?(?:me )?in (?:simple|plain)|call me|address me|refer to"
    r" me|I (?:would )?prefer (?:it if |that )?(?:you|your))\b"
)
_NAME_CALL = compiled(
    r"^(?:.*\b(?:you may|you can|please|just|pls|from now on|always|and|but)[, ]+)?(?:call"
    r"|address|refer to) me (?:as |by )?(?P<name>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?"
    r" )?(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*|[a-z]+)(?=$|[,.!;]| (?:please|from|not"
    r"|instead|and|nobody|everyone))"
)
_EVERYONE = compiled(
    r"^(?!(?:who|why|what|if|when)\b).*?\b(?:calls?|called|knows?) me (?:as )?"
    r"(?P<name>(?-i:[A-Z])[\w'-]+)"
)
_IN_LANGUAGE = compiled(
    r"\b(?:answer|reply|respond|write|speak|talk|text|message)\b.{0,30}\bin"
    rf" (?P<language>{LANGUAGE})\b"
)
_YOU = (
    (compiled(r"\byou(?= (?:are|were|have))\b"), "the assistant"),
    (compiled(r"\byours?\b"), "its"),
    (compiled(r"\byou\b"), "it"),
)


def forgotten(sentence: str) -> str | None:
    """What is to be forgotten, in the user's words."""
    found = _FORGET.match(sentence)
    if not found and _STORED.search(sentence):
        found = _DELETE.match(sentence)
    if not found:
        return None
    what = _FROM.sub("", found["what"].rstrip(" .!?")).strip(" .!,")
    return None if not what or _NOTHING.match(what) else what


def remembered(sentence: str) -> str | None:
    """What the user asks to remember."""
    found = _REMEMBER.match(sentence)
    return found["what"].strip() if found else None


def called(clause: str) -> str | None:
    """By which name the user wants to be called."""
    found = _EVERYONE.search(clause) or _NAME_CALL.match(clause)
    if not found or found["name"].lower() in (
        "back",
        "later",
        "when",
        "if",
        "crazy",
        "a",
        "an",
        "that",
        "out",
        "tomorrow",
        "bro",
        "dear",
        "at",
        "on",
        "today",
        "anything",
        "whatever",
    ):
        return None
    return found["name"]


def ordered(sentence: str) -> str | None:
    """What is to be done from now on, whenever it comes up."""
    if _ONCE.search(sentence) or (sentence.endswith("?") and not _ASKED.match(sentence)):
        return None
    sentence = sentence.rstrip(" ?")
    if _MEANT.match(sentence):
        return sentence
    if (
        _STYLE.match(sentence)
        or _WANTED.search(sentence)
        or (_STANDING.search(sentence) and _ORDER.match(sentence))
    ):
        wish = re.sub(rf"^(?:{_PLEASE})+", "", sentence, flags=re.IGNORECASE).rstrip(" .!")
        if re.match(
            r"(?:\w+ing\b|never (?:say|give up|stop|look back|let)\b|never mind"
            r"|always (?:a|the|been|fun|nice|good)|never (?:a|been|had|the))\b",
            wish,
            re.IGNORECASE,
        ):
            return None
        for pattern, word in _YOU:
            wish = pattern.sub(word, wish)
        return wish
    return None


def language(clause: str) -> str | None:
    """The language in which the user wants to be answered."""
    found = _IN_LANGUAGE.search(clause)
    return found["language"] if found else None


_NOUN = compiled(r"my (?P<what>(?:(?!is\b|are\b)[\w-]+ ?){1,4}?)[?.! ]*")
_NO_STATEMENT = compiled(r"^(?:to|about|the time|not to|it|this)\b|\byours?\b|\byou\b")
_FINITE = compiled(
    r"\b(?:is|are|was|were|am|has|have|had|will|can|cannot|do|does|lives?|works?"
    r"|takes?|likes?|loves?"
    r"|hates?|needs?|prefers?|eats?|drinks?|starts?|ends?|goes|comes?|gets?|always"
    r"|never|uses?|moved"
    r"|bought|changed|go|expires?|speaks?|drives?|plays?|keeps?|wants?)\b|'s\b"
)


def named(what: str) -> str | None:
    """The thing whose value is still to come: "my locker code"."""
    found = _NOUN.fullmatch(what)
    return found["what"].strip() if found else None


def is_statement(what: str) -> bool:
    """Whether what is to be remembered says something, and not to whom it is said."""
    return bool(_FINITE.search(what)) and not _NO_STATEMENT.search(what)
