"""The dry run says the most questions that repeats and panels can ask, and `check` what ppo cannot do with them."""

import pytest
from helpers.each_case import each_case
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab_training.check import check_recipe
from rewardlab_training.costs import reward_costs

RECIPE = """
    version: 1
    name: made
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}}
    judges:
      main: {use: openai/chat, with: {model: m, base_url: "http://127.0.0.1:9/v1"}}
      second: {use: openai/chat, with: {model: n, base_url: "http://127.0.0.1:9/v1"}}
    reward:
      components: {best: {use: pairwise/win_rate, with: {judge: main}, on_missing: group_mean}}
      total: best
    stages: [{use: rl, algorithm: grpo, group_size: 4, batch_size: 8, steps: 10}]
"""


@pytest.fixture
def plan(toy, write):
    path = write("r.yaml", RECIPE)
    return lambda *overrides: make_plan(
        load(path, [f"reward.components.best.{one}" for one in overrides]), purpose="check"
    )


@each_case(
    "overrides, asked",
    [
        ([], ["main up to 12 questions a group, 96 a step, 960 in 10 steps"]),
        (["repeats=3"], ["main up to 36 questions a group, 288 a step, 2,880 in 10 steps"]),
        (["repeats=3", "on_unstable={spread: 0.2, then: ask_more}"], ["main up to 72 questions a group, 576 a step"]),
        (["commit_first=true", "repeats=2"], ["main up to 26 questions a group, 208 a step"]),
        (["with.judge=[main, second]"], ["main up to 12 questions a group", "second up to 12 questions a group"]),
    ],
)
def test_the_dry_run_counts_them(plan, overrides, asked):
    made = plan(*overrides)
    lines = [line for line in reward_costs(made, made.recipe.stages[0]) if "best asks" in line]
    assert len(lines) == len(asked)
    assert all(f"best asks {text}" in line for line, text in zip(lines, asked, strict=True))


def test_a_step_has_no_bound_where_groups_are_replaced(toy, write):
    made = make_plan(load(write("r.yaml", RECIPE), ["reward.teach={flat: replace, by: best}"]), purpose="check")
    lines = [*reward_costs(made, made.recipe.stages[0])]
    asks = "best asks main up to 12 questions a group, and of those that take the place of others"
    assert lines == [f"{asks} (reward.teach: {{flat: replace}})"]


def test_a_critic_cannot_leave_out_what_is_unstable(toy, write):
    path = write("r.yaml", RECIPE)
    unstable = "reward.components.best.on_unstable={spread: 0.2, then: zero_advantage}"
    with pytest.raises(UserError) as error:
        check_recipe(load(path, ["stages.0.algorithm=ppo", "reward.components.best.repeats=3", unstable]))
    assert "reward.components.best.on_unstable: zero_advantage does not work with ppo" in str(error.value)
