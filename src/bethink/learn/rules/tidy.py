"""A message as prose: without code, quotations and ornaments, its short forms written out."""

import re

from bethink.learn.rules.third import VERBS
from bethink.learn.rules.words import compiled

MOST = 20_000
"""Characters of a message that are read."""
CUT = "\ufffc"
"""Stands where something was quoted; what it is in is not the user's own statement."""

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CODE_LINE = re.compile(
    r"^\s*(?:>|def |class |import |from \w+ import|const |let \w+ ?=|var |function\b|return\b"
    r"|SELECT\b|INSERT\b|UPDATE \w+ SET|#include|<[a-zA-Z/!]|\$ |at \w+\.|print\(|if \(|for"
    r" \(|\{|\}"
    r"|[\w.]+\(.{0,200}\);?$|\w+ ?= ?[\[{(\"'])"
    r"|[;{}]\s*$|=>|\w\(\)"
)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "\u00a0": " "})
_QUOTED = re.compile(
    r'"([^"\n]{1,600})"|(?<![\w\'])\'(?=\S)((?:[^\'\n]|\'(?=\w)){1,600}?)\'(?!\w)|`[^`\n]*`'
)
_FIRST = compiled(r"\b(?:i|i'm|i've|i'd|my|me|we|our|mine|he|she|his|her|you|your)\b")
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2b00-\u2bff\u2764\ufe0f\u200d\u20e3\u2022]+"
    r"|(?<!\w)(?:[:;=][-']?[)(DPpO/|\\3]|<3|xD|XD|\^\^)(?!\w)"
)
_NAMED_ASIDE = re.compile(r" \((?:called |named |that's )?([A-Z][a-z]+)[^()\n]{0,60}\)")
"""Whom the words before it are about: "the cat (Biscuit, 14)"."""
_ASIDE = re.compile(r" ?\([^()\n]{0,200}\)| ?\[[^\[\]\n]{0,300}\]")
_NOISE = compiled(
    r"(?<![\w'])(?:l+o+l+|lmao+|lmfao|rofl|(?:ha){2,}h?|hehe+|tbh|ngl|fyi|btw|by the way"
    r"|imo|imho|smh"
    r"|rn|at the mo|atm|uh|um+|uhm|er+m?|hm+|i swear|you know,|you see,|i mean,|so to speak"
    r"|(?:pls|plz|please)(?=[ ,]*$)|if that (?:matters|helps)|in case (?:it matters|you're"
    r"|you are|that)\b[^,.;]*"
    r"|as (?:you know|i said|i mentioned)|to be honest|to be fair|not gonna lie|in fact"
    r"|needless to say"
    r"|if i'm honest|just so you know|for (?:what it's worth|context|reference)|fwiw|of course"
    r"|believe it or not|obviously|frankly|honestly|literally|basically|essentially|long"
    r" story short"
    r"|as it happens|if you can believe it|bless (?:her|him|them)|incidentally|funnily enough"
    r"|like i said|mind you|by the by|tho)(?![\w'])[,:]?"
)
_SHORT = {
    "im": "I am", "i": "I", "ive": "I have", "i'm": "I am", "i've": "I have", "i'll": "I will",
    "dont": "do not", "don't": "do not", "cant": "cannot", "can't": "cannot", "wont": "will not",
    "won't": "will not", "didnt": "did not", "didn't": "did not", "doesnt": "does not",
    "doesn't": "does not", "isnt": "is not", "isn't": "is not", "aren't": "are not",
    "arent": "are not", "wasn't": "was not", "wasnt": "was not", "weren't": "were not",
    "haven't": "have not", "havent": "have not", "hasn't": "has not", "hadn't": "had not",
    "wouldn't": "would not", "wouldnt": "would not", "couldn't": "could not",
    "shouldn't": "should not", "ain't": "am not", "u": "you", "ur": "your", "r": "are",
    "you're": "you are", "you've": "you have", "you'll": "you will", "we're": "we are",
    "we've": "we have", "we'll": "we will", "they're": "they are", "they've": "they have",
    "they'll": "they will", "he'll": "he will", "she'll": "she will", "it'll": "it will",
    "that's": "that is", "thats": "that is", "there's": "there is", "w/": "with",
    "gonna": "going to", "wanna": "want to", "gotta": "have to", "fav": "favourite",
    "fave": "favourite", "gf": "girlfriend", "bf": "boyfriend", "bday": "birthday",
    "b-day": "birthday", "tmrw": "tomorrow", "tmr": "tomorrow", "tmw": "tomorrow",
    "yrs": "years", "yr": "year", "bc": "because", "cos": "because", "cuz": "because",
    "coz": "because", "'cause": "because", "n": "and", "&": "and", "pls": "please",
    "plz": "please", "whats": "what's", "let's": "let us", "lets": "let us", "til": "till",
    "'til": "till", "thx": "thanks", "ppl": "people", "abt": "about", "wk": "week",
    "whos": "who's", "youre": "you are", "theyre": "they are", "apt": "apartment",
    "mins": "minutes", "hrs": "hours", "4ever": "forever", "2nite": "tonight", "y'all": "you",
    "tryna": "trying to", "yday": "yesterday", "hes": "he is", "shes": "she is", "mines": "mine is",
    "em": "them", "'em": "them", "shall": "will", "prob": "probably", "obvs": "obviously",
    "i'd": "I would", "we'd": "we would", "id": "id",
}  # fmt: skip
_WORD = re.compile(r"(?<![\w'/.@-])(?:w/(?= )|&(?= )|'?[A-Za-z](?:[\w'-]*\w)?)(?![\w@]|\.\w)")
_HAD = compiled(r"\b(I|we) would (?=(?:been|had|gone|\w+ed|seen|done|taken|known)\b)")
_IS = compiled(r"\b(he|she|it|who|what|where|here|everyone|everybody|nobody)'s\b")
_HAS = compiled(
    r"\b(he|she|it) is (?=(?:(?:just|also|already|always|never|now|only) )*(?:got|been|had"
    r"|gone|started|moved|become)\b)"
)
_SAID_OVER = compiled(
    r"\b(I|we) do (?:so |really |rather )*(?=(?:love|like|enjoy|hate|prefer|want)\b)"
)
_BESIDE = compiled(
    r"(?: myself)?, (?:these days|however|naturally|as ever|in truth|though|I must say),"
)
_BY_NAME = compiled(r"\b(?:by|with|of) the name(?: of)? (?=[A-Z])")
_SPACES = re.compile(r"[ \t\r\f\v]+")
_EMPTY = re.compile(r" +([,.;:!?])")
_REPEATED = compiled(r"\b(\w+), \1\b")
_PAUSE = compiled(r"\b(is|am|are|and|my|the),(?= )")


