r"""Compare sequences, whose order is what they say: `4 1 3 2`, `A C B`, `IV`, `HT`, `A-C-B`, `3-1-2`, `H2O`.

To algebra they are products, sums and differences. What tells them from an expression is the right answer:

- letters alone, of which one is a capital, or at least three, in a row or with spaces (unspaced ones are words anyway);
- letters and digits alone, where a digit follows a capital, as no product is written;
- at least three single capitals, or numbers, with nothing but dashes between them;
- numbers with nothing but spaces between them, which are written as a tuple.

An answer of the same form is right in the same order. Any other is compared by algebra: `xy` and `2ab` are products,
and so is `R \cdot T`, also for the right answer `RT`. `TR` is not right for it, lest `VI` be for `IV`.
"""

import re

from rewardlab_math.wording import without_text_groups

_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?(?: \d+(?:\.\d+)?)+")
_LETTERS = re.compile(r"[A-Za-z](?:(?:, ?| )?[A-Za-z])+")
_CODE = re.compile(r"[A-Za-z\d]*[A-Z]\d[A-Za-z\d]*")
_ALPHANUMERIC = re.compile(r"[A-Za-z\d]+")
_DASHED = re.compile(r"(?:[A-Z]|\d+)(?: ?- ?(?:[A-Z]|\d+)){2,}")
_FIGURE = re.compile(r"\\(?:angle|triangle|square)(?![A-Za-z])\s*")


def as_tuple(text: str) -> str:
    """Return numbers with spaces between them as a tuple; anything else as it is."""
    return f"({', '.join(text.split())})" if _NUMBERS.fullmatch(text) else text


def same_order(gold: str, answer: str) -> bool | None:
    """Return whether an answer is the sequence that a right answer is, both plain; None if either is none."""
    gold, answer = _bare(gold), _bare(answer)
    figure, other_figure = _FIGURE.match(gold), _FIGURE.match(answer)
    if figure and other_figure:
        gold, answer = gold[figure.end() :], answer[other_figure.end() :]
    for form, answer_form in ((_LETTERS, _LETTERS), (_CODE, _ALPHANUMERIC), (_DASHED, _DASHED)):
        if form.fullmatch(gold) and answer_form.fullmatch(answer):
            signs, other = _signs(gold), _signs(answer)
            is_angle = figure is not None and other == signs[::-1]
            return None if form is _LETTERS and _is_product(gold) else signs == other or is_angle
    return None


def _is_product(letters: str) -> bool:
    return "," in letters or (letters.islower() and len(_signs(letters)) == 2)


def _signs(text: str) -> list[str]:
    """Return the letters and digits of a text, in small letters."""
    return [sign for sign in text.lower() if sign.isalnum()]


def _bare(text: str) -> str:
    return " ".join(without_text_groups(text).replace("{", "").replace("}", "").split())
