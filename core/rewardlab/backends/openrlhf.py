"""The `openrlhf` backend. This version checks such a recipe's rewards; it does not start the job yet."""

from rewardlab.errors import Problem
from rewardlab.plan import Plan


def check(plan: Plan) -> list[Problem]:
    """Nothing beyond the checks of every backend."""
    return []
