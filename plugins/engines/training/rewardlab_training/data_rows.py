"""The rows of a dataset, made by its data steps if it has any."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rewardlab import Context, Sample
from rewardlab.judging import Share
from rewardlab.plan import Plan
from rewardlab.recipe import DatasetUse, RecipePath
from rewardlab.workers import AUTO_DEVICE, Workers, opener

from rewardlab_training.datasets import read_dataset

WHOLE = Share()


def step_rows(
    plan: Plan, place: RecipePath, judges: Mapping[str, Any], workers: Workers, share: Share = WHOLE
) -> Generator[Sample]:
    """Yield the samples of the dataset at `place` one at a time, made by its data steps if it has any.

    share: whose rows are read of datasets that are made by no step.
    """
    planned, seed = plan.datasets[place], plan.recipe.seed
    context = Context(seed=seed, judges=judges)
    source = planned.use.source
    if source is not None:
        context = replace(context, workers=opener(workers, plan, planned, AUTO_DEVICE))
    if isinstance(source, DatasetUse):
        context = replace(context, source=_DataStepRows(plan, (*place, "from"), judges, workers, share))
    elif source is not None:
        by_name = {name: _DataStepRows(plan, (*place, "from", name), judges, workers, share) for name in source}
        context = replace(context, sources=by_name)
    rows = read_dataset(planned, context)
    return rows if source is not None or share.is_whole else (sample for sample in rows if share.has(sample.id))


class _DataStepRows:
    """The rows that a data step starts from; each iteration reads them from the beginning."""

    def __init__(self, *of: Any) -> None:
        self._of = of

    def __iter__(self) -> Iterator[Sample]:
        return step_rows(*self._of)
