"""Running a recipe's stages with OpenRLHF, from the machine where `rewardlab run` was typed."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from rewardlab.backends.openrlhf.log import StageLog
from rewardlab.backends.openrlhf.rows import Row, write_rows
from rewardlab.backends.openrlhf.task import stage_folder
from rewardlab.backends.openrlhf.wheel import WHEEL, installed
from rewardlab.backends.sequence import run_stages
from rewardlab.backends.splits import held_out_samples, read_samples, training_samples
from rewardlab.backends.starting_model import starting_model
from rewardlab.errors import UserError
from rewardlab.ledger import RunDirectory
from rewardlab.plan import Plan
from rewardlab.recipe import RlStage, TinyModel
from rewardlab.results import Results, table
from rewardlab.types import Sample


def run(plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
    """Run the stages that are not done (of these only stage `only`, if given) in `directory`.

    Raises KeyboardInterrupt where the user stopped it; what was done is kept.
    """
    run_stages(plan, directory, only, say, lambda index: _train(plan, directory, index, say))


def cluster_address(plan: Plan) -> str | None:
    """Of the Ray cluster that jobs go to; None where they run on this machine."""
    return plan.recipe.backend.address or os.environ.get("RAY_ADDRESS") or None


def check_engine(plan: Plan) -> None:
    """A UserError where this machine cannot start OpenRLHF and no cluster is named that could."""
    address = cluster_address(plan)
    found = installed()
    where = plan.document.where(("backend",))
    if address is not None:
        from rewardlab.backends.openrlhf.cluster import check_client

        check_client(where)
    elif found is None:
        raise UserError(
            f"openrlhf {WHEEL} is not installed here; docs/cluster.md says how to prepare its environment, "
            "`backend.address` names a Ray cluster, and `backend={use: trl}` needs neither",
            where=where,
        )
    elif found != WHEEL:
        raise UserError(
            f"openrlhf {found} is installed, and this version of rewardlab is made for {WHEEL}; "
            f"pip install --no-deps openrlhf=={WHEEL}",
            where=where,
        )


def _train(plan: Plan, directory: RunDirectory, index: int, say: Callable[[str], None]) -> None:
    run = directory.path.absolute()
    name = f"{index}-{plan.recipe.stages[index].use}"
    _write_sources(plan, run, index, name)
    if isinstance(plan.recipe.model, TinyModel):
        starting_model(plan, run, index)  # built here, where the rows are
    arguments = [str(index), "--attempt", str(directory.attempt), "--home", str(Path.cwd())]
    with StageLog(directory.folder("logs") / f"{name}.log", say) as log:
        say(f"stage {name}; all that OpenRLHF says is in {log.path}")
        address = cluster_address(plan)
        if address is None:
            from rewardlab.backends.openrlhf.local import run_here

            code: int | None = run_here([str(run), *arguments], log)
        else:
            from rewardlab.backends.openrlhf.cluster import run_on_cluster

            code = run_on_cluster(plan, address, run, name, directory.attempt, arguments, log, say)
        log.end(name, code)
    _tell_results(run, name, say)


def _write_sources(plan: Plan, run: Path, index: int, name: str) -> None:
    """The stage's samples, read here: the nodes need neither the datasets nor what they are made from."""
    folder = stage_folder(run, name)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "source.jsonl", training_samples(plan, index))
    stage = plan.recipe.stages[index]
    if isinstance(stage, RlStage) and stage.evaluation is not None:
        planned, only_held_out = plan.evaluation_dataset(index)
        samples = held_out_samples(plan, index) if only_held_out else read_samples(plan, planned)
        _write(folder / "evaluation_source.jsonl", samples)


def _write(path: Path, samples: Sequence[Sample]) -> None:
    write_rows(path, (Row(sample=sample, prompt="") for sample in samples))


def _tell_results(run: Path, name: str, say: Callable[[str], None]) -> None:
    after = run / "evaluation" / f"{name}-after.json"
    if after.exists():
        say(table(Results.load(after)))
