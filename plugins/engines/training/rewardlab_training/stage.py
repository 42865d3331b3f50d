"""One stage of a run with the parts that it shares with the others."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rewardlab import Sample
from rewardlab.judging import JudgingSettings
from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage, Stage, TinyModel
from rewardlab.scoring import Scorer

from rewardlab_training.ledger import Ledger, UsageLog
from rewardlab_training.ledger_format import ledger_path
from rewardlab_training.run_directory import RunDirectory
from rewardlab_training.stage_rows import evaluation_samples, training_samples
from rewardlab_training.starting_model import find_starting_model, written_before


@dataclass(frozen=True, kw_only=True)
class StageJob:
    """One stage of a run, with all that an engine needs for it.

    Args:
        index: the place of the stage in the recipe, counted from 0.
        say: prints a line for the user.
    """

    plan: Plan
    run: RunDirectory
    index: int
    say: Callable[[str], None]

    @cached_property
    def ledger(self) -> Ledger:
        """The run's ledger, open for this attempt; for an engine that scores in this process."""
        return Ledger(ledger_path(self.run.path), self.run.attempt)

    @cached_property
    def usage(self) -> UsageLog:
        """The run's counts of what judges were asked, likewise."""
        return UsageLog(self.run.path / "usage.jsonl", self.run.attempt)

    def close(self) -> None:
        """Close the records that were opened."""
        for record in ("ledger", "usage"):
            if record in vars(self):
                getattr(self, record).close()

    def training_samples(self) -> list[Sample]:
        """Read the rows that the stage trains on: those of its dataset that are not held out."""
        return training_samples(self.plan, self.index)

    def evaluation_samples(self) -> list[Sample]:
        """Read the rows that the stage evaluates on; those of a named set have its name in the field `eval_set`."""
        return evaluation_samples(self.plan, self.index)

    def starting_model(self) -> str:
        """Return the folder or hub name that the stage starts from; a tiny model is built."""
        return find_starting_model(self.plan, self.run.path, self.index)

    def written_model(self) -> str | None:
        """Return what `starting_model` does, but None for a new model, `{use: tiny}`, in place of building it.

        It is for an engine whose models are not transformers'.
        """
        is_new = isinstance(self.plan.recipe.model, TinyModel)
        if is_new and written_before(self.plan, self.run.path, self.index) is None:
            return None
        return self.starting_model()

    @property
    def stage(self) -> Stage:
        """The stage as the recipe describes it."""
        return self.plan.recipe.stages[self.index]

    def open_scorer(self, zero_truncated: bool = False, policy: Any = None) -> Scorer:
        """Return a scorer for the recipe's reward, whose judges keep their answers in the run directory.

        Args:
            zero_truncated: whether truncated completions get a total of 0.
            policy: what the judge `policy/self` asks, an object with `judge(options)`.

        Raises UserError or JobError that names the component or judge that cannot be opened.
        """
        _ = self.ledger  # a file that cannot be written is reported before anything is scored
        spread, folder = self.run.spread, self.run.path / "judges"
        spread.gather(folder)
        judging = JudgingSettings(folder=folder, stop_on_unparsable=True, say=self.say, share=spread.share)
        if spread.open_scorer is not None and isinstance(self.stage, EvalStage) and self.stage.served is not None:
            scorer = spread.open_scorer(self.plan, judging=judging, asked=[self.stage.served])
        else:
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
