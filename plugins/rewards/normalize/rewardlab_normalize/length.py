"""normalize/length: totals times a factor that makes the loss of a group the mean over the group's tokens."""

from collections.abc import Sequence

from rewardlab import Context

from rewardlab_normalize.options import LengthOptions


class Length:
    """The normalizer x * reference_length / mean tokens, the mean being that of the kept completions.

    AMRO's length-aware loss (SGCM, appendix G) divides the token losses of a group by the tokens of the group. A
    token's loss scales with its advantage, clipped or not, so a factor on all of a group's advantages does the same if
    the loss itself does not divide by the completion's own length.
    """

    def __init__(self, options: LengthOptions, _context: Context | None = None) -> None:
        self._options = options

    def shape(
        self, totals: Sequence[float], tokens: Sequence[int] | None, kept: Sequence[int], seed: int
    ) -> list[float]:
        """Return the shaped values (G,) of the totals at the indices `kept`, in that order.

        Args:
            tokens: (P,), of which only the kept ones count, since only they are in the loss.

        Raises ValueError without them. A group without tokens counts as one token: it has no loss that the factor could
        scale.
        """
        if tokens is None:
            raise ValueError("needs the number of tokens of every completion")
        factor = self._options.reference_length * len(kept) / max(1, sum(tokens[place] for place in kept))
        return [totals[place] * factor for place in kept]
