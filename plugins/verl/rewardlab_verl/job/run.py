"""A stage with verl, from the machine where `rewardlab run` was typed."""

from pathlib import Path

from rewardlab.recipe import RlStage, TinyModel
from rewardlab.training import Results, StageJob
from rewardlab_ray.driver_process import run_here
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.stage_task import stage_folder

from rewardlab_verl.job.stage_log import VerlLog
from rewardlab_verl.job.step_watch import LOGGER_PATH, StepWatch
from rewardlab_verl.options import options_of


def run_stage(job: StageJob) -> None:
    """Train in a process of its own. Raises KeyboardInterrupt if the user stopped it; what was done is kept."""
    _write_sources(job)
    if isinstance(job.plan.recipe.model, TinyModel):
        job.starting_model()
    logs = job.run.folder("logs")
    numbers = logs / f"{job.name}.steps-{job.run.attempt}.jsonl"
    variables = {LOGGER_PATH: str(numbers.absolute())}
    if options_of(job.plan).tensorboard:
        variables["TENSORBOARD_DIR"] = str((logs / "tensorboard" / job.name).absolute())
    arguments = [str(job.run.path.absolute()), str(job.index), "--attempt", str(job.run.attempt)]
    with VerlLog(logs / f"{job.name}.log", job.say) as log, StepWatch(job, numbers) as watch:
        job.say(f"stage {job.name}; all that verl says is in {log.path}")
        module = "rewardlab_verl.job.driver"
        try:
            code = run_here(module, [*arguments, "--home", str(Path.cwd())], log.take, job.run.stop, variables)
        except KeyboardInterrupt:
            watch.check()  # raises what has stopped the job, if it was no user
            raise
        watch.close()
        watch.check()
        log.end(job.name, code)
    _print_results(job)


def _write_sources(job: StageJob) -> None:
    """Write the stage's samples, read here: the job needs neither the datasets nor what they are made from."""
    folder = stage_folder(job.run.path, job.name)
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "source.jsonl", (Row(sample=sample, prompt="") for sample in job.training_samples()))
    if isinstance(job.stage, RlStage) and job.stage.evaluation is not None:
        rows = (Row(sample=sample, prompt="") for sample in job.evaluation_samples())
        write_rows(folder / "evaluation_source.jsonl", rows)


def _print_results(job: StageJob) -> None:
    after = job.run.path / "evaluation" / f"{job.name}-after.json"
    if after.exists():
        before = job.run.path / "evaluation" / f"{job.name}-before.json"
        job.say(Results.load(after).table(Results.load(before) if before.exists() else None))
