"""TensorBoard events of evaluations: the engine's own tracker has its pass rates, not the recipe's components."""

from pathlib import Path
from typing import Any

from rewardlab_training import Results


class EvaluationEvents:
    """The events of a stage's evaluations, beside those of the engine in `folder`, with the names that trl's have.

    The file is opened by the first evaluation. Close it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: Any = None

    def add(self, step: int, results: Results) -> None:
        """Write the means of an evaluation of the policy that was trained for `step` steps."""
        if self._writer is None:
            from tensorboard.summary import Writer  # the package's own, which needs no torch

            self._writer = Writer(str(self._folder))
        for name, value in results.metrics().items():
            self._writer.add_scalar(f"eval/{name}", value, step)
        self._writer.flush()

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
