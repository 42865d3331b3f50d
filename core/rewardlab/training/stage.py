"""One stage of a run with the parts that it shares with the others, and the order in which its rows are read."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, one_line
from rewardlab.judging import JudgingSettings
from rewardlab.plan import Plan
from rewardlab.plan.unused_async import unawaited
from rewardlab.recipe.models import DpoStage, RlStage, SftStage, Stage
from rewardlab.scoring import Scorer
from rewardlab.specs import Context
from rewardlab.training.ledger import Ledger, UsageLog
from rewardlab.training.run_directory import RunDirectory
from rewardlab.types import Sample


@dataclass(frozen=True, kw_only=True)
class StageJob:
    """One stage of a run, with the plan, the run directory and the records that all of its stages share.

    index: the place of the stage in the recipe, counted from 0. say: prints a line for the user.
    """

    plan: Plan
    run: RunDirectory
    ledger: Ledger
    usage: UsageLog
    index: int
    say: Callable[[str], None]

    @property
    def stage(self) -> Stage:
        """The stage as the recipe describes it."""
        return self.plan.recipe.stages[self.index]

    def open_scorer(self, zero_truncated: bool = False, policy: Any = None) -> Scorer:
        """Return a scorer for the recipe's reward, whose judges keep their answers in the run directory.

        zero_truncated: whether truncated completions get a total of 0. policy: what the judge `policy/self` asks, an
        object with `judge(options)`. Raises UserError or JobError that names the component or judge that cannot be
        opened.
        """
        judging = JudgingSettings(folder=self.run.path / "judges", stop_on_unparsable=True, say=self.say)
        scorer = Scorer(self.plan, zero_truncated=zero_truncated, judging=judging, policy=policy)
        self.usage.starts_from(scorer.judges.usage())
        return scorer

    @property
    def name(self) -> str:
        """The name of the stage's files and folders, such as "0-sft"."""
        return f"{self.index}-{self.stage.use}"

    @property
    def output(self) -> Path:
        """The folder of the model that the stage writes."""
        return self.run.path / "models" / self.name

    @property
    def where(self) -> str:
        """The place of the stage in the recipe, for messages."""
        return self.plan.document.where(("stages", self.index))


def steps_of(stage: SftStage | DpoStage | RlStage, rows: int) -> int:
    """Return the number of steps of a stage, at least 1: its `steps`, or what `epochs` passes over `rows` rows take.

    The number is rounded up: a further pass fills the last batch.
    """
    return stage.steps or max(1, math.ceil(round(rows * stage.epochs / stage.batch_size, 6)))


def reading_order(plan: Plan, samples: Sequence[Sample], count: int) -> list[int]:
    """Return `count` indices into `samples`: the rows in the order in which a trainer reads them, pass after pass.

    Each pass has the order of the recipe's curriculum, with a seed of its own, or that of the dataset without one.
    Raises JobError if the curriculum fails or its order is not made of indices of the rows.
    """
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
        if wrong := unawaited(plan.curriculum.spec, curriculum):
            raise TypeError(wrong)
        if not hasattr(curriculum, "order"):
            return list(range(len(samples)))
        order = list(curriculum.order(samples, seed))
    except Exception as error:  # a curriculum of a plugin can raise anything
        raise JobError(f"curriculum {use}: {one_line(error)}") from error
    if not order or not all(isinstance(i, int) and 0 <= i < len(samples) for i in order):
        raise JobError(f"curriculum {use}: order must be indices of the {len(samples)} rows, at least one")
    return order
