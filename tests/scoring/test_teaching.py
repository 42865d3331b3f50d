"""Which groups teach: by a component and not by the shaped total, and rounding alone is no difference."""

from dataclasses import replace

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Group, Sample, Score, ScoredGroup
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import Scorer, Teaching, as_trainers_get_it, metrics_of_step

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
    return ScoredGroup(
        sample=Sample(id="s"),
        completions=tuple(Completion(text="word " * place) for place in range(len(values))),
        components=components,
        totals=totals,
        shaped=[0.0 if total is None else total for total in totals],
        left_out=Teaching(by="right", between=between).why_left_out(components),
    )


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
]
TEACHING = Teaching(by="right")


@each_case("values", FLAT)
def test_a_group_that_is_flat_in_its_outcome_is_left_out_whatever_its_totals_are(values):
    scored = group(*values)
    assert scored.left_out == "flat in right"
    assert TEACHING.sides(scored) == [0] * len(values), "engines find them equal, and their mean 0"
    assert metrics_of_step([scored])["reward/groups_without_variance"] == 1


@each_case("values, sides", DIFFERENT)
def test_one_whose_outcomes_differ_teaches(values, sides):
    scored = group(*values)
    assert scored.left_out is None
    assert TEACHING.sides(scored) == sides
    assert 0 < sum(sides) < len(sides), "engines compare them, or their mean with 0 and 1"


def test_one_that_is_equal_and_teaches_by_the_rest_of_its_pool_is_left_out_by_no_engine():
    assert TEACHING.sides(replace(group(0.0, 0.0, 0.0), left_out=None)) == [1, 0, 0]


@each_case(
    "values, why",
    [
        ((0.0, 1.0), None),
        ((1.0, 1.0, 1.0, 0.0), None),
        ((1.0,) * 9 + (0.0,), "mean right 0.9 is not between 0 and 0.9"),
        ((1.0,) * 19 + (0.0,), "mean right 0.95 is not between 0 and 0.9"),
        ((-1.0, 0.5, None), "mean right -0.25 is not between 0 and 0.9"),
        ((0.5, 0.5), "flat in right"),
    ],
)
def test_bounds_leave_out_what_is_nearly_solved(values, why):
    scored = group(*values, between=(0.0, 0.9))
    assert scored.left_out == why
    assert any(TEACHING.sides(scored)) == (why is None)


def test_a_trainer_of_other_makers_gets_one_reward_for_all_of_a_group_that_is_left_out():
    """So that its own baseline leaves nothing of it."""
    taught, flat, gone = group(0.0, 1.0, 0.0), group(1.0, None, 1.0), group(None, None)
    assert as_trainers_get_it(taught) is taught
    assert as_trainers_get_it(flat).shaped == [1.0, 1.0, 1.0]
    assert as_trainers_get_it(gone).shaped == [0.0, 0.0]
    assert as_trainers_get_it(replace(flat, centred=True)).shaped == [0.0, 0.0, 0.0], "no pool's mean stays in them"
    assert flat.shaped == [0.0, 0.0, 2.0], "the ledger has what the recipe gave"


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
