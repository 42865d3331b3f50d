"""What a recipe asks of the openrlhf backend, checked without importing an engine; a number is used or refused."""

from rewardlab.errors import Problem
from rewardlab.plan import Plan


def check(plan: Plan) -> list[Problem]:
    """Nothing beyond the checks of every backend."""
    return []
