"""Rewards for training language models, as plugins composed by data.

The names below are what a plugin author needs first, and what the commands do, for programs and notebooks. They load on
first use, so that `import rewardlab` and `rewardlab --help` cost nothing.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rewardlab.lazy import lazy_names
from rewardlab.version import __version__ as __version__

if TYPE_CHECKING:  # a type checker has these names, and finds others wrong
    from rewardlab.command_spec import CommandResult, CommandSpec, Flag, Overrides, Positional, PythonOnly
    from rewardlab.group_stream import GroupStream
    from rewardlab.hookspecs import hookimpl
    from rewardlab.scoring import ComponentScore, RecipeReward, ScoredCompletion, ScoredGroup, load_reward
    from rewardlab.specs import (
        BackendSpec,
        Config,
        Context,
        Curriculum,
        CurriculumSpec,
        DatasetSpec,
        EnvironmentChoice,
        GroupReward,
        GroupSampler,
        Judge,
        JudgeClient,
        JudgeSpec,
        Normalizer,
        NormalizerSpec,
        Reward,
        RewardSpec,
        Worker,
        WorkerOpener,
    )
    from rewardlab.types import Ask, Candidates, Completion, Group, Message, PoolEntry, Reply, Sample, Score

    check: Callable[..., CommandResult]
    compare: Callable[..., CommandResult]
    convert: Callable[..., CommandResult]
    judge: Callable[..., CommandResult]
    probe: Callable[..., CommandResult]
    run: Callable[..., Any]
    score: Callable[..., CommandResult]
    tables: Callable[..., CommandResult]
    winrates: Callable[..., CommandResult]
else:
    _named, _dir = lazy_names(
        __name__,
        {
            "command_spec": ["CommandResult", "CommandSpec", "Flag", "Overrides", "Positional", "PythonOnly"],
            "group_stream": ["GroupStream"],
            "hookspecs": ["hookimpl"],
            "scoring": ["ComponentScore", "RecipeReward", "ScoredCompletion", "ScoredGroup", "load_reward"],
            "specs": [
                "BackendSpec",
                "Config",
                "Context",
                "Curriculum",
                "CurriculumSpec",
                "DatasetSpec",
                "EnvironmentChoice",
                "GroupReward",
                "GroupSampler",
                "Judge",
                "JudgeClient",
                "JudgeSpec",
                "Normalizer",
                "NormalizerSpec",
                "Reward",
                "RewardSpec",
                "Worker",
                "WorkerOpener",
            ],
            "types": ["Ask", "Candidates", "Completion", "Group", "Message", "PoolEntry", "Reply", "Sample", "Score"],
        },
    )

    def __dir__():
        return sorted({*_dir(), *__all__})

    def __getattr__(name):
        """Return a public name, or the function of the command that is called so."""
        try:
            return _named(name)
        except AttributeError:
            if name.startswith("_") or find_spec(f"{__name__}.{name}"):  # a module that `from rewardlab import` imports
                raise
            from rewardlab.cli import find

            if (spec := find(name)) is None:
                raise
        from rewardlab.commands.parsing import function_of

        globals()[name] = function_of(spec)
        return globals()[name]


__all__ = [
    "Ask",
    "BackendSpec",
    "Candidates",
    "CommandResult",
    "CommandSpec",
    "Completion",
    "ComponentScore",
    "Config",
    "Context",
    "Curriculum",
    "CurriculumSpec",
    "DatasetSpec",
    "EnvironmentChoice",
    "Flag",
    "Group",
    "GroupReward",
    "GroupSampler",
    "GroupStream",
    "Judge",
    "JudgeClient",
    "JudgeSpec",
    "Message",
    "Normalizer",
    "NormalizerSpec",
    "Overrides",
    "PoolEntry",
    "Positional",
    "PythonOnly",
    "RecipeReward",
    "Reply",
    "Reward",
    "RewardSpec",
    "Sample",
    "Score",
    "ScoredCompletion",
    "ScoredGroup",
    "Worker",
    "WorkerOpener",
    "check",
    "compare",
    "convert",
    "hookimpl",
    "judge",
    "load_reward",
    "probe",
    "run",
    "score",
    "tables",
    "winrates",
]
