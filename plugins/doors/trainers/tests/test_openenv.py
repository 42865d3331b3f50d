"""OpenEnv: environments whose rubric is a recipe's, as `Environment._apply_rubric` and its awaited twin call it."""

import asyncio
from types import SimpleNamespace

import pytest
from helpers.advice import as_advised
from rewardlab.errors import JobError, UserError

from .conftest import ALONE, COMPARED, MASKING, TEXTS, faulty


@pytest.fixture
def rubric(toy, peer):
    """A RecipeRubric for actions with a text; `openenv` is a copy of its rubrics if it is not installed."""
    peer("openenv")
    from rewardlab_trainers.openenv import RecipeRubric

    def row(action, observation):
        if not observation.done:
            return None
        return {"prompt": "1+1?", "completion": action.text, **observation.fields}

    return lambda recipe, **options: RecipeRubric(recipe, row=row, **options)


def step(text, done=True, **fields):
    return SimpleNamespace(text=text), SimpleNamespace(done=done, fields=fields or {"answer": "2"})


@pytest.mark.parametrize("awaited", [False, True])
def test_actions_have_the_rewards_of_score_and_the_components_are_children(rubric, told, awaited):
    mine, hooked = rubric(ALONE, awaited=awaited), []
    mine.register_forward_hook(lambda *call: hooked.append(call[-1]))

    async def rewards():
        found = [mine(*step(text)) for text in TEXTS]
        return [await one if awaited else one for one in found]

    line = told(ALONE)
    assert asyncio.run(rewards()) == hooked == pytest.approx(line["total"], abs=1e-6)
    children = {name: child.last_score for name, child in mine.named_rubrics()}
    last = {f"components.{name}": part["value"][-1] for name, part in line["components"].items()}
    assert children == {"components": None, **last}


@pytest.mark.parametrize("recipe", [MASKING, faulty()])
def test_a_failure_is_an_error(rubric, recipe):
    with pytest.raises(JobError, match="the toy failed"):
        rubric(recipe)(*step("BAD"))
    with pytest.raises(JobError, match="the toy failed"):
        asyncio.run(rubric(recipe, awaited=True)(*step("BAD")))


def test_a_step_without_an_answer_is_not_scored(rubric):
    assert rubric(faulty())(*step("BAD", done=False)) == 0.0
    assert asyncio.run(rubric(faulty(), awaited=True)(*step("BAD", done=False))) == 0.0


def test_what_is_missing_is_told(rubric):
    with pytest.raises(UserError, match=r"longest \(toy/longest\) compares .* OpenEnv hands over each alone"):
        rubric(COMPARED)
    with pytest.raises(UserError, match=r"'answer' is needed by accuracy .* OpenEnv sends solution") as missing:
        rubric(ALONE, fields=["solution"])
    named = rubric(as_advised(ALONE, missing, "solution"), fields=["solution"])
    assert named(*step("\\boxed{2}", solution="2")) == pytest.approx(1.1)
    with pytest.raises(UserError, match="field 'answer' is needed by accuracy"):
        rubric(ALONE)(*step("3", solution="2"))
    with pytest.raises(NotImplementedError, match="the whole recipe"):
        rubric(ALONE).components["box"](*step("3"))


def test_another_version_is_told(rubric, monkeypatch):
    import rewardlab_trainers.openenv as module

    monkeypatch.delattr(module.Rubric, "named_rubrics")
    with pytest.raises(UserError, match=r"RecipeRubric has no named_rubrics.* install OpenEnv 0.10"):
        rubric(ALONE)
