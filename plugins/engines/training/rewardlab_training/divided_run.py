"""A run that is a part of another, or has the answers of all its parts: whether it can be one, and its note."""

from collections.abc import Iterable
from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.recipe import RESOLVED, DataStage, EvalStage, dump, needs_engine
from rewardlab_shards.run_shards import Spread, read_note

from rewardlab_training.data_on_hosts import asks_served_judges
from rewardlab_training.run_directory import versions_of


def refuse_spread(plan: Plan, indexes: Iterable[int], spread: Spread, folder: Path | None, resume: Path | None) -> None:
    """Raise UserError if a stage cannot be divided or scored elsewhere, or the shards' answers are of another recipe.

    Args:
        indexes: the stages that are run.
        folder, resume: of the run, as `RunJob` takes them.
    """
    stages = [(index, plan.recipe.stages[index]) for index in indexes]
    divided, problem = spread.shard is not None, ""
    if divided:
        problem = "--shard divides data stages (run --stage N) and evaluations of a served policy alone"
    elif spread.on is not None:
        problem = "--on is for data stages and evaluations of a served policy alone (`policy: {judge: NAME}`)"
    for index, stage in stages if problem else ():
        place = plan.document.where(("stages", index))
        if needs_engine(stage):
            raise UserError(problem, where=place)
        if not divided and isinstance(stage, DataStage) and not asks_served_judges(plan, ("stages", index, "dataset")):
            raise UserError("its steps ask no served judge, so hosts have nothing to do; leave --on out", where=place)
        if divided and isinstance(stage, EvalStage) and folder is None and resume is None:
            raise UserError("--shard of an evaluation goes with --run-dir DIR, after which the parts are named")
    if all(isinstance(stage, EvalStage) for _, stage in stages):  # a data stage looks by itself
        spread.refuse_changes({"recipe": dump(plan.document.raw), "plugins": versions_of(plan)})
    if resume is not None and (note := read_note(resume)) is not None:
        shard = None if spread.shard is None else str(spread.shard)
        if shard != note["shard"]:
            problem = f"this is shard {note['shard']}; go on with --shard {note['shard']}"
            raise UserError(problem, where=str(resume))


def note_shard(plan: Plan, spread: Spread, directory: Path, done: bool) -> None:
    """Write into a run directory which part of a run it is, and of which recipe; nothing if it is the whole."""
    recipe = (directory / RESOLVED).read_text(encoding="utf-8")
    spread.write_note(directory, {"recipe": recipe, "plugins": versions_of(plan)}, done)
