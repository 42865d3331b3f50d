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
    from rewardlab.group_stream import GroupStream as GroupStream
    from rewardlab.hookspecs import hookimpl as hookimpl
    from rewardlab.references import references_of as references_of
    from rewardlab.registry.function_reward import reward as reward
    from rewardlab.registry.registry import find as find
    from rewardlab.registry.registry import installed as installed
    from rewardlab.scoring.composition import ScoredGroup as ScoredGroup
    from rewardlab.scoring.recipe_reward import RecipeReward as RecipeReward
    from rewardlab.scoring.recipe_reward import load_reward as load_reward
    from rewardlab.scoring.scored_completion import ComponentScore as ComponentScore
    from rewardlab.scoring.scored_completion import ScoredCompletion as ScoredCompletion
    from rewardlab.specs import BackendSpec as BackendSpec
    from rewardlab.specs import Config as Config
    from rewardlab.specs import Context as Context
    from rewardlab.specs import Curriculum as Curriculum
    from rewardlab.specs import CurriculumSpec as CurriculumSpec
    from rewardlab.specs import DatasetSpec as DatasetSpec
    from rewardlab.specs import EnvironmentChoice as EnvironmentChoice
    from rewardlab.specs import GroupReward as GroupReward
    from rewardlab.specs import GroupSampler as GroupSampler
    from rewardlab.specs import Judge as Judge
    from rewardlab.specs import JudgeClient as JudgeClient
    from rewardlab.specs import JudgeSpec as JudgeSpec
    from rewardlab.specs import Normalizer as Normalizer
    from rewardlab.specs import NormalizerSpec as NormalizerSpec
    from rewardlab.specs import Reward as Reward
    from rewardlab.specs import RewardSpec as RewardSpec
    from rewardlab.specs import Spec as Spec
    from rewardlab.specs import Worker as Worker
    from rewardlab.specs import WorkerOpener as WorkerOpener
    from rewardlab.specs.command import CommandResult as CommandResult
    from rewardlab.specs.command import Flag as Flag
    from rewardlab.specs.command import Overrides as Overrides
    from rewardlab.specs.command import Positional as Positional
    from rewardlab.specs.command import PythonOnly as PythonOnly
    from rewardlab.specs.command import note as note
    from rewardlab.text.redaction import redact as redact
    from rewardlab.types import Ask as Ask
    from rewardlab.types import Candidates as Candidates
    from rewardlab.types import Completion as Completion
    from rewardlab.types import Group as Group
    from rewardlab.types import Message as Message
    from rewardlab.types import PoolEntry as PoolEntry
    from rewardlab.types import Reply as Reply
    from rewardlab.types import Sample as Sample
    from rewardlab.types import Score as Score
    from rewardlab.types import Turn as Turn

    check: Callable[..., CommandResult]
    compare: Callable[..., CommandResult]
    convert: Callable[..., CommandResult]
    judge: Callable[..., CommandResult]
    probe: Callable[..., CommandResult]
    run: Callable[..., Any]
    score: Callable[..., CommandResult]
    tables: Callable[..., CommandResult]
    winrates: Callable[..., CommandResult]

_named, _, _imported = lazy_names(__name__, __file__)
__all__ = sorted([*_imported, "check", "compare", "convert", "judge", "probe", "run", "score", "tables", "winrates"])


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Return a public name, or the function of the command that is called so."""
    try:
        return _named(name)
    except AttributeError:
        if name.startswith("_") or find_spec(f"{__name__}.{name}"):  # a module that `from rewardlab import` imports
            raise
        from rewardlab.commands.find import find_command

        if (command := find_command(name)) is None:
            raise
    from rewardlab.commands.functions import function_of

    globals()[name] = function_of(command)
    return globals()[name]
