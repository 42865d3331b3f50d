"""What several seeds show of a number: its mean, and an interval that says how little they may show."""

import math
from statistics import mean, stdev

# two-sided 95% points of Student's t by degrees of freedom; more are taken for the last
_T = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)


def interval(values):
    """The mean of values with the ends of its 95% interval (Student's t); of one value the ends are infinite."""
    middle = mean(values)
    if len(values) < 2:
        return middle, -math.inf, math.inf
    half = _T[min(len(values) - 1, len(_T)) - 1] * stdev(values) / math.sqrt(len(values))
    return middle, middle - half, middle + half


def told(values):
    """The same as a text: `+0.41 [+0.25, +0.57], seeds +0.38 +0.44 +0.41`."""
    middle, low, high = interval(values)
    seeds = " ".join(f"{value:+.2f}" for value in values)
    return f"{middle:+.2f} [{low:+.2f}, {high:+.2f}], seeds {seeds}"


def told_rises(rises, components, own, control):
    """Print each component's rise with and without the control's, from a mapping of (run, component) for each seed."""
    for component in components:
        with_it, without = ([one[name, component] for one in rises] for name in (own, control))
        print(f"rise of {component}: {own} {told(with_it)}; {control} {told(without)}")
        print(f"  {own} above {control}: {told([a - b for a, b in zip(with_it, without, strict=True)])}")
