"""Wrong answers made of right ones, where a benchmark has only those: another option, label, number or order."""

import random
import re

LABEL = re.compile(r"\(([A-Z])\)")
OPPOSITES = (("true", "false"), ("yes", "no"), ("valid", "invalid"))
CLOSING = {"(": ")", "<": ">", "[": "]", "{": "}"}


def corrupted(right: str, question: str, name: str) -> str:
    """Return a wrong answer of the same kind, drawn by the row's name: the same in every run.

    Another option of the question; the other of two words, such as no for yes; another number; closing brackets
    with one left out, two swapped or one added; words with two of them swapped. A ValueError where it is of no such
    kind.
    """
    draw, text = random.Random(f"corrupted:{name}"), right.strip()
    if LABEL.fullmatch(text):
        return _other_option(text, question, draw)
    if (word := _opposite(text)) is not None:
        return word
    if re.fullmatch(r"[-+]?\d+", text):
        return str(int(text) + draw.choice((-1, 1)) * draw.randint(1, max(1, abs(int(text)) // 2)))
    symbols = text.split()
    if symbols and all(symbol in CLOSING.values() for symbol in symbols):
        return " ".join(_other_brackets(symbols, question, draw))
    if len(set(symbols)) > 1:
        return " ".join(_swapped(symbols, draw))
    raise ValueError(f"no wrong answer can be made of {text[:80]!r}; give one in a column")


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
    different = [(i, j) for i in range(len(words)) for j in range(i) if words[i] != words[j]]
    i, j = draw.choice(different)
    swapped = [*words]
    swapped[i], swapped[j] = swapped[j], swapped[i]
    return swapped
