"""The laws of normalizers: each is kept by centring and broken by a fault of its own."""

import math
import random

import pytest
from rewardlab import NormalizerSpec
from rewardlab.laws import NormalizerExample
from rewardlab_testing.laws.normalizer_laws import LAWS
from rewardlab_testing.laws.run_laws import try_laws
from rewardlab_testing.outcomes.law_words import NORMALIZER

TRIES = 5


def mean(totals):
    return min(max(math.fsum(totals) / len(totals), min(totals)), max(totals))


class Centre:
    def shape(self, totals, tokens, kept, seed):
        return [self.value(totals, place) for place in kept]

    def value(self, totals, place):
        return totals[place] - mean(totals)


class Std(Centre):
    """Divides by a standard deviation that may be 0."""

    def value(self, totals, place):
        centre = mean(totals)
        return (totals[place] - centre) / math.sqrt(sum((total - centre) ** 2 for total in totals))


class Length:
    def shape(self, totals, tokens, kept, seed):
        if tokens is None:
            raise ValueError("token counts are needed")
        return [totals[place] * self.factor(tokens, kept, place) for place in kept]

    def factor(self, tokens, kept, place):
        return 8 * len(kept) / max(1, sum(tokens[other] for other in kept))


class OwnLength(Length):
    def factor(self, tokens, kept, place):
        return 8 / tokens[place] if tokens[place] else 0.0


class TimesLength(Length):
    def factor(self, tokens, kept, place):
        return 1 + sum(tokens[other] for other in kept)


class PoolLength(Length):
    def factor(self, tokens, kept, place):
        return super().factor(tokens, range(len(tokens)), place)


class Short(Centre):
    def shape(self, totals, tokens, kept, seed):
        return super().shape(totals, tokens, kept, seed)[:-1]


class Doubled(Centre):
    def value(self, totals, place):
        return 3 * super().value(totals, place)


class Swapped(Centre):
    def value(self, totals, place):
        return -super().value(totals, place)


class Ranked(Centre):
    """Ties go by place."""

    def value(self, totals, place):
        return float(sorted(range(len(totals)), key=totals.__getitem__).index(place))


class AgainstTheFirst(Centre):
    def value(self, totals, place):
        return totals[place] - totals[0]


class Random(Centre):
    def value(self, totals, place):
        return super().value(totals, place) + random.random()


class Salted(Centre):
    def value(self, totals, place):
        return super().value(totals, place) + hash("salted") % 1009


class OfTheKept(Centre):
    def shape(self, totals, tokens, kept, seed):
        return [totals[place] - mean([totals[other] for other in kept]) for place in kept]


class PerToken(Centre):
    """Takes no counts for counts of 1."""

    def shape(self, totals, tokens, kept, seed):
        return [totals[place] / max(1, (tokens or [1] * len(totals))[place]) for place in kept]


class PerTokenAlone(PerToken):
    def shape(self, totals, tokens, kept, seed):
        if tokens is None:
            raise ValueError("token counts are needed")
        return super().shape(totals, tokens, kept, seed)


def centred(options, total, size):
    low, high = total
    return low - high, high - low


def spec(of, **more):
    return NormalizerSpec(name=of.__name__.lower(), summary="made", build=lambda options, context: of(), **more)


CENTRE = spec(Centre, range=centred)
LENGTH = spec(Length, needs_tokens=True, scales_loss=True)
PER_TOKEN = spec(PerTokenAlone, needs_tokens=True)
FAULTS = [
    ("finite", spec(Std), "ZeroDivisionError"),
    ("finite", spec(Short), "one for each place kept"),
    ("finite", spec(Doubled, range=centred), "the declared range"),
    ("order", spec(Swapped), "a value that is no lower for the higher total"),
    ("equal", spec(Ranked), "the same value for both"),
    ("permutation", spec(AgainstTheFirst), "the same in another order"),
    ("repeat", spec(Random), "the same again"),
    ("kept", spec(OfTheKept), "at these places"),
    ("kept", spec(PoolLength, needs_tokens=True, scales_loss=True), "without others"),
    ("factor", spec(OwnLength, needs_tokens=True, scales_loss=True), "one positive factor on all"),
    ("factor", spec(TimesLength, needs_tokens=True, scales_loss=True), "twice as long, with each value doubled"),
    ("tokens", spec(PerToken, needs_tokens=True), "an error: the spec says that it needs token counts"),
]
SALTED = spec(Salted)


def outcomes(spec, *laws):
    (tried,) = try_laws(spec, examples=[NormalizerExample()], only=laws or None, tries=TRIES)
    return {outcome.law: outcome for outcome in tried.outcomes}


def test_the_laws_are_those_that_are_told():
    assert list(LAWS) == list(NORMALIZER)


@pytest.mark.parametrize("spec", [CENTRE, PER_TOKEN, LENGTH], ids=lambda spec: spec.name)
def test_a_normalizer_that_keeps_them(spec):
    tried = {*LAWS} - {"worker"} - ({"factor"} if not spec.scales_loss else set())
    found = outcomes(spec, *tried)
    assert {law: outcome.why for law, outcome in found.items() if outcome.state != "held"} == {}
    assert all(outcome.tries > TRIES for outcome in found.values())


@pytest.mark.slow
def test_in_another_process_a_hash_of_python_is_another():
    assert outcomes(CENTRE, "worker")["worker"].tries > TRIES
    assert "the same, in another process" in outcomes(SALTED, "worker")["worker"].why


@pytest.mark.slow
@pytest.mark.parametrize(("law", "faulty", "expected"), FAULTS, ids=lambda part: getattr(part, "name", None))
def test_a_fault_breaks_its_law(law, faulty, expected):
    broken = outcomes(faulty, law)[law]
    assert broken.state == "broken"
    assert broken.why.startswith("asked shape(totals=[")
    assert expected in broken.why


def test_the_failing_example_is_the_smallest():
    assert outcomes(spec(Swapped), "order")["order"].why == (
        "asked shape(totals=[0.0, 1.0], tokens=None, kept=[0, 1], seed=0)\n"
        "got 0.5 for the total 0.0, -0.5 for the total 1.0\n"
        "expected a value that is no lower for the higher total"
    )
