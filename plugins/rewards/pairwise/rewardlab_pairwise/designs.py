"""Designs of a tournament: who meets whom, round by round; each yields the questions of a round and gets the verdicts.

Texts come in the order of their ranks, which decides whatever else is equal; index and arrival never matter. A question
is asked once: a verdict that is lost stays lost, and each design says what that means.
"""

import math
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence

from rewardlab_pairwise.options import PairwiseOptions
from rewardlab_pairwise.schedule import one_order
from rewardlab_pairwise.tally import Pair, PairVerdict, share_of

Rounds = Generator[list[Pair], Mapping[Pair, PairVerdict], None]


def rounds_of(options: PairwiseOptions, texts: Sequence[str]) -> Rounds:
    """Return the rounds of the options' design over M different texts; it is not round_robin, which needs none."""
    once = options.orders == "balanced"
    match options.design:
        case "swiss":
            return _swiss(texts, _rounds(options, len(texts)), once)
        case "knockout":
            return _knockout(texts, once)
        case "anchor":
            return _anchor(texts, _anchors(options, len(texts)), once)
    return _adaptive(texts, _rounds(options, len(texts)))


def most_questions(options: PairwiseOptions, size: int) -> int:
    """Return the most questions about a group of `size` answers, in a design that is not round_robin."""
    if size < 2:
        return 0
    each = 1 if options.orders == "balanced" or options.design == "adaptive" else 2
    if options.design == "knockout":
        return each * (size - 1)
    if options.design == "anchor":
        anchors = _anchors(options, size)
        return each * (anchors * (size - anchors) + math.comb(anchors, 2))
    return each * _rounds(options, size) * (size // 2)


def misfit(options: PairwiseOptions, size: int) -> str | None:
    """Return why a group of `size` answers cannot have the design; None if it can. One answer alone meets nobody."""
    if size < 2:
        return None
    for name, given, most in (("anchors", options.anchors, size - 1), ("rounds", options.rounds, _all(options, size))):
        if given is not None and given > most:
            most_here = f"design {options.design} has at most {most} {name} in a group of {size}, not {given}"
            return f"{most_here}; lower {name}, or leave it out"
    return None


def _all(options: PairwiseOptions, size: int) -> int:
    """Return the rounds in which every pair has met: once under swiss, in both orders under adaptive."""
    return (size - 1 + size % 2) * (2 if options.design == "adaptive" else 1)


def _rounds(options: PairwiseOptions, size: int) -> int:
    usual = max(size - 1, 0).bit_length() * (2 if options.design == "adaptive" else 1)
    return min(options.rounds or usual, _all(options, size))


def _anchors(options: PairwiseOptions, size: int) -> int:
    return min(options.anchors or 2, size - 1)


def _anchor(texts: Sequence[str], anchors: int, once: bool) -> Rounds:
    """Let every text meet the first ones in rank. Where a verdict is lost, the other anchors decide."""
    pairs = [(anchor, text) for place, anchor in enumerate(texts[:anchors]) for text in texts[place + 1 :]]
    yield one_order(pairs) if once else _both(pairs)


def _knockout(texts: Sequence[str], once: bool) -> Rounds:
    """Let those who have not lost meet, until one is left. Of a tie the first goes on, of a lost verdict nobody."""
    left, asked = list(texts), list[Pair]()
    while len(left) > 1:
        pairs = list(zip(left[::2], left[1::2], strict=False))
        questions = _evenly(pairs, asked, texts) if once else _both(pairs)
        asked += questions
        verdicts = yield questions
        shares = [share_of(verdicts, *pair) for pair in pairs]
        winners = [pair[share < 0.5] for pair, share in zip(pairs, shares, strict=True) if share is not None]
        left = [*left[2 * len(pairs) :], *winners]  # who had nobody to meet is the first to meet somebody


def _swiss(texts: Sequence[str], rounds: int, once: bool) -> Rounds:
    """Let neighbours meet who have not met, by what they won so far. A lost verdict changes nobody's place."""
    met, asked = list[Pair](), list[Pair]()
    standing = list(texts)
    sat_out = Counter[str]()
    for _ in range(rounds):
        if len(texts) % 2:  # the last of those who sat out least
            resting = min(reversed(standing), key=sat_out.__getitem__)
            sat_out[resting] += 1
            standing.remove(resting)
        pairs = _neighbours(standing, met)
        met += pairs
        questions = _evenly(pairs, asked, texts) if once else _both(pairs)
        asked += questions
        verdicts = yield questions
        points = dict.fromkeys(texts, 0.0)
        for text, other in met:
            if (share := share_of(verdicts, text, other)) is not None:
                points[text] += share - 0.5
                points[other] += 0.5 - share
        standing = sorted(texts, key=lambda text: -points[text])


def _adaptive(texts: Sequence[str], rounds: int) -> Rounds:
    """Ask what would teach most about the strengths so far, each text once a round. A lost verdict teaches nothing."""
    from rewardlab_pairwise.strengths import best_pairs, strengths

    verdicts: Mapping[Pair, PairVerdict] = {}
    asked = list[tuple[int, int]]()
    for _ in range(rounds):
        pairs = best_pairs(strengths(texts, verdicts), asked)
        asked += pairs
        verdicts = yield [(texts[first], texts[second]) for first, second in pairs]


def _neighbours(standing: Sequence[str], met: Sequence[Pair]) -> list[Pair]:
    """Return each text, from the first, with the next text that is free and that it has not met."""
    known = {frozenset(pair) for pair in met}
    free, pairs = dict.fromkeys(standing), list[Pair]()
    for text in standing:
        if text in free:
            del free[text]
            other = next((other for other in free if frozenset((text, other)) not in known), None)
            if other is not None:
                del free[other]
                pairs.append((text, other))
    return pairs


def _both(pairs: Iterable[Pair]) -> list[Pair]:
    return [order for text, other in pairs for order in ((text, other), (other, text))]


def _evenly(pairs: Iterable[Pair], asked: Sequence[Pair], texts: Sequence[str]) -> list[Pair]:
    """Return an order of each pair: first stands who stood first less often so far, else the earlier in rank."""
    first = Counter(first for first, _ in asked)
    first.subtract(second for _, second in asked)
    rank = {text: place for place, text in enumerate(texts)}
    ordered = (sorted(pair, key=lambda text: (first[text], rank[text])) for pair in pairs)
    return [(text, other) for text, other in ordered]
