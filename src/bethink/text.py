"""The one analyser: text becomes terms, the same way when it is kept and when it is asked for.

English words are stemmed, other spaced scripts give their words as they are, and scripts that
write without spaces (and Korean, whose particles cling to the word) give every pair of
neighbouring characters, so that a two-character Chinese word is found inside a sentence.
Case, width and Latin, Greek and Cyrillic accents make no difference.

A term is stored as the CRC-32 of its spelling: no dictionary has to be kept or shared, and the
chance that a given word is confused with any of a user's 50,000 others is 1 in 86,000.
"""

import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, pairwise
from threading import local
from typing import TypeAlias
from zlib import crc32

import numpy as np
import numpy.typing as npt
import Stemmer

Hashes: TypeAlias = npt.NDArray[np.uint32]

TERM = np.dtype([("term", "<u4"), ("count", "u1")])
"""How packed terms lie in memory and on disk: five bytes each."""

# Python's \w leaves out vowel signs and other combining marks, which would cut Hindi, Tamil or
# vocalised Arabic words to pieces: these ranges put them back.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u09e2"
    "\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0ae2\u0ae3"
    "\u0b01-\u0b03\u0b3c-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c-\u0c56"
    "\u0c62\u0c63\u0c81-\u0c83\u0cbc-\u0cd6\u0ce2\u0ce3\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0d62"
    "\u0d63\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1"
    "\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86"
    "\u0f87\u0f8d-\u0fbc\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d"
    "\u1071-\u1074\u1082-\u108d\u109a-\u109d\u17b4-\u17d3\u3099\u309a"
)
# Longer ones are no words; in pieces they can still be found, and are cheap to keep in mind.
_WORD = re.compile(rf"(?:[^\W_]|[{_MARKS}]){{1,64}}(?:['’](?:[^\W_]|[{_MARKS}]){{1,64}}){{,2}}")
_ASCII_WORD = re.compile(r"[a-z0-9]{1,64}(?:'[a-z0-9]{1,64}){,2}")

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(
    rf"[{_HAN}\u3005\u3007\u3040-\u30ff\u31f0-\u31ff"  # Chinese, Japanese
    r"\uac00-\ud7a3"  # Korean
    r"\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff]+"  # Thai, Lao, Burmese, Khmer
)
_ONE_CHARACTER_WORDS = re.compile(rf"[{_HAN}]")

# Marks that vary without changing the word: accents of Latin, Greek and Cyrillic letters, Hebrew
# points, Arabic vowel marks and stretching, joiners, soft hyphens and other invisible characters.
_FOLDED = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670"
    "\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]"
)

STOP_WORDS = frozenset(
    """
    a about again all also am an and any are aren't as at be because been before being both but by
    came can can't cannot come could couldn't d did didn't do does doesn't doing don't done each
    else ever every for from further get gets getting go goes going gone got had hadn't has hasn't
    have haven't having he he'd he'll he's her here hers herself hey hi him himself his how how's
    however i i'd i'll i'm i've if in into is isn't it it's its itself just kind let let's like ll
    lot made make makes many may maybe me might mine more most much must my myself no nor not now
    of off oh ok okay on once one only or other our ours ourselves out over own please put re
    really s said same say says shall she she'd she'll she's should shouldn't so some something
    sort still such t take takes taken tell than that that's the their theirs them themselves then
    there there's these they they'd they'll they're they've thing things this those through to too
    took under until up upon us use used uses using very was wasn't we we'd we'll we're we've well
    went were weren't what what's whatever when when's where where's whether which while who who's
    whom whose why why's will with within without won't would wouldn't yeah yes yet you you'd
    you'll you're you've your yours yourself yourselves
    """.split()  # noqa: SIM905 (to be read, not parsed)
)

_threads = local()


def _stem(word: str) -> str:
    """The English stem of an ASCII word; anything else as it is."""
    if not word.isascii():
        return word
    if not hasattr(_threads, "stemmer"):  # one cannot be shared between threads
        _threads.stemmer = Stemmer.Stemmer("english")
    stem: str = _threads.stemmer.stemWord(word)
    return stem


@lru_cache(maxsize=100_000)
def _hash(word: str) -> int:
    """A word's term as it is stored. People use few words, so it is mostly known already."""
    return crc32(_stem(word).encode())


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFKC", _FOLDED.sub("", decomposed)).replace("’", "'")


def _pieces(word: str) -> Iterator[str]:
    """A word's terms where it holds characters of a script without spaces."""
    end = 0
    for run in _UNSPACED.finditer(word):
        if word[end : run.start()]:
            yield word[end : run.start()]
        end = run.end()
        letters = run.group()
        yield from map("".join, pairwise(letters))
        yield from _ONE_CHARACTER_WORDS.findall(letters) if len(letters) > 1 else letters
    if word[end:]:
        yield word[end:]


def words(text: str) -> list[str]:
    """The words of a text in order, folded but not stemmed."""
    folded = _fold(text)
    if folded.isascii():  # the same, three times as fast
        return _ASCII_WORD.findall(folded)
    return [piece for word in _WORD.findall(folded) for piece in _pieces(word)]


def terms(text: str) -> list[str]:
    """Every term of a text, repeated as often as it occurs."""
    return [_stem(word) for word in words(text)]


def query_terms(text: str) -> list[str]:
    """The distinct terms to look for: stop words count only where there is nothing else."""
    found = words(text)
    kept = [word for word in found if word not in STOP_WORDS] or found
    return list(dict.fromkeys(_stem(word) for word in kept))


def hashed(found: Iterable[str]) -> Hashes:
    """Terms as they are stored."""
    return np.array([crc32(term.encode()) for term in found], dtype=np.uint32)


def pack(text: str) -> bytes:
    """A text's terms and how often each occurs, sorted: what a store keeps beside a record."""
    found = sorted(map(_hash, words(text)))
    counts: dict[int, int] = Counter(found)  # in the order of the first of each
    if len(found) > 255:
        counts = {term: min(count, 255) for term, count in counts.items()}
    return struct.pack("<" + "IB" * len(counts), *chain.from_iterable(counts.items()))
