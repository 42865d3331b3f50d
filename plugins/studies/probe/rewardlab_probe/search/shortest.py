"""The shortest text that still wins: parts are taken out, halves first, then smaller ones (delta debugging)."""

import re
from collections.abc import Sequence

from rewardlab.recipe import Family

from rewardlab_probe.attempts.degenerate import ProbeRow
from rewardlab_probe.search.trials import GAIN, Trials

MAX_PIECES = 400
"""Pieces of a text: words, and what stands between them; in a longer text there are more words to a piece."""


def shortest_text(trials: Trials, probe: ProbeRow, text: str, family: Family) -> str:
    """Return a text that wins the row as `text` does and of which no tried part can be left out."""
    pieces, size = _pieces(text), 2
    while len(pieces) > 1 and trials.left > 0:
        step = -(-len(pieces) // size)
        shorter = [[*pieces[:start], *pieces[start + step :]] for start in range(0, len(pieces), step)]
        texts = ["".join(some) for some in shorter]
        trials.score(probe, texts, kept=texts if family == GAIN else ())
        kept = next((some for some in shorter if trials.wins(probe, "".join(some)) == family), None)
        if kept is None and step == 1:
            break
        pieces, size = (kept, max(size - 1, 2)) if kept is not None else (pieces, min(2 * size, len(pieces)))
    return "".join(pieces)


def _pieces(text: str) -> Sequence[str]:
    words = re.findall(r"\w+|\s+|[^\w\s]", text)
    several = -(-len(words) // MAX_PIECES) or 1
    return ["".join(words[start : start + several]) for start in range(0, len(words), several)]
