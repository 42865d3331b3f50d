"""Checks of a component that asks its judges again, or several of them, against the rest of its recipe."""

from collections.abc import Iterator

from rewardlab.plan.plan import Plan
from rewardlab.recipe.validation import Finding

OF_JUDGED = ("repeats", "combine", "escalate", "on_unstable", "commit_first")
"""keys of a component that say how often, of whom and in which way it asks"""


def repeat_findings(plan: Plan, name: str) -> Iterator[Finding]:
    """Yield a finding for each of these keys that a component has no use for, or cannot do what it says."""
    planned, place = plan.components[name], ("reward", "components", name)
    use = planned.use
    if not planned.judges():
        for key in OF_JUDGED:
            if key in use.model_fields_set:
                yield (*place, key), f"{use.use} asks no judge, so that nothing uses `{key}`; leave it out"
        return
    if use.escalate is not None and not planned.panel:
        yield (*place, "escalate"), "asks one judge after another, and there is one; list several under `with`"
    if use.on_unstable is not None and sum(plan.draws(name).values()) == 1:
        yield (*place, "on_unstable"), "one value has no spread; set `repeats: 3` or more, or a panel of judges"
    if use.on_unstable is not None and use.on_unstable.then == "missing" and use.on_missing == "fail":
        problem = "`then: missing` would end the job at the first unstable value, since `on_missing` is fail"
        yield (*place, "on_unstable"), f"{problem}; set on_missing: group_mean, or take then: zero_advantage"
    if use.commit_first and any("query" not in ask.parts for asks in planned.questions().values() for ask in asks):
        yield (*place, "commit_first"), f"the questions of {use.use} have no part `query`, the task to solve first"
