"""Schedule who meets whom in a group, and who stands first: by the rank of contents, never by index or arrival."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The schedule of the comparisons in one group, over its distinct texts.

    Args:
        meetings: for each text, its opponents with the number of comparisons, in order of rank, summed over the
            copies of the text. Copies that meet each other stand under the text itself; they need no judge.
        copies: for each text, how many answers have it.
        asks: the ordered pairs (first, second) to ask the judge about, each once.
    """

    meetings: dict[str, Counter[str]]
    copies: Counter[str]
    asks: list[tuple[str, str]]


def schedule(
    sample_id: str,
    texts: Sequence[str],
    orders: Literal["both", "balanced", "a_only"] = "both",
    opponents: Literal["all"] | int = "all",
) -> Schedule:
    """Return the comparisons of `texts` (G,), the same for every permutation of them.

    The rank of a text is that of sha256(sample id, text) in the group; an answer meets its nearest neighbours
    in rank. Under `both` and `balanced` meeting is mutual and every answer meets equally many others, so that win
    rates sum to G/2; if `opponents` and G are both odd, that takes one more opponent for each.
    """
    ranked = by_rank(sample_id, texts)
    meetings: dict[str, Counter[str]] = {text: Counter() for text in ranked}
    for i, j in _meetings_by_rank(len(ranked), opponents, mutual=orders != "a_only"):
        meetings[ranked[i]][ranked[j]] += 1
    pairs = [(text, other) for text, met in meetings.items() for other in met if text != other]
    asks = one_order(pairs) if orders == "balanced" else pairs
    return Schedule(meetings=meetings, copies=Counter(ranked), asks=asks)


def by_rank(sample_id: str, texts: Iterable[str]) -> list[str]:
    """Return the texts in the order of their ranks."""
    return sorted(texts, key=lambda text: _digest(sample_id, text))


def _digest(sample_id: str, text: str) -> bytes:
    # JSON keeps the two apart and takes any text, lone surrogates too
    return hashlib.sha256(json.dumps([sample_id, text]).encode()).digest()


def _meetings_by_rank(size: int, opponents: Literal["all"] | int, mutual: bool) -> list[tuple[int, int]]:
    if opponents == "all" or opponents >= size - 1:
        steps = list(range(1, size))
    elif not mutual:
        steps = list(range(1, opponents + 1))
    else:
        near = opponents // 2
        if opponents % 2 and size % 2:
            near += 1  # an odd number of answers cannot each have an odd number of opponents
        steps = [step for d in range(1, near + 1) for step in (d, size - d)]
        if opponents % 2 and not size % 2:
            steps.append(size // 2)
    return [(i, (i + step) % size) for i in range(size) for step in sorted(steps)]


def as_asked(ranked: Sequence[str], copies: Counter[str], asks: list[tuple[str, str]]) -> Schedule:
    """Return the schedule of what was asked about different texts, each of whose copies counts as having met all."""
    meetings: dict[str, Counter[str]] = {text: Counter() for text in ranked}
    for first, second in asks:
        meetings[first][second], meetings[second][first] = copies[first], copies[second]
    return Schedule(meetings=meetings, copies=copies, asks=asks)


def one_order(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return one order for each unordered pair, so that every text stands first in half of its pairs, up or down.

    A text with an odd number of pairs gets one more, with a hub that is dropped afterwards. Then every text
    has an even number, so a walk along unused pairs can only end where it began: it leaves each text as often
    as it enters it, and leaving is standing first.
    """
    links: dict[str | None, dict[str | None, None]] = {}
    for first, other in pairs:
        links.setdefault(first, {})[other] = None
        links.setdefault(other, {})[first] = None
    odd = [text for text, others in links.items() if len(others) % 2]
    for text in odd:
        links[text][None] = None
        links.setdefault(None, {})[text] = None
    ordered = []
    for here in list(links):
        while links[here]:
            there = next(iter(links[here]))
            del links[here][there], links[there][here]
            if here is not None and there is not None:
                ordered.append((here, there))
            here = there
    return ordered
