"""Components that declare no example are tried with what can be said of any, or say what to declare."""

from typing import Any

import pytest
from helpers.each_case import each_case
from pydantic import Field
from rewardlab import Config, CurriculumSpec, DatasetSpec, JudgeSpec, NormalizerSpec, RewardSpec
from rewardlab_testing.examples.default_examples import examples_without
from rewardlab_testing.laws.run_laws import try_laws
from rewardlab_testing.outcomes.law_words import CURRICULUM, DATASET, JUDGE, NORMALIZER, REWARD
from rewardlab_testing.outcomes.outcome import UnmetNeed

KINDS = {
    RewardSpec: REWARD,
    JudgeSpec: JUDGE,
    DatasetSpec: DATASET,
    CurriculumSpec: CURRICULUM,
    NormalizerSpec: NORMALIZER,
}


class Required(Config):
    model: str


class Judged(Config):
    judge: str = "main"


class Impossible(Config):
    number: Any = Field(-1, ge=0, validate_default=True)


def spec_of(kind, **more):
    return kind(name="plain", summary="", build=lambda options, context: None, **more)


def example_of(kind, **more):
    [example] = examples_without(spec_of(kind, **more))
    return example


def test_each_kind_gets_what_is_plain_for_it():
    assert example_of(RewardSpec).sample.prompt
    assert not example_of(RewardSpec).good
    assert len(example_of(JudgeSpec, local=True).asks) > 1
    assert example_of(DatasetSpec).source == ()
    assert len({sample.fields["language"] for sample in example_of(CurriculumSpec).samples}) > 3
    assert example_of(NormalizerSpec).options == {}


def test_a_group_sampler_gets_pools_larger_than_the_group():
    assert not example_of(CurriculumSpec).pools
    pools = example_of(CurriculumSpec, most=lambda options, size: 64).pools
    assert {len(pool) > pool.size for pool in pools} == {True, False}
    assert any(score.value is None for pool in pools for entry in pool for score in entry.scores.values())


@each_case("kind", KINDS)
def test_options_that_only_a_user_knows_are_needed_of_him(kind):
    assert example_of(kind, config=Required).needs == ("model",)


@each_case(
    "kind, more, why",
    [
        (RewardSpec, {"requires": ["answer", "language"]}, "needs a sample with 'answer', 'language'; declare"),
        (RewardSpec, {"config": Judged, "judges": ["judge"]}, "needs the judge 'main' that the option judge names"),
        (RewardSpec, {"config": Required, "requires": ["answer"]}, "needs model=... and a sample; declare"),
        (JudgeSpec, {}, "it is not local, and would be asked over the network"),
        (DatasetSpec, {"remote": True}, "reading its rows needs a network"),
        (DatasetSpec, {"step": True}, "needs samples to start from"),
        (NormalizerSpec, {"config": Impossible}, "its options have no valid defaults"),
    ],
)
def test_what_must_be_declared_is_said_of_every_law(kind, more, why):
    with pytest.raises(UnmetNeed, match=why):
        examples_without(spec_of(kind, **more))
    [tried] = try_laws(spec_of(kind, **more))
    assert [outcome.law for outcome in tried.of("untried")] == list(KINDS[kind])
    assert all(why in outcome.why for outcome in tried.outcomes)
