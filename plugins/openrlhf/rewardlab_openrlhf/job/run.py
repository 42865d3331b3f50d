"""A stage with OpenRLHF, from the machine where `rewardlab run` was typed."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rewardlab import Sample
from rewardlab.plan import Plan
from rewardlab.recipe import RlStage, TinyModel
from rewardlab.training import Results, RunDirectory, StageJob
from rewardlab_ray.driver_process import run_here
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.stage_task import stage_folder

from rewardlab_openrlhf.job.best_model import keep_best_model
from rewardlab_openrlhf.job.check_local import check_here
from rewardlab_openrlhf.job.checkpoint import newest_step
from rewardlab_openrlhf.job.divergence import StopAtDivergence
from rewardlab_openrlhf.job.log import StageLog
from rewardlab_openrlhf.job.restarts import with_restarts
from rewardlab_openrlhf.job.run_cluster import check_cluster, cluster_address, folder_on_nodes, run_on_cluster
from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import training_stage


def check_engine(plan: Plan, only: int | None = None) -> None:
    """Raise UserError with what keeps the stages (or stage `only`) from starting, before anything of the run exists."""
    address = cluster_address(plan)
    if address is not None:
        check_cluster(plan, address)
    else:
        check_here(plan, only)


def run_stage(job: StageJob) -> None:
    """Train in the stage's job. Raises KeyboardInterrupt if the user stopped it; what was done is kept."""
    plan, directory, index, name, say = job.plan, job.run, job.index, job.name, job.say
    run = directory.path.absolute()
    _write_sources(job, run)
    if isinstance(plan.recipe.model, TinyModel):
        job.starting_model()  # is built on this machine, which has the rows that its tokenizer learns from
    there = run if cluster_address(plan) is None else folder_on_nodes(plan, run)

    def attempt(again: bool) -> None:
        if again:
            directory.begin_attempt()
        _run_once(plan, directory, index, name, again, say)

    checkpoints = there / "checkpoints" / name
    with_restarts(attempt, lambda: newest_step(checkpoints), options_of(plan).max_restarts, directory.stop, say)
    if training_stage(plan, index).keep == "best":
        keep_best_model(job)
    if there != run:
        say(f"on the cluster, the models, the ledger and the results are in {there}")
    _print_results(there, name, say)


def _run_once(
    plan: Plan, directory: RunDirectory, index: int, name: str, again: bool, say: Callable[[str], None]
) -> None:
    """Run the stage's job to its end. again: after an attempt that was lost."""
    run = directory.path.absolute()
    arguments = [str(index), "--attempt", str(directory.attempt), "--home", str(Path.cwd())]
    arguments += ["--restart"] if again else []
    path = directory.folder("logs") / f"{name}.log"
    watch = StopAtDivergence(plan, directory, index, path, say)
    with StageLog(path, say, watch.take) as log:
        say(f"stage {name}; all that OpenRLHF says is in {log.path}")
        try:
            code = _code_of_job(plan, directory, run, name, arguments, log, say)
        except KeyboardInterrupt:
            watch.check()  # raises what has stopped the job, where it was no user
            raise
        watch.check()
        log.end(name, code)


def _code_of_job(
    plan: Plan,
    directory: RunDirectory,
    run: Path,
    name: str,
    arguments: Sequence[str],
    log: StageLog,
    say: Callable[[str], None],
) -> int | None:
    address = cluster_address(plan)
    if address is None:
        return run_here("rewardlab_openrlhf.job.driver", [str(run), *arguments], log.take, directory.stop)
    return run_on_cluster(plan, address, run, name, directory.attempt, arguments, log, say, directory.stop)


def _write_sources(job: StageJob, run: Path) -> None:
    """Write the stage's samples, read here: the nodes need neither the datasets nor what they are made from."""
    folder = stage_folder(run, job.name)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "source.jsonl", job.training_samples())
    if isinstance(job.stage, RlStage) and job.stage.evaluation is not None:
        _write(folder / "evaluation_source.jsonl", job.evaluation_samples())


def _write(path: Path, samples: Sequence[Sample]) -> None:
    write_rows(path, (Row(sample=sample, prompt="") for sample in samples))


def _print_results(run: Path, name: str, say: Callable[[str], None]) -> None:
    after = run / "evaluation" / f"{name}-after.json"
    if after.exists():
        before = run / "evaluation" / f"{name}-before.json"
        say(Results.load(after).table(Results.load(before) if before.exists() else None))
