"""How a plan's total comes apart."""

from rewardlab.causes.parts import Decomposition
from rewardlab.plan import Plan


def decomposition_of(plan: Plan) -> Decomposition:
    """By the declared ranges of the plan's components: a gate is open at the upper end of its own."""
    assert plan.expression is not None
    return Decomposition(plan.expression, {name: float(p.spec.range[1]) for name, p in plan.components.items()})
