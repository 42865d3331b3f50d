"""Advantages against numpy, group by group and over the batch."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.recipe import RlStage
from rewardlab.recipe.expression import parse
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring.composition import Composition, ScoredGroup
from rewardlab.types import Completion, Group, Sample, Score
from rewardlab_normalize.options import StdOptions
from rewardlab_normalize.std import Std
from rewardlab_training.advantages import ADVANTAGES, batch_advantages

ALGORITHMS = ("grpo", "dr_grpo", "rloo", "reinforce_baseline")
EPSILON = 1e-4

value = st.floats(-10, 10, allow_nan=False).map(lambda x: round(x, 3))
group = st.lists(value, min_size=4, max_size=4)
batch = st.lists(group, min_size=1, max_size=4)
holes = st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=4, max_size=4)


def scored(shaped, missing=None):
    """A group as scoring leaves it: where a total is missing, `shaped` is the mean of the others."""
    missing = missing or [False] * len(shaped)
    present = [v for v, gone in zip(shaped, missing, strict=True) if not gone]
    stand_in = sum(present) / len(present) if present else 0.0
    return ScoredGroup(
        sample=Sample(id="s"),
        completions=[Completion(text="")] * len(shaped),
        components={},
        totals=[None if gone else v for v, gone in zip(shaped, missing, strict=True)],
        shaped=[stand_in if gone else v for v, gone in zip(shaped, missing, strict=True)],
    )


def by_numpy(algorithm, groups):
    """The same from the papers' formulas, NaN for what is missing."""
    rewards = np.array(groups, dtype=float)
    counts = (~np.isnan(rewards)).sum(axis=1, keepdims=True)
    sums = np.nansum(rewards, axis=1, keepdims=True)
    centred = rewards - sums / np.maximum(counts, 1)
    centred[np.broadcast_to(counts < 2, centred.shape)] = 0.0
    if algorithm == "grpo":
        deviation = np.sqrt(np.nansum(centred**2, axis=1, keepdims=True) / np.maximum(counts - 1, 1))
        centred = centred / (deviation + EPSILON)
    if algorithm == "rloo":
        others = (sums - rewards) / np.maximum(counts - 1, 1)
        centred = np.where(counts < 2, 0.0, rewards - others)
    if algorithm == "reinforce_baseline":
        present = ~np.isnan(rewards)
        centred = centred / (np.sqrt((centred[present] ** 2).sum() / max(1, present.sum())) + EPSILON)
    return np.where(np.isnan(rewards), 0.0, centred).ravel()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(batch=batch, holes=holes)
def test_they_are_the_formula_of_the_paper_over_what_is_present(algorithm, batch, holes):
    holes = holes[: len(batch)]
    groups = [scored(values, gone) for values, gone in zip(batch, holes, strict=True)]
    rewards = [[math.nan if g else v for v, g in zip(vs, gs, strict=True)] for vs, gs in zip(batch, holes, strict=True)]
    np.testing.assert_allclose(batch_advantages(algorithm, groups), by_numpy(algorithm, rewards), atol=1e-6, rtol=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(batch=batch, holes=holes)
def test_every_group_has_mean_0_so_that_an_engine_subtracts_nothing(algorithm, batch, holes):
    groups = [scored(values, gone) for values, gone in zip(batch, holes, strict=False)]
    found = np.array(batch_advantages(algorithm, groups)).reshape(len(groups), 4)
    np.testing.assert_allclose(found.mean(axis=1), 0.0, atol=1e-7)


@given(batch=batch)
def test_dr_grpo_passes_centred_values_unchanged(batch):
    centred = [[v - sum(values) / 4 for v in values] for values in batch]
    found = batch_advantages("dr_grpo", [scored(values) for values in centred])
    np.testing.assert_allclose(found, np.ravel(centred), atol=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(values=group, others=group)
def test_a_missing_sample_leaves_every_statistic(algorithm, values, others):
    """With a hole, the rest get what a group without that sample gets; the hole itself gets nothing."""
    with_hole = batch_advantages(algorithm, [scored([*values, 123.0], [False] * 4 + [True]), scored(others)])
    without = batch_advantages(algorithm, [scored(values), scored(others)])
    assert with_hole[4] == 0.0
    np.testing.assert_allclose([*with_hole[:4], *with_hole[5:]], without, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(values=group, seed=st.randoms())
def test_permuting_a_group_permutes_its_advantages(algorithm, values, seed):
    order = list(range(4))
    seed.shuffle(order)
    plain = batch_advantages(algorithm, [scored(values)])
    permuted = batch_advantages(algorithm, [scored([values[i] for i in order])])
    np.testing.assert_allclose(permuted, [plain[i] for i in order], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("values", [[0.1] * 8, [0.7] * 8, [0.0] * 8, [1.0]])
def test_a_group_without_variance_teaches_nothing(algorithm, values):
    assert batch_advantages(algorithm, [scored(values)]) == [0.0] * len(values)


def test_a_normalizers_mean_is_that_of_the_pool_and_no_other_is_taken_off():
    """SGCM, appendix L: 8 of a pool of 2 right and 22 wrong answers."""
    made = Composition(
        expression=parse("right"),
        uses={"right": ComponentUse(use="test/right")},
        normalizers=[("normalize/std", Std(StdOptions()))],
        centred=True,
    )
    pool = Group(sample=Sample(id="s"), completions=[Completion(text=f"{n}") for n in range(24)])
    scores = [Score(value=float(n < 2)) for n in range(24)]
    group = made.compose_kept(pool, range(8), {"right": scores}, {})
    assert batch_advantages("dr_grpo", [group]) == pytest.approx([3.3166] * 2 + [-0.3015] * 6, abs=1e-4)
    wrong = made.compose_kept(pool, range(8, 16), {"right": scores}, {})
    assert batch_advantages("dr_grpo", [wrong]) == pytest.approx([-0.3015] * 8, abs=1e-4)
    subset = replace(made, normalizers=[("normalize/std", Std(StdOptions(subset=8, mean_from="subset")))])
    found = [
        batch_advantages("dr_grpo", [one.compose_kept(pool, range(8), {"right": scores}, {}, seed=5)])
        for one in (replace(made, normalizers=[("normalize/std", Std(StdOptions(subset=8)))]), subset)
    ]
    assert found[0] != found[1], "what the mean is taken from matters"


@each_case("algorithm", ALGORITHMS)
def test_a_batch_with_nothing_present_teaches_nothing(algorithm):
    assert batch_advantages(algorithm, [scored([1.0, 2.0], [True, True])]) == [0.0, 0.0]


def test_every_algorithm_has_its_advantages_in_words():
    algorithm = RlStage.model_json_schema()["properties"]["algorithm"]
    assert sorted(ADVANTAGES) == sorted(algorithm["enum"])
