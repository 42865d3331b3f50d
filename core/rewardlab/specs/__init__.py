"""The specs of components, and what a command is: what plugins offer, in frozen descriptions.

context       the base of options, what `build` receives, and what it returns
reward_spec, judge_spec, dataset_spec, curriculum_spec, normalizer_spec, backend_spec: one for each kind of component
command       a command: its options and the function that runs it
entry_points  what is installed: scanned once, and again when it has changed
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.specs.backend_spec import BackendSpec as BackendSpec
    from rewardlab.specs.context import COMPONENT_NAME as COMPONENT_NAME
    from rewardlab.specs.context import Asks as Asks
    from rewardlab.specs.context import Config as Config
    from rewardlab.specs.context import Context as Context
    from rewardlab.specs.context import Curriculum as Curriculum
    from rewardlab.specs.context import EnvironmentChoice as EnvironmentChoice
    from rewardlab.specs.context import GroupReward as GroupReward
    from rewardlab.specs.context import GroupSampler as GroupSampler
    from rewardlab.specs.context import Judge as Judge
    from rewardlab.specs.context import JudgeClient as JudgeClient
    from rewardlab.specs.context import NoOptions as NoOptions
    from rewardlab.specs.context import Normalizer as Normalizer
    from rewardlab.specs.context import OwnPython as OwnPython
    from rewardlab.specs.context import Questions as Questions
    from rewardlab.specs.context import Reward as Reward
    from rewardlab.specs.context import Spec as Spec
    from rewardlab.specs.context import Worker as Worker
    from rewardlab.specs.context import WorkerOpener as WorkerOpener
    from rewardlab.specs.curriculum_spec import CurriculumSpec as CurriculumSpec
    from rewardlab.specs.dataset_spec import DatasetSpec as DatasetSpec
    from rewardlab.specs.judge_spec import JudgeSpec as JudgeSpec
    from rewardlab.specs.normalizer_spec import NormalizerSpec as NormalizerSpec
    from rewardlab.specs.reward_spec import RewardSpec as RewardSpec

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
