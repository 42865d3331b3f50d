"""What degenerate completions are made of: sentences, words, guesses."""

import hashlib
import random
import re
import unicodedata
from collections.abc import Sequence
from typing import TypeVar

# a full stop ends a sentence before a space only (3.14); those of other scripts need none
_SENTENCE = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？।॥።])\s*|\n+")
_NO_PROSE = re.compile(r"\\[A-Za-z]+|</?\w+>")
_LETTER = re.compile(r"\(?([A-J])\)?\.?")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese: scripts that write no spaces."""
PIECE = 4
LONGEST_SHORT = 24
T = TypeVar("T")


def sentences(text: str) -> list[str]:
    """The sentences of a text, not blank; at least one where the text is not blank."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def halves(text: str) -> tuple[str, str]:
    """A text in two, between sentences where there are two or more."""
    parts = sentences(text)
    if len(parts) > 1:
        middle = len(parts) // 2
        return " ".join(parts[:middle]), " ".join(parts[middle:])
    return text[: len(text) // 2], text[len(text) // 2 :]


def words(text: str) -> list[str]:
    """The words of a text without punctuation; pieces of four characters where a script writes no spaces."""
    found: list[str] = []
    for token in _NO_PROSE.sub(" ", text).split():
        word = "".join(character for character in token if unicodedata.category(character)[0] in "LMN")
        found += _pieces(word) if _UNSPACED.search(word) else [word] if word else []
    return found


def _pieces(word: str) -> list[str]:
    """None begins with a mark that belongs to the letter before it."""
    pieces = [""]
    for character in word:
        if len(pieces[-1]) >= PIECE and unicodedata.category(character)[0] != "M":
            pieces.append("")
        pieces[-1] += character
    return pieces


def shuffled(pool: Sequence[str], length: int, seed: str) -> str:
    """Words drawn from `pool`, which is not empty, until they have `length` characters."""
    generator = generator_of(seed)
    drawn: list[str] = []
    size = 0
    while size < length or not drawn:
        drawn.append(pick(generator, pool))
        size += len(drawn[-1]) + 1
    return " ".join(drawn)


def repeated(text: str, length: int) -> str:
    """A text, which is not empty, with spaces between, as often as it takes to have `length` characters."""
    return " ".join([text] * max(1, -(-length // (len(text) + 1))))


def is_short(answer: str) -> bool:
    """Whether an answer is a number, a letter or a name, and no prose."""
    return 0 < len(answer) <= LONGEST_SHORT and len(sentences(answer)) == 1


def wrong_guess(answer: str, seed: str) -> str:
    """Another letter for a choice, else a number from 0 to 9 that the answer does not hold."""
    generator = generator_of(seed)
    if letter := _LETTER.fullmatch(answer):
        return pick(generator, [other for other in "ABCD" if other != letter[1]])
    return pick(generator, [digit for digit in "0123456789" if digit not in answer] or ["-1"])


def generator_of(seed: str) -> random.Random:
    """A generator that gives the same on every machine."""
    return random.Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()))


def pick(generator: random.Random, among: Sequence[T]) -> T:
    """One of these; from `random()`, the one method whose sequence Python promises to keep for a seed."""
    return among[int(generator.random() * len(among))]
