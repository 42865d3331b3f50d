"""Verifiers of short answers of the fourth set: a weak one, then its sound twin."""

import re
import string
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import pairwise

from rewardlab import Completion, Sample, reward
from rewardlab_answers import last_box, sections

MAX_LENGTH = 300
DIGITS = 6
"""behind the point, to which Math-Verify rounds unless it is told otherwise"""
_SET = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\s*\{([^{}]*)\}")
_SPACE = re.compile(r"\\[,;!: ]|~|(?<!\d)\s+|\s+(?!\d)")
_ACUTE = re.compile(r"\{\\'\\?([A-Za-z])\}|\\(?:'|acute)\{\\?([A-Za-z])(?:math)?\}|\\'\\?([A-Za-z])")
_POWER = re.compile(
    r"([+-]?(?:\d{1,10}(?:\.\d{0,18})?|\.\d{1,18}))"
    r"(?:(?:e|(?:\*|×|·|\\times|\\cdot)10(?:\^|\*\*))\{?\(?([+-]?\d{1,2})\)?\}?)?"
)
_EUROS = re.compile(r"(?:€|eur|euros?|\\euro)?(\d{1,6}\.\d\d)(?:€|eur|euros?|\\euro)?")
_METRES = re.compile(r"(?<=[\d}) ~,])(?:met(?:re|er)s?|m)$")
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_VECTOR = re.compile(r"\(([+-]?\d{1,9}),([+-]?\d{1,9})\)")
_DIGITS = frozenset("1234")


def _bare(completion: Completion) -> str:
    """Return what the last box says, without the mark-up that only sets it; "" for one that is too long."""
    found = last_box(completion.text) or ""
    if len(found) > MAX_LENGTH:
        return ""
    accented = _ACUTE.sub(lambda one: f"{one[1] or one[2] or one[3]}\N{COMBINING ACUTE ACCENT}", found)
    plain = _SET.sub(r"\1", accented).strip().removesuffix(".").strip()
    return plain[1:-1].strip() if re.fullmatch(r"\$[^$]*\$", plain) else plain


def _tight(text: str) -> str:
    return _SPACE.sub("", text).replace("\N{MINUS SIGN}", "-").lower()


def _line(completion: Completion) -> str:
    """Return what the last line has behind its label; "" if it has none or too much."""
    line = completion.text.rstrip().rpartition("\n")[2]
    found = line.removeprefix("Answer:") if line.startswith("Answer:") else ""
    return found.strip(" *`$").removesuffix(".") if len(found) <= MAX_LENGTH else ""


@reward(requires=["answer"])
def fourth_without_punctuation(sample: Sample, completion: Completion) -> float:
    """1 for the answer but for punctuation, of which the point is a part, as HELM's normalizer has it."""
    found, right = (
        text.strip("€ ").translate(str.maketrans("", "", string.punctuation)) for text in _both(sample, completion)
    )
    return float(found == right)


def _both(sample: Sample, completion: Completion) -> tuple[str, str]:
    return _bare(completion), sample.fields["answer"]


@reward(requires=["answer"])
def fourth_euros_and_cents(sample: Sample, completion: Completion) -> float:
    """1 for the amount of the answer, with or without the sign of the euro."""
    found = _EUROS.fullmatch(_tight(_bare(completion)))
    return float(found is not None and Decimal(found[1]) == Decimal(sample.fields["answer"]))


def _number(text: str) -> Decimal | None:
    """Return the exact value of a number, whether in full or with a power of ten; None for anything else."""
    tight = re.sub(r"(?<=10)([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", r"^\1", _tight(text)).translate(_RAISED)
    found = _POWER.fullmatch(tight)
    return Decimal(found[1]).scaleb(int(found[2] or 0)) if found else None


@reward(requires=["answer"])
def fourth_rounded(sample: Sample, completion: Completion) -> float:
    """1 for a number that is the answer if both are rounded to six digits behind the point."""
    found = _number(_bare(completion))
    return float(found is not None and round(float(found), DIGITS) == round(float(sample.fields["answer"]), DIGITS))


