"""A stage as a job of an engine, from the machine where `rewardlab run` was typed."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from rewardlab import Sample
from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage, RlStage, TinyModel
from rewardlab_training import Results, StageJob

from rewardlab_ray.job.alarms import StopAtAlarm
from rewardlab_ray.job.check_machine import check_machine
from rewardlab_ray.job.cluster_job import check_cluster, cluster_address, folder_on_nodes, run_on_cluster
from rewardlab_ray.job.engine import RayEngine
from rewardlab_ray.job.engine_numbers import EngineNumbers
from rewardlab_ray.job.local_job import run_here
from rewardlab_ray.job.restarts import with_restarts
from rewardlab_ray.job.stage_board import StageBoard
from rewardlab_ray.job.stage_log import StageLog
from rewardlab_ray.job_options import job_options
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.stage_task import engine_stage, stage_folder


def check_ready(engine: RayEngine, plan: Plan, only: int | None = None) -> None:
    """Raise UserError with what keeps the stages (or stage `only`) from starting, before anything of the run exists."""
    address = cluster_address(plan)
    if address is not None:
        check_cluster(plan, address)
    else:
        check_machine(engine, plan, only)


def run_stage(engine: RayEngine, job: StageJob) -> None:
    """Train in the stage's job. Raises KeyboardInterrupt if the user stopped it; what was done is kept."""
    plan, run, say = job.plan, job.run.path.absolute(), job.say
    _write_sources(job, run)
    if isinstance(plan.recipe.model, TinyModel):
        job.starting_model()  # is built on this machine, which has the rows that its tokenizer learns from
    there = run if cluster_address(plan) is None else folder_on_nodes(plan, run)

    def attempt(again: bool) -> None:
        if again:
            job.run.begin_attempt()
        _run_once(engine, job, again)

    checkpoints = there / "checkpoints" / job.name
    most = job_options(plan).max_restarts
    with_restarts(attempt, lambda: engine.newest_step(checkpoints), most, job.run.stop, say)
    if there != run:
        say(f"on the cluster, the models, the ledger and the results are in {there}")
    last = (job.stage.benchmark or "results") if isinstance(job.stage, EvalStage) else "after"
    after = there / "evaluation" / f"{job.name}-{last}.json"
    if after.exists():
        before = after.with_name(f"{job.name}-before.json")
        say(Results.load(after).table(Results.load(before) if before.exists() else None))


def _run_once(engine: RayEngine, job: StageJob, again: bool) -> None:
    """Run the stage's job to its end. again: after an attempt that was lost."""
    arguments = [str(job.index), "--attempt", str(job.run.attempt), "--home", str(Path.cwd())]
    arguments += ["--restart"] if again else []
    path = job.run.folder("logs") / f"{job.name}.log"
    board = StageBoard.at_terminal(job.name, path.with_suffix(".jsonl"))

    def say(line: str) -> None:
        job.say(line)
        if board is not None:
            board.warn(line)

    watch = StopAtAlarm(job.plan, job.run, job.index, path, say)
    engine_numbers = EngineNumbers(path.parent, job.name, job.run.attempt)

    def take(step: int, numbers: Mapping[str, float]) -> None:
        engine_numbers.write(step, numbers)
        watch.take(step, numbers)

    scored = isinstance(engine_stage(job.stage), RlStage)
    with closing(engine_numbers), StageLog(path, job.say, take, watch.take_scores, board, scored) as log:
        job.say(f"stage {job.name}; all that {engine.name} says is in {log.path}")
        try:
            code = _code_of_job(engine, job, arguments, log)
        except KeyboardInterrupt:
            watch.check()  # raises what has stopped the job, where it was no user
            raise
        watch.check()
        log.end(job.name, code)


def _code_of_job(engine: RayEngine, job: StageJob, arguments: Sequence[str], log: StageLog) -> int | None:
    run, stop = job.run.path.absolute(), job.run.stop
    address = cluster_address(job.plan)
    if address is None:
        return run_here(engine.driver, [str(run), *arguments], log.take, stop)
    return run_on_cluster(
        job.plan, engine.driver, address, run, job.name, job.run.attempt, arguments, log, job.say, stop
    )


def _write_sources(job: StageJob, run: Path) -> None:
    """Write the stage's samples, read here: the nodes need neither the datasets nor what they are made from."""
    folder = stage_folder(run, job.name)
    folder.mkdir(parents=True, exist_ok=True)
    stage = engine_stage(job.stage)
    held_out = job.evaluation_samples() if isinstance(stage, RlStage) and stage.evaluation is not None else ()
    _write(folder / "source.jsonl", held_out if isinstance(job.stage, EvalStage) else job.training_samples())
    if held_out:
        _write(folder / "evaluation_source.jsonl", held_out)


def _write(path: Path, samples: Sequence[Sample]) -> None:
    write_rows(path, (Row(sample=sample, prompt="") for sample in samples))
