"""Wrong answers made of right ones without a model: another option, label, number or order.

Source: R3 (Anugraha et al. 2025), appendix H.
"""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Self

LABEL = re.compile(r"\(([A-Z])\)")
OPTION = re.compile(r"^\([A-Z]\) (.+)$", re.M)
MAX_DRAWS = 1000
NUMBER = re.compile(r"[-+]?\d{1,15}")
OPPOSITES = (("true", "false"), ("yes", "no"), ("valid", "invalid"))
CLOSING = {"(": ")", "<": ">", "[": "]", "{": "}"}


@dataclass(frozen=True)
class NumberLabels:
    """The numbers among the right answers of a task: their mean, their standard deviation, and the least one."""

    mean: float
    deviation: float
    least: int

    @classmethod
    def among(cls, answers: Iterable[str]) -> Self | None:
        """Return those of these right answers; None if there are none."""
        numbers = [int(text) for answer in answers if NUMBER.fullmatch(text := answer.strip())]
        return cls(fmean(numbers), pstdev(numbers), min(numbers)) if numbers else None


def corrupted(right: str, question: str, name: str, numbers: NumberLabels | None = None) -> str:
    """Return a wrong answer of the same kind, drawn by the row's name: the same in every run.

    Another option of the question, as a label or as its text; the other of two words, such as no for yes; another
    number, of the normal distribution of its task's; closing brackets with one left out, two swapped or one added;
    words that the question has with two of them swapped. Raises ValueError if the answer is of no such kind.
    """
    draw, text = random.Random(f"corrupted:{name}"), right.strip()
    if LABEL.fullmatch(text):
        return _other_option(text, question, draw)
    if (word := _opposite(text)) is not None:
        return word
    if numbers is not None and NUMBER.fullmatch(text):
        return str(_other_number(int(text), numbers, draw))
    symbols = text.split()
    if symbols and all(symbol in CLOSING.values() for symbol in symbols):
        return " ".join(_other_brackets(symbols, question, draw))
    if others := [option for option in map(str.strip, OPTION.findall(question)) if option != text]:
        return draw.choice(others)
    if len(set(symbols)) > 1 and set(symbols) <= set(question.split()):
        return " ".join(_swapped(symbols, draw))
    raise ValueError(f"no wrong answer can be made of {text[:80]!r}")


def _other_option(text: str, question: str, draw: random.Random) -> str:
    options = sorted({f"({letter})" for letter in LABEL.findall(question)} - {text})
    if not options:
        raise ValueError(f"the question has no option besides {text!r}")
    return draw.choice(options)


def _opposite(text: str) -> str | None:
    for pair in OPPOSITES:
        if text.lower() in pair:
            other = pair[1 - pair.index(text.lower())]
            return other.capitalize() if text[:1].isupper() else other
    return None


def _other_number(right: int, numbers: NumberLabels, draw: random.Random) -> int:
    """Return a number as the task's right answers are distributed; none below 0 if none of them is."""
    for _ in range(MAX_DRAWS):
        wrong = round(draw.gauss(numbers.mean, numbers.deviation))
        if wrong != right and (wrong >= 0 or numbers.least < 0):
            return wrong
    raise ValueError(f"the numbers of its task lie too near to {right} to draw another one")


def _other_brackets(symbols: list[str], question: str, draw: random.Random) -> list[str]:
    how = draw.choice(("leave out", "swap", "add"))
    if how == "leave out" and len(symbols) > 1:
        place = draw.randrange(len(symbols))
        return symbols[:place] + symbols[place + 1 :]
    if how != "add" and len(set(symbols)) > 1:
        return _swapped(symbols, draw)
    known = [closing for opening, closing in CLOSING.items() if opening in question] or symbols
    place = draw.randint(0, len(symbols))
    return [*symbols[:place], draw.choice(known), *symbols[place:]]


def _swapped(words: list[str], draw: random.Random) -> list[str]:
    """Return the words with two different ones exchanged."""
    i = draw.randrange(len(words))
    j = draw.choice([place for place, word in enumerate(words) if word != words[i]])
    swapped = [*words]
    swapped[i], swapped[j] = swapped[j], swapped[i]
    return swapped
