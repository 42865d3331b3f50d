"""Normalizers that divide by zero, mix up places, or go by what they should not."""

import random
import statistics
from collections.abc import Callable, Sequence

from rewardlab import NormalizerSpec, hookimpl
from rewardlab.laws import Laws, NormalizerExample


class Center:
    """Each total less the mean of the pool."""

    def shape(self, totals: Sequence[float], tokens: Sequence[int] | None, kept: Sequence[int], seed: int):
        shaped = self.all(list(totals), seed)
        return [shaped[place] for place in kept]

    def all(self, totals: list[float], seed: int) -> list[float]:
        mean = min(max(statistics.fmean(totals), min(totals)), max(totals))
        return [total - mean for total in totals]


class ZeroSpread(Center):
    def all(self, totals, seed):
        return [value / statistics.pstdev(totals) for value in super().all(totals, seed)]


class SpreadOfOne(Center):
    def all(self, totals, seed):
        return [value / (statistics.stdev(totals) + 1) for value in super().all(totals, seed)]


class NanForEquals(Center):
    def all(self, totals, seed):
        spread = max(totals) - min(totals)
        return [value / spread if spread else float("nan") for value in super().all(totals, seed)]


class MeanOfKept(Center):
    def shape(self, totals, tokens, kept, seed):
        return super().shape([totals[place] for place in kept], None, range(len(kept)), seed)


class SortedPlaces(Center):
    def shape(self, totals, tokens, kept, seed):
        return super().shape(totals, tokens, sorted(kept), seed)


class FirstPlaces(Center):
    def shape(self, totals, tokens, kept, seed):
        return super().shape(totals, tokens, range(len(kept)), seed)


class WholePool(Center):
    def shape(self, totals, tokens, kept, seed):
        return super().shape(totals, tokens, range(len(totals)), seed)


class SortedValues(Center):
    def all(self, totals, seed):
        return sorted(super().all(totals, seed))


class Inverted(Center):
    def all(self, totals, seed):
        return [-value for value in super().all(totals, seed)]


class Magnitudes(Center):
    def all(self, totals, seed):
        return [abs(value) for value in super().all(totals, seed)]


class RanksByPlace(Center):
    """Ranks in which equals stand in order of place."""

    def all(self, totals, seed):
        order = sorted(range(len(totals)), key=totals.__getitem__)
        return super().all([order.index(place) / len(totals) for place in range(len(totals))], seed)


class Noise(Center):
    def all(self, totals, seed):
        return [value + 1e-6 * random.random() for value in super().all(totals, seed)]


class GlobalSubset(Center):
    """The mean of a random half of a pool."""

    def all(self, totals, seed):
        some = random.sample(totals, max(1, len(totals) // 2))
        return [total - statistics.fmean(some) for total in totals]


class SaltedSubset(Center):
    def all(self, totals, seed):
        some = [total for place, total in enumerate(totals) if hash((f"{seed}", place)) % 2] or totals
        return [total - statistics.fmean(some) for total in totals]


class RunningMean(Center):
    def __init__(self):
        self._seen: list[float] = []

    def all(self, totals, seed):
        self._seen += totals
        return [total - statistics.fmean(self._seen) for total in totals]


class OutOfRange(Center):
    def all(self, totals, seed):
        return [value * len(totals) for value in super().all(totals, seed)]


class LessFirst(Center):
    """The first total for a baseline."""

    def all(self, totals, seed):
        return [total - totals[0] for total in totals]


class PerToken(Center):
    """Values per token, times the mean count; equal ones by count."""

    def shape(self, totals, tokens, kept, seed):
        tokens = self.counted(totals, tokens)
        shaped = self.all(list(totals), seed)
        return [shaped[place] * (1.0 if tokens[place] < 10_000 else 0.5) for place in kept]

    def counted(self, totals, tokens):
        if tokens is None:
            raise ValueError("it needs token counts")
        return tokens


class NoTokens(PerToken):
    def counted(self, totals, tokens):
        return tokens or [1] * len(totals)


def _bare() -> list[NormalizerExample]:
    return [NormalizerExample()]


def _centred_range(options, total, size) -> tuple[float, float]:
    low, high = total
    return low - high, high - low


def _normalizer(name: str, summary: str, made: Callable[[], object], bounds=None, off=None, tokens=False):
    return NormalizerSpec(
        name=name,
        summary=summary,
        needs_tokens=tokens,
        range=bounds,
        build=lambda options, context: made(),
        laws=Laws(examples=_bare, off=off or {}),
    )


OF_LENGTH = {"order": "what is long counts less"}


@hookimpl
def rewardlab_normalizers():
    return [
        _normalizer("correct_center", "less the mean", Center, _centred_range),
        _normalizer("correct_per_token", "less where it is long", PerToken, off=OF_LENGTH, tokens=True),
        _normalizer("zero_spread", "divides by a standard deviation that may be 0", ZeroSpread),
        _normalizer("spread_of_one", "a standard deviation that needs two totals", SpreadOfOne),
        _normalizer("nan_for_equals", "NaN where all totals are equal", NanForEquals),
        _normalizer("mean_of_kept", "the mean of those that are kept, not of the pool", MeanOfKept),
        _normalizer("sorted_places", "gives the values in the order of places", SortedPlaces),
        _normalizer("first_places", "gives the values of the first places", FirstPlaces),
        _normalizer("whole_pool", "gives a value for each of the pool", WholePool),
        _normalizer("sorted_values", "gives its values sorted", SortedValues),
        _normalizer("inverted_shape", "has its sign wrong", Inverted),
        _normalizer("magnitudes", "gives distances from the mean", Magnitudes),
        _normalizer("ranks_by_place", "ranks that tell equals apart", RanksByPlace),
        _normalizer("noise", "a little noise against ties", Noise),
        _normalizer("global_subset", "a mean of some, by the global generator", GlobalSubset),
        _normalizer("salted_subset", "a mean of some, by hash()", SaltedSubset),
        _normalizer("running_mean_of_totals", "the mean of all totals so far", RunningMean),
        _normalizer("out_of_range", "values beyond the range that it declares", OutOfRange, _centred_range),
        _normalizer("less_first", "less the first total", LessFirst),
        _normalizer("no_tokens", "goes without the token counts that it needs", NoTokens, off=OF_LENGTH, tokens=True),
    ]
