"""Rewards for training language models, as plugins composed by data.

The names below are the whole public interface of a plugin author. They load on first use, so that
`import rewardlab` and `rewardlab --help` cost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rewardlab.grouping import GroupStream
    from rewardlab.hookspecs import hookimpl
    from rewardlab.specs import (
        Config,
        Context,
        CurriculumSpec,
        DatasetSpec,
        JudgeSpec,
        NormalizerSpec,
        RewardSpec,
    )
    from rewardlab.types import Ask, Completion, Group, Reply, Sample, Score

_HOME = {
    "hookimpl": "hookspecs",
    "Config": "specs",
    "Context": "specs",
    "RewardSpec": "specs",
    "JudgeSpec": "specs",
    "DatasetSpec": "specs",
    "CurriculumSpec": "specs",
    "NormalizerSpec": "specs",
    "Sample": "types",
    "Completion": "types",
    "Group": "types",
    "GroupStream": "grouping",
    "Score": "types",
    "Ask": "types",
    "Reply": "types",
}

__all__ = [
    "Ask",
    "Completion",
    "Config",
    "Context",
    "CurriculumSpec",
    "DatasetSpec",
    "Group",
    "GroupStream",
    "JudgeSpec",
    "NormalizerSpec",
    "Reply",
    "RewardSpec",
    "Sample",
    "Score",
    "hookimpl",
]


if not TYPE_CHECKING:  # a type checker has the names above, and finds others wrong

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'rewardlab' has no attribute {name!r}")
        value = getattr(import_module(f"rewardlab.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
