r"""Refuse answers that would take a computer algebra system too long, from their text, before anything is computed.

`9^{9^{9^{9}}}` and `1000000!` are computed inside single calls that nothing can interrupt, so they must not start.
Answers that are merely slow are left to the limit in `deadline`.
"""

import re

from rewardlab_math.magnitude import digits

LONGEST = 1000
"""Characters of the longest answer that is judged as mathematics; the parser takes about 1 ms for each."""

DEEPEST = 20
"""Levels of groups inside groups; the parser's time grows steeply with them."""

LARGEST = 50_000
"""Decimal digits of the largest number that may be computed."""

HIGHEST = 5000
"""The highest power of anything but a plain number: `(x+1)^n` and `\\tan^n(x)` are expanded, and fill the memory."""

_FORMULA_POWER = re.compile(r"(?<![\d\s])\s*(?:\^|\*\*)\s*\{?\s*[-+]?(\d{4,})")
_TASK = re.compile(
    r"\\(?:i*int|oint|sum|prod|lim|limsup|liminf|partial|nabla|operatorname|det|[Gg]amma|norm)(?![A-Za-z])"
)


class RefusedFormula(Exception):
    """A formula that is not computed; the message says why."""


def check(text: str, *, gold: str = "") -> None:
    r"""Raise RefusedFormula for an answer that must not be given to the algebra system. Linear in the text.

    `\int`, `\sum`, `\lim` and the like are tasks, not answers: refused unless the gold answer has them too.
    """
    if len(text) > LONGEST:
        raise RefusedFormula(f"longer than {LONGEST} characters")
    tasks = set(_TASK.findall(text)) - set(_TASK.findall(gold))
    if tasks:
        raise RefusedFormula("not evaluated: " + " ".join(sorted(tasks)))
    if _depth(text) > DEEPEST:
        raise RefusedFormula(f"more than {DEEPEST} groups inside each other")
    if any(int(power) > HIGHEST for power in _FORMULA_POWER.findall(text)):
        raise RefusedFormula(f"a power of more than {HIGHEST}")
    check_size(text)


def check_size(text: str) -> None:
    """Raise RefusedFormula if a number in the text may have more than LARGEST digits. Linear in the text."""
    if digits(text) > LARGEST:
        raise RefusedFormula(f"a number of more than {LARGEST} digits")


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        if character in "{([":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "})]":
            depth = max(0, depth - 1)
    return deepest
