"""Vectors and scores that depend on nothing but the text."""

import base64
import hashlib
import math
import struct
from collections.abc import Iterable, Sequence

from bethink.testing.providers.faults import Fault
from bethink.testing.providers.replies import words


def vectors(texts: Sequence[str], dimension: int, fault: Fault | None) -> list[list[float]]:
    """One vector for each text, or what the fault makes of them."""
    if fault is Fault.WRONG_DIMENSION:
        dimension += 1
    made = [vector(text, dimension) for text in texts]
    if fault is Fault.WRONG_COUNT:
        made = made[:-1]
    if fault is Fault.NOT_NORMALISED:
        made = [[3 * number for number in numbers] for numbers in made]
    return made


def vector(text: str, dimension: int) -> list[float]:
    """The text's vector, of length one: near those of texts that share words with it."""
    numbers = [0.01] * dimension  # so that no sum of the hashes is a vector of zeros
    for term in (*words(text), f" {text}"):
        digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=32).digest()
        for at in range(0, 32, 4):
            place = int.from_bytes(digest[at : at + 3], "big") % dimension
            numbers[place] += 1 if digest[at + 3] % 2 else -1
    length = math.hypot(*numbers)
    return list(_unpacked(_packed(number / length for number in numbers)))


def in_base64(numbers: Sequence[float]) -> str:
    """A vector as providers send it in base64: 32-bit floats, the lowest byte first."""
    return base64.b64encode(_packed(numbers)).decode()


def _packed(numbers: Iterable[float]) -> bytes:
    return b"".join(struct.pack("<f", number) for number in numbers)


def _unpacked(packed: bytes) -> Sequence[float]:
    return struct.unpack(f"<{len(packed) // 4}f", packed)


def ranked(query: str, documents: Sequence[str], most: int | None) -> list[tuple[int, float]]:
    """Positions of the documents and their scores, the best first."""
    scores = [(at, overlap(query, document)) for at, document in enumerate(documents)]
    return sorted(scores, key=lambda pair: -pair[1])[:most]


def overlap(query: str, document: str) -> float:
    """How many of the query's words a document has, from 0 to 1."""
    wanted = set(words(query))
    return len(wanted & set(words(document))) / len(wanted) if wanted else 0.0
