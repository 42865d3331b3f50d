"""The stages `eval` of a recipe as a run of their own, of any policy: what `rewardlab eval` runs."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rewardlab.errors import UserError
from rewardlab.recipe import Document, RecipeSource, load
from rewardlab.text import name_variables

from rewardlab_training.check import check_recipe
from rewardlab_training.latest_run import LATEST, latest_run
from rewardlab_training.run_folders import written_models
from rewardlab_training.run_job import RunJob, recipe_of

SAMPLING = ("temperature", "top_p", "top_k", "stop", "max_new_tokens", "chat")
"""what an evaluation in a stage `rl` takes from it"""


def load_evaluation(
    recipe: RecipeSource | None = None,
    overrides: Sequence[str] = (),
    *,
    policy: str | None = None,
    resume: Path | Literal["latest"] | None = None,
    root: Path = Path("runs"),
    folder: Path | None = None,
    say: Callable[[str], None] = print,
) -> RunJob:
    """Return the job that runs only the stages `eval` of a recipe; raise a UserError that lists every problem.

    If no stage evaluates, what a stage `rl` says under `eval` is evaluated. The rest is as for RunJob.load.

    Args:
        policy: what is evaluated in all of them: a judge's name in the recipe, else a model folder or hub name; None:
            what each stage says, and the last model of a run whose folder is `recipe`.
    """
    source = recipe_of(resume) if recipe is None else recipe
    earlier = resume and Path(resume)
    if resume == LATEST:
        latest = latest_run(source, overrides, root, "eval", None, say)
        earlier, (source, overrides), policy = latest.path, latest.again(source, overrides), policy or latest.policy
    document = load(source, list(overrides), strict=False)
    _add_evaluation(document)
    stages = _evaluations(document)
    if policy is None and recipe is not None and (last_model := _last_model(source)) is not None:
        policy = str(last_model)
        say(f"evaluates the last model of this run, {name_variables(policy)}")
    if policy is not None:
        _set_policy(document, stages, policy)
    plan = check_recipe(document, purpose="run")
    named = [] if isinstance(source, Mapping) else [os.fspath(source), *overrides]
    command = ["rewardlab", "eval", *named, *(["--policy", policy] if policy is not None else [])]
    return RunJob(plan, stage=stages, resume=earlier, root=root, folder=folder, say=say, command=command)


def _evaluations(document: Document) -> list[int]:
    stages = document.tree.get("stages")
    written: list[Any] = stages if isinstance(stages, list) else []
    evaluations = [
        index for index, stage in enumerate(written) if isinstance(stage, dict) and stage.get("use") == "eval"
    ]
    if not evaluations:
        none = "no stage evaluates, nor has one rl an `eval`"
        problem = f"{none}; add one, such as `- {{use: eval, dataset: {{use: data/jsonl, with: {{path: ...}}}}}}`"
        raise UserError(problem, where=document.where(("stages",)))
    return evaluations


def _add_evaluation(document: Document) -> None:
    """Add a stage `eval` that does what the last stage `rl` says under `eval`, if no stage evaluates."""
    for tree in (document.raw, document.tree):
        written = tree.get("stages")
        stages = [stage for stage in written if isinstance(stage, dict)] if isinstance(written, list) else []
        evaluating = [stage for stage in stages if stage.get("use") == "rl" and isinstance(stage.get("eval"), dict)]
        if not evaluating or any(stage.get("use") == "eval" for stage in stages):
            continue
        sampling = {key: evaluating[-1][key] for key in SAMPLING if key in evaluating[-1]}
        if "dataset" not in evaluating[-1] or evaluating[-1]["eval"].keys() & {
            "dataset",
            "sets",
        }:  # a stage cannot ask for another's held-out rows
            tree["stages"].append({"use": "eval", **sampling, **evaluating[-1]["eval"]})


def _set_policy(document: Document, stages: Sequence[int], policy: str) -> None:
    """Let these stages evaluate `policy`."""
    judges = document.tree.get("judges")
    kind = "judge" if isinstance(judges, dict) and policy in judges else "model"
    for tree in (document.raw, document.tree):
        for index in stages:
            tree["stages"][index]["policy"] = {kind: policy}


def _last_model(source: RecipeSource) -> Path | None:
    """Return the last model that a run wrote, if `source` is its folder; else None."""
    if isinstance(source, Mapping) or not Path(source).is_dir():
        return None
    models = written_models(Path(source))
    return models[-1] if models else None
