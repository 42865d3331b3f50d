"""Characters that nobody sees: a text may hold nothing else, and a score may have some around it."""

import re
import unicodedata

_UNSEEN = ("Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Mn", "Mc", "Me")
"""Unicode's categories of spaces, of control and format characters, and of marks, which need a letter to stand on"""
_FILLERS = frozenset("\u115f\u1160\u2065\u2800\u3164\uffa0")
"""letters, symbols and what is not assigned by category; empty to the eye"""
_IGNORED = ((0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF))
"""ranges that Unicode sets apart for characters without a picture, assigned or not"""

_FORMAT = re.compile(
    "[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001"
    "\U000e0020-\U000e007f]+"
)
"""the category Cf"""


def is_blank(text: str) -> bool:
    """Return whether a text shows nothing: white space, marks of direction and joining, and other empty signs."""
    return all(map(_is_unseen, text))


def without_format_marks(text: str) -> str:
    """Return a text without marks of direction, joining and the like, which right-to-left text has around a number."""
    return text if text.isascii() else _FORMAT.sub("", text)


def _is_unseen(sign: str) -> bool:
    in_range = any(first <= ord(sign) <= last for first, last in _IGNORED)
    return in_range or sign in _FILLERS or unicodedata.category(sign) in _UNSEEN
