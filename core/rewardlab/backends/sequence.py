"""The stages of a run, one after the other; what a data stage does is the same with every engine."""

from collections.abc import Callable

from rewardlab.data_stage import write_dataset
from rewardlab.ledger import RunDirectory, UsageLog
from rewardlab.plan import Plan
from rewardlab.recipe import DataStage


def run_stages(
    plan: Plan,
    directory: RunDirectory,
    only: int | None,
    say: Callable[[str], None],
    engine: Callable[[int], None],
) -> None:
    """Run the stages that are not done (of these only stage `only`, if given); `engine` runs one that is no data stage.

    Raises KeyboardInterrupt where the user stopped it; what was done is kept.
    """
    for index, stage in enumerate(plan.recipe.stages):
        if only is not None and index != only:
            continue
        if index in directory.done:
            say(f"stage {index} ({stage.use}) is done")
            continue
        if isinstance(stage, DataStage):
            _write_data(plan, directory, index, stage, say)
        else:
            engine(index)
        directory.finish_stage(index)


def _write_data(plan: Plan, directory: RunDirectory, index: int, stage: DataStage, say: Callable[[str], None]) -> None:
    say(f"stage {index} (data) writes {stage.to}")
    asked = write_dataset(plan, index, say)
    usage = UsageLog(directory.path / "usage.jsonl", directory.attempt)
    try:
        usage.note(index, None, asked)
    finally:
        usage.close()
