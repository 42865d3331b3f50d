"""Trackers as a recipe sets them, alike on every engine: where the numbers and samples of each stage go."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pydantic import NonNegativeInt
from rewardlab import Config
from rewardlab.recipe import DataStage, Finding
from rewardlab.registry import TRACK, installed

if TYPE_CHECKING:
    from rewardlab_training.stage import StageJob

TRACKERS = {"tensorboard": "TensorBoard", "wandb": "Weights & Biases", "mlflow": "MLflow", "trackio": "trackio"}
"""option, which is also the package that must be installed -> how the tracker is called"""


class TrackerOptions(Config):
    """Trackers that get the numbers of a stage and samples of its completions; each stage is a run there."""

    tensorboard: bool = False
    """write TensorBoard events under logs/"""
    wandb: str | None = None
    """a Weights & Biases project; the key comes from WANDB_API_KEY or `wandb login`"""
    mlflow: str | None = None
    """an MLflow experiment; MLFLOW_TRACKING_URI says where (absent: MLflow's own default)"""
    trackio: str | None = None
    """a trackio project; TRACKIO_DIR says where (absent: trackio's own default)"""
    tracked_samples: NonNegativeInt = 32
    """completions of each evaluation and of the last step that trackers get as a table, with prompts and scores; 0:
    none"""

    def asked(self) -> list[str]:
        """Return the options of the trackers that are asked for."""
        return [name for name in TRACKERS if getattr(self, name)]

    def lacking(self) -> Iterator[Finding]:
        """Yield a finding for each tracker that is asked for and not installed."""
        for name in self.asked():
            if find_spec(name) is None:
                yield ("backend", name), f"{TRACKERS[name]} is not installed; pip install {name}"


def tracked(job: "StageJob") -> AbstractContextManager[Any]:
    """Return the context in which a stage runs: one that tells trackers its numbers, if the recipe asks for any."""
    options = job.plan.backend.options if job.plan.backend is not None else None
    if not isinstance(options, TrackerOptions) or not options.asked() or isinstance(job.stage, DataStage):
        return nullcontext()
    context: AbstractContextManager[Any] = installed().action(TRACK, "nothing here tells trackers")(job)
    return context
