"""normalize/std: totals less their mean, in units of their standard deviation."""

import hashlib
from collections.abc import Sequence

from rewardlab import Context

from rewardlab_normalize.moments import mean, std
from rewardlab_normalize.options import StdOptions


class Std:
    """The normalizer (x - mean) / (std + eps), with the population std: GRPO's advantage (Shao et al. 2024).

    For a pool of P > `subset` totals the standard deviation is that of a random subset, and the mean that of the whole
    pool or of the same subset (`mean_from`), as in AMRO with |S| = 64 responses (SGCM, appendix L).
    """

    def __init__(self, options: StdOptions, _context: Context | None = None) -> None:
        self._options = options

    def shape(
        self, totals: Sequence[float], tokens: Sequence[int] | None, kept: Sequence[int], seed: int
    ) -> list[float]:
        """Return the shaped values (G,) of the totals at the indices `kept`, in that order.

        Args:
            totals: (P,), the whole pool; no trainer subtracts the mean of the kept ones after that. If the totals
                that give the standard deviation are all equal, there is no scale, and every value is 0. tokens is
                not used. seed chooses the subset, by the totals' ranks: which completion came first does not
                matter.
        """
        subset = totals
        if len(totals) > self._options.subset:
            ranked = sorted(totals)
            subset = [ranked[rank] for rank in _choose(len(totals), self._options.subset, seed)]
        spread = std(subset)
        if spread == 0.0:
            return [0.0] * len(kept)
        center = mean(totals if self._options.mean_from == "pool" else subset)
        return [(totals[index] - center) / (spread + self._options.eps) for index in kept]


def _choose(size: int, count: int, seed: int) -> list[int]:
    """Return `count` of `size` indices, each equally likely over seeds; the same for a seed in every process."""
    return sorted(range(size), key=lambda index: hashlib.sha256(f"{seed}:{index}".encode()).digest())[:count]
