"""What makes something that was said not count: play, irony, hearsay, texts to work on."""

from collections.abc import Iterator

from bethink.learn.rules.gates import may_play, words
from bethink.learn.rules.irony import is_ironic
from bethink.learn.rules.tidy import CUT
from bethink.learn.rules.words import compiled

_PRIVATE = compiled(
    r"\b(?:do not|don'?t|never|please no) (?:ever )?(?:store|save|remember|record|keep|log"
    r"|memori[sz]e"
    r"|write down|note) (?:any of )?(?:this|that|it|these)(?! (?:from|in mind))\b|\boff the"
    r" record\b"
    r"|\bnot for the record\b|\bkeep (?:this|it) between (?:us|you and me)\b"
    r"|\bjust between (?:us|you and me)\b|\b(?:no need to|you needn't|you don't (?:have|need) to)"
    r" (?:remember|save|store|note) (?:this|that|it)\b"
)
_JOKE = compiled(
    r"(?:^|[\s.,!?])(?:/s|jk|j/k|just kidding|only joking|just joking|i'?m kidding|i kid|kidding!"
    r"|only kidding|not really lol|psych!|sarcasm)(?!\w)"
    r"|(?-i:[.,!?] ?NOT)[.! ]*$|[\U0001f644\U0001f612]|(?:love|adore|enjoy|favou?rite).*\U0001f643"
)
_FICTION = compiled(
    r"\b(?:role-?play(?:ing)?|let(?:'?s| us) (?:pretend|say|imagine|assume|suppose|play)"
    r"|pretend(?:ing)?\b"
    r"|for the sake of argument|hypothetically|hypothetical|in character\b|in this scenario"
    r"|imagine (?:this|that|you|i|we|a|if)\b|suppose (?:that )?(?:i|we|my|you)\b"
    r"|assum(?:e|ing) (?:that )?(?:i|we|my|you)\b|picture this|once upon a time|for a story"
    r"|write (?:me )?an? (?:[\w-]+ )?(?:story|poem|song|scene|script|dialogue)"
    r"|act as\b|you are (?:now )?(?:a|an|my) \w+ (?:and|who)|in my (?:story|novel|book|game"
    r"|dream|campaign)\b,?"
    r"|(?:my|the|this) (?:character|protagonist|narrator|persona|main character)(?:'s)?"
    r" (?:is|name|has)|as an example|fictional|made-up|a joke\b.{0,10}:|thought experiment)"
)
_BACK = compiled(
    r"^(?:anyway|but (?:for now|really|actually|in reality|seriously)|back to reality|in"
    r" reality|in real life|seriously|irl|ok(?:ay)? (?:but|so) )\b"
)
_TEXT = compiled(
    r"^(?:\W*(?:please|pls|can you|could you|would you|kindly|now|ok|okay|hi|hey|hello|help"
    r" me(?: to)?)[, ]+)*"
    r"(?:translate|proofread|proof-read|summari[sz]e|paraphrase|rewrite|rephrase|reword"
    r"|edit|fix|correct"
    r"|check|improve|polish|shorten|review|analy[sz]e|continue|complete|critique|grade"
    r"|convert|extract|classify"
    r"|explain|format|tidy up|clean up|turn this|make this)\b[^:\n]{0,120}:"
    r"|\b(?:here(?:'s| is| are)|below is|following is) (?:the|my|a|an|some|what) [^.:\n]{0,40}"
    r"\b(?:transcript|email|e-mail|draft|text|essay|letter|story|bio|post|message|article"
    r"|excerpt|passage"
    r"|paragraph|review|dialogue|conversation|chat|script|poem|song|lyrics|cv|resume"
    r"|statement|abstract|intro|speech|prompt|note|scene|profile|caption|log)s?\b"
    r"|\bfirst line:|\b(?:how about|what about) this\b[^:\n]{0,40}:|\bthe (?:following|text"
    r"|passage|email|post|paragraph) (?:below|above|text|passage|email|post"
    r"|paragraph)\b[^\n]{0,40}:"
)
_LABEL = compiled(r"^[A-Z][\w.]*(?: [\w.]+){0,2}: ?(?:i|i'm|i've|my|we)\b")
_LEAD = compiled(
    r"^(?:correction|note|make a note|take a note|remember|reminder|fyi|ps|p\.s|update|edit"
    r"|btw|sorry|typo|oops|wrong|quick note|heads up|fun fact|important"
    r"|ok|okay|context|background|info|about me|for context|save this|for (?:the"
    r" )?(?:record|future)|keep|bear|the plan|plan|news|good news|bad news|small|one"
    r"|mistake|just|please|confession|problem|thing|disclaimer|well|also|so|yes|no|actually"
    r"|true story|question|my)\b"
)
_IRONIC = compiled(
    r"^(?:oh |well |wow,? |and |ah,? )*(?:naturally,|yeah,? right|sure,? (?:and|because)|as"
    r" if\b|like"
    r" I (?:own|have|can|could|would|care|need)|oh,? (?:great|good|joy|yeah|sure|goody"
    r"|fantastic|brilliant|lovely|perfect|wonderful)\b"
    r"|because (?:obviously|clearly|of course)|great,? (?:another|just)|just (?:great"
    r"|perfect|what I needed)|yes,? yes,?|wow,? (?:great|thanks|so|another)|of course,? I"
    r"|(?:yes|yeah|right|sure),? because|wow,? I (?:just )?(?:love|adore)|lucky me"
    r"|how (?:lovely|wonderful|delightful)|thrilled, just)"
    r"|^(?:yeah|yes|oh|great|wow|sure|fantastic|perfect|lovely)[,.!]* I (?:just|totally)"
    r" (?:love|adore|enjoy)\b"
    r"|\b(?-i:(?:LOVE|ADORE|SO MUCH FUN|THRILLED|FAVOU?RITE)\b)"
    r"|\b(?:living the dream|could not be happier|highlight of my|what could possibly go"
    r" wrong|said no one ever|must be a genius|just my luck|oh joy|as you do|at this point"
    r"|might as well be|may as well be|world expert|(?:queen|king|pope|emperor|ruler"
    r"|president|master|god) of\b|millionaire|billionaire|my other car|apparently|supposedly"
    r"|practically|all the time in the world|absolute favou?rite thing|nothing (?:I love"
    r"|better|says)|who needs|so that's fun|what a treat|what a joy|clearly I|obviously I|I"
    r" live for this|totally my|can hardly contain|be still my"
    r"|literally (?:dying|dead|a (?:genius|god|saint)))\b"
    r"|^my favou?rite[.!]?$"
)
_HEARSAY = compiled(
    r"\b(?:according to|they say|people say|it says|sign that says|the song|the lyrics"
    r"|quote|unquote|as \w+ (?:put|said|wrote)|as (?:my|the) \w+ (?:used to say"
    r"|always said|says|said|would say)|the film|in the (?:film|movie|book|show"
    r"|novel|song|game|episode)|this (?:show|film|movie|book|article|guy|woman|person)|he"
    r" goes|she goes|they go|he's like|she's like|he was like|she was like|was like|told me"
    r"|says here|read that|character)\b"
)
_UNREAL = compiled(
    r"^(?:(?:and|but|so|like|ok|okay|well|hmm|or|then|honestly|now) )*(?:if|suppose"
    r"|supposing|imagine|assume|assuming|pretend|say,? (?:I|we|my)\b|what if|unless|had"
    r" (?:I|we)|were (?:I|we)|should (?:I|we)\b|in (?:another|a different|a past|my next|a"
    r" previous) life|in an ideal world|in a perfect world|in theory|theoretically|if only"
    r"|I wish|wish|as though|whether|even if|maybe|perhaps|probably|possibly|would|might|I"
    r" (?:guess|suppose|bet|doubt|wonder|dreamed|dreamt|dream that|imagine|pretend|thought"
    r"|was thinking|was hoping|was wondering|was told|told you|think|assume|feel like|feel"
    r" as)\b)"
)
_PERHAPS = compiled(
    r"\b(?:would have|could have|should have|might have|may have|might|may(?= \w+ (?:be"
    r"|have|go|get|need))|could(?! (?:eat|drink|listen to|watch|live on) )|should|ought to"
    r"|perhaps|maybe|probably|as if|as though|what"
    r" if|would be|would end up|I'd be|wish I)\b"
)
_TOLD = compiled(
    r"^(?:(?:my|the|our|a|some|this|that|an|one|his|her|their) [\w' -]{1,40}? |\w+ |(?:he"
    r"|she|they|everyone|people) )(?:says?|said|tells?|told|thinks?|thought|asks?|asked"
    r"|claims?|claimed|reckons?|keeps? (?:saying|telling|asking)|always says|insists?"
    r"|swears?|wrote|texted|posted|tweeted|announced|whispers?|goes|mentioned|suggests?"
    r"|suggested|wonders?|believes?|recommended|recommends|wants me|wanted me|called me"
    r"|calls me(?: (?:every|all|when|to)))\b"
)


