"""What the stages of one run share: the plan, the run directory, and the order in which rows are read."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rewardlab.errors import JobError, one_line
from rewardlab.ledger import Ledger, RunDirectory
from rewardlab.plan import Plan
from rewardlab.specs import Context
from rewardlab.types import Sample


@dataclass(frozen=True, kw_only=True)
class StageJob:
    """One stage of a run. `say` prints a line for the user."""

    plan: Plan
    run: RunDirectory
    ledger: Ledger
    index: int
    say: Callable[[str], None]

    @property
    def name(self) -> str:
        """Of the stage's files: "0-sft"."""
        return f"{self.index}-{self.plan.recipe.stages[self.index].use}"


def reading_order(plan: Plan, samples: Sequence[Sample], count: int) -> list[int]:
    """Indices of the `count` rows that a trainer reads, pass after pass, each in the curriculum's order."""
    order: list[int] = []
    passes = itertools.count(plan.recipe.seed)
    while len(order) < count:
        order += _one_pass(plan, samples, next(passes))
    return order[:count]


def _one_pass(plan: Plan, samples: Sequence[Sample], seed: int) -> list[int]:
    if plan.curriculum is None:
        return list(range(len(samples)))
    use = plan.curriculum.use.use
    try:
        curriculum = plan.curriculum.spec.build(plan.curriculum.options, Context(seed=seed))
        if not hasattr(curriculum, "order"):
            return list(range(len(samples)))
        order = list(curriculum.order(samples, seed))
    except Exception as error:  # the one place where a curriculum's exception gets its name
        raise JobError(f"curriculum {use}: {one_line(error)}") from error
    if not order or not all(isinstance(i, int) and 0 <= i < len(samples) for i in order):
        raise JobError(f"curriculum {use}: order must be indices of the {len(samples)} rows, at least one")
    return order
