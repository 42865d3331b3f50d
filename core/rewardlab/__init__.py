"""Rewards for training language models, as plugins composed by data.

The names below are what a plugin author needs first, and what the commands do, for programs and notebooks. They load on
first use, so that `import rewardlab` and `rewardlab --help` cost nothing.
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names
from rewardlab.version import __version__ as __version__

if TYPE_CHECKING:
    from rewardlab.api.judge_measurement import judge as judge
    from rewardlab.api.model_tables import tables as tables
    from rewardlab.api.model_win_rates import winrates as winrates
    from rewardlab.api.recipe_check import check as check
    from rewardlab.api.recipe_run import run as run
    from rewardlab.api.result import CommandResult as CommandResult
    from rewardlab.api.reward_comparison import compare as compare
    from rewardlab.api.reward_probe import probe as probe
    from rewardlab.api.sample_conversion import convert as convert
    from rewardlab.function_reward import reward as reward
    from rewardlab.group_stream import GroupStream as GroupStream
    from rewardlab.hookspecs import hookimpl as hookimpl
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
    from rewardlab.specs import Worker as Worker
    from rewardlab.specs import WorkerOpener as WorkerOpener
    from rewardlab.types import Ask as Ask
    from rewardlab.types import Candidates as Candidates
    from rewardlab.types import Completion as Completion
    from rewardlab.types import Group as Group
    from rewardlab.types import Message as Message
    from rewardlab.types import PoolEntry as PoolEntry
    from rewardlab.types import Reply as Reply
    from rewardlab.types import Sample as Sample
    from rewardlab.types import Score as Score

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
