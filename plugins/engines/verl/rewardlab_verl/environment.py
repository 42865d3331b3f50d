"""The environment of verl, as `rewardlab env create verl` builds it."""

from pathlib import Path

from rewardlab.workers import EnvironmentDefinition, InstallStep
from rewardlab_ray.own_distributions import own_distributions

REQUIREMENTS = Path(__file__).with_name("requirements")
OTHERS = ("rewardlab-trl", "rewardlab-openrlhf", "rewardlab-reward-model")
"""whose requirements need not fit verl's transformers"""


def environment(cpu: bool) -> EnvironmentDefinition:
    """Return the environment of a training job on GPUs or, for a CPU, that of our tests of verl's own loop.

    rewardlab and its own plugins go in as far, and in the versions, as they are installed here.
    """
    built = InstallStep(requirements=REQUIREMENTS / "gpu-built.txt", options=("--no-build-isolation",))
    gpu = InstallStep(requirements=REQUIREMENTS / "gpu.txt"), built
    steps = (InstallStep(requirements=REQUIREMENTS / "cpu.txt"),) if cpu else gpu
    return EnvironmentDefinition(name="verl", steps=steps, distributions=own_distributions(*OTHERS))
