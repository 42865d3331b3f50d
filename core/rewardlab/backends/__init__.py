"""The engines that train, each in a module of its own; none is imported before a recipe asks for it."""

from collections.abc import Callable

from rewardlab.errors import Problem, UserError
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


def describe(plan: Plan) -> str:
    """What `run --dry-run` prints."""
    if plan.recipe.backend.use == "openrlhf":
        from rewardlab.backends.openrlhf.describe import describe as describe_engine
    else:
        from rewardlab.backends.trl.describe import describe as describe_engine
    return describe_engine(plan)


def run_backend(plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
    """Run the recipe's stages (or stage `only`) on its backend."""
    from rewardlab.backends.trl.run import run

    check_runnable(plan, only)
    run(plan, directory, only, say)


def check_runnable(plan: Plan, only: int | None = None) -> None:
    """Raises UserError where this version cannot run the recipe's stages (or stage `only`) on its backend."""
    stages = [stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)]
    if plan.recipe.backend.use == "openrlhf" and not all(isinstance(stage, DataStage) for stage in stages):
        data = [i for i, stage in enumerate(plan.recipe.stages) if isinstance(stage, DataStage)]
        hint = f"; its data stages run with {', '.join(f'--stage {i}' for i in data)}" if data else ""
        what = f"this version checks openrlhf recipes and cannot train with it yet; `backend={{use: trl}}` can{hint}"
        raise UserError(what, where=plan.document.where(("backend", "use")))
