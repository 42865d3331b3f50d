"""Read what a plain answer (see `notation.plain`) says in words: "Answer: 42", `15th`, `twenty-four`."""

import re

from rewardlab_math.answer_leads import without_lead
from rewardlab_math.notation import plain
from rewardlab_math.nothing import as_empty_set
from rewardlab_math.number_words import in_digits

_ORDINAL = re.compile(
    r"(?<=\d)(?:(?:st|nd|rd|th)(?![A-Za-z])|\s*\\(?:text\w*|mathrm)\s*\{\s*(?:st|nd|rd|th)\s*\}"
    r"|\s*\^\s*(?:\{\s*)?(?:\\(?:text\w*|mathrm|rm)\s*\{\s*(?:st|nd|rd|th)\s*\}|(?:\\rm\s*)?(?:st|nd|rd|th)(?![A-Za-z]))(?:\s*\})?)"
)

_IMAGINARY_ROOT = re.compile(r"\\sqrt\s*\{\s*-\s*(\d{1,12})\s*\}")


def readable(text: str, language: str | None = None) -> str:
    """Return a plain answer without the words that lead to it, and with its number in digits."""
    bare = without_lead(text)
    if bare != text:
        text = plain(bare)
    if r"\sqrt" in text:
        text = _IMAGINARY_ROOT.sub(lambda root: "i" if root[1] == "1" else rf"i\sqrt{{{root[1]}}}", text)
    return in_digits(_ORDINAL.sub("", as_empty_set(text)), language)
