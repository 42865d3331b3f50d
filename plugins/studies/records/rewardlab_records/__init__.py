"""Records of runs and rollouts: read, written in other forms, and told to trackers.

In goes what runs, `score` and other tools wrote. Out come rows, tables, other tools' files and trackers' numbers.

    ledger        every completion of a run as a row of a table: `rewardlab ledger`
    scored_lines  the lines of a file that `score` wrote
    rollouts      what other trainers and evaluations wrote, as rows: `rewardlab convert`
    export        scores as tables, datasets and scores of inspect_ai: `rewardlab export`
    tracking      a running stage, told to TensorBoard, Weights & Biases, MLflow and trackio
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from rewardlab import hookimpl


@hookimpl
def rewardlab_track(job: Any) -> AbstractContextManager[None]:
    from rewardlab_records.tracking.following import tracked_stage

    return tracked_stage(job)


def completion_table(groups: Iterable[Any], library: Any = None) -> Any:
    """Return a data frame with a row for each completion of scored groups; see `RecipeReward.table`."""
    from rewardlab_records.export.completion_table import completion_table as table

    return table(groups, library)
