"""The environment of OpenRLHF, as `rewardlab env create openrlhf` builds it."""

from pathlib import Path

from rewardlab.workers import EnvironmentDefinition, InstallStep
from rewardlab_ray.own_distributions import own_distributions

REQUIREMENTS = Path(__file__).with_name("requirements")


def environment(cpu: bool) -> EnvironmentDefinition:
    """Return the environment of a training job on GPUs or, for a CPU, that of our tests of OpenRLHF's own loop.

    rewardlab and its own plugins go in as far, and in the versions, as they are installed here.
    """
    distributions = own_distributions("rewardlab-trl", "rewardlab-verl")
    return EnvironmentDefinition(name="openrlhf", steps=_cpu() if cpu else _gpu(), distributions=distributions)


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
