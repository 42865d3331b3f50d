"""Which groups teach: by a component and not by the shaped total, and rounding alone is no difference."""

import asyncio
import struct
from dataclasses import replace
from functools import partial

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, CurriculumSpec, Group, Sample, Score, ScoredGroup, load_reward
from rewardlab.errors import JobError, UserError
from rewardlab.plan import make_plan
from rewardlab.plan.component import Component
from rewardlab.recipe import ComponentUse, load
from rewardlab.recipe.use import Use
from rewardlab.scoring import Scorer, Teaching, as_trainers_get_it
from rewardlab_ray.scoring.sides import sides
from rewardlab_training import metrics_of_step

SINGLE = 0.3333333432674408
"""a third, in single precision"""
RECIPE = """
version: 1
reward:
  components:
    right: {use: toy/brevity, with: {words: 2}}
    letters: {use: toy/letters}
  total: right + letters
  correctness: right
  teach: TEACH
"""


def group(*values, between=None):
    """A group with these outcomes, whose totals differ; the reason why it is left out is the decision's own."""
    components = {"right": [Score(value=value, error=None if value is not None else "gone") for value in values]}
    totals = [None if value is None else float(place) for place, value in enumerate(values)]
    why = Teaching(by="right", between=between).why_left_out(components["right"], totals)
    return ScoredGroup(
        sample=Sample(id="s"),
        completions=tuple(Completion(text="word " * place) for place in range(len(values))),
        components=components,
        totals=totals,
        shaped=[0.0 if total is None else total for total in totals],
        left_out=why,
    )


def single(value):
    """The number in single precision."""
    return struct.unpack("f", struct.pack("f", value))[0]


FLAT = [
    (0.0, 0.0, 0.0),
    (1.0, 1.0),
    (0.1, 0.1, 0.1),  # whose mean in double precision is not 0.1
    (1 / 3, SINGLE, 1 - 2 / 3),
    (0.1 + 0.2, 0.3),
    (1e6, 1e6 * (1 + 1e-7)),
    (0.0, 1e-9),
    (-1.0, -1.0 - 1e-8),
    (None, None),
    (None, 1.0),  # one vote differs from none
    (None, 1.0, 1.0),
]
DIFFERENT = [
    ((0.0, 1.0), [0, 1]),
    ((1.0, 0.0, 1.0, 0.0), [1, 0, 1, 0]),
    ((0.0, 1e-4), [0, 1]),
    ((1 / 3, 2 / 3), [0, 1]),
    ((-1.0, 0.0), [0, 1]),
    ((0.0, None, 1.0), [0, 0, 1]),
    ((1e6, 1e6 + 10), [0, 1]),
    ((0.99999, 1.0), [0, 1]),
    ((0.2, 0.4, 0.6, 0.8), [0, 0, 1, 1]),
    ((0.0, 0.5, 1.0), [0, 0, 1]),
]
TEACHING = Teaching(by="right")
sides_of = partial(sides, outcome="right")


@each_case("values", FLAT)
def test_a_group_that_is_flat_in_its_outcome_is_left_out_whatever_its_totals_are(values):
    scored = group(*values)
    assert scored.left_out == "flat in right"
    assert sides_of(scored) == [0] * len(values), "engines find them equal, and their mean 0"
    assert metrics_of_step([scored])["reward/groups_without_variance"] == 1


@each_case("values, halves", DIFFERENT)
def test_one_whose_outcomes_differ_teaches(values, halves):
    scored = group(*values)
    assert scored.left_out is None
    assert sides_of(scored) == halves
    assert 0 < sum(halves) < len(halves), "engines compare them, or their mean with 0 and 1"


def test_one_that_is_equal_and_teaches_by_the_rest_of_its_pool_is_left_out_by_no_engine():
    assert sides_of(replace(group(0.0, 0.0, 0.0), left_out=None, centred=True)) == [1, 0, 0]
    without = replace(group(None, 0.0, 0.0), left_out=None, centred=True)
    assert sides_of(without) == [0, 1, 0], "the first has no reward"
    assert sides_of(replace(without, centred=False)) == [0, 0, 0], "of an evaluation, which has no pool"


