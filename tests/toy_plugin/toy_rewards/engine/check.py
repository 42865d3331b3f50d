"""What a recipe may ask of the toy engine: a setting is used or refused, and never ignored."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage, Finding, RlStage

from toy_rewards.engine.answer_weights import FILE
from toy_rewards.engine.options import Options

USED = {
    "rl": "use dataset algorithm group_size batch_size steps epochs learning_rate temperature save_every evaluation "
    "eval_before",
    "eval": "use dataset sets samples prompts temperature benchmark by",
}
"""kind of stage -> its settings that this engine uses; the others mean nothing to it"""


def findings(plan: Plan, options: Options) -> Iterator[Finding]:
    """Yield every reason why this engine cannot do what the recipe says, beyond its capabilities."""
    yield from _whole_recipe(plan, options)
    for index, stage in enumerate(plan.recipe.stages):
        if isinstance(stage, RlStage | EvalStage):
            for name in sorted(stage.model_fields_set - {*USED[stage.use].split()}):
                yield ("stages", index, name), "means nothing to the toy backend; leave it out"


def _whole_recipe(plan: Plan, options: Options) -> Iterator[Finding]:
    model = plan.recipe.model
    if isinstance(model, str) and not (Path(model).expanduser() / FILE).is_file():
        yield ("model",), f"{model!r} holds no {FILE}, as this engine writes it; {{use: tiny}} is a new policy"
    if plan.sampler is not None:
        problem = f"{plan.sampler.use.use} collects further completions; the toy samples groups of one size"
        yield ("curriculum",), problem
    if repeated := _repeated(options.answers):
        yield ("backend", "answers"), f"{repeated!r} appears twice"


def _repeated(answers: Sequence[str]) -> str | None:
    return next((answer for number, answer in enumerate(answers) if answer in answers[:number]), None)
