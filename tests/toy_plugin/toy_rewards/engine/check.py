"""What a recipe may ask of the toy engine: a setting is used or refused, and never ignored."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rewardlab.errors import Problem
from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage, Finding, RlStage, Stage
from rewardlab.training import benchmark_findings

from toy_rewards.engine.options import Options
from toy_rewards.engine.policy import FILE

ALGORITHMS = ("dr_grpo", "grpo")
USED = {
    "rl": "use dataset algorithm group_size batch_size steps epochs learning_rate temperature save_every evaluation "
    "eval_before",
    "eval": "use dataset sets samples prompts temperature benchmark by",
}
"""kind of stage -> its settings that this engine uses; the others mean nothing to it"""


def check(plan: Plan, options: Options) -> list[Problem]:
    """Return every reason why this engine cannot do what the recipe says."""
    findings = [*_whole_recipe(plan, options)]
    for index, stage in enumerate(plan.recipe.stages):
        findings += [(("stages", index, *path), what) for path, what in _stage(stage)]
    return [Problem(where=plan.document.where(path), what=what, path=path) for path, what in findings]


def _whole_recipe(plan: Plan, options: Options) -> Iterator[Finding]:
    model = plan.recipe.model
    if isinstance(model, str) and not (Path(model).expanduser() / FILE).is_file():
        yield ("model",), f"{model!r} holds no {FILE}, as this engine writes it; {{use: tiny}} is a new policy"
    if plan.sampler is not None:
        what = f"{plan.sampler.use.use} collects further completions; the toy samples groups of one size"
        yield ("curriculum",), what
    if repeated := _repeated(options.answers):
        yield ("backend", "answers"), f"{repeated!r} stands there twice"


def _stage(stage: Stage) -> Iterator[Finding]:
    if stage.use in ("sft", "dpo"):
        yield (), f"the toy backend runs data, rl and eval stages, not {stage.use}"
        return
    if isinstance(stage, RlStage | EvalStage):
        for name in sorted(stage.model_fields_set - {*USED[stage.use].split()}):
            yield (name,), "means nothing to the toy backend; leave it out"
    if isinstance(stage, EvalStage):
        yield from benchmark_findings((), stage)
    if isinstance(stage, RlStage):
        yield from _rl(stage)


def _rl(stage: RlStage) -> Iterator[Finding]:
    if stage.algorithm not in ALGORITHMS:
        yield ("algorithm",), f"the toy backend has no {stage.algorithm}; use {' or '.join(ALGORITHMS)}"
    if stage.group_size < 2:
        yield ("group_size",), "1 leaves nothing to compare with; use 2 or more"
    if stage.evaluation is not None:
        yield from benchmark_findings(("eval",), stage.evaluation)


def _repeated(answers: Sequence[str]) -> str | None:
    return next((answer for number, answer in enumerate(answers) if answer in answers[:number]), None)
