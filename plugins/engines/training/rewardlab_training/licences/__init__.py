"""Judges' licences: whether a judge has kept the bounds that its recipe requires, on rows that people have labelled.

In go a plan and the licence files beside cassettes, which `rewardlab judge --licence` writes; out comes the state of
each judge for each component that asks it. Nobody is asked here.

    bounds          which bounds the measures keep, break or leave undecided, and how many more labels would decide
    licence_file    the file that keeps the measures, with all that was asked
    judge_licences  the licences of a plan's judges, as they stand
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_training.licences.bounds import EVERY as EVERY
    from rewardlab_training.licences.bounds import FIRST_LABELS as FIRST_LABELS
    from rewardlab_training.licences.bounds import LEVEL as LEVEL
    from rewardlab_training.licences.bounds import MAX_LABELS as MAX_LABELS
    from rewardlab_training.licences.bounds import BoundState as BoundState
    from rewardlab_training.licences.bounds import Measured as Measured
    from rewardlab_training.licences.bounds import bound_states as bound_states
    from rewardlab_training.licences.judge_licences import JudgeLicence as JudgeLicence
    from rewardlab_training.licences.judge_licences import asked_by as asked_by
    from rewardlab_training.licences.judge_licences import components_asking as components_asking
    from rewardlab_training.licences.judge_licences import judge_licences as judge_licences
    from rewardlab_training.licences.judge_licences import licence_of as licence_of
    from rewardlab_training.licences.licence_file import Labels as Labels
    from rewardlab_training.licences.licence_file import Licence as Licence
    from rewardlab_training.licences.licence_file import keep_licence as keep_licence
    from rewardlab_training.licences.licence_file import licence_path as licence_path
    from rewardlab_training.licences.licence_file import read_licences as read_licences

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
