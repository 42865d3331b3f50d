"""A rule's decision as a reward without the rule's errors, on average (Cai et al. 2025, arXiv 2510.00915).

R is 1 if the rule accepts and 0 if not, p0 = P(R = 1 | wrong) its false-positive rate, p1 = P(R = 0 | right) its
false-negative rate.
"""


def backward(accepted: bool, false_negative: float, false_positive: float) -> float:
    """Return (R - p0) / (1 - p0 - p1): its mean over the rule's errors is 1 for a right response, 0 for a wrong one."""
    return (float(accepted) - false_positive) / (1.0 - false_positive - false_negative)


def forward(accepted: bool, false_negative: float) -> float:
    """Return R + p1 - 1, whose mean is 0 for a right response and p0 + p1 - 1 for a wrong one: it needs p1 alone."""
    return false_negative if accepted else false_negative - 1.0
