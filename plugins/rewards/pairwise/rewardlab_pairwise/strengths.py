"""Fit what each text is worth, and what standing first is worth, to the verdicts of a group (Bradley and Terry 1952).

The logit of "the first wins" is the first text's strength less the second's, plus the judge's position bias. A prior
keeps what few verdicts say finite; the fit is its mode, and intervals are those of the normal curve there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rewardlab import Score

from rewardlab_pairwise.tally import Pair, PairVerdict

Numbers = NDArray[np.float64]

SPREAD = 2.0
"""Standard deviation of strengths in logits, before any verdict: of two texts, the better one often wins by 95%."""
BIAS_SPREAD = 3.0
"""Standard deviation of the bias in logits, before any verdict: wide enough for a judge that nearly always says A."""
STEPS, NEAR = 50, 1e-9
"""Newton's steps at most, and the change that ends them."""


@dataclass(frozen=True, kw_only=True)
class Strengths:
    """The strengths of M texts and the judge's position bias, in logits.

    Args:
        texts: those that were compared, in the order in which they were given.
        fitted: (M + 1,) the strengths, then the bias.
        covariance: (M + 1, M + 1) of `fitted`.
    """

    texts: Sequence[str]
    fitted: Numbers
    covariance: Numbers

    def wins(self) -> Numbers:
        """Return P(the row's text beats the column's) without position bias (M, M)."""
        of_texts = self.fitted[:-1]
        return _share(of_texts[:, None] - of_texts[None, :])

    def errors(self) -> Numbers:
        """Return the standard errors of the strengths about their mean, then that of the bias (M + 1,)."""
        about_mean = np.eye(len(self.fitted))
        about_mean[:-1, :-1] -= 1.0 / len(self.texts)
        errors: Numbers = np.sqrt(np.diag(about_mean @ self.covariance @ about_mean.T))
        return errors

    def bias(self) -> tuple[float, float, float]:
        """Return (bias, low, high), the 95% interval, each as 2 x P(of two equal texts the first listed wins) - 1."""
        middle, reach = self.fitted[-1], 1.96 * self.errors()[-1]
        middle, low, high = (2.0 * _share(np.array([middle, middle - reach, middle + reach])) - 1.0).tolist()
        return middle, low, high


def strengths(texts: Sequence[str], verdicts: Mapping[Pair, PairVerdict]) -> Strengths:
    """Return the strengths of `texts` by all verdicts that count; of a text without any, what is thought beforehand."""
    place = {text: index for index, text in enumerate(texts)}
    leads_by_pair = [(place[first], place[second], call.lead) for (first, second), call in verdicts.items()]
    counted = sorted((first, second, lead) for first, second, lead in leads_by_pair if lead is not None)
    design = np.zeros((len(counted), len(texts) + 1))
    for row, (first, second, _) in enumerate(counted):
        design[row, [first, second, -1]] = 1.0, -1.0, 1.0
    leads = np.array([lead for _, _, lead in counted])
    prior = np.diag([SPREAD**-2.0] * len(texts) + [BIAS_SPREAD**-2.0])
    fitted = np.zeros(len(texts) + 1)
    for _ in range(STEPS):
        shares = _share(design @ fitted)
        curvature = (design.T * (shares * (1.0 - shares))) @ design + prior
        step = np.linalg.solve(curvature, design.T @ (leads - shares) - prior @ fitted)
        fitted += step
        if np.abs(step).max() < NEAR:
            break
    covariance = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
    return Strengths(texts=texts, fitted=fitted, covariance=covariance)


def fitted_scores(
    scores: Mapping[str, Score], copies: Mapping[str, int], verdicts: Mapping[Pair, PairVerdict]
) -> tuple[dict[str, Score], dict[str, Any]]:
    """Return the scores with values by strengths, and the position bias by the fit, with its 95% interval.

    A value is the mean of P(the text beats another) over the group's other answers of which a verdict counts; a copy of
    its own is a half. What has no value, for lack of verdicts, keeps its error. Nothing changes if nothing was asked.
    """
    compared = {text for pair, call in verdicts.items() if call.lead is not None for text in pair}
    texts = [text for text in scores if text in compared]
    if not texts:
        return dict(scores), {}
    fit = strengths(texts, {pair: call for pair, call in verdicts.items() if compared.issuperset(pair)})
    weights = np.array([copies[text] for text in texts], dtype=float)
    values = (fit.wins() @ weights - 0.5) / (weights.sum() - 1.0)
    rated = dict(scores)
    for text, value, strength, error in zip(texts, values, fit.fitted[:-1], fit.errors()[:-1], strict=True):
        if scores[text].error is None:
            of_fit = {"strength": float(strength), "strength_error": float(error)}
            # rounded: what differs in the last digits alone is no spread of repeats and no difference of a panel
            rated[text] = Score(value=round(float(value), 12), info={**scores[text].info, **of_fit})
    bias, *interval = fit.bias()
    return rated, {"position_bias": bias, "position_bias_interval": interval}


def gains(known: Strengths) -> Numbers:
    """Return what asking about (row first, column second) is expected to take off the strengths' variance (M, M).

    It is the fall of the summed variance of the strengths about their mean, after one more verdict with the weight
    p (1 - p) that p = P(the first wins) gives it: large for texts of which little is known, and where the judge, its
    bias included, may say either.
    """
    covariance, fitted = known.covariance, known.fitted
    about_mean = covariance[:-1] - covariance[:-1].mean(axis=0)
    shares = _share(fitted[:-1, None] - fitted[None, :-1] + fitted[-1])
    weight = shares * (1.0 - shares)
    return weight * _squares(about_mean.T @ about_mean) / (1.0 + weight * _squares(covariance))


def best_pairs(known: Strengths, asked: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs (first, second) that gain most of those that are not `asked`, each text at most once.

    First come those of a text that was in no pair yet: of an odd number one is left over, which shall not be so twice.
    """
    size = len(known.texts)
    left = ~np.eye(size, dtype=bool)
    left[[first for first, _ in asked], [second for _, second in asked]] = False
    gain = np.where(left, gains(known).round(9), -1.0)  # rounded, so that no machine's last digit decides
    new = np.isin(np.arange(size), np.array(asked).ravel(), invert=True)
    order = np.lexsort((-gain.ravel(), ~(new | new[:, None]).ravel(), ~left.ravel()))
    taken, pairs = set[int](), list[tuple[int, int]]()
    for place in order[: int(left.sum())].tolist():
        pair = divmod(place, size)
        if taken.isdisjoint(pair):
            taken.update(pair)
            pairs.append(pair)
    return pairs


def _squares(matrix: Numbers) -> Numbers:
    """Return x' matrix x for the question x about each ordered pair (M, M)."""
    own, bias = np.diag(matrix)[:-1], matrix[:-1, -1]
    return own[:, None] + own + matrix[-1, -1] - 2.0 * matrix[:-1, :-1] + 2.0 * bias[:, None] - 2.0 * bias


def _share(logits: Numbers) -> Numbers:
    shares: Numbers = 0.5 * (1.0 + np.tanh(0.5 * logits))
    return shares