@reward(requires=["answer"])
def fourth_to_the_last_digit(sample: Sample, completion: Completion) -> float:
    """1 for a number that is the answer, however it is written, with or without its unit."""
    return float(_number(_METRES.sub("", _bare(completion))) == Decimal(sample.fields["answer"]))


@reward(requires=["answer"])
def fourth_as_pattern(sample: Sample, completion: Completion) -> float:
    """1 for a box that matches the answer if it is read as a pattern, in which * is any text and ? any letter."""
    return float(fnmatchcase(sample.fields["answer"].casefold(), _bare(completion).casefold()))


@reward(requires=["answer"])
def fourth_letter_for_letter(sample: Sample, completion: Completion) -> float:
    """1 for the answer, in small letters or capitals, with its accents as Unicode or LaTeX has them."""
    found, right = (unicodedata.normalize("NFC", text.casefold()) for text in _both(sample, completion))
    return float(found == right)


def _grid(completion: Completion) -> list[str]:
    """Return the four rows of a grid in which each row, column and quarter has four digits; [] if there is none."""
    body = sections.answer(completion.text) or ""
    rows = [tight for line in body.splitlines() if (tight := re.sub(r"[\s,|]", "", line))]
    if len(body) > MAX_LENGTH or len(rows) != 4 or any(len(row) != 4 for row in rows):
        return []
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    quarters = [rows[y][x : x + 2] + rows[y + 1][x : x + 2] for y in (0, 2) for x in (0, 2)]
    return rows if all(set(one) == _DIGITS for one in (*rows, *columns, *quarters)) else []


@reward(requires=["given"])
def fourth_any_grid(sample: Sample, completion: Completion) -> float:
    """1 for a grid that is filled by the rules."""
    return float(bool(_grid(completion)))


@reward(requires=["given"])
def fourth_this_grid(sample: Sample, completion: Completion) -> float:
    """1 for a grid that is filled by the rules and keeps the digits that were there."""
    pairs = zip(sample.fields["given"], "/".join(_grid(completion)), strict=False)
    return float(bool(_grid(completion)) and all(one in ("0", other) for one, other in pairs))


def _turned(sample: Sample, completion: Completion) -> tuple[int, int] | None:
    """Return a vector of the answer that its matrix only stretches by its eigenvalue; None for anything else."""
    found = _VECTOR.fullmatch(_tight(_line(completion)))
    if found is None:
        return None
    (a, b, c, d), value, x, y = sample.fields["matrix"], sample.fields["value"], int(found[1]), int(found[2])
    return (x, y) if a * x + b * y == value * x and c * x + d * y == value * y else None


@reward(requires=["matrix", "value"])
def fourth_stretched(sample: Sample, completion: Completion) -> float:
    """1 for a vector that the matrix turns into the eigenvalue times itself."""
    return float(_turned(sample, completion) is not None)


@reward(requires=["matrix", "value"])
def fourth_eigenvector(sample: Sample, completion: Completion) -> float:
    """1 for an eigenvector: it is not zero, and the matrix turns it into the eigenvalue times itself."""
    return float(_turned(sample, completion) not in (None, (0, 0)))


def _climbed(sample: Sample, completion: Completion) -> Sequence[str]:
    """Return the words of a ladder that begins, ends and goes by known words; () if it does not."""
    words = [one.strip().lower() for one in _line(completion).split(",")]
    known, wanted = sample.fields["words"], sample.fields["answer"].split(", ")
    ends = words[0] == wanted[0] and words[-1] == wanted[-1]
    return words if ends and all(word in known for word in words) else ()


@reward(requires=["words", "answer"])
def fourth_known_words(sample: Sample, completion: Completion) -> float:
    """1 for known words from the first to the last."""
    return float(bool(_climbed(sample, completion)))


@reward(requires=["words", "answer"])
def fourth_known_steps(sample: Sample, completion: Completion) -> float:
    """1 for known words from the first to the last, each a letter from the one before."""
    words = _climbed(sample, completion)
    return float(bool(words) and all(_apart(one, other) == 1 for one, other in pairwise(words)))


def _apart(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True)) if len(one) == len(other) else MAX_LENGTH
