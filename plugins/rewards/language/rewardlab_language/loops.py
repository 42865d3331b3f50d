"""Leave out of a text what it says again and again: a loop does not outweigh what is said once."""

import re
from collections import Counter

RUN, REPEATS = 24, 2
"""Letters in a row that count only so often: four or five words of English, a sentence of Chinese."""
_UNSPACED = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff"
_UNIT = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+|\s+")


def without_loops(text: str) -> str:
    """Return a text without the words that end a run of letters which stood there REPEATS times already.

    In scripts without spaces each character is a word. Case, digits and punctuation do not count. Time is linear.
    """
    kept, recent, seen, keeps = [], "", Counter[str](), True
    for unit in _UNIT.findall(text):
        if letters := "".join(filter(str.isalpha, unit[:RUN])).casefold():
            recent = (recent + letters)[-RUN:]
            seen[recent] += len(recent) == RUN
            keeps = seen[recent] <= REPEATS
        if keeps:
            kept.append(unit)
    return "".join(kept)
