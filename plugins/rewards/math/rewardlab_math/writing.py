r"""Compare answers by their writing: equal TeX after removing differences that TeX ignores.

It decides before anything is computed, and alone for a right answer that cannot be read as mathematics.
"""

import re

from rewardlab_math.wording import without_text_groups

_SIZED = re.compile(r"\\(?:left|right|[Bb]igg?[lrm]?)(?![A-Za-z])\s*\.?")
_SAME = [
    (re.compile(r"\\[dtc]frac(?![A-Za-z])"), r"\\frac"),
    (re.compile(r"\\leq(?:slant)?(?![A-Za-z])"), r"\\le"),
    (re.compile(r"\\geq(?:slant)?(?![A-Za-z])"), r"\\ge"),
    (re.compile(r"\\neq(?![A-Za-z])"), r"\\ne"),
    (re.compile(r"\\var(?=(?:epsilon|phi|theta|rho|kappa)(?![A-Za-z]))"), r"\\"),
    (re.compile(r"([\^_])\s*\{\s*(\w)\s*\}"), r"\1\2"),
]
_LOOSE_SPACE = re.compile(r"(?<![A-Za-z0-9])\s+|\s+(?![A-Za-z0-9])")


def compact(text: str) -> str:
    r"""Return a plain answer (see `notation.plain`) without space that says nothing, sizes of brackets and fonts.

    `\left( \dfrac{1}{2}, x^{2} \right)` is `(\frac{1}{2},x^2)`. Two numbers, or words, remain apart.
    """
    text = without_text_groups(text)
    if "\\" in text or "{" in text:
        text = _SIZED.sub("", text)
        for pattern, same in _SAME:
            text = pattern.sub(same, text)
    return _LOOSE_SPACE.sub("", " ".join(text.split()))
