"""The laws of curricula: an order and a group sampler that keep them, and a fault for each that does not."""

import random

import pytest
from helpers.each_case import each_case
from rewardlab import Candidates, Completion, CurriculumSpec, PoolEntry, Sample, Score
from rewardlab.laws import CurriculumExample
from rewardlab_testing.laws.curriculum_laws import LAWS
from rewardlab_testing.laws.run_laws import try_laws
from rewardlab_testing.outcomes.law_words import CURRICULUM

TRIES = 5
SAMPLES = [Sample(id=f"s{k}", fields={"difficulty": 5 - k}) for k in range(5)]
VALUES = (0.0, 1.0, None)
POOL = Candidates(
    sample=SAMPLES[0],
    size=2,
    entries=tuple(
        PoolEntry(completion=Completion(text=f"{value}"), scores={"right": Score(value=value)}) for value in VALUES
    ),
)
EXAMPLE = CurriculumExample(samples=SAMPLES, pools=[POOL])


class Easiest:
    """The easiest first; collects up to six, and takes those with the highest score."""

    def order(self, samples, seed):
        return sorted(range(len(samples)), key=lambda index: samples[index].fields["difficulty"])

    def more(self, pool):
        return min(2, max(0, 6 - len(pool)))

    def select(self, pool, n):
        return sorted(range(len(pool)), key=lambda place: self.rank(pool[place]))[:n]

    def rank(self, entry):
        return -(entry.scores["right"].value or 0.0), entry.completion.text


class NotTheLast(Easiest):
    def order(self, samples, seed):
        return super().order(samples, seed)[: max(1, len(samples) - 1)]


class Random(Easiest):
    def order(self, samples, seed):
        return random.sample(range(len(samples)), len(samples))


class ByFields(Easiest):
    """Looks for a sample's place by what it says, which another may say, too."""

    def order(self, samples, seed):
        places = {str(sample.fields): index for index, sample in enumerate(samples)}
        return [places[str(samples[index].fields)] for index in super().order(samples, seed)]


class Salted(Easiest):
    def order(self, samples, seed):
        return sorted(range(len(samples)), key=lambda index: hash(samples[index].id))


class InPlace(Easiest):
    def order(self, samples, seed):
        samples.sort(key=lambda sample: sample.fields["difficulty"])
        return list(range(len(samples)))


class Marking(Easiest):
    def order(self, samples, seed):
        for sample in samples:
            sample.fields["seen"] = True
        return super().order(samples, seed)


class Greedy(Easiest):
    def more(self, pool):
        return 3 if len(pool) < 6 else 0


class Endless(Easiest):
    def more(self, pool):
        return 1


class Halving(Easiest):
    def more(self, pool):
        return max(0, 6 - len(pool)) / 2


class BelowZero(Easiest):
    def more(self, pool):
        return pool.size - len(pool)


class Twice(Easiest):
    def select(self, pool, n):
        return [0] * n


class TrustsScores(Easiest):
    """Takes no completion without a score."""

    def select(self, pool, n):
        return [place for place in range(len(pool)) if pool[place].scores["right"].value is not None][:n]


class FirstComeFirst(Easiest):
    def select(self, pool, n):
        return list(range(n))


class EarlierOfEquals(Easiest):
    """Takes the best, and of equals those that came first."""

    def select(self, pool, n):
        value = lambda place: pool[place].scores["right"].value  # noqa: E731
        return sorted(range(len(pool)), key=lambda place: -2.0 if value(place) is None else -value(place))[:n]


def spec(of):
    most = (lambda options, size: max(size, 6)) if hasattr(of, "more") else None
    return CurriculumSpec(name=of.__name__.lower(), summary="made", build=lambda options, context: of(), most=most)


def build_nothing(options, context):
    return object()


EASIEST = spec(Easiest)
NOTHING = CurriculumSpec(name="nothing", summary="made", build=build_nothing)
FAULTS = {
    Random: ("repeat", "then asked the same again"),
    InPlace: ("untouched", "found the samples after it: ['s"),
    Marking: ("untouched", "'seen': True"),
    NotTheLast: ("order", "once"),
    ByFields: ("order", "each of 0 to 1 once"),
    BelowZero: ("more", "expected a whole number"),
    Greedy: ("more", "`most` is 6"),
    Endless: ("more", "expected at most 0 more"),
    Halving: ("more", "expected a whole number"),
    Twice: ("select", "2 different places from 0 to 2"),
    TrustsScores: ("select", "different places"),
    FirstComeFirst: ("arrival", "expected the same texts"),
    EarlierOfEquals: ("arrival", "expected the same texts"),
}
SALTED = spec(Salted)


def outcomes(spec, *laws, example=EXAMPLE):
    (tried,) = try_laws(spec, examples=[example], only=laws or None, tries=TRIES)
    return {outcome.law: outcome for outcome in tried.outcomes}


def test_the_laws_are_those_that_are_told():
    assert list(LAWS) == list(CURRICULUM)


def test_a_curriculum_that_keeps_them():
    found = outcomes(EASIEST, *(law for law in LAWS if law != "worker"))
    assert {law: outcome.why for law, outcome in found.items() if outcome.state != "held"} == {}
    assert all(outcome.tries >= TRIES for outcome in found.values())


@each_case("fault", FAULTS)
def test_a_fault_breaks_its_law(fault):
    law, expected = FAULTS[fault]
    broken = outcomes(spec(fault), law)[law]
    assert broken.state == "broken"
    assert expected in broken.why


@pytest.mark.slow
def test_in_another_process_a_hash_of_python_is_another():
    assert outcomes(EASIEST, "worker")["worker"].tries == 2 * TRIES, "an order and a selection for each"
    assert "the same, in another process" in outcomes(SALTED, "worker")["worker"].why


def test_the_failing_examples_read_well():
    assert outcomes(spec(NotTheLast), "order")["order"].why == (
        "asked order(samples=['s0' {'difficulty': 5}, 's0#2' {'difficulty': 5}], seed=0)\n"
        "got [0]\n"
        "expected each of 0 to 1 once"
    )
    assert outcomes(spec(Twice), "select")["select"].why == (
        "asked select(a pool of 3 for a group of 2:\n"
        "    0: '0.0' right=0.0\n"
        "    1: '1.0' right=1.0\n"
        "    2: 'None' right=None\n"
        ")\n"
        "got [0, 0]\n"
        "expected 2 different places from 0 to 2"
    )


def test_without_samples_they_are_generated_and_without_pools_the_sampler_stays_untried():
    class Backwards:
        def order(self, samples, seed):
            return list(range(len(samples)))[::-1]

    assert outcomes(spec(Backwards), "order", example=CurriculumExample())["order"].state == "held"
    untried = outcomes(EASIEST, "select", example=CurriculumExample())["select"]
    assert (untried.state, untried.why[:27]) == ("untried", "needs an example with pools")


def test_an_object_that_neither_orders_nor_samples_is_no_curriculum():
    assert outcomes(NOTHING, "order")["order"].why == (
        "`build` gave object\nexpected an object with `order`, or with `more` and `select`"
    )
