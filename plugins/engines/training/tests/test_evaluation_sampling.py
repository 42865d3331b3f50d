"""How the evaluation of a stage rl samples: as the stage does, but for what `eval` says."""

from helpers.each_case import each_case
from rewardlab.recipe import EvalStage, RlStage
from rewardlab_training.dry_run import evaluation_sampling

TRAINING = {"top_p": 0.9, "top_k": 20, "min_p": 0.1, "repetition_penalty": 1.1, "stop": ["#"], "temperature": 0.8}
AS_TRAINING = {"top_p": 0.9, "top_k": 20, "min_p": 0.1, "repetition_penalty": 1.1}


@each_case(
    "evaluation, differs",
    [
        ({}, {}),
        ({"temperature": 0}, {}),
        ({"top_p": 1}, {"top_p": 1}),
        ({"top_k": 5}, {"top_k": 5}),
        ({"top_k": None}, {"top_k": None}),
        ({"min_p": 0, "repetition_penalty": 1}, {"min_p": 0, "repetition_penalty": 1}),
        ({"top_p": 0.95, "top_k": None, "min_p": 0.2}, {"top_p": 0.95, "top_k": None, "min_p": 0.2}),
    ],
)
def test_it_draws_tokens_as_the_stage_does_but_for_what_it_says(evaluation, differs):
    drawn = RlStage(use="rl", algorithm="grpo", eval=evaluation, **TRAINING).evaluation_sampling
    assert {name: getattr(drawn, name) for name in AS_TRAINING} == AS_TRAINING | differs
    assert drawn.stop == ["#"]


@each_case(
    "evaluation, line",
    [
        (
            {},
            "8 completions a prompt of rows at temperature 0.8, top_p 0.9, top_k 20, min_p 0.1, repetition_penalty 1.1",
        ),
        (
            {"samples": 2, "temperature": 0, "top_k": None, "top_p": 1, "min_p": 0, "repetition_penalty": 1},
            "2 completions ",
        ),
    ],
)
def test_the_dry_run_says_how(evaluation, line):
    stage = RlStage(use="rl", algorithm="grpo", eval=evaluation, **TRAINING)
    assert evaluation_sampling(stage, "rows").startswith(line)


def test_a_stage_of_its_own_says_all_of_it():
    assert EvalStage(use="eval", top_p=0.5, min_p=0.2).min_p == 0.2
