"""The plan: a recipe and the installed plugins are resolved to components and cross-checked.

The input is a `Document` and a `Registry`; the output is a `Plan`: the recipe and each component that it names, with
its spec and validated options, or a UserError with every problem. No model is loaded, no row is read and no backend is
asked: rewardlab-training does that.

    planner          make_plan: find, validate, cross-check
    plan             the plan and what follows from it
    component        a component that a recipe names, and building it
    unused_async     an `async def` that nobody awaits, or that awaits nothing
    cross_checks     what a component and the rest of its recipe must agree on
    policy_judge     the judge that is the model in training
    total_range      the bounds of `total`
    dataset_places   where a recipe names datasets
    fingerprint      the part of a recipe that decides results, which a resumed job must share, and how two differ
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.plan.component import Component as Component
    from rewardlab.plan.component import build as build
    from rewardlab.plan.component import secret_variables as secret_variables
    from rewardlab.plan.cross_checks import cross_warnings as cross_warnings
    from rewardlab.plan.cross_checks import declared as declared
    from rewardlab.plan.dataset_places import evaluation_place as evaluation_place
    from rewardlab.plan.dataset_places import sources_of as sources_of
    from rewardlab.plan.fingerprint import Difference as Difference
    from rewardlab.plan.fingerprint import decisive as decisive
    from rewardlab.plan.fingerprint import differences as differences
    from rewardlab.plan.fingerprint import who as who
    from rewardlab.plan.plan import Plan as Plan
    from rewardlab.plan.planner import Draft as Draft
    from rewardlab.plan.planner import draft_plan as draft_plan
    from rewardlab.plan.planner import make_plan as make_plan
    from rewardlab.plan.policy_judge import OUTSIDE as OUTSIDE
    from rewardlab.plan.policy_judge import POLICY as POLICY
    from rewardlab.plan.policy_judge import refuse_policy as refuse_policy
    from rewardlab.plan.total_range import Interval as Interval
    from rewardlab.plan.unused_async import awaits_nothing as awaits_nothing
    from rewardlab.plan.unused_async import unawaited as unawaited

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
