"""The description of an engine on Ray: all in which its jobs differ from those of another."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from rewardlab.plan import Plan
from rewardlab.recipe import Finding
from rewardlab_training import Capabilities

from rewardlab_ray.job_options import RayOptions
from rewardlab_ray.stage_task import TrainingStage


@dataclass(frozen=True, kw_only=True)
class RayEngine:
    """An engine whose stages are jobs on Ray. None of its functions imports it, but for those of its driver."""

    name: str
    """as people write it: "OpenRLHF\""""
    distribution: str
    wheel: str
    """the version that its plugin compiles for"""
    absent: str
    """what to do where it is not installed"""
    install: str = "pip install"
    """the command that installs the wheel, without its name"""
    driver: str
    """the module that is the process of a stage; its `main` calls stage_driver.drive"""
    capabilities: Capabilities
    findings: Callable[[Plan], Iterable[Finding]]
    """as `rewardlab_training.Backend` has it; describe_stage, too"""
    describe_stage: Callable[[Plan, int], Iterable[str]]
    packages: Sequence[str]
    """distributions of which all nodes with GPUs must have the same versions"""
    modules: Callable[[Plan, bool], Mapping[str, str]]
    """returns what a stage imports, each with what to do without it; the flag: whether the stage samples"""
    gpus: Callable[[Plan, TrainingStage], int]
    """returns the GPUs of a stage, those of the scorers included"""
    newest_step: Callable[[Path], int]
    """returns the step of the newest checkpoint in a folder; 0 without one"""

    def what_is_wrong(self) -> str | None:
        """Return why this environment cannot train with it, and what to install; None if it can."""
        version = installed_version(self.distribution)
        if version == self.wheel:
            return None
        if version is None:
            return f"{self.distribution} {self.wheel} is not installed here; {self.absent}"
        return (
            f"{self.distribution} {version} is installed, and this version of rewardlab is made for {self.wheel}; "
            f"{self.install} {self.distribution}=={self.wheel}"
        )

    def lacks(self, options: RayOptions) -> str | None:
        """Return what this machine lacks to train; None if a Ray cluster does it."""
        return None if options.address or os.environ.get("RAY_ADDRESS") else self.what_is_wrong()


def installed_version(distribution: str) -> str | None:
    """Return the version of a distribution in this environment; None if it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def missing_modules(names: Sequence[str]) -> list[str]:
    """Return the modules that this environment lacks."""
    return [name for name in names if not _is_there(name)]


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # its package is missing
        return False