def is_private(text: str) -> bool:
    """Whether the user asks not to keep what is said."""
    return bool(_PRIVATE.search(text))


def is_joke(text: str) -> bool:
    return bool(_JOKE.search(text))


def earnest(sentences: list[str]) -> Iterator[str]:
    """The sentences that are the user's own and meant as they are said; the others as nothing.

    Make-believe goes on until someone says that it is over; what follows "translate:" is no
    statement either. Something is given for every sentence, so that their order is kept.
    """
    playing = False
    if not any(may_play(words(sentence)) for sentence in sentences):
        yield from sentences
        return
    for place, sentence in enumerate(sentences):
        if _TEXT.search(sentence):
            yield from [""] * (len(sentences) - place)
            return
        playing = (playing or bool(_FICTION.search(sentence))) and not _BACK.search(sentence)
        yield "" if playing else sentence


def is_doubtful(sentence: str) -> bool:
    """Whether a sentence is ironic, hearsay, or a line of someone else."""
    labelled = _LABEL.search(sentence) and not _LEAD.search(sentence)
    ironic = _IRONIC.search(sentence) or is_ironic(sentence)
    return bool(labelled or ironic or _HEARSAY.search(sentence))


def is_unreal(clause: str) -> bool:
    """Whether a clause tells what might be, or what someone else says."""
    return CUT in clause or bool(
        _UNREAL.match(clause) or _TOLD.match(clause) or _PERHAPS.search(clause)
    )
