"""The environment of verl, as `rewardlab env create verl` builds it."""

from importlib.metadata import entry_points
from pathlib import Path

from rewardlab.workers import EnvironmentDefinition, InstallStep

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
    owners = {point.dist.name.replace("_", "-") for point in entry_points(group="rewardlab") if point.dist}
    ours = {owner for owner in owners if owner.startswith("rewardlab-")}
    return EnvironmentDefinition(name="verl", steps=steps, distributions=tuple(sorted(ours - {*OTHERS})))
