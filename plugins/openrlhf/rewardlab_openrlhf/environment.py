"""The environment of OpenRLHF, as `rewardlab env create openrlhf` builds it."""

from importlib.metadata import entry_points
from pathlib import Path

from rewardlab.training import EnvironmentDefinition, InstallStep

REQUIREMENTS = Path(__file__).with_name("requirements")


def environment(cpu: bool) -> EnvironmentDefinition:
    """Return the environment of a training job on GPUs or, for a CPU, that of our tests of OpenRLHF's own loop.

    rewardlab and its own plugins go in as far, and in the versions, as they are installed here.
    """
    return EnvironmentDefinition(name="openrlhf", steps=_cpu() if cpu else _gpu(), distributions=_ours())


def _gpu() -> tuple[InstallStep, ...]:
    # flash-attn and deepspeed are compiled against the torch that the first step installs
    built = InstallStep(requirements=REQUIREMENTS / "gpu-built.txt", options=("--no-build-isolation",))
    return InstallStep(requirements=REQUIREMENTS / "gpu.txt"), built


def _cpu() -> tuple[InstallStep, ...]:
    bare = InstallStep(
        requirements=REQUIREMENTS / "cpu-bare.txt",
        options=("--no-deps", "--no-build-isolation"),
        variables={"DS_BUILD_OPS": "0"},
    )
    return InstallStep(requirements=REQUIREMENTS / "cpu.txt"), bare


def _ours() -> tuple[str, ...]:
    owners = {point.dist.name.replace("_", "-") for point in entry_points(group="rewardlab") if point.dist}
    ours = {owner for owner in owners if owner.startswith("rewardlab-")}
    return tuple(sorted(ours - {"rewardlab-trl"}))  # another engine, whose requirements need not fit this one's
