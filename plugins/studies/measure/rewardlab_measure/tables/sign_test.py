"""The test of paired differences by their signs, whose p-value is computed, not drawn: it can be as small as need be.

Where models are alike, a difference is as likely to be its negative. The p-value is the share of all 2^K choices of
signs that put the sum of K differences as far from 0. Sizes that are multiples of one step, as of shares of right
answers, are counted exactly by convolution; few sizes without one by listing all sums; else the tail is that of the
saddlepoint approximation (Lugannani and Rice 1980; of sizes with a step Daniels 1987), whose relative error is of the
order 1 / K.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from math import erfc, exp, expm1, fsum, log, log1p, pi, sqrt, tanh

MAX_STEPS = 100_000
"""steps in the largest size, above which sizes count as if they had no common step"""
MAX_WORK = 50_000_000
"""bytes that an exact convolution may move; more take the saddlepoint"""
MAX_LISTED = 24
"""sizes without a common step whose sums are all listed, two halves of 2^12"""
MAX_SIZES, BINS = 2000, 500
"""different sizes, above which neighbours are taken as one"""
LARGE, MAX_LARGE = 0.5, 6
"""of the spread of the others: a size above it takes either sign exactly, of up to so many"""
CLOSE = 1e-9
"""of the largest size: what sums of the same numbers in another order may differ by"""
Sizes = Sequence[tuple[float, int]]
"""sizes of differences, and how often each comes"""


def sign_test(parts: Sequence[float]) -> float:
    """Return the two-sided p-value of a sum of independent parts, if each is as likely to have the other sign.

    1 if all parts are 0; at least 2 / 2^K, for K parts that are not.
    """
    top = max(map(abs, parts), default=0.0)
    sizes = sorted(size for size in map(abs, parts) if size > CLOSE * top)
    total = abs(fsum(parts))
    if not sizes or total <= CLOSE * top:
        return 1.0
    step = common_step(sizes)
    if step is not None:
        counts = [round(size / step) for size in sizes]
        most = (sum(counts) - round(total / step)) // 2  # what the negative ones may add up to
        if len(counts) ** 2 * (most + 1) / 8 <= MAX_WORK:
            return max(min(1.0, _exact(counts, most)), smallest_p(len(counts)))
    elif len(sizes) <= MAX_LISTED:
        return min(1.0, _listed(sizes, total - CLOSE * top))
    tail = _conditional_tail(_grouped(sizes, step), total, 2 * (step or 0.0))
    return min(1.0, max(2 * tail, smallest_p(len(sizes))))


def smallest_p(parts: int) -> float:
    """Return the smallest p-value that so many parts can have: all of one sign, or all of the other."""
    return min(1.0, 2.0 ** (1 - min(parts, 1000)))


def common_step(sizes: Sequence[float]) -> float | None:
    """Return the largest number of which all sizes are multiples, or None if there is none that is large enough."""
    top = max(sizes)
    step, least = top, top / MAX_STEPS
    for size in {round(size / top, 10) for size in sizes}:
        rest = size * top
        while rest > CLOSE * top:
            step, rest = rest, step % rest
            rest = 0.0 if step - rest < CLOSE * top * 10 else rest
            if step < least:
                return None
    return step if all(abs(size / step - round(size / step)) < 1e-4 for size in sizes) else None


def _exact(counts: Sequence[int], most: int) -> float:
    """Return twice the share of all subsets whose counts add up to no more than `most`.

    Each slot of one long number holds how many subsets have a sum; a count shifts it and adds it to itself.
    """
    width = len(counts) + 1
    kept = (1 << width * (most + 1)) - 1
    subsets = 1
    for count in counts:
        if count <= most:
            subsets = (subsets + (subsets << width * count)) & kept
    return 2 * (subsets % ((1 << width) - 1)) / (1 << len(counts))  # the sum of the slots


def _listed(sizes: Sequence[float], least: float) -> float:
    """Return the share of all signs whose sum is `least` or more, or its negative."""
    first, other = (sorted(_sums(half)) for half in (sizes[::2], sizes[1::2]))
    beyond = sum(len(other) - bisect_left(other, least - total) for total in first)
    return 2 * beyond / (len(first) * len(other))


def _sums(sizes: Sequence[float]) -> list[float]:
    sums = [0.0]
    for size in sizes:
        sums = [total + signed for total in sums for signed in (size, -size)]
    return sums


def _grouped(sizes: Sequence[float], step: float | None) -> Sizes:
    if step is not None:
        return [(count * step, times) for count, times in Counter(round(size / step) for size in sizes).items()]
    times = Counter(sizes)
    if len(times) <= MAX_SIZES:
        return list(times.items())
    return [
        (sqrt(fsum(size * size for _, size in group) / number), number)
        for group, number in (
            (chunk, len(chunk))
            for chunk in (
                list(members) for _, members in groupby(enumerate(sizes), lambda placed: placed[0] * BINS // len(sizes))
            )
        )
    ]


def _conditional_tail(sizes: Sizes, observed: float, span: float) -> float:
    """Return the chance of a sum of `observed` or more, where the few sizes that outweigh the others take all signs."""
    left = sorted(sizes)
    large: list[float] = []
    while len(large) < MAX_LARGE and len(left) > 1:
        size, times = left[-1]
        if size <= LARGE * sqrt(fsum(s * s * n for s, n in left) - size * size):
            break
        large.append(size)
        left[-1:] = [(size, times - 1)] if times > 1 else []
    if not large:
        return _tail(sizes, observed, span)
    sums = Counter(round(total / observed, 12) for total in _sums(large))
    return fsum(times * _tail(left, observed * (1 - total), span) for total, times in sums.items()) / 2 ** len(large)


def _tail(sizes: Sizes, least: float, span: float) -> float:
    """Return the chance that signed sizes add up to `least` or more. span: between neighbouring sums, 0 for none."""
    whole, number = fsum(size * times for size, times in sizes), sum(times for _, times in sizes)
    close = CLOSE * whole
    if least > whole + close:
        return 0.0
    if least >= whole - close:
        return 2.0 ** -min(number, 1000)
    spread = sqrt(fsum(size * size * times for size, times in sizes))
    if least <= span / 2 - close:  # the negative of a sum is as likely
        return 1 - _tail(sizes, span - least, span)
    if least < 0.01 * spread:
        return erfc((least - span / 2) / spread / sqrt(2)) / 2
    return _lugannani_rice(sizes, least, span, spread)


def _lugannani_rice(sizes: Sizes, least: float, span: float, spread: float) -> float:
    tilt = _saddlepoint(sizes, least, spread)
    cumulant = fsum(times * _log_cosh(tilt * size) for size, times in sizes)
    curve = fsum(times * (size * (1 - tanh(tilt * size) ** 2) * size) for size, times in sizes)
    w = sqrt(max(0.0, 2 * (tilt * least - cumulant)))
    rate = -expm1(-tilt * span) / span if span else tilt
    u = rate * sqrt(curve)
    if not u or not w:
        return 0.0
    return max(0.0, erfc(w / sqrt(2)) / 2 + exp(-w * w / 2) / sqrt(2 * pi) * (1 / u - 1 / w))


def _saddlepoint(sizes: Sizes, least: float, spread: float) -> float:
    """Return the tilt under which the expected sum is `least`, by Newton's method between bounds."""
    low, high = 0.0, 1 / spread
    while fsum(times * size * tanh(high * size) for size, times in sizes) < least and high < 1e12 / spread:
        low, high = high, 2 * high
    tilt = (low + high) / 2
    for _ in range(60):
        slopes = [(size * times, tanh(tilt * size), size) for size, times in sizes]
        over = fsum(weight * slope for weight, slope, _ in slopes) - least
        low, high = (low, tilt) if over > 0 else (tilt, high)
        curve = fsum(weight * (1 - slope * slope) * size for weight, slope, size in slopes)
        step = tilt - over / curve if curve else (low + high) / 2
        step = step if low < step < high else (low + high) / 2
        if abs(step - tilt) <= 1e-12 * tilt:
            break
        tilt = step
    return tilt


def _log_cosh(x: float) -> float:
    return abs(x) + log1p(exp(-2 * abs(x))) - log(2)
