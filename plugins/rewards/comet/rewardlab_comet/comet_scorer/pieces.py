"""Cut a pair that does not fit into the encoder's window: pure arithmetic on token positions."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

Span = tuple[int, int]
"""Tokens from the first to before the second."""
Rank = Callable[[int], int]
"""How good a cut before this token is: 2 at a sentence's end, 1 at white space, 0 inside of a word."""

REACH = 8
"""A cut is moved by at most one of this many parts of a piece, to the best place there."""


@dataclass(frozen=True)
class EncoderWindow:
    """The tokens of text, without special ones, that the encoder takes: of the two sides together, and of each."""

    together: int
    each: int

    def holds(self, mt: int, src: int) -> bool:
        """Return whether sides of so many tokens fit."""
        return mt + src <= self.together and max(mt, src) <= self.each


def pieces(mt: int, src: int, window: EncoderWindow, mt_rank: Rank, src_rank: Rank) -> list[tuple[Span, Span]]:
    """Return pairs of spans (of mt, of src) that each fit into the window and together cover both sides.

    A pair that fits is one piece. Otherwise a side of at most half the window stays whole and is repeated, else both
    are cut into equally many consecutive pieces. Cuts are even, except that they move to a nearby end of a sentence
    or white space. No piece is empty.
    """
    if window.holds(mt, src):
        return [((0, mt), (0, src))]
    half = min(window.together // 2, window.each)
    repeated = sum(length for length in (mt, src) if length <= half)
    fewest = -(-(mt + src - repeated) // (window.together - repeated))
    for count in itertools.count(max(2, fewest)):
        mts = [(0, mt)] * count if mt <= half else cut(mt, count, mt_rank)
        srcs = [(0, src)] * count if src <= half else cut(src, count, src_rank)
        pairs = list(zip(mts, srcs, strict=True))
        if all(window.holds(a[1] - a[0], b[1] - b[0]) for a, b in pairs):
            return pairs
    raise AssertionError("unreachable: pieces of one token each fit")


def cut(length: int, count: int, rank: Rank) -> list[Span]:
    """Return `count` consecutive spans of about the same size; of fewer tokens, one may be in several spans."""
    if length < count:
        return [(index * length // count, index * length // count + 1) for index in range(count)]
    reach = length // (REACH * count)
    ends = [0]
    for index in range(1, count):
        even = index * length // count
        nearby = range(even - reach, even + reach + 1)
        ends.append(max(nearby, key=lambda place: (rank(place), -abs(place - even))))
    return list(itertools.pairwise([*ends, length]))
