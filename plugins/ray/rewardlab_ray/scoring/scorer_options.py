"""The options of a job's scorers."""

from pydantic import NonNegativeFloat, PositiveInt
from rewardlab import Config


class Scorers(Config):
    """The actors that hold rewards with a model."""

    replicas: PositiveInt = 1
    """actors, each with all rewards"""
    num_cpus: NonNegativeFloat = 1
    """cores that Ray sets aside for each actor; parts count"""
    num_gpus: NonNegativeFloat = 0
    """GPUs that Ray sets aside for each actor; parts count, 0: rewards run on the CPU"""
