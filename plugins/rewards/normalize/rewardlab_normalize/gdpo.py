"""normalize/gdpo: each component less its mean in the group, in units of its own standard deviation there."""

import math
from collections.abc import Sequence

from rewardlab import Context

from rewardlab_normalize.moments import mean
from rewardlab_normalize.options import GdpoOptions


class Gdpo:
    """The normalizer (x - mean) / (std + eps) of one component, with n - 1: GDPO's (arXiv 2601.05242), and TRL's."""

    def __init__(self, options: GdpoOptions, _context: Context | None = None) -> None:
        self._options = options

    def shape(
        self, values: Sequence[float], tokens: Sequence[int] | None, kept: Sequence[int], seed: int
    ) -> list[float]:
        """Return the shaped values (G,) of a component at the places that `kept` names, in that order.

        Args:
            values: (P,), the whole pool, of those that have a total; equal ones become 0. tokens and seed are not
                used.
        """
        center = mean(values)
        spread = math.sqrt(math.fsum((value - center) ** 2 for value in values) / max(1, len(values) - 1))
        return [(values[place] - center) / (spread + self._options.eps) for place in kept]
