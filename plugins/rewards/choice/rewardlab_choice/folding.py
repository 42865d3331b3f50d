"""Fold a text to what it says: one width, one case, ASCII digits, no fonts of LaTeX and no emphasis of Markdown."""

import re
import unicodedata

CIRCLED = "".join(chr(0xE000 + number) for number in range(1, 21))
"""what the circled numbers 1 to 20 become: as plain digits they would be numbers, and they are labels"""
STOPS = ".:,;)]。、।۔።፣"
QUOTES = "\"'“”‘’«»「」『』"

_FONT = re.compile(
    r"\\(?:(?:text|math)(?:bf|it|rm|sf|tt|normal|up)?|boldsymbol|mbox|emph|underline|uline|ensuremath"
    r"|textcolor\s?\{[^{}]{0,30}\})\s*+\{([^{}]*+)\}"
)
_LAYOUT = re.compile(
    r"\\(?:bf|rm|it|sf|tt|sl|bfseries|itshape|displaystyle|textstyle|tiny|scriptsize|footnotesize|small|normalsize|large|Large"
    r"|LARGE|huge|Huge|left|right|color\s?\{[^{}]{0,30}\})(?![A-Za-z])\s{0,3}"
)
_SPACING = re.compile(r"\\[,;:! ()]|(?<=\S)~(?=\S)")
_ONE_IN_BRACES = re.compile(r"\{([^{}\\])\}")
_BOLD = re.compile(r"(?<![^\W_])(?:\*\*|__)|(?:\*\*|__)(?![^\W_])")  # 2**3 is not 23
_SPACE = re.compile(r"\s+")
_DIGIT = re.compile(r"[^\D0-9]")
_INVISIBLE = "\u00ad\u0640\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
MAX_FONTS = 3
"""fonts within fonts that are taken off"""


def _table() -> dict[int, str | None]:
    table: dict[int, str | None] = {ord(mark): None for mark in _INVISIBLE}
    for first, count in ((0x2460, 20), (0x2776, 10), (0x2780, 10), (0x278A, 10), (0x24F5, 10)):
        table |= {first + number: CIRCLED[number] for number in range(count)}
    table |= {0x2474 + number: f"({CIRCLED[number]})" for number in range(20)}
    for first in (0x1F130, 0x1F150, 0x1F170):  # squared and dark letters, which Unicode does not decompose
        table |= {first + number: chr(ord("A") + number) for number in range(26)}
    for code in (*range(0xBC, 0xBF), *range(0x2150, 0x215F)):
        top, _, bottom = unicodedata.normalize("NFKC", chr(code)).partition("\u2044")
        table[code] = f" {top}/{bottom}"  # with a space: 3½ is not 31/2
    return table


_TABLE = _table()


def folded(text: str) -> str:
    """Return a text in one width, with ASCII digits, without invisible marks. Case and LaTeX stay."""
    if text.isascii():
        return text
    wide = unicodedata.normalize("NFKC", text.translate(_TABLE))
    return _DIGIT.sub(lambda digit: str(unicodedata.digit(digit[0])), wide)


def unfonted(text: str) -> str:
    r"""Return a text without fonts and spacing of LaTeX: `\textbf{(B) }\frac{1}{2}` is `(B) \frac{1}{2}`."""
    text = _LAYOUT.sub("", text) if "\\" in text else text
    for _ in range(MAX_FONTS):
        text = _FONT.sub(r"\1", text)
    return _SPACING.sub(" ", text)


def plain(text: str) -> str:
    """Return the form that two writings of one text share. Braces that group more than one character stay."""
    text = _BOLD.sub("", unfonted(folded(text))).replace("$", "")
    text = unquoted(text.strip(" \t\n*_`"))
    text = _ONE_IN_BRACES.sub(r"\1", text).casefold()
    while len(text) > 1 and text[0] == "{" and text.find("}") == len(text) - 1:
        text = text[1:-1]
    return _SPACE.sub("" if "\\" in text else " ", text).strip()


def unquoted(text: str) -> str:
    """Return a text without the quotation marks around it. A lone one stays: B' is another set than B."""
    while len(text) > 2 and text[0] in QUOTES and text[-1] in QUOTES:
        text = text[1:-1].strip()
    return text