@each_case(
    "values, why",
    [
        ((0.0, 1.0), None),
        ((1.0, 1.0, 1.0, 0.0), None),
        ((1.0,) * 9 + (0.0,), "mean right 0.9 is not between 0 and 0.9"),
        ((1.0,) * 19 + (0.0,), "mean right 0.95 is not between 0 and 0.9"),
        ((-1.0, 0.5, None), "mean right -0.25 is not between 0 and 0.9"),
        ((-1.0, 1.0), "mean right 0 is not between 0 and 0.9"),
        ((0.5, 0.5), "flat in right"),
    ],
)
def test_bounds_leave_out_what_is_nearly_solved(values, why):
    scored = group(*values, between=(0.0, 0.9))
    assert scored.left_out == why
    assert any(sides_of(scored)) == (why is None)


def test_a_trainer_of_other_makers_gets_one_reward_for_all_of_a_group_that_is_left_out():
    """So that its own baseline leaves nothing of it."""
    taught, flat, gone = group(0.0, 1.0, 0.0), group(1.0, None, 1.0), group(None, None)
    assert as_trainers_get_it(taught) is taught
    assert as_trainers_get_it(flat).shaped == [1.0, 1.0, 1.0]
    assert as_trainers_get_it(replace(group(1.0), shaped=[0.35])).shaped == [0.35], "one alone has no baseline"
    assert as_trainers_get_it(gone).shaped == [0.0, 0.0]
    assert as_trainers_get_it(replace(flat, centred=True)).shaped == [0.0, 0.0, 0.0], "no pool's mean stays in them"
    assert flat.shaped == [0.0, 0.0, 2.0], "the ledger has what the recipe gave"


@pytest.mark.parametrize("size", range(2, 17))
def test_in_single_precision_the_mean_that_a_trainer_takes_off_leaves_nothing_either(size):
    """Divided by its own deviation, rounding would be advantages."""
    for level in (0.35, 1.1, 1.3, 2.7, -1.7566, 10.1, 1 / 3, 1e-9):
        flat = replace(group(*[1.0] * size), totals=[level] * size, shaped=[level] * size)
        added = single(0.0)
        given = [single(value) for value in as_trainers_get_it(flat).shaped]
        for value in given:
            added = single(added + value)
        assert {value - single(added / size) for value in given} == {0.0}, level
        assert given[0] == pytest.approx(level, rel=2**-12)


@each_case(
    "right, totals, why",
    [
        ((0.0, 0.0, 1.0), (0.1, 0.2, None), "flat in right"),
        ((0.0, 1.0, 1.0), (None, 0.1, 0.2), "flat in right"),
        ((0.0, 1.0, 1.0), (0.1, 0.2, None), None),
        ((0.0, 1.0), (None, None), "flat in right"),
    ],
)
def test_a_completion_without_a_total_has_no_vote(right, totals, why):
    """It trains nothing: without it, the others would be told apart by their lengths alone."""
    scored = TEACHING.decided(replace(group(*right), totals=totals, left_out=None), ComponentUse(use="toy/brevity"))
    assert scored.left_out == why
    there = {side for side, total in zip(sides_of(scored), totals, strict=True) if total is not None}
    assert (len(there) > 1) == (why is None), "of those that the engine has"


BESIDE = """
version: 1
reward:
  components:
    right: {use: toy/faulty, with: {how: fail}}
    letters: {use: toy/letters}
  total: letters
  teach: {flat: drop, by: right}
"""


