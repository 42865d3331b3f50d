"""What the stages of one run share: the plan, the run directory, and the order in which rows are read."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardlab.errors import JobError, one_line
from rewardlab.judging import Keeping
from rewardlab.ledger import Ledger, RunDirectory, UsageLog
from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, RlStage, SftStage, Stage
from rewardlab.scoring import Scorer
from rewardlab.specs import Context
from rewardlab.types import Sample


@dataclass(frozen=True, kw_only=True)
class StageJob:
    """One stage of a run. `say` prints a line for the user."""

    plan: Plan
    run: RunDirectory
    ledger: Ledger
    usage: UsageLog
    index: int
    say: Callable[[str], None]

    @property
    def stage(self) -> Stage:
        """What the recipe says of it."""
        return self.plan.recipe.stages[self.index]

    def open_scorer(self, zero_truncated: bool = False) -> Scorer:
        """The recipe's reward; what judges answer is kept in the run directory."""
        keeping = Keeping(folder=self.run.path / "judges", stop_on_form=True, say=self.say)
        scorer = Scorer(self.plan, zero_truncated=zero_truncated, keeping=keeping)
        self.usage.starts_from(scorer.judges.usage())
        return scorer

    @property
    def name(self) -> str:
        """Of the stage's files: "0-sft"."""
        return f"{self.index}-{self.stage.use}"

    @property
    def output(self) -> Path:
        """The folder of the model that it writes."""
        return self.run.path / "models" / self.name

    @property
    def where(self) -> str:
        """Its place in the recipe, for messages."""
        return self.plan.document.where(("stages", self.index))


def steps_of(stage: SftStage | DpoStage | RlStage, rows: int) -> int:
    """`steps`, or as many as `epochs` passes over the rows take; a further pass fills the last batch."""
    return stage.steps or max(1, math.ceil(round(rows * stage.epochs / stage.batch_size, 6)))


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
