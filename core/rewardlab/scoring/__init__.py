"""Scoring: from a group of completions to component scores, a total and a shaped reward for each completion.

In go a plan, whose rewards and judges the scorer builds, and groups: complete, as streams, or collected in a pool. Out
come scored groups, and records of what each component did in them. Whatever a reward does wrong becomes a failed score;
what must end the job is raised.

    own_scorer           the scorer of a process, another one in each fork
    recipe_reward        the reward of a recipe for programs: rows in, scored groups out
    given_rows           rows that a program or a file gives, checked and made into groups
    scored_completion    one completion with each component's value, reason and contribution; a group as a table
    scorer               the scorer of a plan: opens its judges and components, scores groups
    component_executors  the components of a plan, built on this machine, each with the executor that runs it
    executors            how a reward runs, what goes into one call, and the check of what it gives
    repeated             components that ask their judges several times, or several judges: many scores become one
    watched_calls        rewards whose calls are told where they last long, by a process that sees them: call_watcher
    row_window           rows scored at the same time, with results in order
    host                 groups whose members come one by one from many callers, scored once for all of them
    pool                 the completions of one prompt, handed over one by one by a trainer
    group_sampler        curricula that choose the group from a larger pool
    deadline             the deadline for scoring a group
    composition          from component scores to totals and shaped rewards, with the policies for missing values
    teaching             which groups teach, by their outcome; the rest a training leaves out
    reasons              why completions failed, or got nothing from a component, counted
    missing_guard        stops a job in which too many scores are missing
    decomposition        a part of the total for each component and a constant
    group_attribution    what each component contributed to the rewards of a group
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.scoring.component_executors import Machine as Machine
    from rewardlab.scoring.composition import Composition as Composition
    from rewardlab.scoring.composition import ScoredGroup as ScoredGroup
    from rewardlab.scoring.deadline import in_time as in_time
    from rewardlab.scoring.decomposition import decomposition_of as decomposition_of
    from rewardlab.scoring.decomposition import mean as mean
    from rewardlab.scoring.executors import Executor as Executor
    from rewardlab.scoring.executors import Item as Item
    from rewardlab.scoring.executors import awaiting as awaiting
    from rewardlab.scoring.executors import checked_scores as checked_scores
    from rewardlab.scoring.executors import describe_failure as describe_failure
    from rewardlab.scoring.executors import describe_place as describe_place
    from rewardlab.scoring.executors import open_executor as open_executor
    from rewardlab.scoring.executors import pool_executor as pool_executor
    from rewardlab.scoring.given_rows import InputRow as InputRow
    from rewardlab.scoring.given_rows import RowCheck as RowCheck
    from rewardlab.scoring.given_rows import rows_one_by_one as rows_one_by_one
    from rewardlab.scoring.given_rows import sorted_rows as sorted_rows
    from rewardlab.scoring.group_attribution import Attribution as Attribution
    from rewardlab.scoring.host import MetGroup as MetGroup
    from rewardlab.scoring.host import MissingMembersError as MissingMembersError
    from rewardlab.scoring.host import OnPartial as OnPartial
    from rewardlab.scoring.host import OtherMemberError as OtherMemberError
    from rewardlab.scoring.host import ScoringHost as ScoringHost
    from rewardlab.scoring.missing_guard import MissingGuard as MissingGuard
    from rewardlab.scoring.missing_guard import failures_of as failures_of
    from rewardlab.scoring.pool import Pool as Pool
    from rewardlab.scoring.pool import PooledGroup as PooledGroup
    from rewardlab.scoring.reasons import NothingGiven as NothingGiven
    from rewardlab.scoring.recipe_reward import OpenScorer as OpenScorer
    from rewardlab.scoring.recipe_reward import RecipeReward as RecipeReward
    from rewardlab.scoring.row_window import results_in_order as results_in_order
    from rewardlab.scoring.row_window import scored_in_order as scored_in_order
    from rewardlab.scoring.scorer import Scorer as Scorer
    from rewardlab.scoring.teaching import ROUNDING as ROUNDING
    from rewardlab.scoring.teaching import Teaching as Teaching
    from rewardlab.scoring.teaching import as_trainers_get_it as as_trainers_get_it
    from rewardlab.scoring.teaching import common_reward as common_reward

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
