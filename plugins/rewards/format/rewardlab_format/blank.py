"""Recognise text that shows nothing."""

import re
import unicodedata

_EMPTY_LATEX = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|mbox|h?phantom|q?quad|[ ,;:!])|[{}$~]")
_UNSEEN = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))  # Unicode categories of spaces, control and format characters
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols by category, empty to the eye


def is_blank(text: str) -> bool:
    """Return whether a text holds only white space, marks of direction and joining, and other empty signs."""
    return all(character in _FILLERS or unicodedata.category(character) in _UNSEEN for character in text)


def is_blank_latex(text: str) -> bool:
    r"""Return whether LaTeX prints nothing visible, such as `{}`, `\ `, `\quad`, `\text{ }` or `$ $`."""
    return is_blank(_EMPTY_LATEX.sub("", text))
