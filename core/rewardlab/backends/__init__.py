"""The engines that train, each in a module of its own; none is imported before a recipe asks for it."""

from collections.abc import Callable

from rewardlab.errors import Problem
from rewardlab.ledger import RunDirectory
from rewardlab.plan import Plan
from rewardlab.recipe import DataStage


def check_backend(plan: Plan) -> list[Problem]:
    """What the recipe's backend cannot do of what the recipe says, without importing an engine."""
    if plan.recipe.backend.use == "openrlhf":
        from rewardlab.backends.openrlhf.check import check
    else:
        from rewardlab.backends.trl.check import check
    return check(plan)


def describe(plan: Plan, only: int | None = None) -> str:
    """What `run --dry-run` prints, of all stages or of stage `only`."""
    if plan.recipe.backend.use == "openrlhf":
        from rewardlab.backends.openrlhf.describe import describe as describe_engine
    else:
        from rewardlab.backends.trl.describe import describe as describe_engine
    return describe_engine(plan, only)


def run_backend(plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
    """Run the recipe's stages (or stage `only`) on its backend."""
    if plan.recipe.backend.use == "openrlhf":
        from rewardlab.backends.openrlhf.job.run import run
    else:
        from rewardlab.backends.trl.run import run
    run(plan, directory, only, say)


def trained_elsewhere(plan: Plan) -> bool:
    """Whether a cluster trains, and asks what rewards want to know."""
    if plan.recipe.backend.use != "openrlhf":
        return False
    from rewardlab.backends.openrlhf.job.cluster import cluster_address

    return cluster_address(plan) is not None


def check_runnable(plan: Plan, only: int | None = None) -> None:
    """Raises UserError where this machine cannot start the engine that the recipe's stages (or stage `only`) need."""
    stages = [stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)]
    if plan.recipe.backend.use == "openrlhf" and not all(isinstance(stage, DataStage) for stage in stages):
        from rewardlab.backends.openrlhf.job.run import check_engine

        check_engine(plan, only)
