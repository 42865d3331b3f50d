"""A plan with nothing but components to measure, and the judges that they ask."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewardlab.errors import UserError, nearest
from rewardlab.plan import Component, Plan
from rewardlab.recipe import RewardSection, parse


def measured_plan(plan: Plan, names: Sequence[str] = (), repeats: int | None = None) -> Plan:
    """Return the plan with only the components to measure and the judges that they ask, each so often.

    These are the components in `names`; without names, all that ask a judge. A missing value alone never stops the
    job: the recipe's on_missing and on_abstain do not count, its max_missing does. A UserError if no component is left.
    """
    for name in names:
        if name not in plan.components:
            raise UserError(f"--component {name}: no component {name!r}{nearest(name, plan.components)}")
    asked = {name: planned.judges() for name, planned in plan.components.items()}
    measured = [name for name in plan.components if (name in names if names else asked[name])]
    if not measured:
        listed = ", ".join(f"{name} ({planned.use.use})" for name, planned in plan.components.items())
        raise UserError(f"no component asks a judge; name one of {listed} with --component")
    policies: dict[str, Any] = {"on_missing": "zero_advantage", "on_abstain": 0.0}
    components = {
        name: _with_policies(
            plan.components[name], policies | ({"repeats": repeats} if repeats and asked[name] else {})
        )
        for name in measured
    }
    uses = {name: planned.use for name, planned in components.items()}
    total = " + ".join(measured)
    reward = RewardSection.model_validate({"components": uses, "total": total})  # the rest may name others
    judges = {judge for name in measured for judge in asked[name]}
    return replace(
        plan,
        recipe=plan.recipe.model_copy(update={"reward": reward}),
        components=components,
        judges={name: planned for name, planned in plan.judges.items() if name in judges},
        normalizers=(),
        expression=parse(total),
    )


def _with_policies(planned: Component, policies: Mapping[str, Any]) -> Component:
    return replace(planned, use=planned.use.model_copy(update=policies))
