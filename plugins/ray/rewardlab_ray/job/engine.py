"""The description of an engine on Ray: all in which its jobs differ from those of another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rewardlab.plan import Plan

from rewardlab_ray.stage_task import TrainingStage


@dataclass(frozen=True, kw_only=True)
class RayEngine:
    """An engine whose stages are jobs on Ray."""

    name: str
    """as people write it: "OpenRLHF\""""
    driver: str
    """the module that is the process of a stage; its `main` calls stage_driver.drive"""
    packages: Sequence[str]
    """distributions of which all nodes with GPUs must have the same versions"""
    what_is_wrong: Callable[[], str | None]
    """returns why this environment cannot train, and what to install; None if it can"""
    modules: Callable[[Plan, bool], Mapping[str, str]]
    """returns what a stage imports, each with what to do without it; the flag: whether the stage samples"""
    gpus: Callable[[Plan, TrainingStage], int]
    """returns the GPUs of a stage, those of the scorers included"""
    newest_step: Callable[[Path], int]
    """returns the step of the newest checkpoint in a folder; 0 without one"""


def missing_modules(names: Sequence[str]) -> list[str]:
    """Return the modules that this environment lacks."""
    return [name for name in names if not _is_there(name)]


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # its package is missing
        return False