def tidied(text: str) -> str:
    """The prose of a message, a line for each of its lines."""
    text = text[:MOST].translate(_QUOTES)
    text = _FENCED.sub(f"\n{CUT}\n", text) if "```" in text else text
    text = "\n".join(CUT if _CODE_LINE.search(line) else line for line in text.splitlines())
    text = _QUOTED.sub(_quoted, text)
    text = _EMOJI.sub(" \n", text)
    text = _ASIDE.sub("", _NAMED_ASIDE.sub(r", \1,", text) if "(" in text else text)
    return _SPACES.sub(" ", text).strip()


def spelt(sentence: str) -> str:
    """A sentence with its short forms written out and without fillers."""
    sentence = _NOISE.sub("", sentence)
    sentence = _WORD.sub(_written, sentence)
    if " would " in sentence:
        sentence = _HAD.sub(r"\1 had ", sentence)
    if " do " in sentence:
        sentence = _SAID_OVER.sub(r"\1 ", sentence)
    if " the name" in sentence:
        sentence = _BY_NAME.sub("called ", sentence)
    if "'s" in sentence:
        sentence = _HAS.sub(r"\1 has ", _IS.sub(r"\1 is", sentence))
    sentence = _EMPTY.sub(r"\1", _SPACES.sub(" ", sentence))
    if "," in sentence:
        sentence = _BESIDE.sub("", sentence)
        sentence = _REPEATED.sub(r"\1", _PAUSE.sub(r"\1", sentence))
    return sentence.strip(" ,;:")


def _quoted(match: re.Match[str]) -> str:
    inside = match[1] or match[2] or ""
    words = inside.count(" ") + 1
    if words > 8 or not inside or (words > 1 and _FIRST.search(inside)):
        return CUT
    return inside


def _ending(word: str) -> str:
    """With the endings that are dropped in speech: "livin", "bday's"."""
    if word.endswith("'s") and (known := _SHORT.get(word[:-2].lower())):
        return f"{known}'s"
    stem = word[:-2].lower()
    spoken = word.endswith("in") and (stem in VERBS or f"{stem}e" in VERBS)
    return f"{word}g" if spoken else word


def _written(match: re.Match[str]) -> str:
    word = match[0]
    if word == "US":  # a country
        return word
    known = _SHORT.get(word.lower())
    if known is None:
        return _ending(word) if word.endswith(("in", "'s")) else word
    return known[0].upper() + known[1:] if word[0].isupper() and len(word) > 1 else known
