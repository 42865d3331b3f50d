"""One training stage as a process in the cluster knows it: the run's folder there, the plan, the starting model."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rewardlab.backends.openrlhf.job.files import StageFiles, TrainingStage, training_stage
from rewardlab.backends.openrlhf.job.rows import read_rows
from rewardlab.backends.starting_model import starting_model
from rewardlab.ledger import run_name
from rewardlab.loading import load
from rewardlab.plan import Plan, make_plan
from rewardlab.types import Sample


@dataclass(frozen=True, kw_only=True)
class Task:
    """Stage `index` of the run in folder `run`; `say` prints a line for the user."""

    run: Path
    index: int
    attempt: int
    home: Path
    """where the recipe's relative paths begin"""
    say: Callable[[str], None]

    @cached_property
    def plan(self) -> Plan:
        """Of the run's own recipe; its rows have been read already."""
        return make_plan(load(self.recipe, strict=False), purpose="job")

    @property
    def recipe(self) -> Path:
        """The recipe as it was resolved when the run began."""
        return self.run / "recipe.resolved.yaml"

    @property
    def stage(self) -> TrainingStage:
        """What the recipe says of it."""
        return training_stage(self.plan, self.index)

    @property
    def name(self) -> str:
        """Of the stage's files: "1-rl"."""
        return f"{self.index}-{self.stage.use}"

    @property
    def job(self) -> str:
        """Of its actors; another attempt has another one."""
        return f"{self.run.name}/{self.name}/{self.attempt}"

    @property
    def folder(self) -> Path:
        """What OpenRLHF reads."""
        return stage_folder(self.run, self.name)

    @property
    def where(self) -> str:
        """Its place in the recipe, for messages."""
        return self.plan.document.where(("stages", self.index))

    @property
    def output(self) -> Path:
        """The folder of the model that it writes."""
        return self.run / "models" / self.name

    @cached_property
    def model(self) -> str:
        """The folder or hub name that it starts from."""
        return starting_model(self.plan, self.run, self.index)

    def samples(self) -> list[Sample]:
        """The rows to train on."""
        return [row.sample for row in read_rows(self.folder / "source.jsonl")]

    def evaluation_samples(self) -> list[Sample]:
        """The rows to evaluate on; none where the stage has no `eval`."""
        path = self.folder / "evaluation_source.jsonl"
        return [row.sample for row in read_rows(path)] if path.exists() else []

    def files(self, steps: int, rows: int, longest: int, evaluation_rows: int = 0) -> StageFiles:
        """Where OpenRLHF reads and writes."""
        checkpoints = self.run / "checkpoints" / self.name
        return StageFiles(
            model=self.model,
            folder=self.folder,
            output=self.folder / "model",  # moved to its place when it is whole
            checkpoints=checkpoints,
            tensorboard=self.run / "logs" / "tensorboard" if self.plan.recipe.backend.tensorboard else None,
            run_name=f"{run_name(self.plan)}-{self.name}",
            steps=steps,
            rows=rows,
            longest_prompt=longest,
            evaluation_rows=evaluation_rows,
            resume=self.attempt > 0 and checkpoints.exists(),
        )


def stage_folder(run: Path, name: str) -> Path:
    """Where a run keeps what OpenRLHF reads for stage `name`."""
    return run / "engine" / name
