"""The plan: a recipe and the installed plugins are resolved to components and cross-checked.

The input is a `Document` and a `Registry`; the output is a `Plan`: the recipe and each component that it names, with
its spec and validated options, or a UserError with every problem. No model is loaded, no row is read and no backend is
asked: training/check.py does that.

    planner          make_plan: find, validate, cross-check
    plan             the plan and what follows from it
    component        a component that a recipe names, and building it
    unused_async     an `async def` that nobody awaits, or that awaits nothing
    cross_checks     what a component and the rest of its recipe must agree on
    policy_judge     the judge that is the model in training
    total_range      the bounds of `total`
    dataset_places   where a recipe names datasets
    fingerprint      the part of a recipe that decides results, which a resumed job must share
"""

from rewardlab.plan.component import Component
from rewardlab.plan.plan import Plan
from rewardlab.plan.planner import Draft, draft_plan, make_plan

__all__ = ["Component", "Draft", "Plan", "draft_plan", "make_plan"]
