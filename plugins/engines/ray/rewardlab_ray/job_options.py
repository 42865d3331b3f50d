"""The options under `backend` that every engine on Ray has: where a job runs, and its actors that score."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt
from rewardlab import Config
from rewardlab_training import TrackerOptions

if TYPE_CHECKING:
    from rewardlab.plan import Plan


class Scorers(Config):
    """The actors that hold rewards with a model."""

    replicas: PositiveInt = 1
    """actors, each with all rewards"""
    num_cpus: NonNegativeFloat = 1
    """cores that Ray sets aside for each actor; parts count"""
    num_gpus: NonNegativeFloat = 0
    """GPUs that Ray sets aside for each actor; parts count, 0: rewards run on the CPU"""


class Barrier(Config):
    """The time that the members of a group wait for each other, and for their rewards."""

    completion_timeout: PositiveFloat = 3600.0
    """seconds in which a group's completions have to come"""
    scoring_timeout: PositiveFloat = 1800.0
    """seconds for scoring a group that is complete"""
    on_partial: Literal["fail", "score"] = "fail"
    """a completion fails or takes too long: fail ends the job, score scores the others as a group of their own size and
    the lost one has no advantage (with openrlhf under ppo the mean of the others)"""


class RayEngineOptions(Config):
    """The settings under `engine` that every engine on Ray has."""

    keep_checkpoints: PositiveInt = 2
    """the newest so many checkpoints of a stage stay on the disk"""
    storage: str | None = None
    """a folder that every node sees, for the run's models and checkpoints (absent: the run directory)"""
    wandb: str | None = None
    """a Weights & Biases project for the engine's own run, with its own names; the key comes from WANDB_API_KEY on
    the nodes"""


class RayOptions(TrackerOptions):
    """Options of a job: where it runs, and what its processes receive."""

    nodes: PositiveInt = 1
    """machines of the job"""
    gpus_per_node: NonNegativeInt | None = None
    """GPUs of each machine; to be given"""
    address: str | None = None
    """of a Ray cluster's job server, such as http://head:8265 (absent: RAY_ADDRESS, else this machine)"""
    scorers: Scorers = Field(default_factory=Scorers)
    """the actors that run rewards"""
    max_restarts: NonNegativeInt = 0
    """restarts in a row, without a new checkpoint, of a stage whose job lost an engine, a rank or a node"""
    secrets: list[str] = Field(default_factory=list)
    """names of this shell's environment variables that nodes receive, beside those that the recipe reads"""
    engine: RayEngineOptions = Field(default_factory=RayEngineOptions)
    """the engine's own settings"""
    gradient_checkpointing: bool = False
    """less memory, slower"""


def job_options(plan: "Plan") -> RayOptions:
    """Return a plan's options under `backend`; the plan's backend must be an engine on Ray."""
    assert plan.backend is not None
    options: RayOptions = plan.backend.options
    return options
