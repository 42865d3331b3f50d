"""The material of degenerate completions: sentences, words, guesses."""

import hashlib
import random
import re
import unicodedata
from collections.abc import Sequence
from typing import TypeVar

# a full stop ends a sentence before a space only (3.14); those of other scripts need none
_SENTENCE = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？।॥።])\s*|\n+")
_NO_PROSE = re.compile(r"\\[A-Za-z]+|</?\w+>")
LETTER = re.compile(r"(?:(?i:option|choice|answer)\s+|\\text\{)?\(?([A-J])\)?\.?\}?")
_LETTERED = re.compile(r"\(?([A-J])[).:]\s*\S")
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_YES = {"yes": "no", "true": "false", "correct": "incorrect", "valid": "invalid", "possible": "impossible"}
_RATIO = re.compile(r"(\d{1,9}) ?/ ?(\d{1,9})")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese: scripts that write no spaces."""
PIECE = 4
MAX_SHORT_LENGTH = 24
T = TypeVar("T")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, none of them blank; at least one if the text is not blank."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def halves(text: str) -> tuple[str, str]:
    """Split a text in two: between sentences if it has two or more, else in its middle."""
    parts = sentences(text)
    if len(parts) > 1:
        middle = len(parts) // 2
        return " ".join(parts[:middle]), " ".join(parts[middle:])
    return text[: len(text) // 2], text[len(text) // 2 :]


def words(text: str) -> list[str]:
    """Return the words of a text without punctuation; pieces of four characters if a script writes no spaces."""
    swapped: list[str] = []
    for token in _NO_PROSE.sub(" ", text).split():
        word = "".join(character for character in token if unicodedata.category(character)[0] in "LMN")
        swapped += _pieces(word) if _UNSPACED.search(word) else [word] if word else []
    return swapped


def _pieces(word: str) -> list[str]:
    """Cut a word into pieces, none of which begins with a mark that belongs to the letter before it."""
    pieces = [""]
    for character in word:
        if len(pieces[-1]) >= PIECE and unicodedata.category(character)[0] != "M":
            pieces.append("")
        pieces[-1] += character
    return pieces


def shuffled(pool: Sequence[str], length: int, seed: str) -> str:
    """Return words drawn from `pool`, which is not empty, that have `length` characters or a few more together."""
    generator = generator_of(seed)
    drawn: list[str] = []
    size = 0
    while size < length or not drawn:
        drawn.append(pick(generator, pool))
        size += len(drawn[-1]) + 1
    return " ".join(drawn)


def repeated(text: str, length: int) -> str:
    """Return a text, which is not empty, repeated with spaces between until it has `length` characters or more."""
    return " ".join([text] * max(1, -(-length // (len(text) + 1))))


def is_short(answer: str) -> bool:
    """Return whether an answer is a number, a letter or a name, and not prose."""
    return 0 < len(answer) <= MAX_SHORT_LENGTH and len(sentences(answer)) == 1


def wrong_guess(answer: str, seed: str) -> str:
    """Return another letter if the answer is a choice, no for yes, else a digit that the answer does not contain."""
    generator = generator_of(seed)
    if letter := LETTER.fullmatch(answer) or _LETTERED.match(answer):
        return pick(generator, [other for other in "ABCD" if other != letter[1]])
    if other := opposite(answer):
        return other
    right = [digit for digit, word in enumerate(DIGITS) if word in answer.casefold()]
    right += [int(over) // int(under) for over, under in _RATIO.findall(answer) if int(under)]
    return pick(
        generator, [digit for digit in "0123456789" if digit not in answer and int(digit) not in right] or ["-1"]
    )


def opposite(answer: str) -> str | None:
    """Return the other one of yes and no and their like, in the answer's capitals; None if it is neither."""
    both = _YES | {no: yes for yes, no in _YES.items()}
    other = both.get(answer.casefold())
    return other.capitalize() if other and answer[0].isupper() else other


def generator_of(seed: str) -> random.Random:
    """Return a generator that gives the same numbers on every machine."""
    return random.Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()))


def pick(generator: random.Random, among: Sequence[T]) -> T:
    """Draw one of `among`, with `random()`: the only method whose sequence for a seed Python promises to keep."""
    return among[int(generator.random() * len(among))]
