"""One training stage as a process in the cluster knows it: the run's folder, the plan, the starting model."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rewardlab import Sample
from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, EvalStage, Evaluation, RlStage, SftStage, Stage, StageEvaluation, TokenSampling
from rewardlab_training import find_starting_model, plan_of_job

from rewardlab_ray.rendered_rows import read_rows

TrainingStage = SftStage | RlStage | DpoStage


@dataclass(frozen=True, kw_only=True)
class StageTask:
    """A training stage, number `index`, of the run in folder `run`; `say` prints a line for the user."""

    run: Path
    index: int
    attempt: int
    home: Path
    """where the recipe's relative paths begin"""
    say: Callable[[str], None]
    restarted: bool = False
    """whether an earlier attempt lost a process or a node, which may need time to come back"""

    @cached_property
    def plan(self) -> Plan:
        """The plan of the run's own recipe, whose rows have been read already."""
        return plan_of_job(self.recipe)

    @property
    def recipe(self) -> Path:
        """The recipe as it was resolved when the run began."""
        return self.run / "recipe.resolved.yaml"

    @property
    def stage(self) -> TrainingStage:
        """The stage as the recipe has it; one of kind eval as an rl stage that only evaluates."""
        return engine_stage(self.plan.recipe.stages[self.index])

    @property
    def evaluates(self) -> bool:
        """Whether nothing is trained."""
        return isinstance(self.plan.recipe.stages[self.index], EvalStage)

    @property
    def name(self) -> str:
        """The name of the stage's files: "1-rl"."""
        return f"{self.index}-{self.plan.recipe.stages[self.index].use}"

    @property
    def job(self) -> str:
        """The name that its actors' names begin with, different in every attempt."""
        return f"{self.run.name}/{self.name}/{self.attempt}"

    @property
    def folder(self) -> Path:
        """The folder of the files that the engine reads."""
        return stage_folder(self.run, self.name)

    @property
    def where(self) -> str:
        """Its place in the recipe, for messages."""
        return self.plan.document.where(("stages", self.index))

    @property
    def output(self) -> Path:
        """The folder for the trained model."""
        return self.run / "models" / self.name

    @cached_property
    def model(self) -> str:
        """The folder or hub name of the model that the stage starts from."""
        return find_starting_model(self.plan, self.run, self.index)

    def samples(self) -> list[Sample]:
        """Return the rows to train on."""
        return [row.sample for row in read_rows(self.folder / "source.jsonl")]

    def evaluation_samples(self) -> list[Sample]:
        """Return the rows to evaluate on; none if the stage has no `eval`."""
        path = self.folder / "evaluation_source.jsonl"
        return [row.sample for row in read_rows(path)] if path.exists() else []


def engine_stage(stage: Stage) -> TrainingStage:
    """Return a stage that needs an engine as one that trains.

    One of kind eval becomes an rl stage whose first evaluation is all of it, for engines that sample in rl alone.
    """
    if not isinstance(stage, EvalStage):
        assert isinstance(stage, TrainingStage)
        return stage
    evaluation = {name: getattr(stage, name) for name in Evaluation.model_fields}
    sampling = {name: getattr(stage, name) for name in (*TokenSampling.model_fields, "max_new_tokens", "chat", "agent")}
    return RlStage(use="rl", algorithm="dr_grpo", steps=1, eval=StageEvaluation(**evaluation), **sampling)


def stage_folder(run: Path, name: str) -> Path:
    """Return the folder in which a run keeps what the engine reads for stage `name`."""
    return run / "engine" / name
