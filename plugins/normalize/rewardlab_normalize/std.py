"""Totals in units of their standard deviation."""

import hashlib
from collections.abc import Sequence

from rewardlab_normalize import StdOptions
from rewardlab_normalize.moments import mean, std


class Std:
    """(x - mean) / (std + eps), population standard deviation: GRPO's advantage (Shao et al. 2024).

    A pool of P > `subset` totals gives its standard deviation by a random subset, and its mean by the whole
    pool or the same subset (`mean_from`), as AMRO does with |S| = 64 responses (SGCM, appendix L).
    """

    def __init__(self, options: StdOptions):
        self._options = options

    def shape(
        self, totals: Sequence[float], tokens: Sequence[int] | None, kept: Sequence[int], seed: int
    ) -> list[float]:
        """Shaped values (G,) of the totals that `kept` names, in that order.

        totals: (P,), the whole pool. Where all of it is kept the result has mean 0, so a trainer that centres
        again changes nothing. Where the totals that give the standard deviation are all equal there is no
        scale to measure in, and every value is 0. tokens is not used; seed chooses the subset, by the totals' ranks:
        which completion came first does not matter.
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
    """`count` of `size` indices, each equally likely over seeds; the same for a seed in every process."""
    return sorted(range(size), key=lambda index: hashlib.sha256(f"{seed}:{index}".encode()).digest())[:count]
