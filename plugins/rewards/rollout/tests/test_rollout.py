"""Costs as rewards: a straight line, an abstention where nobody told, and no vote for a rollout that failed."""

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, load_reward
from rewardlab.errors import UserError
from rewardlab.recipe import load
from rewardlab_rollout.cost import SecondsCost, TokensCost, ToolCallsCost
from rewardlab_rollout.examples import _conversation
from rewardlab_rollout.options import CostOptions
from rewardlab_training import check_recipe


def recipe(use, total="right + cost", **options):
    cost = {"use": f"rollout/{use}", "with": options}
    right = {"use": "toy/brevity", "with": {"words": 2}}
    return {"version": 1, "reward": {"components": {"right": right, "cost": cost}, "total": total}}


@each_case(
    "reward, completion, value",
    [
        (TokensCost, Completion(text="a", token_count=10), 0.0),
        (TokensCost, Completion(text="a", token_count=20), 0.0),
        (TokensCost, Completion(text="a", token_count=70), -0.25),
        (TokensCost, Completion(text="a", token_count=120), -0.5),
        (TokensCost, Completion(text="a", token_count=9_999), -0.5),
        (TokensCost, Completion(text="a"), None),
        (SecondsCost, Completion(text="a", seconds=70.0), -0.25),
        (SecondsCost, Completion(text="a", token_count=70), None),
        (ToolCallsCost, _conversation(120), -0.5),
        (ToolCallsCost, _conversation(0), 0.0),
        (ToolCallsCost, Completion(text="a", token_count=70), None),
    ],
)
def test_it_falls_in_a_straight_line_and_abstains_where_nobody_told(reward, completion, value):
    (score,) = reward(CostOptions(most=120, free=20, worst=0.5), None).score([({}, completion)])
    assert score.value == value
    assert score.error is None
    assert ("reason" in score.info) == (value is None)


def test_the_interval_of_its_range_is_the_totals(toy):
    with load_reward(recipe("tokens", "right + 2 * cost", most=100, worst=0.25)) as reward:
        assert reward.plan.components["cost"].spec.range == (-0.25, 0.0)
        assert reward.plan.total_range == (-0.5, 1.0)


def test_a_rollout_that_ran_out_of_time_does_not_tilt_the_baseline(toy):
    """It took the most seconds of all; the others have what they would have without it."""
    others = [{"text": "a", "seconds": 1}, {"text": "a b c", "seconds": 9}]
    late = {"text": "", "seconds": 600, "error": "it ran out of time"}
    with load_reward(recipe("seconds", most=10)) as reward:
        (alone,) = reward.score([{"prompt": "?", "completions": others}])
        (group,) = reward.score([{"prompt": "?", "completions": [*others, late]}])
    assert group.totals == [*alone.totals, None]
    assert list(group.shaped[:2]) == list(alone.shaped)


@each_case(
    "use, need, known",
    [
        ("tokens", "token_count", {"token_count": 1}),
        ("seconds", "seconds", {"seconds": 0}),
        ("tool_calls", "messages", {"messages": [{"role": "assistant", "content": "a"}]}),
    ],
)
def test_an_amount_that_is_not_known_is_a_bad_row_unless_the_recipe_has_a_number_for_it(toy, use, need, known):
    row = {"prompt": "?", "completions": [known | ({} if use == "tool_calls" else {"text": "a"}), {"error": "died"}]}
    lacking = row | {"completions": [*row["completions"], "a"]}
    with load_reward(recipe(use, most=10)) as reward:
        assert reward.score([row])[0].totals[0] is not None
        with pytest.raises(UserError, match=rf"completions\[2\]\.{need} is needed by rollout/{use}"):
            reward.score([lacking])
    with load_reward(recipe(use, most=10), "reward.components.cost.on_abstain=0") as reward:
        assert reward.score([lacking])[0].totals[1:] == [None, 1.0]
    with load_reward(recipe(use, "right", most=10)) as reward:
        assert reward.score([lacking])[0].totals[2] == 1.0, "the total does not name it"


@each_case("backend", ["trl", "openrlhf", "verl"])
def test_check_warns_of_what_an_engine_does_not_say(toy, tmp_path, backend):
    pytest.importorskip("rewardlab_trl", reason="rewardlab-trl, which needs torch, is not in this environment")
    (tmp_path / "rows.jsonl").write_text('{"prompt": "?"}\n' * 8)
    stage = {
        "use": "rl",
        "algorithm": "grpo",
        "steps": 1,
        "batch_size": 8,
        "group_size": 8,
        "learning_rate": 1e-6,
        "max_new_tokens": 8,
    }
    dataset = {"use": "data/jsonl", "with": {"path": str(tmp_path / "rows.jsonl")}}
    job = {
        "backend": {"use": backend, "gpus_per_node": 1},
        "model": "some/model",
        "dataset": dataset,
        "stages": [stage],
    }

    def warnings(use, **more):
        made = recipe(use, most=10)
        made["reward"]["components"]["cost"] |= more
        return [line for line in check_recipe(load(made | job)).warnings if "rollout/" in line]

    (line,) = warnings("seconds")
    assert f"rollout/seconds needs the seconds of each completion, and {backend} does not say them" in line
    assert "ends the job at its first step" in line
    (line,) = warnings("seconds", on_abstain=0)
    assert line.endswith("it abstains, always")
    (line,) = warnings("tool_calls")
    assert "needs the messages" in line
    assert warnings("tokens") == []


def test_what_is_free_is_less_than_the_most():
    with pytest.raises(UserError, match="free is not less than most, 10"):
        load_reward(recipe("tokens", most=10, free=10))
