"""The stages of a run: what they need is made ready before any costs something, then one runs after the other."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from rewardlab.plan import POLICY, Plan
from rewardlab.recipe import DataStage, needs_engine, parse
from rewardlab.scoring import Scorer
from rewardlab.workers import python_of

from rewardlab_training.backend import JobBackend, PolicyBackend, served_evaluation
from rewardlab_training.data_stage import write_dataset
from rewardlab_training.policy_stage import run_policy_stage
from rewardlab_training.run_directory import RunDirectory
from rewardlab_training.stage import StageJob
from rewardlab_training.stage_datasets import scores
from rewardlab_training.tracker_options import tracked


def get_ready(plan: Plan, say: Callable[[str], None], only: int | None = None) -> None:
    """Build the environments that the plan's stages (or stage `only`) need, and try the rewards that they score with.

    Only rewards that run "async" are tried: they are cheap to build, because their models are opened in workers, and
    report here that a folder is missing. No reward is tried if a judge is the policy itself, which only the backend can
    provide. Raises UserError or JobError that names the component.
    """
    stages = {index: stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)}
    scored = any(map(scores, stages.values()))
    read = [planned for place, planned in plan.datasets.items() if place[0] != "stages" or place[1] in stages]
    for planned in [*(plan.components.values() if scored else ()), *read]:
        if planned.spec.environment is not None:
            python_of(plan, planned, say)
    if scored and all(judge.use.use != POLICY for judge in plan.judges.values()):
        _try_rewards(plan)


def _try_rewards(plan: Plan) -> None:
    """Build the rewards that are cheap to build, and close them again."""
    cheap = {name: planned for name, planned in plan.components.items() if planned.spec.runs == "async"}
    if cheap:
        total = parse(" + ".join(cheap))  # an expression that needs only these components
        Scorer(replace(plan, components=cheap, expression=total, normalizers=(), sampler=None)).close()


def run_stages(
    plan: Plan,
    directory: RunDirectory,
    only: int | None,
    say: Callable[[str], None],
    backend: PolicyBackend | JobBackend,
) -> None:
    """Run the stages that are not done (of these only stage `only`, if given), one after the other.

    Data stages and those that evaluate a served policy need no engine. `say` prints a line for the user.
    Raises KeyboardInterrupt if the user stopped the run; finished work is kept.
    """
    for index, stage in enumerate(plan.recipe.stages):
        if only is not None and index != only:
            continue
        if index in directory.done:
            say(f"stage {index} ({stage.use}) is done")
            continue
        if directory.stop.is_set():
            raise KeyboardInterrupt
        with closing(StageJob(plan=plan, run=directory, index=index, say=say)) as job, tracked(job):
            if isinstance(stage, DataStage):
                _write_data(job, stage)
            elif needs_engine(stage):
                _run_with_engine(job, backend)
            else:
                served_evaluation()(job)
        directory.finish_stage(index)


def _run_with_engine(job: StageJob, backend: PolicyBackend | JobBackend) -> None:
    if isinstance(backend, PolicyBackend):
        run_policy_stage(job, backend.load_policy, backend.capabilities.transformers_models)
    else:
        backend.run_stage(job)


def _write_data(job: StageJob, stage: DataStage) -> None:
    job.say(f"stage {job.index} (data) writes {stage.to}")
    job.usage.note(job.index, None, write_dataset(job.plan, job.index, job.say, job.run.stop, job.run.spread))
