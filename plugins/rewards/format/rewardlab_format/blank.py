"""Recognise LaTeX that prints nothing."""

import re

from rewardlab_answers import is_blank

_SPACES = (
    r"q?quad|en(?:space|skip)|(?:neg)?(?:thin|med|thick)space|(?:nobreak)?space|[hv]fill?|(?:math)?strut|null|relax"
    "|newline|linebreak|par|noindent|allowbreak"
)
_FONTS = (
    "text(?:rm|bf|it|sf|tt|sc|sl|up|md|normal|style)?|math(?:rm|bf|it|sf|tt|bb|cal|frak|scr|normal)|[mh]box|boldsymbol|bm"
    "|operatorname|ensuremath|(?:under|over)line|displaystyle|(?:script)+style|normal(?:font|size)|tiny|small"
    "|(?:footnote|script)size|[lL]arge|LARGE|[hH]uge|rm|bf|it|sf|tt|cal|em|f?box(?:ed)?"
)
_EMPTY = re.compile(rf"\\(?:{_SPACES}|{_FONTS})(?![A-Za-z])\*?|\\(?:left|right)\s*\.|\\[ ,;:!/>\\]|[{{}}$~]")
_BRACED = r"\s*\{(?:[^{}]|\{[^{}]*\}){0,200}\}"
_UNPRINTED = re.compile(rf"\\(?:[hv]?phantom|[hv]space|label|(?:text)?color|rule{_BRACED})\*?{_BRACED}")
"""commands whose text is not printed, with that text; of `\\textcolor` the color"""


def is_blank_latex(text: str) -> bool:
    r"""Return whether LaTeX prints nothing visible, such as `{}`, `\ `, `\quad`, `\phantom{4}`, `\text{ }` or `$ $`."""
    return is_blank(_EMPTY.sub("", _UNPRINTED.sub("", text)))
