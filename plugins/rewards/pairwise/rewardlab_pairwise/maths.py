"""Extract the part of a text that is the same in every language: numbers, operators, LaTeX commands, boxes."""

import re
import unicodedata

_BOX = r"\\boxed\s*+\{[^{}]*\}"
_COMMAND = r"\\[A-Za-z]++"
_NUMBER = r"\d++(?:[.,]\d++)*+"
_HYPHEN = r"(?<![^\W\d_])-|-(?![^\W\d_])"  # a minus sign, not the hyphen of a word
_OPERATOR = r"[+*/=<>^%×÷·±≤≥≠√(){}\[\]]"
_RUN = re.compile(rf"(?:(?:{_BOX}|{_COMMAND}|{_NUMBER}|{_HYPHEN}|{_OPERATOR})\s*+)++")
_KEPT = re.compile(r"\d|\\boxed")


def maths(text: str) -> str:
    r"""Return the runs of mathematics in `text`, without white space, joined by ";".

    A run holds a digit or a box; words end it. Digits of every script become ASCII digits, full-width forms
    ordinary ones. "Also ist 3 + 4 = ৭. \boxed{7}" gives "3+4=7;\boxed{7}".
    """
    plain = unicodedata.normalize("NFKC", text).replace("−", "-")
    plain = re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit[0])), plain)
    runs = ("".join(run.split()) for run in _RUN.findall(plain))
    return ";".join(run for run in runs if _KEPT.search(run))
