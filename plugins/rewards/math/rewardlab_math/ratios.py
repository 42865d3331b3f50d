r"""Write ratios of three and more numbers as tuples: `2:4:6` is `(1, \frac{4}{2}, \frac{6}{2})`, as is `1:2:3`.

As a quotient, which a parser takes it for, 2:3:4 would equal 1:2:3 and 1:6.
"""

import re

_TERM = r"[^:=<>,;|&]{1,80}"
_RATIO = re.compile(rf"\s*{_TERM}(?::{_TERM}){{2,11}}")


def as_tuple(text: str) -> str:
    """Return a ratio of three to twelve terms as a tuple that begins with 1; anything else as it is."""
    names, _, ratio = text.rpartition("=")
    is_named = names.count(":") == ratio.count(":")  # x:y:z = 1:2:3
    if ratio.count(":") < 2 or not (is_named or not names) or not _RATIO.fullmatch(ratio):
        return text
    first, *others = (term.strip() for term in ratio.split(":"))
    if not all((first, *others)) or any(text.count(left) != text.count(right) for left, right in ("()", "{}")):
        return text
    quotients = (rf"\frac{{{term}}}{{{first}}}" for term in others)
    return f"(1, {', '.join(quotients)})"
