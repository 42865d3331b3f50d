r"""Give bound names of an answer the names of the right one: `f(z)=z` is `f(x)=x`, and `n\pi` is `k\pi`.

Bound are the argument of a function that is defined, a whole number that counts periods (`2k\pi`, `360^\circ n`), and a
parameter that an answer introduces ("for some integer t"). Any other name means what the question called so.
"""

import re
from collections.abc import Set

_LETTER = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_DEFINED = re.compile(r"(?<![A-Za-z\\])[A-Za-z]\s*\(\s*([A-Za-z])\s*\)\s*(?==|,|\)\s*=)")
_PERIOD = r"(?:\\pi(?![A-Za-z])|(?:180|360)(?:\s*\^\s*\{?\s*\\circ\s*\}?)?)"
_JOINT = r"\s*(?:\\cdot|\\times|\*)?\s*"
_COUNTED = re.compile(
    rf"([klmnjp])(?={_JOINT}{_PERIOD})|(?<=i){_JOINT}([klmnjp])(?![A-Za-z])|(?:180|360)(?:\s*\^\s*\{{?\s*\\circ\s*\}}?)?{_JOINT}([klmnjp])(?![A-Za-z])"
)
_USUAL_VARIABLES = frozenset("xyz")
_ARGUMENTS = frozenset("xyztuvwns")
_CONSTANTS = frozenset("ei")


def renamed(gold: str, answer: str, parameters: Set[str]) -> str:
    """Return an answer with the bound names of the gold one, if each of both has one that the other lacks.

    Args:
        parameters: names that the answer, or the gold one, introduces as such.
    """
    arguments, others = (set(_DEFINED.findall(text)) for text in (gold, answer))
    if len(arguments) == len(others) == 1 and arguments != others:
        (name,), (other,) = arguments, others
        is_taken = name in _letters(answer) or not (_is_argument(gold, name) and _is_argument(answer, other))
        return answer if is_taken else _with_name(answer, other, name)
    names, others = _letters(gold) - _letters(answer), _letters(answer) - _letters(gold)
    if len(names) != 1 or len(others) != 1:
        return answer
    (name,), (other,) = names, others
    is_bound = _counts_periods(gold, name) and _counts_periods(answer, other)
    if is_bound or ({name, other} & parameters) - _USUAL_VARIABLES:
        return _with_name(answer, other, name)
    return answer


def _is_argument(text: str, name: str) -> bool:
    """Return whether a definition holds for every value of a name: P(A) = 0.3 is said of A alone."""
    defined = [match[1] for match in _DEFINED.finditer(text)]
    return name in _ARGUMENTS or len([letter for letter in _LETTER.findall(text) if letter == name]) > len(defined)


def _letters(text: str) -> set[str]:
    r"""Return the letters of a text but that before its only "=", which names the whole: `x = k\pi`."""
    name, _, rest = text.partition("=")
    return set(_LETTER.findall(rest if re.fullmatch(r"\s*\\?[A-Za-z]+\s*", name) else text)) - _CONSTANTS


def _counts_periods(text: str, name: str) -> bool:
    """Return whether a name only stands beside periods."""
    counted = sum(name in match.groups() for match in _COUNTED.finditer(text))
    return 0 < counted == sum(letter == name for letter in _LETTER.findall(text))


def _with_name(text: str, name: str, other: str) -> str:
    return _LETTER.sub(lambda letter: other if letter.group() == name else letter.group(), text)
