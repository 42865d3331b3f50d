"""rLLM: tasks and episodes as its engine hands them to an evaluator."""

import json
from importlib.metadata import entry_points
from types import SimpleNamespace

import pytest
from helpers.advice import as_advised
from rewardlab.errors import JobError, UserError
from rewardlab_trainers.rllm import RecipeEvaluator

from .conftest import ALONE, COMPARED, MASKING, TEXTS, faulty


@pytest.fixture(autouse=True)
def rllm(toy, peer):
    """`rllm.eval.types` is a copy if rLLM is not installed."""
    peer("rllm")


def task(instruction="1+1?", **metadata):
    """A `Task` of rllm/types.py, of a row of a dataset."""
    return SimpleNamespace(id="0", instruction=instruction, metadata=metadata or {"ground_truth": "2"})


def step(text, thought="", finish="stop"):
    output = SimpleNamespace(finish_reason=finish)
    return SimpleNamespace(model_response=text, thought=thought, response_ids=[1, 2], model_output=output)


def episode(*steps, output=None):
    """An `Episode` of rllm/types.py with one trajectory."""
    return SimpleNamespace(trajectories=[SimpleNamespace(steps=list(steps), output=output)])


def test_episodes_have_the_rewards_of_score_and_signals(told):
    evaluator = RecipeEvaluator(ALONE)
    found = [evaluator.evaluate(task(), episode(step(text))) for text in TEXTS]
    line = told(ALONE)
    assert [one.reward for one in found] == pytest.approx(line["total"], abs=1e-6)
    assert [one.is_correct for one in found] == [total >= 1 for total in line["total"]]
    signals = [{signal.name: signal.value for signal in one.signals} for one in found]
    assert [one["rewardlab/box"] for one in signals] == line["components"]["box"]["value"]


def test_a_recipe_says_which_component_is_the_right_answer():
    total = "0.5 * accuracy + 0.1 * box"
    evaluator = RecipeEvaluator({**ALONE, "reward": {**ALONE["reward"], "total": total, "correctness": "accuracy"}})
    found = [evaluator.evaluate(task(), episode(step(text))) for text in ("\\boxed{2}", "\\boxed{3}")]
    assert [(one.reward, one.is_correct) for one in found] == [(0.6, True), (0.1, False)]


def test_the_last_answer_is_read_with_its_thoughts():
    tags = {"version": 1, "reward": {"components": {"tags": {"use": "format/tags"}}, "total": "tags"}}
    evaluator, said = RecipeEvaluator(tags), step("<answer>2</answer>", thought="hm")
    assert evaluator.evaluate(task(), episode(step("look"), said, step(""))).reward == 1.0
    assert evaluator.evaluate(task(), episode(output="<think>hm</think><answer>2</answer>")).reward == 1.0
    pictured = task([{"text": "1+"}, {"image": 1}, {"text": "1?"}])
    assert evaluator.evaluate(pictured, episode(step(""))).reward == 0.0


@pytest.mark.parametrize("nothing", [episode(), SimpleNamespace(trajectories=[])])
def test_an_episode_in_which_no_model_was_called_is_an_error(nothing):
    with pytest.raises(JobError, match="the rollout failed: no model was called"):
        RecipeEvaluator(ALONE).evaluate(task(), nothing)


@pytest.mark.parametrize("recipe", [MASKING, faulty()])
def test_a_failure_is_an_error(recipe):
    with pytest.raises(JobError, match="the toy failed"):
        RecipeEvaluator(recipe).evaluate(task(), episode(step("BAD")))


def test_rllm_finds_it_by_its_entry_point(monkeypatch, write):
    [point] = entry_points(group="rllm.evaluators", name="rewardlab")
    monkeypatch.delenv("REWARDLAB_RECIPE", raising=False)
    with pytest.raises(UserError, match="REWARDLAB_RECIPE: no recipe"):
        point.load()()
    monkeypatch.setenv("REWARDLAB_RECIPE", str(write("recipe.yaml", json.dumps(ALONE))))
    assert point.load()().evaluate(task(), episode(step("\\boxed{2}"))).reward == pytest.approx(1.1)


def test_what_is_missing_is_told():
    with pytest.raises(UserError, match=r"longest \(toy/longest\) compares .* rLLM hands over each alone"):
        RecipeEvaluator(COMPARED)
    with pytest.raises(UserError, match=r"'answer' is needed by accuracy .* rLLM sends gold, level") as missing:
        RecipeEvaluator(ALONE, label="gold", fields=["level"])
    RecipeEvaluator(as_advised(ALONE, missing, "gold"), label="gold", fields=["level"])
    with pytest.raises(UserError, match="field 'answer' is needed by accuracy"):
        RecipeEvaluator(ALONE).evaluate(task(level=1), episode(step("2")))
    with pytest.raises(UserError, match=r"dict has no instruction, metadata.* install rLLM of August 2026"):
        RecipeEvaluator(ALONE).evaluate({"question": "1+1?"}, episode(step("2")))
