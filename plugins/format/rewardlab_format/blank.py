"""Text in which there is nothing to see."""

import re
import unicodedata

_EMPTY_LATEX = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|mbox|h?phantom|q?quad|[ ,;:!])|[{}$~]")
_UNSEEN = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols by category, empty to the eye


def is_blank(text: str) -> bool:
    """Whether a text holds only white space, marks of direction and joining, and other empty signs."""
    return all(character in _FILLERS or unicodedata.category(character) in _UNSEEN for character in text)


def is_blank_latex(text: str) -> bool:
    r"""Whether LaTeX prints nothing visible: `{}`, `\ `, `\quad`, `\text{ }`, `$ $`."""
    return is_blank(_EMPTY_LATEX.sub("", text))
