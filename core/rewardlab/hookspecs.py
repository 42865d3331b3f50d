"""The ten hooks. A plugin implements those it needs; each returns the specs that it offers.

Hookimpls that offer specs are pure functions: no arguments, no side effects, cheap to call.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from rewardlab.specs import BackendSpec, CurriculumSpec, DatasetSpec, JudgeSpec, NormalizerSpec, RewardSpec

PROJECT = "rewardlab"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def rewardlab_rewards() -> "Sequence[RewardSpec]":
    """Return the rewards of this plugin."""
    return []


@hookspec
def rewardlab_judges() -> "Sequence[JudgeSpec]":
    """Return the judges of this plugin: everything that answers questions (also translators, teachers and critics)."""
    return []


@hookspec
def rewardlab_datasets() -> "Sequence[DatasetSpec]":
    """Return the datasets of this plugin."""
    return []


@hookspec
def rewardlab_curricula() -> "Sequence[CurriculumSpec]":
    """Return the curricula of this plugin: orders of samples and group samplers."""
    return []


@hookspec
def rewardlab_normalizers() -> "Sequence[NormalizerSpec]":
    """Return the normalizers of this plugin, which turn a group's totals into shaped rewards."""
    return []


@hookspec
def rewardlab_backends() -> "Sequence[BackendSpec]":
    """Return the backends of this plugin: engines that train."""
    return []


@hookspec
def rewardlab_run_finished(directory: Path) -> "Sequence[str]":  # noqa: ARG001  # hooks take it by this name
    """Do what is to be done with the folder of a run that has ended, such as a report; return notes for the user."""
    return []


@hookspec
def rewardlab_environment(definition: Any) -> Any:
    """Return the `ManagedEnvironment` of a `rewardlab.workers.EnvironmentDefinition`; the first plugin's is used."""


@hookspec
def rewardlab_evaluate_served(job: Any) -> None:
    """Run a stage `eval` of a served policy, a `rewardlab.training.StageJob`; the first plugin's is used."""


@hookspec
def rewardlab_track(job: Any) -> Any:
    """Return the context manager in which a stage runs, a `rewardlab.training.StageJob`, that trackers may hear of it.

    Only the first plugin's is used, and only if the recipe asks for a tracker.
    """
