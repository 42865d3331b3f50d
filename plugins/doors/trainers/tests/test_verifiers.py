"""verifiers: traces that a plugged function rewards."""

import asyncio

import pytest
from helpers.advice import as_advised
from rewardlab.errors import UserError
from rewardlab_trainers.verifiers import reward_function

from .conftest import ALONE, COMPARED, MASKING, TEXTS, faulty
from .peers.verifiers_task import SumData, TaskError, scored

OPENING = "from rewardlab_trainers.verifiers import reward_function"
SUM = SumData(prompt="1+1?", answer="2")


def rewarded(mine, recipe, text=TEXTS[0], data=SUM, **more):
    return asyncio.run(scored(mine(OPENING, recipe) + ":reward", data, text, **more))


def test_a_trace_has_the_reward_of_score_and_its_components(mine, told):
    traces = [rewarded(mine, ALONE, text, weight=0.5) for text in TEXTS]
    line = told(ALONE)
    assert [trace.reward / 0.5 for trace in traces] == pytest.approx(line["total"], abs=1e-6)
    assert [trace.metrics["rewardlab/box"] for trace in traces] == line["components"]["box"]["value"]


def test_thoughts_are_a_part_of_the_answer(mine):
    recipe = {"version": 1, "reward": {"components": {"tags": {"use": "format/tags"}}, "total": "tags"}}
    found = [rewarded(mine, recipe, "<answer>2</answer>", thinking=thinking).reward for thinking in ("hm", None)]
    assert found == [1.0, 0.0]


@pytest.mark.parametrize("recipe", [MASKING, faulty()])
def test_a_failure_ends_the_rollout(mine, recipe):
    with pytest.raises(TaskError, match=r"JobError: .*the toy failed"):
        rewarded(mine, recipe, "BAD")


def test_what_cannot_be_rewarded_is_told_at_once(toy, mine):
    with pytest.raises(UserError, match=r"longest \(toy/longest\) compares .* verifiers hands over each alone.* SkyRL"):
        reward_function(COMPARED)
    with pytest.raises(UserError, match=r"'answer' is needed by accuracy .* verifiers sends solution") as missing:
        reward_function(ALONE, fields=["solution"])
    reward_function(as_advised(ALONE, missing, "solution"), fields=["solution"])
    with pytest.raises(TaskError, match=r"UserError: .*field 'answer' is needed by accuracy"):
        rewarded(mine, ALONE, data=SumData(prompt="1+1?"))
    with pytest.raises(UserError, match=r"object has no last_reply, .* install verifiers 0.4"):
        asyncio.run(reward_function(ALONE)(SUM, object()))


def test_a_reward_of_whole_conversations_reads_what_tools_did(mine):
    parts = {"box": {"use": "format/boxed", "reads": "all"}, "last": {"use": "format/boxed"}}
    recipe = {"version": 1, "reward": {"components": parts, "total": "box - last"}}
    assert rewarded(mine, recipe, "it is done", tool="\\boxed{2}").reward == 1.0
    assert rewarded(mine, recipe, "it is done", tool="nothing").reward == 0.0


def judged(mine, recipe, text, **entry):
    plugged = {"id": "rewardlab-verifiers", "recipe": mine.recipe(recipe), "weight": 0.5, **entry}
    return asyncio.run(scored(None, SUM, text, judge=plugged))


def test_a_judge_that_a_configuration_plugs_gives_the_same(mine, told, peer):
    peer("verifiers")
    traces = [judged(mine, ALONE, text) for text in TEXTS]
    line = told(ALONE)
    assert [trace.reward / 0.5 for trace in traces] == pytest.approx(line["total"], abs=1e-6)
    assert [list(trace.rewards) for trace in traces] == [["rewardlab-verifiers"]] * 4
    assert [trace.metrics["rewardlab/box"] for trace in traces] == line["components"]["box"]["value"]
    boxes = judged(mine, ALONE, TEXTS[0], overrides=["reward.total=box"], name="boxes")
    assert list(boxes.rewards) == ["boxes"]
    assert boxes.reward == 0.5
    with pytest.raises(TaskError, match=r"JobError: .*the toy failed"):
        judged(mine, MASKING, "BAD")


def test_a_configuration_with_a_recipe_that_cannot_reward_is_refused_when_it_is_read(mine, peer):
    peer("verifiers")
    from rewardlab_verifiers import TraceJudge

    (config,) = (one for one in TraceJudge.__orig_bases__[0].__args__ if one is not float)
    with pytest.raises(UserError, match=r"longest \(toy/longest\) compares .* verifiers hands over each alone"):
        config(recipe=mine.recipe(COMPARED))
    with pytest.raises(UserError, match=r"'answer' is needed by accuracy .* verifiers sends solution"):
        config(recipe=mine.recipe(ALONE), fields=["solution"])
