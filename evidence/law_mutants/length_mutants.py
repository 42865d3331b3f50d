"""Normalizers in place of the loss's division by tokens, whose factor is not that of the kept completions."""

from collections.abc import Callable, Sequence

from rewardlab import NormalizerSpec, hookimpl
from rewardlab.laws import Laws, NormalizerExample

REFERENCE = 100


class Length:
    """Each total times REFERENCE over the mean tokens of the kept."""

    def shape(self, totals: Sequence[float], tokens: Sequence[int] | None, kept: Sequence[int], seed: int):
        tokens = self.counted(totals, tokens)
        return [totals[place] * self.factor(tokens, kept, place) for place in kept]

    def counted(self, totals, tokens):
        if tokens is None:
            raise ValueError("it needs token counts")
        return tokens

    def factor(self, tokens, kept, place) -> float:
        return REFERENCE * len(kept) / max(1, sum(tokens[other] for other in kept))


class OwnLength(Length):
    """The printed equation's second division."""

    def factor(self, tokens, kept, place):
        return super().factor(tokens, kept, place) / max(1, tokens[place])


class PoolLength(Length):
    def factor(self, tokens, kept, place):
        return super().factor(tokens, range(len(tokens)), place)


class LongerCountsMore(Length):
    def factor(self, tokens, kept, place):
        return 1 / super().factor(tokens, kept, place)


class FirstLength(Length):
    """The tokens of the first of the pool."""

    def factor(self, tokens, kept, place):
        return REFERENCE / max(1, tokens[0])


class NoTokenDivides(Length):
    def factor(self, tokens, kept, place):
        return REFERENCE * len(kept) / sum(tokens[other] for other in kept)


class WithoutTokens(Length):
    def counted(self, totals, tokens):
        return tokens or [REFERENCE] * len(totals)


class LeastAdded(Length):
    """A term that is not a factor."""

    def shape(self, totals, tokens, kept, seed):
        return [value + 1e-3 * len(kept) for value in super().shape(totals, tokens, kept, seed)]


def _bare() -> list[NormalizerExample]:
    return [NormalizerExample()]


def _range(options, total, size) -> tuple[float, float]:
    low, high = total
    return min(0.0, low) * REFERENCE * size, max(0.0, high) * REFERENCE * size


def _length(name: str, summary: str, made: Callable[[], object], bounds=None):
    return NormalizerSpec(
        name=name,
        summary=summary,
        needs_tokens=True,
        scales_loss=True,
        range=bounds,
        build=lambda options, context: made(),
        laws=Laws(examples=_bare),
    )


@hookimpl
def rewardlab_normalizers():
    return [
        _length("correct_length", "a factor of the kept completions' tokens", Length, _range),
        _length("own_length", "divides by each completion's own tokens, too", OwnLength),
        _length("pool_length", "the tokens of the whole pool", PoolLength),
        _length("longer_counts_more", "multiplies by the tokens", LongerCountsMore),
        _length("first_length", "the tokens of the first completion", FirstLength),
        _length("no_token_divides", "divides by the tokens, which may be 0", NoTokenDivides),
        _length("without_tokens", "goes without the token counts that it needs", WithoutTokens),
        _length("least_added", "adds to the values", LeastAdded),
    ]
