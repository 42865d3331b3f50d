"""The stages `eval` of a recipe as a run of their own, of any policy: what `rewardlab eval` runs."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rewardlab.errors import UserError
from rewardlab.recipe.loading import Document, RecipeSource, load
from rewardlab.redaction import name_variables
from rewardlab.training.check import check_recipe
from rewardlab.training.latest_run import LATEST, latest_run
from rewardlab.training.run_job import RunJob, recipe_of, written_models


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

    policy: what is evaluated in all of them: a judge's name in the recipe, else a model folder or hub name; None: what
    each stage says, and the last model of a run whose folder is `recipe`. The rest is as for RunJob.load.
    """
    source = recipe_of(resume) if recipe is None else recipe
    document = load(source, list(overrides), strict=False)
    stages = _evaluations(document)
    if policy is None and recipe is not None and (found := _last_model(source)) is not None:
        policy = str(found)
        say(f"evaluates the last model of this run, {name_variables(policy)}")
    chosen = [*overrides, *_policy_overrides(document, stages, policy)]
    plan = check_recipe(load(source, chosen, strict=False), purpose="run")
    earlier = latest_run(plan, root) if resume == LATEST else resume and Path(resume)
    named = [] if isinstance(source, Mapping) else [os.fspath(source), *overrides]
    command = ["rewardlab", "eval", *named, *(["--policy", policy] if policy is not None else [])]
    return RunJob(plan, stage=stages, resume=earlier, root=root, folder=folder, say=say, command=command)


def _evaluations(document: Document) -> list[int]:
    stages = document.tree.get("stages")
    written: list[Any] = stages if isinstance(stages, list) else []
    found = [index for index, stage in enumerate(written) if isinstance(stage, dict) and stage.get("use") == "eval"]
    if not found:
        what = "no stage evaluates; add one, such as `- {use: eval, dataset: {use: data/jsonl, with: {path: ...}}}`"
        raise UserError(what, where=document.where(("stages",)))
    return found


def _policy_overrides(document: Document, stages: Sequence[int], policy: str | None) -> list[str]:
    """Return the overrides that make these stages evaluate `policy`."""
    if policy is None:
        return []
    judges = document.tree.get("judges")
    kind = "judge" if isinstance(judges, dict) and policy in judges else "model"
    return [f"stages.{index}.policy={json.dumps({kind: policy})}" for index in stages]


def _last_model(source: RecipeSource) -> Path | None:
    """Return the last model that a run wrote, where `source` is its folder; else None."""
    if isinstance(source, Mapping) or not Path(source).is_dir():
        return None
    models = written_models(Path(source))
    return models[-1] if models else None
