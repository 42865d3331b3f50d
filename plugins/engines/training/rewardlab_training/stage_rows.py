"""The rows that a stage trains or evaluates on, and the order in which it reads them."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from rewardlab import Context, Sample
from rewardlab.errors import JobError, UserError, one_line
from rewardlab.plan import Component, Plan, unawaited
from rewardlab.recipe import SET_FIELD, DpoStage, RecipePath, RlStage, SftStage

from rewardlab_training.datasets import is_held_out, read_dataset
from rewardlab_training.sampling import shuffled
from rewardlab_training.stage_datasets import evaluation_datasets, stage_dataset, stage_dataset_place


def read_samples(plan: Plan, planned: Component) -> list[Sample]:
    """Return every row of a dataset, in its order."""
    return list(read_dataset(planned, Context(seed=plan.recipe.seed)))


def training_samples(plan: Plan, index: int) -> list[Sample]:
    """Return the rows that stage `index` trains on; raise UserError if all are held out."""
    planned = stage_dataset(plan, index)
    samples = [s for s in read_samples(plan, planned) if not is_held_out(s, planned.use.holdout)]
    if not samples:
        where = plan.document.where(("stages", index))
        raise UserError(f"every row of {planned.use.use} is held out; none is left to train on", where=where)
    return samples


def evaluation_samples(plan: Plan, index: int) -> list[Sample]:
    """Return the rows that stage `index` evaluates on; raise UserError if a set has none.

    Those of a named set have its name in the field `eval_set`, and before their id: "hard/7".
    """
    samples: list[Sample] = []
    for name, (planned, only_held_out) in evaluation_datasets(plan, index).items():
        rows = _held_out_rows(plan, index, planned) if only_held_out else read_samples(plan, planned)
        samples += [sample_of_set(name, row) for row in rows]
    return samples


def _held_out_rows(plan: Plan, index: int, planned: Component) -> list[Sample]:
    samples = [s for s in read_samples(plan, planned) if is_held_out(s, planned.use.holdout)]
    if not samples:
        raise UserError(
            f"no row of {planned.use.use} is held out to evaluate on; set dataset.holdout (such as 0.1), or "
            "give the evaluation a dataset of its own",
            where=plan.document.where(("stages", index)),
        )
    return samples


TrainingStage = SftStage | DpoStage | RlStage


def steps_of(stage: TrainingStage, rows: int) -> int:
    """Return the number of steps of a stage, at least 1: its `steps`, or what `epochs` passes over `rows` rows take.

    The number is rounded up: a further pass fills the last batch.
    """
    return stage.steps or max(1, math.ceil(round(rows * stage.epochs / stage.batch_size, 6)))


def reading_order(plan: Plan, index: int, samples: Sequence[Sample]) -> list[int]:
    """Return indices into the samples of stage `index`, as many as it trains on, in the order in which it reads them.

    Each pass has the order of the recipe's curriculum, else a shuffle, by a seed of its own. A stage goes on where the
    last one of its kind stopped reading the same dataset. Raises JobError if the curriculum fails or its order is not
    made of indices of the rows.
    """
    stage = plan.recipe.stages[index]
    assert isinstance(stage, TrainingStage)
    begin = _rows_read_before(plan, index, len(samples))
    end = begin + _rows_read(stage, len(samples))
    order: list[int] = []
    passes = itertools.count(plan.recipe.seed)
    while len(order) < end:
        order += _one_pass(plan, samples, next(passes))
    return order[begin:end]


def _rows_read_before(plan: Plan, index: int, rows: int) -> int:
    """Return how many rows the earlier stages of the same kind read of the dataset of stage `index`."""
    stages, place = plan.recipe.stages, stage_dataset_place(plan, index)
    earlier = [
        stage
        for number, stage in enumerate(stages[:index])
        if stage.use == stages[index].use and _is_same_dataset(plan, stage_dataset_place(plan, number), place)
    ]
    return sum(_rows_read(stage, rows) for stage in earlier if isinstance(stage, TrainingStage))


def _is_same_dataset(plan: Plan, recipe_path: RecipePath, other: RecipePath) -> bool:
    return recipe_path == other or plan.datasets[recipe_path].use == plan.datasets[other].use


def _rows_read(stage: TrainingStage, rows: int) -> int:
    return steps_of(stage, rows) * stage.batch_size


def _one_pass(plan: Plan, samples: Sequence[Sample], seed: int) -> list[int]:
    if plan.curriculum is None:
        return shuffled(samples, seed)
    use = plan.curriculum.use.use
    try:
        curriculum = plan.curriculum.spec.build(plan.curriculum.options, Context(seed=seed))
        if wrong := unawaited(plan.curriculum.spec, curriculum):
            raise TypeError(wrong)
        if not hasattr(curriculum, "order"):  # a group sampler alone
            return shuffled(samples, seed)
        order = list(curriculum.order(samples, seed))
    except Exception as error:  # a curriculum of a plugin can raise anything
        raise JobError(f"curriculum {use}: {one_line(error)}") from error
    if not order or not all(isinstance(i, int) and 0 <= i < len(samples) for i in order):
        raise JobError(f"curriculum {use}: order must be indices of the {len(samples)} rows, at least one")
    return order


def sample_of_set(name: str, sample: Sample) -> Sample:
    """Return a sample with its set's name in the field `eval_set` and before its id: "hard/7".

    A sample of an evaluation without sets (name "") is unchanged. Raises UserError if the dataset has that field.
    """
    if not name:
        return sample
    if SET_FIELD in sample.fields:
        problem = f"`{SET_FIELD}` names the set of a prompt to evaluate on; call the dataset's own field something else"
        raise UserError(problem, where=sample.place())
    return replace(sample, id=f"{name}/{sample.id}", fields={**sample.fields, SET_FIELD: name})