@each_case(
    "override, what",
    [
        ("reward.components.right.on_missing=fail", r"component 'right' \(toy/faulty\) failed on "),
        ("reward.components.right.with.how=abstain", r"which says which groups teach, abstains on .* to a number, and"),
        ("reward.components.right.on_missing=zero_advantage", r"component 'right' \(toy/faulty\) has no value for "),
    ],
)
def test_an_outcome_beside_the_total_that_always_fails_ends_the_job(toy, write, override, what):
    """Else every group would be left out, and nobody would say so."""
    rows = [{"id": str(at), "prompt": "?", "completions": ["BAD", "BAD b"]} for at in range(40)]
    with load_reward(write("r.yaml", BESIDE), override) as reward, pytest.raises(JobError, match=what):
        reward.score(rows)
    with load_reward(write("r.yaml", BESIDE), override, "reward.teach={}") as reward:
        assert {one.left_out for one in reward.score(rows)} == {None}, "where it decides nothing it may fail"


class First:
    """A group sampler that wants the rest of four, and keeps the first ones."""

    def more(self, pool):
        return max(0, 4 - len(pool))

    def select(self, pool, n):
        return range(n)


def first_two(components, total, texts, normalize="normalize/std"):
    """The group of the first two of four completions, whose advantages are less the mean of all four."""
    reward = {"components": components, "total": total, "normalize": [{"use": normalize}] if normalize else []}
    reward["teach"] = {"flat": "drop", "by": "right"}
    spec = CurriculumSpec(name="first", summary="made", build=lambda *_: First(), most=lambda options, size: 4)
    sampler = Component(use=Use(use="test/first"), spec=spec, options=spec.config())
    plan = replace(make_plan(load({"version": 1, "reward": reward}, [])), sampler=sampler)

    async def work(scorer):
        pool = scorer.collect(Sample(id="s"), 2, sampled=True)
        for index, text in enumerate(texts):
            pool.put(index, Completion(text=text, token_count=1))
        return (await pool.scored()).group

    with Scorer(plan) as scorer:
        return asyncio.run(work(scorer))


RIGHT = {"use": "toy/brevity", "with": {"words": 2}}


@pytest.mark.parametrize("total", ["right + letters", "right + longest"])
def test_a_pool_decides_where_its_mean_is_taken_off_and_nowhere_else(toy, total):
    """A component that compares those that are kept makes their totals, and their mean, of them alone."""
    components = {"right": RIGHT, "letters": {"use": "toy/letters"}}
    components |= {"longest": {"use": "toy/longest"}} if "longest" in total else {}
    kept = first_two(components, total, ["a", "b c", "c 1 2 3", "d e f g"])
    assert [score.value for score in kept.components["right"]] == [1.0, 1.0]
    assert kept.left_out == (None if total == "right + letters" else "flat in right")


def test_a_pool_decides_nothing_where_no_mean_is_taken_off(toy):
    components = {"right": RIGHT, "letters": {"use": "toy/letters"}}
    kept = first_two(components, "right + letters", ["a", "b c", "c 1 2 3", "d e f g"], normalize=None)
    assert kept.left_out == "flat in right"


@each_case(
    "texts, why",
    [
        (["a", "b1", "c d e f", "d"], None),
        (["a", "b1", "c d e f BAD", "d"], "flat in right"),  # the one that is wrong is no part of the mean
        (["a BAD", "b1", "c d", "d BAD"], "flat in right"),
        (["a", "b c d e BAD", "c d e f", "d"], None),
    ],
)
def test_one_of_a_pool_without_a_total_has_no_vote_either(toy, texts, why):
    shaky = {"use": "toy/faulty", "with": {"how": "fail"}, "on_missing": "zero_advantage", "max_missing": 1}
    kept = first_two({"right": RIGHT, "letters": {"use": "toy/letters"}, "shaky": shaky}, "letters + shaky", texts)
    assert kept.left_out == why


def test_a_failed_outcome_of_one_that_a_pool_does_not_keep_is_a_failure(toy):
    right = {"use": "toy/faulty", "with": {"how": "fail"}, "on_missing": "fail"}
    with pytest.raises(JobError, match=r"component 'right' \(toy/faulty\) failed on "):
        first_two({"right": right, "letters": {"use": "toy/letters"}}, "letters", ["a", "b1", "c", "BAD"])


