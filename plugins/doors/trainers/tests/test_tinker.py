"""tinker-cookbook: groups of trajectories that a builder rewards."""

import asyncio
import pickle

import pytest
from helpers.advice import as_advised
from rewardlab.errors import JobError, UserError
from rewardlab_trainers.tinker import _completion, reward_function

from .conftest import ALONE, COMPARED, MASKING, TEXTS, faulty
from .peers.tinker_rollouts import ProblemGroupBuilder, Renderer, Says, SumEnv, advantages, do_group_rollout

TAGS = {"version": 1, "reward": {"components": {"tags": {"use": "format/tags"}}, "total": "tags"}}


def rolled_out(recipe, texts=TEXTS):
    """A group of tinker-cookbook's that a recipe has rewarded, as docs/trainers.md says."""
    reward = reward_function(recipe)

    class Rewarded(ProblemGroupBuilder):
        async def compute_group_rewards(self, trajectory_group, env_group):
            env = env_group[0]
            row = {"prompt": env.get_question(), "answer": env.get_reference_answer()}
            return await reward(trajectory_group, env.renderer, row)

    return asyncio.run(do_group_rollout(Rewarded(SumEnv, len(texts)), Says(texts)))


def test_a_group_has_the_rewards_of_score_and_the_components(told):
    group = rolled_out(COMPARED)
    line = told(COMPARED)
    assert group.get_total_rewards() == pytest.approx(line["shaped"], abs=1e-6)
    accuracy = [metrics["rewardlab/accuracy"] for metrics in group.metrics_G]
    assert accuracy == line["components"]["accuracy"]["value"]


def test_a_member_that_failed_neither_trains_nor_votes(toy):
    texts = ["\\boxed{2}", "\\boxed{2} BAD", "3", "4"]
    found, trained = advantages(rolled_out(MASKING, texts))
    without, _ = advantages(rolled_out(MASKING, [texts[0], *texts[2:]]))
    assert found == pytest.approx([without[0], 0.0, *without[1:]], abs=1e-6)
    assert trained == [True, False, True, True]


def test_a_prompt_that_was_too_long_is_no_answer(toy):
    """Nothing was sampled after it: a reward of 0 would teach the others that anything is better."""
    found, trained = advantages(rolled_out(ALONE, ["\\boxed{2}", "", "3"]))
    without, _ = advantages(rolled_out(ALONE, ["\\boxed{2}", "3"]))
    assert found == pytest.approx([without[0], 0.0, without[1]], abs=1e-6)
    assert trained == [True, False, True]


def test_a_failure_that_the_recipe_does_not_allow_ends_the_group(toy):
    with pytest.raises(JobError, match="component 'faulty'"):
        rolled_out(faulty(), ["good", "BAD"])


def test_thoughts_are_a_part_of_the_answer(toy):
    texts = ["<think>hm</think><answer>2</answer>", "<answer>2</answer>"]
    assert rolled_out(TAGS, texts).get_total_rewards() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "stop", "truncated"), [("2", "stop", False), ("2", "length", True), ("", "stop", True)]
)
def test_what_was_cut_off_is_known(text, stop, truncated):
    action = asyncio.run(Says([text], stop)(None, None))
    assert _completion(action, Renderer()) == {"text": text, "token_count": len(text), "truncated": truncated}


def test_what_is_missing_is_told(toy):
    with pytest.raises(UserError, match=r"'answer' is needed by accuracy .* tinker-cookbook sends solution") as missing:
        reward_function(ALONE, fields=["solution"])
    reward_function(as_advised(ALONE, missing, "solution"), fields=["solution"])
    group = rolled_out(ALONE)
    with pytest.raises(UserError, match="field 'answer' is needed by accuracy"):
        asyncio.run(reward_function(ALONE)(group.trajectories_G, Renderer(), {"prompt": "1+1?"}))
    group.trajectories_G[0].transitions[-1].ac = [1, 2]
    with pytest.raises(UserError, match=r"list has no tokens, stop_reason.* install tinker-cookbook 0.6"):
        asyncio.run(reward_function(ALONE)(group.trajectories_G, Renderer(), {"prompt": "1+1?"}))


def test_a_builder_with_it_goes_to_another_process(toy):
    group = rolled_out(COMPARED)
    again = pickle.loads(pickle.dumps(reward_function(COMPARED)))
    row = {"prompt": "1+1?", "answer": "2"}
    rewards = asyncio.run(again(group.trajectories_G, Renderer(), row))
    assert [reward for reward, _ in rewards] == group.get_total_rewards()
