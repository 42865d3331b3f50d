"""normalize/center: totals less their mean."""

from collections.abc import Sequence

from rewardlab_normalize.moments import mean


class Center:
    """The normalizer x - mean: Dr. GRPO's advantage, which leaves out GRPO's division (Liu et al. 2025)."""

    def __init__(self, *_: object) -> None:
        """Take options and context, which decide nothing."""

    def shape(
        self, totals: Sequence[float], tokens: Sequence[int] | None, kept: Sequence[int], seed: int
    ) -> list[float]:
        """Return the shaped values (G,) of the totals that `kept` names, in that order.

        Args:
            totals: (P,), the whole pool; its mean is taken, and no trainer takes the mean of what is kept after
                that. tokens and seed are not used.
        """
        center = mean(totals)
        return [totals[index] - center for index in kept]
