"""The split of a dataset into the rows that a stage trains on and those that it evaluates on."""

from rewardlab.data import is_held_out, read_dataset
from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.plan.component import Component
from rewardlab.plan.evaluation_sets import sample_of_set
from rewardlab.specs import Context
from rewardlab.types import Sample


def read_samples(plan: Plan, planned: Component) -> list[Sample]:
    """Return every row of a dataset, in its order."""
    return list(read_dataset(planned, Context(seed=plan.recipe.seed)))


def training_samples(plan: Plan, index: int) -> list[Sample]:
    """Return the rows that stage `index` trains on; raise UserError if all are held out."""
    planned = plan.stage_dataset(index)
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
    for name, (planned, only_held_out) in plan.evaluation_datasets(index).items():
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