def test_an_outcome_that_abstains_by_the_recipes_leave_has_no_vote(toy, write):
    abstains = ("reward.components.right.with.how=abstain", "reward.components.right.on_abstain=0")
    with load_reward(write("r.yaml", BESIDE), *abstains) as reward:
        (scored,) = reward.score([{"prompt": "?", "completions": ["BAD", "BAD b", "c"]}])
    assert scored.left_out == "flat in right", "one vote differs from none"


def test_a_failed_outcome_beside_the_total_does_not_end_an_evaluation(toy, write):
    """Nobody trains on it, so that nothing is decided."""
    rows = [{"prompt": "?", "completions": ["BAD", "a"]}, {"prompt": "!", "completions": ["a", "b 1 2"]}]
    path, fail = write("r.yaml", BESIDE), "reward.components.right.on_missing=fail"
    with load_reward(path, fail) as reward:
        with pytest.raises(JobError, match="component 'right'"):
            reward.score(rows)
        scored = reward.score(rows, evaluation=True)
        assert [one.left_out for one in scored] == [None, None]
        assert scored[0].components["right"][0].error
        assert asyncio.run(reward.ascore(rows, evaluation=True)) == scored
        assert reward.score(rows * 200, evaluation=True)[:2] == scored, "also in windows"
        assert reward.score_one(prompt="?", completion="BAD").components["right"].failed
        assert asyncio.run(reward.ascore_one(prompt="?", completion="BAD")).total == 1.0


def test_nor_do_too_many_failures_of_it(toy, write):
    rows, path = [{"prompt": "?", "completions": ["BAD", "BAD a"]}], write("r.yaml", BESIDE)
    with load_reward(path, "reward.components.right.on_missing=zero_advantage") as reward:
        with pytest.raises(JobError, match=r"component 'right' .* has no value for any of 2 completions"):
            reward.score(rows)
        assert reward.score(rows, evaluation=True)[0].totals == [1.0, 0.8]
        assert asyncio.run(reward.ascore(rows, evaluation=True))[0].left_out is None


@pytest.mark.parametrize(
    ("teach", "wanted"),
    [
        ("{flat: keep}", [None, None]),
        ("{flat: drop}", ["flat in right", None]),
        ("{flat: replace}", ["flat in right", None]),
    ],
)
def test_a_scorer_says_it_of_each_group(toy, write, teach, wanted):
    texts = [("a", "a1"), ("a", "a 1 2 3")]
    groups = [Group(sample=Sample(id="s"), completions=tuple(Completion(text=text) for text in of)) for of in texts]
    with Scorer(make_plan(load(write("r.yaml", RECIPE.replace("TEACH", teach)), []))) as scorer:
        scored = scorer.score_groups(groups)
        assert [one.left_out for one in scored] == wanted
        assert len({*scored[0].totals}) == 2


@each_case(
    "override, where, what",
    [
        ("reward.correctness=null", "reward.teach", "needs the outcome by which a group is flat: `reward.correctness`"),
        ("reward.teach.by=rihgt", "reward.teach.by", "no component 'rihgt'; did you mean 'right'?"),
        ("reward.teach={by: right}", "reward.teach", "by says which groups are left out, and flat: keep leaves none"),
        ("reward.teach={between: [0, 1]}", "reward.teach", "between says which groups are left out"),
        ("reward.teach.between=[1, 0]", "reward.teach", "the first number of `between` must be less than the second"),
        ("reward.teach.flat=skip", "reward.teach.flat", "'skip' is not allowed; there are"),
    ],
)
def test_a_recipe_that_does_not_say_which_groups_teach_is_refused(toy, write, override, where, what):
    with pytest.raises(UserError) as refused:
        make_plan(load(write("r.yaml", RECIPE.replace("TEACH", "{flat: drop}")), [override]))
    assert f"{where}: {what}" in str(refused.value)
