"""The loop over the stages of a run."""

from collections.abc import Callable
from contextlib import closing

from rewardlab.plan import Plan
from rewardlab.recipe.models import DataStage, needs_engine
from rewardlab.training.backend import JobBackend, PolicyBackend
from rewardlab.training.data_stage import write_dataset
from rewardlab.training.policy_stage import run_policy_stage
from rewardlab.training.run_directory import RunDirectory
from rewardlab.training.served_evaluation import evaluate_served
from rewardlab.training.stage import StageJob


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
        with closing(StageJob(plan=plan, run=directory, index=index, say=say)) as job:
            if isinstance(stage, DataStage):
                _write_data(job, stage)
            elif needs_engine(stage):
                _run_with_engine(job, backend)
            else:
                evaluate_served(job)
        directory.finish_stage(index)


def _run_with_engine(job: StageJob, backend: PolicyBackend | JobBackend) -> None:
    if isinstance(backend, PolicyBackend):
        run_policy_stage(job, backend.load_policy, backend.capabilities.transformers_models)
    else:
        backend.run_stage(job)


def _write_data(job: StageJob, stage: DataStage) -> None:
    job.say(f"stage {job.index} (data) writes {stage.to}")
    job.usage.note(job.index, None, write_dataset(job.plan, job.index, job.say, job.run.stop))
