"""Evaluations in Weights & Biases: the engine's own run has its pass rates, not the recipe's components."""

from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, one_line
from rewardlab_training import Results


class EvaluationRun:
    """A run of W&B for a stage's evaluations, in one group with the engine's, with the names that trl's have.

    It is opened by the first evaluation. Close it.
    """

    def __init__(self, project: str, name: str, folder: Path) -> None:
        self._project, self._name, self._folder = project, name, folder
        self._run: Any = None

    def add(self, step: int, results: Results) -> None:
        """Log the means of an evaluation after `step` steps of training. Raises JobError if W&B refuses."""
        import wandb

        try:
            if self._run is None:
                self._run = wandb.init(
                    project=self._project,
                    name=f"{self._name}-evaluation",
                    group=self._name,
                    dir=str(self._folder),
                    settings=wandb.Settings(console="off"),
                )
            numbers = {f"eval/{name}": value for name, value in results.metrics().items()}
            self._run.log({**numbers, "train/global_step": step})
        except wandb.Error as error:
            raise JobError(f"Weights & Biases: {one_line(error)}") from error

    def close(self) -> None:
        """End the run; calling it again does nothing."""
        if self._run is not None:
            self._run.finish()
            self._run = None
