"""The five hooks. A plugin implements those it needs; each returns the specs that it offers.

Hookimpls are pure functions: no arguments, no side effects, cheap to call.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from rewardlab.specs import CurriculumSpec, DatasetSpec, JudgeSpec, NormalizerSpec, RewardSpec

PROJECT = "rewardlab"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def rewardlab_rewards() -> "Sequence[RewardSpec]":
    """The rewards of this plugin."""
    return []


@hookspec
def rewardlab_judges() -> "Sequence[JudgeSpec]":
    """The judges of this plugin: whatever answers a question (also translators, teachers and critics)."""
    return []


@hookspec
def rewardlab_datasets() -> "Sequence[DatasetSpec]":
    """The datasets of this plugin."""
    return []


@hookspec
def rewardlab_curricula() -> "Sequence[CurriculumSpec]":
    """The curricula of this plugin: orders of samples and group samplers."""
    return []


@hookspec
def rewardlab_normalizers() -> "Sequence[NormalizerSpec]":
    """The normalizers of this plugin: a group's totals to shaped rewards."""
    return []
