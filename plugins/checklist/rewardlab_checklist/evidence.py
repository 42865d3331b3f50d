"""Whether what a critique quotes stands in the work."""

import re
import unicodedata
from typing import Any

MOST = 50
"""quotations of one dimension that are looked up"""
_MARKS = str.maketrans(dict.fromkeys("“”„«»‘’‚`´'", '"'))
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|…)\s*")


def normalised(text: str) -> str:
    """Return a text as quotations are compared: one case, one kind of quotation mark, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_MARKS).casefold().split())


def quotations(evidence: Any) -> list[str]:
    """Return the quotations of a dimension, a text or a list of texts, without blank ones."""
    given = evidence if isinstance(evidence, list) else [evidence]
    return [one for one in given[:MOST] if isinstance(one, str) and one.strip()]


def is_in(quotation: str, work: str) -> bool:
    """Return whether a normalised work has a quotation, or each of its parts where it leaves some out by `...`."""
    parts = [part.strip(' "') for part in _ELLIPSIS.split(normalised(quotation))]
    return all(part in work for part in parts if part)
