"""OpenRLHF's environment, as `rewardlab env create openrlhf` builds it."""

from importlib.metadata import entry_points
from pathlib import Path

from rewardlab.environments.definition import Definition, Step
from rewardlab.registry import ENTRY_POINT_GROUP

REQUIREMENTS = Path(__file__).with_name("requirements")


def environment(cpu: bool) -> Definition:
    """For GPUs: what a training job needs. For a CPU: what OpenRLHF's own loop needs in our tests.

    This library and those of its own plugins that are installed here go in as they are installed here.
    """
    return Definition(name="openrlhf", steps=_cpu() if cpu else _gpu(), distributions=_ours())


def _gpu() -> tuple[Step, ...]:
    # flash-attn and deepspeed are compiled against the torch that the first step installs
    built = Step(requirements=REQUIREMENTS / "gpu-built.txt", options=("--no-build-isolation",))
    return Step(requirements=REQUIREMENTS / "gpu.txt"), built


def _cpu() -> tuple[Step, ...]:
    bare = Step(
        requirements=REQUIREMENTS / "cpu-bare.txt",
        options=("--no-deps", "--no-build-isolation"),
        variables={"DS_BUILD_OPS": "0"},
    )
    return Step(requirements=REQUIREMENTS / "cpu.txt"), bare


def _ours() -> tuple[str, ...]:
    owners = {point.dist.name for point in entry_points(group=ENTRY_POINT_GROUP) if point.dist}
    return "rewardlab", *sorted(owner for owner in owners if owner.replace("_", "-").startswith("rewardlab-"))
