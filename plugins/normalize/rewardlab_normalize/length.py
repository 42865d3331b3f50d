"""normalize/length: a group's values over how many tokens its completions have, by a factor that all of them share."""

from collections.abc import Sequence

from rewardlab_normalize.options import LengthOptions


class Length:
    """The normalizer x * reference / (mean tokens of the kept): AMRO's length-aware loss (paper 004, appendix G).

    A loss that adds up a group's tokens and divides by a constant then divides by the group's own tokens, so that a
    language that takes three times as many tokens moves the policy no more than another. Source: appendix G; the
    equation of appendix L divides by each completion's tokens once more, which is not done (docs/amro.md).
    """

    def __init__(self, options: LengthOptions):
        self._reference = options.reference

    def shape(
        self, totals: Sequence[float], tokens: Sequence[int] | None, kept: Sequence[int], seed: int
    ) -> list[float]:
        """Return the shaped values (G,) of the totals that `kept` names, in that order.

        tokens: (P,), of which those of the kept count; ValueError without them. A group without any token stays as it
        is: it has nothing to learn from. seed is not used.
        """
        if tokens is None:
            raise ValueError("needs the number of tokens of each completion")
        counted = sum(tokens[index] for index in kept)
        factor = self._reference * len(kept) / counted if counted else 1.0
        return [totals[index] * factor for index in kept]
