"""Group samplers that never have enough, choose twice, or go by the order of what came."""

import hashlib
from collections.abc import Callable

from rewardlab import Candidates, Completion, CurriculumSpec, PoolEntry, Sample, Score, hookimpl
from rewardlab.laws import CurriculumExample, Laws

MOST = 16


class Contrast:
    """Collects until right and wrong ones are there, MOST in all; chooses the best and the worst in turn."""

    def more(self, pool: Candidates) -> int:
        values = {entry.scores["right"].value for entry in pool}
        return 0 if len(values) > 1 and len(pool) >= pool.size else max(0, min(4, MOST - len(pool)))

    def select(self, pool: Candidates, n: int) -> list[int]:
        ranked = self.ranked(pool)
        from_both_ends = [ranked[k // 2 if k % 2 == 0 else -1 - k // 2] for k in range(len(ranked))]
        return from_both_ends[:n]

    def ranked(self, pool: Candidates) -> list[int]:
        return sorted(range(len(pool)), key=lambda place: self.key(pool[place]))

    def key(self, entry: PoolEntry):
        return self.value(entry), hashlib.sha256(entry.completion.text.encode("utf-8", "surrogatepass")).digest()

    def value(self, entry: PoolEntry) -> float:
        value = entry.scores["right"].value
        return -1.0 if value is None else value


class NeverEnough(Contrast):
    def more(self, pool):
        return 4


class OneMore(Contrast):
    """Asks for a round more than it may have."""

    def more(self, pool):
        wanted = super().more(pool)
        return 4 if wanted else 0


class HalfARound(Contrast):
    def more(self, pool):
        return super().more(pool) / 2


class BelowZero(Contrast):
    def more(self, pool):
        return pool.size - len(pool)


class FirstOnes(Contrast):
    def select(self, pool, n):
        return list(range(n))


class LatestOnes(Contrast):
    def select(self, pool, n):
        return list(range(len(pool) - n, len(pool)))


class TiesByArrival(Contrast):
    def key(self, entry):
        return self.value(entry)


class Twice(Contrast):
    """Some from each end, whether or not they meet in the middle: one more from behind than it needs."""

    def select(self, pool, n):
        ranked = self.ranked(pool)
        return [*ranked[: n - n // 2], *ranked[-(n // 2 + 1) :]][:n]


class OneTooFew(Contrast):
    def select(self, pool, n):
        return super().select(pool, n)[: n - 1]


class All(Contrast):
    def select(self, pool, n):
        return super().select(pool, len(pool))


class SaltedTies(Contrast):
    def key(self, entry):
        return self.value(entry), hash(entry.completion.text)


class FailuresAsValues(Contrast):
    """Adds up values that may be None."""

    def more(self, pool):
        right = sum(entry.scores["right"].value for entry in pool)
        return 0 if 0 < right < len(pool) and len(pool) >= pool.size else max(0, min(4, MOST - len(pool)))


def _pool(values, size: int) -> Candidates:
    entries = tuple(
        PoolEntry(
            completion=Completion(text=f"Answer number {n}: \\boxed{{{n}}}."),
            scores={"right": Score(value=value, error="down" if value is None else None)},
        )
        for n, value in enumerate(values)
    )
    return Candidates(sample=Sample(id="pens"), size=size, entries=entries)


def _pools() -> list[CurriculumExample]:
    known = [(0, 0, 1, 0, 1, 1, 0, 0), (0,) * 8, (1, 0, 0.5, 0.5, 0, 1), (0, None, 1, 1, None, 0, 0), (1, 0, 0, 0)]
    return [CurriculumExample(pools=[_pool(values, 4) for values in known])]


def _sampler(name: str, summary: str, made: Callable[[], object]) -> CurriculumSpec:
    return CurriculumSpec(
        name=name,
        summary=summary,
        most=lambda options, n: MOST,
        build=lambda options, context: made(),
        laws=Laws(examples=_pools),
    )


@hookimpl
def rewardlab_curricula():
    return [
        _sampler("correct_contrast", "the best and the worst in turn", Contrast),
        _sampler("never_enough", "always wants more", NeverEnough),
        _sampler("one_round_more", "wants a whole round where less is left", OneMore),
        _sampler("half_a_round", "wants half completions", HalfARound),
        _sampler("below_zero", "wants fewer than none", BelowZero),
        _sampler("first_ones", "chooses those that came first", FirstOnes),
        _sampler("latest_ones", "chooses those that came last", LatestOnes),
        _sampler("ties_by_arrival", "breaks ties by arrival", TiesByArrival),
        _sampler("twice", "chooses a place twice where both ends meet", Twice),
        _sampler("one_too_few", "chooses one too few", OneTooFew),
        _sampler("all_of_them", "chooses all of the pool", All),
        _sampler("salted_ties", "breaks ties by hash()", SaltedTies),
        _sampler("failures_as_values", "adds up values that may be missing", FailuresAsValues),
    ]
